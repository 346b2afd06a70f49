"""Comparing texts for what they say: folding that maps back to literal offsets. Pure."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_DOUBLE_QUOTES = '"“”„‟«»＂〝〞〟'
_SINGLE_QUOTES = "'‘’‚‛`´ʼʹˋ′＇‹›"
_DASHES = "-‐‑‒–—―−﹘﹣－"
_LOOKS = {**dict.fromkeys(_DOUBLE_QUOTES, "''"), **dict.fromkeys(_SINGLE_QUOTES, "'"), **dict.fromkeys(_DASHES, "-"), "…": "..."}

_RUNS = re.compile(r"(?P<word>[^\W_]+)|[\W_]+")
"""Words, most of which fold as a whole, and what stands between them."""
_FOLDED_TEXTS = 64
"""The sources of an answer are compared with each of its claims."""
EDGES = " .。।؟?!;:,"
"""What doesn't count at the ends of what is looked for."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it is compared, and per character of it the offset in the text that it came from."""

    text: str
    offsets: tuple[int, ...]

    def literal(self, start: int, end: int) -> tuple[int, int]:
        """Return `[start, end)` of the literal text behind a run of the folded one (not empty)."""
        return self.offsets[start], self.offsets[end - 1] + 1

    def has_whole(self, start: int, end: int) -> bool:
        """Say whether a run of the folded text takes no letter apart, neither a composed one nor one from its marks."""
        first, last = start, end
        while first and self.offsets[first - 1] == self.offsets[start]:
            first -= 1
        while last < len(self.text) and (self.offsets[last] == self.offsets[end - 1] or unicodedata.combining(self.text[last])):
            last += 1
        return not (self.text[first:start] + self.text[end:last]).strip(EDGES)


@lru_cache(maxsize=_FOLDED_TEXTS)
def fold(text: str) -> Folded:
    """Return the text without what its looks alone decide.

    Case, ligatures, full-width forms and composed letters are made equal (NFKD, Unicode case folding), so are quotation marks and
    dashes; runs of white space become one blank; soft hyphens, joiners and other format characters go.
    """
    folded: list[str] = []
    offsets: list[int] = []
    blank = True
    for match in _RUNS.finditer(text):
        run = match.group()
        if unicodedata.is_normalized("NFKD", run) and len(lower := run.casefold()) == len(run) and match.lastgroup:
            folded.append(lower)
            offsets.extend(range(*match.span()))
            blank = False
            continue
        for offset, char in enumerate(run, match.start()):
            plain = _folded_char(char)
            if plain == " " and blank:
                continue
            blank = plain == " " if plain else blank
            folded.append(plain)
            offsets.extend([offset] * len(plain))
    return Folded("".join(folded), tuple(offsets))


@lru_cache(maxsize=20_000)
def _folded_char(char: str) -> str:
    look = _LOOKS.get(char)
    if look is not None:
        return look
    if char.isspace() or char == "|":  # the border of a table cell
        return " "
    if unicodedata.category(char) in ("Cf", "Cc"):
        return ""
    return "".join(unicodedata.normalize("NFKD", char).casefold().split())


def find_literal(needle: str, haystack: Folded) -> tuple[int, int] | None:
    """Return where the literal text behind `haystack` says `needle` word for word, None where it doesn't.

    Blanks and full stops at the ends of the needle don't count, and it must stand at word boundaries.
    """
    wanted = fold(needle).text.strip(EDGES)
    if not wanted:
        return None
    at = haystack.text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if haystack.has_whole(at, end) and _stands_alone(haystack.text, at, end):
            return haystack.literal(at, end)
        at = haystack.text.find(wanted, at + 1)
    return None


def _stands_alone(text: str, start: int, end: int) -> bool:
    return not (_joined(text, start) or _joined(text, end))


def _joined(text: str, at: int) -> bool:
    """Say whether the characters around an offset belong to one word. Scripts without blanks have no such boundary."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    return _letter_or_digit(before) and _letter_or_digit(after) and (before.isdigit() == after.isdigit())


def _letter_or_digit(char: str) -> bool:
    return (char.isalpha() and char < "\u0e00") or char.isdigit()


def shared_start(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many characters, or words, two texts have in common at their start."""
    size = 0
    for mine, theirs in zip(left, right, strict=False):
        if mine != theirs:
            break
        size += 1
    return size
