"""Ranges of a file (RFC 9110, section 14): which of those asked for it has."""

import re

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse

_RANGE = re.compile(r"([0-9]{0,30})-([0-9]{0,30})")


def narrow(request: Request, response: FileResponse, *, size_bytes: int) -> None:
    """Let a request ask for what of its ranges a file has, and for the whole file where they don't count.

    They don't in another unit than bytes, or when `If-Range` names another state of the file. Raises 416 for ranges that can't be
    read, or none of which the file has.
    """
    asked = ",".join(request.headers.getlist("range"))
    if not asked:
        return
    headers = [(name, value) for name, value in request.scope["headers"] if name.lower() != b"range"]
    unit, separator, wanted = asked.partition("=")
    is_counted = not separator or unit.strip().lower() == "bytes"
    if is_counted and request.headers.get("if-range") in (None, response.headers["etag"], response.headers["last-modified"]):
        found = _satisfiable(wanted, size_bytes)
        if not found:
            raise HTTPException(416, headers={"Content-Range": f"bytes */{size_bytes}"})
        headers.append((b"range", f"bytes={','.join(found)}".encode()))
    request.scope["headers"] = headers


def _satisfiable(wanted: str, size_bytes: int) -> list[str]:
    """Return the ranges that a file of a size has; none when one of them can't be read."""
    found: list[str] = []
    for each in filter(None, (part.strip(" \t") for part in wanted.split(","))):
        parts = _RANGE.fullmatch(each)
        first, last = parts.groups() if parts else ("", "")
        if not first and not last:
            return []
        if first and last and int(last) < int(first):
            return []
        if (int(first) < size_bytes) if first else (int(last) and size_bytes):
            found.append(each)
    return found
