"""Pictures that stand in web pages themselves (RFC 2397). Those that are elsewhere are never fetched."""

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

NamePicture: TypeAlias = Callable[[dict[str, str], int], str]
"""Names a picture by its attributes and where its tag begins, so that its bytes are found again; "" for one that isn't wanted."""

_DATA = re.compile(r"data:image/(?:png|jpe?g|gif|bmp|webp|tiff)\b", re.IGNORECASE)
_SOURCE = re.compile(r"""[^"'<>\s][^"'<>]*""")
_MOST_HEAD_CHARS = 200
_AWAY = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)


def embedded_picture(text: str, attributes: dict[str, str], index: int) -> str:
    """Return the name of a picture whose bytes stand in its tag: where they begin in the text."""
    if not _DATA.match(attributes.get("src", "").lstrip()[:_MOST_HEAD_CHARS]):
        return ""
    found = _DATA.search(text, index)
    return str(found.start()) if found else ""


def embedded_bytes(text: str, name: str, *, most_bytes: int) -> bytes:
    """Return the bytes of a picture by its name; none where there is no such picture, or it is larger than it may be."""
    found = _SOURCE.match(text, int(name)) if name.isascii() and name.isdecimal() and len(name) < 12 else None
    head, comma, data = found.group().partition(",") if found else ("", "", "")
    if not comma or not _DATA.match(head) or len(head) > _MOST_HEAD_CHARS or len(data) > 2 * most_bytes:
        return b""
    raw = unquote_to_bytes(data)
    if not head.lower().rstrip().endswith(";base64"):
        return raw[:most_bytes]
    try:
        return b64decode(b"".join(raw.split()) + b"==", validate=False)[:most_bytes]
    except (Error, ValueError):
        return b""


def linked_source(attributes: dict[str, str]) -> str:
    """Return the address of a picture beside the page; "" for one that is elsewhere, or in the tag."""
    source = (attributes.get("src") or attributes.get("xlink:href") or attributes.get("href") or "").strip()
    return "" if _AWAY.match(source) else source
