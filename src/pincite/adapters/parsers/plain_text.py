"""Plain text files read to canonical text: paragraphs parted by blank lines."""

import re
from statistics import median

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.core.documents import BlockRole, ParsedDocument

CONTENT_TYPE = "text/plain"
VERSION = "1"
_BREAK = re.compile(r"\r\n?|\n|\x0b|\x85|\u2028|\u2029")
_NEW_ITEM = re.compile(r"[-*•–—+>|#]|\(?\w{1,3}[.)]\s|\s{2,}|\t")
_WRAP_AT_LEAST = 40

Lines = list[tuple[int, str]]


def read_plain_text(text: str, *, max_chars: int) -> ParsedDocument:
    """Read a plain text. A line feed inside a paragraph that was wrapped at a width becomes a blank; others stay.

    Each run of canonical text has its index in `text`.
    """
    builder = CanonicalBuilder(max_chars=max_chars)
    for paragraph in _paragraphs(text):
        glue = " " if _is_wrapped(paragraph) else "\n"
        for number, (index, line) in enumerate(paragraph):
            if number:
                builder.glue(glue)
            builder.write(line, index=index)
        builder.close_block(BlockRole.BODY)
    return ParsedDocument(builder.build(), CONTENT_TYPE, "text", VERSION)


def _paragraphs(text: str) -> list[Lines]:
    found: list[Lines] = [[]]
    at = 0
    for part in text.split("\x0c"):
        for index, line in _lines(part, at):
            if line.strip():
                found[-1].append((index, line))
            elif found[-1]:
                found.append([])
        found.append([])
        at += len(part) + 1
    return [paragraph for paragraph in found if paragraph]


def _lines(text: str, offset: int) -> Lines:
    lines: Lines = []
    at = 0
    for found in _BREAK.finditer(text):
        lines.append((offset + at, text[at : found.start()].rstrip()))
        at = found.end()
    lines.append((offset + at, text[at:].rstrip()))
    return lines


def _is_wrapped(paragraph: Lines) -> bool:
    """Whether lines end because they were full: all but the last reach nearly the same width, and none starts like an item."""
    lengths = [len(line) for _, line in paragraph[:-1]]
    if not lengths or median(lengths) < _WRAP_AT_LEAST:
        return False
    width = max(lengths)
    firsts = [line.partition(" ")[0] for _, line in paragraph[1:]]
    is_full = [length + 1 + len(word) > 0.9 * width for length, word in zip(lengths, firsts, strict=True)]
    return sum(is_full) >= 0.85 * len(is_full) and not any(_NEW_ITEM.match(line) for _, line in paragraph[1:])
