"""Boxes of stretches of characters on PDF pages, computed when they are asked for."""

from collections.abc import Iterator, Sequence
from math import isfinite

from pincite.adapters.parsers.pdfium import PdfPage, Rect, open_pdf

_LINE_OVERLAP = 0.4
_WIDE_GAP = 2.0
_MOST_OF_LETTER = 2


def pdf_boxes(path: str, runs: Sequence[tuple[int, int, int]]) -> list[list[Rect]]:
    """Return for each `(page, index, count)` its boxes in the displayed page: one per line, more where a line has a wide gap.

    Runs that follow each other backwards in the file, as the letters of a word drawn from its end, are one: its boxes are those of
    the first.

    Raises `RefusedInput` (`encrypted`, `corrupt`).
    """
    found: list[list[Rect]] = [[] for _ in runs]
    by_page: dict[int, list[int]] = {}
    for position, (page, _, _) in enumerate(runs):
        by_page.setdefault(page, []).append(position)
    with open_pdf(path) as document:
        for number, positions in sorted(by_page.items()):
            if not 1 <= number <= document.page_count:
                continue
            with document.page(number - 1) as page:
                for first, index, count in _turned_together(runs, positions):
                    found[first] = _line_boxes(page, index, count)
    return found


def _turned_together(runs: Sequence[tuple[int, int, int]], positions: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the position of a first run with the index and count of all that go on backwards behind it."""
    first = -1
    start = end = 0
    for position in positions:
        _, index, count = runs[position]
        if first >= 0 and index + count == start and count <= _MOST_OF_LETTER:
            start = index
            continue
        if first >= 0:
            yield first, start, end - start
        first, start, end = position, index, index + count
    if first >= 0:
        yield first, start, end - start


def _line_boxes(page: PdfPage, index: int, count: int) -> list[Rect]:
    index, end = max(0, index), min(index + count, page.char_count)
    lines: list[Rect] = []
    for rect in page.rects(index, end - index) if end > index else ():
        if not all(map(isfinite, rect)):
            continue
        if lines and _are_in_line(lines[-1], rect, is_sideways=page.text_turns % 2 == 1):
            lines[-1] = _union(lines[-1], rect)
        else:
            lines.append(rect)
    return [rect for rect in lines if rect[2] > rect[0] or rect[3] > rect[1]]


def _are_in_line(one: Rect, other: Rect, *, is_sideways: bool) -> bool:
    """Whether two boxes are one line, upright or turned: they overlap across it and no wide gap parts them along it."""
    if not is_sideways and _overlap(one[1], one[3], other[1], other[3]) > _LINE_OVERLAP:
        return _gap(one[0], one[2], other[0], other[2]) < _WIDE_GAP * max(one[3] - one[1], other[3] - other[1])
    if (is_sideways or (_is_upended(one) and _is_upended(other))) and _overlap(one[0], one[2], other[0], other[2]) > _LINE_OVERLAP:
        return _gap(one[1], one[3], other[1], other[3]) < _WIDE_GAP * max(one[2] - one[0], other[2] - other[0])
    return False


def _gap(low: float, high: float, other_low: float, other_high: float) -> float:
    return max(other_low - high, low - other_high)


def _overlap(low: float, high: float, other_low: float, other_high: float) -> float:
    shared = min(high, other_high) - max(low, other_low)
    return shared / max(0.1, min(high - low, other_high - other_low))


def _is_upended(rect: Rect) -> bool:
    return rect[3] - rect[1] > rect[2] - rect[0]


def _union(one: Rect, other: Rect) -> Rect:
    return (min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]))
