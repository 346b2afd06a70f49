"""Boxes of stretches of characters on PDF pages, computed when they are asked for."""

from collections.abc import Sequence

from pincite.adapters.parsers.pdfium import PdfPage, Rect, open_pdf

# Between two lines stand CR and LF, between two words a blank.
_JOINT_CHARS = 2
_LINE_OVERLAP = 0.4
_WIDE_GAP = 2.0


def pdf_boxes(path: str, runs: Sequence[tuple[int, int, int]]) -> list[list[Rect]]:
    """Return for each `(page, index, count)` its boxes in the displayed page: one per line, more where a line has a wide gap.

    Runs that follow each other on a page (the parts of a word with a ligature, the cells of a row, line after line) are measured
    as one: the first of them gets all boxes, the others none. Raises `RefusedInput` (`encrypted`, `corrupt`).
    """
    found: list[list[Rect]] = [[] for _ in runs]
    by_page: dict[int, list[tuple[int, int, int]]] = {}
    for position, page, index, end in _stretches(runs):
        by_page.setdefault(page, []).append((position, index, end))
    with open_pdf(path) as document:
        for number, stretches in sorted(by_page.items()):
            if not 1 <= number <= document.page_count:
                continue
            with document.page(number - 1) as page:
                for position, index, end in stretches:
                    found[position] = _line_boxes(page, index, end)
    return found


def _stretches(runs: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Join runs that follow each other: `(position of the first, page, index, end)`."""
    joined: list[tuple[int, int, int, int]] = []
    for position, (page, index, count) in enumerate(runs):
        if joined and joined[-1][1] == page and 0 <= index - joined[-1][3] <= _JOINT_CHARS:
            first, _, start, _ = joined[-1]
            joined[-1] = (first, page, start, index + count)
        else:
            joined.append((position, page, index, index + count))
    return joined


def _line_boxes(page: PdfPage, index: int, end: int) -> list[Rect]:
    index, end = max(0, index), min(end, page.char_count)
    lines: list[Rect] = []
    for rect in page.rects(index, end - index) if end > index else ():
        if lines and _are_in_line(lines[-1], rect):
            lines[-1] = _union(lines[-1], rect)
        else:
            lines.append(rect)
    return [rect for rect in lines if rect[2] > rect[0] or rect[3] > rect[1]]


def _are_in_line(one: Rect, other: Rect) -> bool:
    """Whether two boxes are one line, upright or turned: they overlap across it and no wide gap parts them along it."""
    if _overlap(one[1], one[3], other[1], other[3]) > _LINE_OVERLAP:
        return _gap(one[0], one[2], other[0], other[2]) < _WIDE_GAP * max(one[3] - one[1], other[3] - other[1])
    if _is_upended(one) and _is_upended(other) and _overlap(one[0], one[2], other[0], other[2]) > _LINE_OVERLAP:
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
