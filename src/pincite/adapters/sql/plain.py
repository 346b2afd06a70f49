"""Frozen dataclasses as JSON and back, exactly: decoders are derived from the type hints, so no field is ever forgotten."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NewType, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
Decoder = Callable[[Any], Any]


def dump(value: object) -> str:
    """Return a value as compact JSON. ASCII only, so that even a lone surrogate of a broken text survives."""
    return json.dumps(_plain(value), separators=(",", ":"))


def load(kind: type[T], data: str) -> T:
    """Return the value of a dataclass, or a generic alias of one, that `dump` wrote. A missing field takes its default."""
    return cast(T, _decoder(kind)(json.loads(data)))


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if not isinstance(value, type) and is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in cast("Sequence[object]", value)]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in cast("Mapping[str, object]", value).items()}
    return value


@cache
def _decoder(kind: Any) -> Decoder:
    if isinstance(kind, NewType):
        return _decoder(kind.__supertype__)
    if (origin := get_origin(kind)) is not None:
        return _generic(origin, get_args(kind))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    if is_dataclass(cast("object", kind)):
        return _dataclass(cast("type[Any]", kind))
    return _same


def _generic(origin: Any, arguments: tuple[Any, ...]) -> Decoder:
    if origin is tuple:
        return _tuple(arguments)
    if origin in (Union, UnionType):
        return _optional(arguments)
    if origin is Literal:
        return _same
    if issubclass(origin, Mapping):
        inner = _decoder(arguments[1])
        return lambda data: {key: inner(item) for key, item in data.items()}
    raise TypeError(f"no decoder for {origin}")


def _tuple(arguments: tuple[Any, ...]) -> Decoder:
    if arguments[-1] is Ellipsis:
        inner = _decoder(arguments[0])
        return lambda data: tuple(inner(item) for item in data)
    each = [_decoder(argument) for argument in arguments]
    return lambda data: tuple(decode(item) for decode, item in zip(each, data, strict=True))


def _optional(arguments: tuple[Any, ...]) -> Decoder:
    kinds = [argument for argument in arguments if argument is not NoneType]
    if len(kinds) != 1:
        raise TypeError(f"no decoder for a union of {kinds}")
    inner = _decoder(kinds[0])
    return lambda data: None if data is None else inner(data)


def _dataclass(kind: type[Any]) -> Decoder:
    hints = get_type_hints(kind)
    each = {field.name: _decoder(hints[field.name]) for field in fields(kind)}
    return lambda data: kind(**{name: each[name](item) for name, item in data.items() if name in each})


def _same(data: Any) -> Any:
    return data
