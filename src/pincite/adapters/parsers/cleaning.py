"""Characters as they may stand in canonical text, each still tied to where it came from."""

import re
import unicodedata
from collections.abc import Iterator

# Controls, surrogates and noncharacters; soft hyphen, zero-width space, byte order mark; the marks that turn the direction of what
# follows (a text may not be shown in another order than it is stored); blanks of other widths; presentation forms.
_SPECIAL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\xad\u1680\u2000-\u200b\u200e\u200f\u061c\u2028-\u202f\u205f-\u2060\u2066-\u2069\u3000"
    "\ud800-\udfff\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdff\ufe70-\ufeff\ufffe\uffff]"
)
_BLANKS = frozenset(
    "\x0b\x0c\x85\u2028\u2029\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)
_LONGEST_EXPANSION = 4

# Fonts of TeX in T1 encoding that don't declare Unicode give these positions as they are (EC fonts, "Cork" table).
TEX_LIGATURES = {
    "\x10": "“",
    "\x11": "”",
    "\x12": "„",
    "\x13": "«",
    "\x14": "»",
    "\x15": "–",
    "\x16": "—",
    "\x1b": "ff",
    "\x1c": "fi",
    "\x1d": "fl",
    "\x1e": "ffi",
    "\x1f": "ffl",
}

Piece = tuple[str, int, int]


def clean(text: str, *, controls: dict[str, str] | None = None) -> Iterator[Piece]:
    """Cut `text` into `(what to keep, where it began, how many characters it was)`; what is dropped appears nowhere.

    A piece either corresponds one to one or stands for a single character: a ligature, a blank of another width, or a control
    character named in `controls`.
    """
    at = 0
    for found in _SPECIAL.finditer(text):
        if found.start() > at:
            yield text[at : found.start()], at, found.start() - at
        kept = _instead_of(found.group(), controls or {})
        if kept:
            yield kept, found.start(), 1
        at = found.end()
    if at < len(text):
        yield text[at:], at, len(text) - at


def _instead_of(character: str, controls: dict[str, str]) -> str:
    if character in controls:
        return controls[character]
    if character in _BLANKS:
        return " "
    if "\ufb00" <= character < "\ufeff":
        expanded = unicodedata.normalize("NFKC", character)
        return expanded if len(expanded) <= _LONGEST_EXPANSION and " " not in expanded else character
    return ""


def fold(text: str) -> str:
    """Return letters and digits alone, in one case: a key under which two printings of one text are equal."""
    return "".join(character for character in text.casefold() if character.isalnum())
