"""JSON in its canonical form (RFC 8785): one value is written in one way, so that it can be hashed and signed."""

import math
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import cast

LARGEST_INTEGER = 2**53 - 1
"""RFC 8785 knows numbers of double precision alone; beyond this (I-JSON, RFC 7493, section 2.2) integers are not exact."""


def canonical(value: object) -> bytes:
    """Return a value as canonical JSON, in UTF-8.

    Raises `ValueError` for what that can't hold: NaN and infinities, integers beyond double precision, half a surrogate pair,
    keys that are no text, and objects that are no JSON.
    """
    return _written(value).encode()


def _written(value: object) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, Mapping):
        return _object(cast("Mapping[object, object]", value))
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(_written, cast('Sequence[object]', value)))}]"
    raise ValueError(f"{type(value).__name__} is nothing that JSON can hold.")


def _object(value: Mapping[object, object]) -> str:
    names = [name for name in value if isinstance(name, str)]
    if len(names) < len(value):
        raise ValueError("A key is no text.")
    # Sorted by UTF-16 code units (section 3.2.3): of two characters beyond U+FFFF and below, the order differs from Python's.
    ordered = sorted(names, key=lambda name: name.encode("utf-16-be"))
    return f"{{{','.join(f'{encode_basestring(name)}:{_written(value[name])}' for name in ordered)}}}"


def _number(value: float) -> str:
    if isinstance(value, int):
        if abs(value) > LARGEST_INTEGER:
            raise ValueError(f"{value} is beyond what a number of double precision holds exactly.")
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} is no number of JSON.")
    return _ecmascript(value) if value else "0"


def _ecmascript(value: float) -> str:
    """Return a number as ECMAScript writes it (ECMA-262, Number::toString): Python's digits are the same, its layout isn't."""
    sign, digits, point = _digits(value)
    count = len(digits)
    if count <= point <= 21:
        text = digits + "0" * (point - count)
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        fraction = f".{digits[1:]}" if count > 1 else ""
        text = f"{digits[0]}{fraction}e{point - 1:+d}"
    return sign + text


def _digits(value: float) -> tuple[str, str, int]:
    """Return sign, shortest digits that tell the number from all others, and how many of them stand before the point."""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + ("" if fraction == "0" else fraction)
    point = len(whole) + int(exponent or 0)
    stripped = digits.lstrip("0")
    return "-" if value < 0 else "", stripped.rstrip("0"), point - (len(digits) - len(stripped))
