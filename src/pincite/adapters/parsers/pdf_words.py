"""The words of PDF lines with their places, measured where gaps may part cells or columns."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from pincite.adapters.parsers.pdf_lines import CELL_GAP_EMS, Line, Word
from pincite.adapters.parsers.pdfium import PdfPage, Rect

_WORD = re.compile("[^ ]+")
_WIDE_WORD_EMS = 0.8
_LEAST_CANDIDATES = 2
_LEAST_JUMPS = 3
_LONG = 40
_SHORT = 60
_PROBED = 3
_NARROW_EMS, _WIDE_EMS = 0.45, 0.56


def find_gaps(page: PdfPage, lines: Sequence[Line]) -> None:
    """Measure the words of lines in which a wide gap may stand; `cells` of the lines are known then."""
    letter_ems = _letter_ems(lines)
    find_words(page, [line for line in lines if _may_have_gaps(line, letter_ems)])
    _probe(page, lines)
    if may_hold_tables(lines):
        find_words(page, _near_cells(lines))


def _probe(page: PdfPage, lines: Sequence[Line]) -> None:
    """Look into the widest of the long lines: on a page whose columns stand in one line each, all are as wide as theirs."""
    long = [line for line in lines if len(line.text) >= _LONG and not line.words and line.size]
    widest = sorted(long, key=lambda line: (line.box[2] - line.box[0]) / (line.size * len(line.text)))[-_PROBED:]
    find_words(page, widest)
    if sum(bool(line.cells) for line in widest) > 1:
        find_words(page, long)


def _near_cells(lines: Sequence[Line]) -> list[Line]:
    """Return short lines no further than a few lines from one with cells: their gaps may be those of a table's head."""
    heights = [(line.box[1] + line.box[3]) / 2 for line in lines if line.cells]
    low, high = min(heights, default=0.0), max(heights, default=1e9)
    return [
        line
        for line in lines
        if len(line.text) < _SHORT and low - 5 * line.size < line.box[3] and line.box[1] < high + 5 * line.size and " " in line.text
    ]


def find_words(page: PdfPage, lines: Iterable[Line]) -> None:
    """Measure the words of lines that haven't been looked at."""
    for line in lines:
        if not line.words:
            line.measure(tuple(_words(page, line)))


def may_hold_tables(lines: Sequence[Line]) -> bool:
    """Whether text stands side by side with wide gaps on a page, more often than two columns make it."""
    wide = sum(bool(line.cells) for line in lines)
    jumps = 0
    for before, line in pairwise(lines):
        is_right = line.box[0] > before.box[2] + CELL_GAP_EMS * line.size or line.box[2] < before.box[0] - CELL_GAP_EMS * line.size
        if not is_right or line.box[1] > before.box[3]:
            continue
        wide += line.box[3] > before.box[1]
        jumps += 1
    return wide >= _LEAST_CANDIDATES or jumps >= _LEAST_JUMPS


def _letter_ems(lines: Sequence[Line]) -> float:
    """Return how wide a letter is on this page, in print sizes: that of the narrower long lines, which have no gaps."""
    widths = sorted(
        (line.box[2] - line.box[0]) / (line.size * len(line.text)) for line in lines if line.size and len(line.text) >= _LONG
    )
    return min(max(widths[len(widths) // 4], _NARROW_EMS), _WIDE_EMS) if widths else _NARROW_EMS


def _may_have_gaps(line: Line, letter_ems: float) -> bool:
    """Whether it pays to look for wide gaps: a line no wider than its letters has none that matters."""
    letters = len(line.text)
    usual_ems = 1.1 * letter_ems * letters if letters >= _LONG else letter_ems * letters + 0.6
    return line.box[2] - line.box[0] > usual_ems * line.size


def _words(page: PdfPage, line: Line) -> Iterator[Word]:
    """Find the words by blanks and by wide gaps: PDFium puts one blank for a gap of any width, or none between far digits."""
    for found in _WORD.finditer(line.text):
        start, end = found.span()
        head = page.loose_box(line.index(start))
        tail = head if end - start == 1 else page.loose_box(line.index(end - 1))
        left, right = min(head[0], tail[0]), max(head[2], tail[2])
        if end - start > 1 and right - left > (_WIDE_WORD_EMS * (end - start) + CELL_GAP_EMS) * line.size:
            yield from _far_words(page, line, start, end)
        else:
            yield Word(start, end, left, right, head[1], head[3])


def _far_words(page: PdfPage, line: Line, start: int, end: int) -> Iterator[Word]:
    """Cut characters without a blank where a wide gap stands."""
    boxes = [page.loose_box(line.index(index)) for index in range(start, end)]
    first = 0
    for number in range(1, len(boxes) + 1):
        is_last = number == len(boxes)
        if is_last or _distance(boxes[number - 1], boxes[number]) > CELL_GAP_EMS * line.size:
            within = boxes[first:number]
            left, right = min(box[0] for box in within), max(box[2] for box in within)
            yield Word(start + first, start + number, left, right, within[0][1], within[0][3])
            first = number


def _distance(box: Rect, other: Rect) -> float:
    return max(other[0] - box[2], box[0] - other[2])
