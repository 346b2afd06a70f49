"""What comes behind a bracket: a link's address, a reference, a definition. CommonMark 0.31, sections 4.7 and 6.3."""

import re
from enum import Enum

MAX_ADDRESS_CHARS = 256
"""A link destination is looked at up to this length; a run without a blank that is longer is taken for an address."""


class Follow(Enum):
    """What the text behind a bracket makes of it."""

    NOTHING = "nothing"
    LINK = "link"
    MORE = "more"


_DESTINATION = re.compile(r"\([ \t]*(<(?:[^<>\n\\]|\\.)*>?|(?:[^\s()\\<]|\\.|\([^\s()]*\)?)*)")
_ADDRESS = re.compile(r"<|#|/|\.{1,2}/|[a-z][a-z0-9+.-]*:\S|www\.|\S+\.\w{2,}(?:$|[/?#])", re.IGNORECASE)
_ADDRESS_SIGN = re.compile(r"[/.#:?&=%@_-]")


def read_destination(text: str, start: int, *, final: bool) -> Follow:
    """Return whether the parenthesis at `start` holds a link destination, and so makes a link of the bracket before it."""
    rest = text[start : start + MAX_ADDRESS_CHARS]
    match = _DESTINATION.match(rest)
    address = match.group(1) if match else ""
    behind = rest[match.end() :] if match else rest
    following = behind.lstrip(" \t\r\n")[:1]
    if not following or following == "\\":
        return _unfinished(rest, final=final)
    if address[:1] == "<" and address[-1] != ">":
        return Follow.NOTHING
    if following == ")":
        return Follow.LINK if _is_address(address) else Follow.NOTHING
    titled = following in "\"'" and behind[0].isspace()
    return Follow.LINK if titled else Follow.NOTHING


def read_definition(text: str, start: int, *, final: bool) -> Follow:
    """Return whether the colon at `start`, behind a bracket that opens a line, defines a link."""
    rest = text[start + 1 : start + MAX_ADDRESS_CHARS]
    body = rest.lstrip(" \t")
    address = re.split(r"\s", body, maxsplit=1)[0]
    if not body:
        return _unfinished(rest, final=final, at_end=Follow.LINK)
    if len(address) == len(body):
        return _unfinished(rest, final=final, at_end=Follow.LINK)
    if not address or _ADDRESS.match(address):
        return Follow.LINK
    behind = body[len(address) :].lstrip(" \t\r")[:1]
    if not behind:
        return _unfinished(rest, final=final, at_end=Follow.LINK)
    return Follow.LINK if behind in "\"'\n" else Follow.NOTHING


def _unfinished(rest: str, *, final: bool, at_end: Follow = Follow.NOTHING) -> Follow:
    if final:
        return at_end
    return Follow.LINK if len(rest) >= MAX_ADDRESS_CHARS - 1 else Follow.MORE


def _is_address(destination: str) -> bool:
    """Return False for prose in a script that sets no blanks, such as `[1](见第三页)`."""
    return destination.isascii() or bool(_ADDRESS_SIGN.search(destination))
