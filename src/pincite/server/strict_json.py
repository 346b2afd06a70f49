"""JSON as RFC 8259 and I-JSON (RFC 7493) have it: UTF-8, no key twice, no NaN, whole characters, and not nested without end."""

import json
from collections.abc import Sequence
from typing import Any, Never

from pincite.core.errors import UsageError

_TOO_DEEP = "It is nested too deeply."


def parsed(body: bytes) -> Any:
    """Return what a request's JSON says. Raises `UsageError` (`json`) with a sentence that names what is wrong with it."""
    try:
        # Some editors and shells begin a file with a byte order mark.
        value = json.loads(body.decode("utf-8-sig"), object_pairs_hook=_object, parse_constant=_constant)
        _require_characters(body, value)
    except UnicodeDecodeError as error:
        raise _refused("It isn't UTF-8.") from error
    except json.JSONDecodeError as error:
        raise _refused(f"{error.msg} at line {error.lineno}, column {error.colno}.") from error
    except RecursionError as error:
        raise _refused(_TOO_DEEP) from error
    except ValueError as error:
        # A number with thousands of digits.
        raise _refused("A number in it is too long.") from error
    return value


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _refused("It names a field twice.")
    return found


def _constant(name: str) -> Never:
    raise _refused(f"{name} is no number of JSON.")


def _require_characters(body: bytes, value: Any) -> None:
    """Raise `UsageError` for half a surrogate pair, which only an escape can write: no UTF-8 can hold it."""
    if b"\\ud" not in body and b"\\uD" not in body:
        return
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise _refused("It holds half a surrogate pair.") from error


def _refused(why: str) -> UsageError:
    return UsageError(f"The body can't be read as JSON. {why}", code="json")
