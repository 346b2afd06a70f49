"""Characters as they may stand in canonical text, each still tied to where it came from."""

import re
import unicodedata
from collections.abc import Iterator

_BLANKS = "\x0b\x0c\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_PRESENTATION_FORMS = "\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdff\ufe70-\ufefc"
# Controls, surrogates and noncharacters; soft hyphen, zero-width space, byte order mark; the marks that turn the direction of what
# follows: a text may not be shown in another order than it is stored.
_DROPPED = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u200b\u200e\u200f\u061c\u202a-\u202e\u2060\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef"
    "\ufeff\ufffe\uffff"
)
_LONGEST_EXPANSION = 4


def _characters(ranges: str) -> Iterator[str]:
    for found in re.finditer("(.)(?:-(.))?", ranges, re.DOTALL):
        yield from map(chr, range(ord(found.group(1)), ord(found.group(2) or found.group(1)) + 1))


def _forms(lengths: range) -> dict[str, str]:
    """Return the presentation forms whose plain letters (NFKC) are so many; what would swell a text is left as it is."""
    plain = ((form, unicodedata.normalize("NFKC", form)) for form in _characters(_PRESENTATION_FORMS))
    return {form: letters for form, letters in plain if len(letters) in lengths and letters != form and " " not in letters}


_EXPANDED = _forms(range(2, _LONGEST_EXPANSION + 1))
_REPLACED = {ord(form): letter for form, letter in _forms(range(1, 2)).items()} | {
    ord(blank): " " for blank in _characters(_BLANKS)
}
_MAPPED = re.compile(f"[{_BLANKS}{_PRESENTATION_FORMS}]")
_SPECIAL = re.compile(f"[{_DROPPED}{''.join(_EXPANDED)}]")
_UNCLEAN = re.compile(f"[{_BLANKS}{_PRESENTATION_FORMS}{_DROPPED}]")

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


def is_clean(text: str) -> bool:
    """Whether a text may stand as it is, as nearly all do."""
    return (text.isascii() and text.isprintable()) or not _UNCLEAN.search(text)


def clean(text: str, *, controls: dict[str, str] | None = None) -> Iterator[Piece]:
    """Cut `text` into `(what to keep, where it began, how many characters it was)`; what is dropped appears nowhere.

    A piece either corresponds one to one or stands for a single character: a ligature, or a control named in `controls`.
    """
    if _MAPPED.search(text):
        text = text.translate(_REPLACED)
    at = 0
    for found in _SPECIAL.finditer(text):
        if found.start() > at:
            yield text[at : found.start()], at, found.start() - at
        character = found.group()
        kept = _EXPANDED.get(character) or (controls or {}).get(character)
        if not kept and controls and "\0" < character < " " and text[found.end() : found.end() + 1].isdigit():
            # A glyph that its font doesn't name, often a minus: shown as unreadable, or the number would lose its sign unseen.
            kept = "\ufffd"
        if kept:
            yield kept, found.start(), 1
        at = found.end()
    if at < len(text):
        yield text[at:], at, len(text) - at


def fold(text: str) -> str:
    """Return letters and digits alone, in one case: a key under which two printings of one text are equal."""
    return "".join(character for character in text.casefold() if character.isalnum())
