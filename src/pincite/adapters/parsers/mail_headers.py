"""Headers of messages as people read them."""

import binascii
import quopri
import re
from datetime import datetime
from email.utils import parsedate_to_datetime

from pincite.adapters.parsers.charsets import decode_declared
from pincite.adapters.parsers.mime import Part

_MAX_CHARS = 20_000
_WORD = re.compile(rb"=\?([A-Za-z0-9_.:()-]{1,60})(?:\*[^?]{0,20})?\?([bBqQ])\?([^?\n]*)\?=")
_BETWEEN = re.compile(rb"[ \t]+")


def header_text(part: Part, name: str) -> str:
    """Return all headers of a name in one line, encoded words (RFC 2047) decoded; empty when there is none."""
    return ", ".join(text for key, value in part.headers if key == name and (text := decode_header(value)))[:_MAX_CHARS]


def decode_header(value: bytes) -> str:
    """Return a header's value in one line. What isn't encoded is taken for UTF-8 or what it looks like."""
    pieces: list[tuple[bytes, str]] = []
    at = 0
    for found in _WORD.finditer(value[:_MAX_CHARS]):
        plain = value[at : found.start()]
        # Blanks between two encoded words are not there (RFC 2047, section 6.2).
        if plain and not (pieces and pieces[-1][1] and _BETWEEN.fullmatch(plain)):
            pieces.append((plain, ""))
        charset = found.group(1).decode("ascii").lower()
        raw = _word(found.group(2), found.group(3))
        if pieces and pieces[-1][1] == charset:
            # A character may be cut between two words.
            pieces[-1] = (pieces[-1][0] + raw, charset)
        else:
            pieces.append((raw, charset))
        at = found.end()
    pieces.append((value[at:_MAX_CHARS], ""))
    return " ".join("".join(decode_declared(raw, charset) for raw, charset in pieces if raw).split())


def _word(kind: bytes, text: bytes) -> bytes:
    if kind in b"qQ":
        return quopri.decodestring(text.replace(b" ", b"_"), header=True)
    letters = re.sub(rb"[^A-Za-z0-9+/]", b"", text)
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    return binascii.a2b_base64(letters + b"=" * (-len(letters) % 4))


def date_of(part: Part) -> datetime | None:
    """Return when a message says that it was written, None where it doesn't."""
    try:
        return parsedate_to_datetime(header_text(part, "date"))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def attachment_name(part: Part) -> str:
    """Return the file name of a part as it is declared, empty where none is."""
    declared = part.parameter("filename", of="content-disposition") or part.parameter("name")
    return decode_header(declared.encode("utf-8", "replace"))
