"""Footnotes of a PDF page: small print at the foot that a mark in the text above points to."""

import re
from collections.abc import Sequence
from itertools import pairwise, zip_longest

from pincite.adapters.parsers.pdf_lines import Line, PageLines
from pincite.adapters.parsers.pdf_paragraphs import is_beside
from pincite.core.documents import BlockRole

_MARK = re.compile(r"(\(\d{1,3}\)|\d{1,3}|[*†‡§¶]{1,3})\s*(?=[^\s\d.,)]|$)")
_SMALL = 0.93
_MOST_LINES = 2000
_LEAST_LETTERS = 3
_FOOT_SHARE = 0.4


def mark_footnotes(page: PageLines, *, body_size: float) -> None:
    """Set the role of footnotes on their lines.

    A footnote starts with a mark that also stands at a word above it; it is small print, under ordinary print of its column,
    and nothing but small print is below.
    """
    flow = [line for line in page.lines if line.role is BlockRole.BODY]
    if not flow or len(flow) > _MOST_LINES:
        return
    for start, mark in sorted(_starts(flow, body_size=body_size), key=lambda start: start[0].box[1]):
        above = [line for line in flow if line.box[3] <= start.box[3] - 0.5 * start.size]
        column = _column_over(start, above)
        if start.role is not BlockRole.BODY or column is None or column.size <= _SMALL * body_size:
            continue
        below = [line for line in flow if line.box[1] >= start.box[1] - 0.5 * start.size and _share_column(line, column)]
        if _is_foot(below, body_size) and _points_to(mark, above):
            for line in below:
                line.role = BlockRole.FOOTNOTE
                line.begins = line.box[0] <= start.box[0] + start.size and bool(_MARK.match(line.text))


def _starts(flow: Sequence[Line], *, body_size: float) -> list[tuple[Line, str]]:
    """Return small lines that begin a row with a mark and have words in that row, with the mark."""
    found: list[tuple[Line, str]] = []
    foot = _FOOT_SHARE * max(line.box[3] for line in flow)
    for before, line, following in zip_longest([None, *flow[:-1]], flow, flow[1:]):
        is_small = line.size <= _SMALL * body_size and line.box[1] > foot and not line.cells
        mark = _MARK.match(line.text) if is_small else None
        if mark is None or (before is not None and is_beside(before, line)):
            continue
        rest = line.text[mark.end() :] or (following.text if following is not None and is_beside(line, following) else "")
        if sum(character.isalpha() for character in rest) >= _LEAST_LETTERS:
            found.append((line, mark.group(1)))
    return found


def _column_over(start: Line, above: Sequence[Line]) -> Line | None:
    """Return the nearest line of words over a line: it shows how wide the column is and how large its print."""
    over = (line for line in above if _share_column(line, start) and len(line.text) > 2)
    return max(over, key=lambda line: line.box[3], default=None)


def _is_foot(below: Sequence[Line], body_size: float) -> bool:
    return all(line.size <= _SMALL * body_size or len(line.text) <= 2 for line in below)


def _points_to(mark: str, above: Sequence[Line]) -> bool:
    """Whether the mark stands at a word above: raised, so that PDFium began a line with it, or right behind a letter or stop."""
    behind_word = re.compile(r"[^\s\d(]" + re.escape(mark) + r"(?![\w(])")
    raised = re.compile(re.escape(mark) + r"(?!\d)")
    if any(behind_word.search(line.text) or (line.first < 0.86 * line.size and raised.match(line.text)) for line in above):
        return True
    pairs = pairwise(above)
    return any(line.text == mark and line.size < 0.86 * before.size and is_beside(before, line) for before, line in pairs)


def _share_column(line: Line, other: Line) -> bool:
    return min(line.box[2], other.box[2]) - max(line.box[0], other.box[0]) > 0
