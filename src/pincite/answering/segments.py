"""The quotable parts of a passage: sentences, list items, table rows. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from pincite.answering.matching import fold
from pincite.core.documents import ChunkType
from pincite.core.evidence import Passage
from pincite.language.detect import detect
from pincite.language.sentences import sentence_spans

MAX_SEGMENT_CHARACTERS = 700
"""Longer sentences are cut where a reader would pause: a quote points at a place, not at a page."""
MAX_WHOLE_CHARACTERS = 1400
"""A sentence up to here in which no clause ends is quoted whole: an answer must not break off."""

_ROW = re.compile(r"^\s*\||\t| \| ")
_BLOCK = re.compile(r"(?:[^\n]*\S[^\n]*(?:\n|$))+")
_LINE = re.compile(r"[^\n]+")
_RULE = re.compile(r"[\s|:+=-]*")


class SegmentKind(StrEnum):
    """What a segment is."""

    SENTENCE = "sentence"
    ROW = "row"
    HEADING = "heading"


@dataclass(frozen=True, slots=True)
class Segment:
    """`[start, end)` of its passage's text, and that text."""

    start: int
    end: int
    text: str
    kind: SegmentKind = SegmentKind.SENTENCE


def language_of(passage: Passage) -> str:
    """Return the language of a passage, detected when it doesn't say."""
    return passage.lang or detect(passage.text)


def segments(passage: Passage) -> list[Segment]:
    """Return the parts of a passage in order, trimmed of white space.

    A table is cut into its rows, a heading is set apart from the sentence behind it, and a monster is cut at pauses.
    """
    text = passage.text
    headings = {fold(part).text.strip() for part in (passage.title, *passage.heading_path) if part}
    found: list[Segment] = []
    for start, end in _spans(passage):
        for first, last in _lines(text, start, end, headings=headings):
            found.extend(_segment(text, first, last, headings))
    return found


def _spans(passage: Passage) -> Iterator[tuple[int, int]]:
    """Yield the rows of tables and the sentences of the rest, block by block: a full stop in a cell ends no row."""
    lang = language_of(passage)
    for block in _BLOCK.finditer(passage.text):
        text, at = block.group().rstrip("\n"), block.start()
        if passage.chunk_type is ChunkType.TABLE or _is_table(text.split("\n")):
            yield from ((at + row.start(), at + row.end()) for row in _LINE.finditer(text))
        else:
            yield from ((at + start, at + end) for start, end in sentence_spans(text, lang))


def _is_table(lines: list[str]) -> bool:
    rows = sum(1 for line in lines if _ROW.search(line))
    return all(line.lstrip().startswith("|") for line in lines) or (len(lines) > 1 and 2 * rows > len(lines))


def _lines(text: str, start: int, end: int, *, headings: set[str]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a sentence span that line feeds set apart: rows, and headings that run into what follows."""
    begin = start
    for match in re.finditer(r"\n", text[start:end]):
        at = start + match.start()
        line = text[begin:at]
        rest = text[at + 1 : end]
        apart = _ROW.search(line) or _ROW.search(rest.split("\n", 1)[0])
        if apart or _is_one_of(headings, line):
            yield begin, at
            begin = at + 1
    yield begin, end


def _is_one_of(headings: set[str], text: str) -> bool:
    return bool(headings) and fold(text).text.strip() in headings


def _segment(text: str, start: int, end: int, headings: set[str]) -> Iterator[Segment]:
    for first, last in _pauses(text, start, end):
        first, last = _trimmed(text, first, last)
        part = text[first:last]
        if _RULE.fullmatch(part):
            continue
        if _ROW.search(part):
            kind = SegmentKind.ROW
        elif part.startswith("#") or _is_one_of(headings, part):
            kind = SegmentKind.HEADING
        else:
            kind = SegmentKind.SENTENCE
        yield Segment(first, last, part, kind)


def _pauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > MAX_SEGMENT_CHARACTERS:
        cut = _cut(text, start, start + MAX_SEGMENT_CHARACTERS)
        if cut is None and end - start <= MAX_WHOLE_CHARACTERS:
            break
        cut = cut or _last_end(r"\s", text, start, start + MAX_SEGMENT_CHARACTERS) or start + MAX_SEGMENT_CHARACTERS
        yield start, cut
        start = cut
    yield start, end


def _cut(text: str, start: int, limit: int) -> int | None:
    """Return an offset behind the strongest pause in `[start, limit)`: where a clause ends, in its second half if one does."""
    for first in ((start + limit) // 2, start + (limit - start) // 8):
        for sign in (r"[;；]\s?", r"[:：]\s", r",\s|[，、،]", r"\s[–—]\s", r"\n"):
            end = _last_end(sign, text, first, limit)
            if end is not None:
                return end
    return None


def _last_end(sign: str, text: str, start: int, limit: int) -> int | None:
    return max((match.end() + start for match in re.finditer(sign, text[start:limit])), default=None)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
