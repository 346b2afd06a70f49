"""Footnotes of a PDF page: small print at the foot that a mark in the text above points to."""

import re
from collections.abc import Sequence
from itertools import pairwise, zip_longest

from pincite.adapters.parsers.pdf_lines import Line, PageLines, is_beside
from pincite.core.documents import BlockRole

_MARK = re.compile(r"(\(\d{1,3}\)|\d{1,3}|[*†‡§¶]{1,3})\s*(?=[^\s\d.,)]|$)")
_SMALL = 0.93
_MOST_LINES = 2000
_LEAST_LETTERS = 3
_FOOT_SHARE = 0.4
_GAP_PITCHES = 1.25
_MOST_LARGE_LINES = 8
_WORD_END = re.compile(r"[^\W\d_]{2}[.,;:!?]?[”’»\"]?$")


def mark_footnotes(page: PageLines, *, body: float, pitch: float) -> None:
    """Set the role of footnotes on their lines, and drop the raised marks that lead to them from the text above.

    A footnote starts with a mark that also stands at a word above it. It is small print under ordinary print of its column, with
    nothing but small print below; or, under a gap, print of any size with a raised mark above.
    """
    flow = [line for line in page.lines if line.role is BlockRole.BODY]
    if not flow or len(flow) > _MOST_LINES:
        return
    for start, mark in sorted(_starts(flow), key=lambda start: start[0].box[1]):
        if start.role is not BlockRole.BODY:
            continue
        above = [line for line in flow if line.box[3] <= start.box[3] - 0.5 * start.size and line.role is BlockRole.BODY]
        column = _column_over(start, above)
        if column is None:
            continue
        below = [line for line in flow if line.box[1] >= start.box[1] - 0.5 * start.size and _share_column(line, column)]
        if _is_small_foot(start, column, below, body=body):
            is_note = _points_to(mark, above) or _raised(mark, above) is not None
        else:
            is_note = _is_large_foot(start, column, below, pitch=pitch) and _raised(mark, above) is not None
        if is_note:
            _lift(start, below, above, mark)


def _lift(start: Line, below: Sequence[Line], above: Sequence[Line], mark: str) -> None:
    for line in below:
        line.role = BlockRole.FOOTNOTE
        line.begins = line.box[0] <= start.box[0] + start.size and bool(_MARK.match(line.text))
    for text in (start, *below):
        opening = _MARK.match(text.text)
        found = _raised(opening.group(1), above) if opening and text.begins else None
        if found is not None:
            line, place = found
            line.dropped = (*line.dropped, place)


def _raised(mark: str, above: Sequence[Line]) -> tuple[Line, tuple[int, int]] | None:
    """Return the first line with a raised mark behind a word, and where the mark is in it."""
    before: Line | None = None
    for line in above:
        for start, length in line.marks:
            is_behind_word = start > 0 or (before is not None and bool(_WORD_END.search(before.text)) and is_beside(before, line))
            if is_behind_word and line.text[start : start + length] == mark and (start, length) not in line.dropped:
                return line, (start, length)
        before = line
    return None


def _is_small_foot(start: Line, column: Line, below: Sequence[Line], *, body: float) -> bool:
    """Whether small print stands under ordinary print, and nothing else below."""
    is_foot = all(line.size <= _SMALL * body or len(line.text) <= 2 for line in below)
    return start.size <= _SMALL * body < column.size and is_foot


def _starts(flow: Sequence[Line]) -> list[tuple[Line, str]]:
    """Return lines that begin a row with a mark and have words in that row, with the mark."""
    found: list[tuple[Line, str]] = []
    foot = _FOOT_SHARE * max(line.box[3] for line in flow)
    for before, line, following in zip_longest([None, *flow[:-1]], flow, flow[1:]):
        mark = _MARK.match(line.text) if line.box[1] > foot and not line.cells else None
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


def _is_large_foot(start: Line, column: Line, below: Sequence[Line], *, pitch: float) -> bool:
    """Whether a few lines stand under a gap at the foot, flush with the column, whatever their print."""
    is_flush = (
        -4 * start.size < start.box[0] - column.box[0] < 0.5 * start.size and start.text[:1].isdigit() != start.text[1:2].isdigit()
    )
    return is_flush and len(below) <= _MOST_LARGE_LINES and start.box[3] - column.box[3] > _GAP_PITCHES * pitch


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
