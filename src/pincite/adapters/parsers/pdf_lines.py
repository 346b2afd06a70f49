"""The lines of a PDF page, as PDFium reads them, with their geometry in the displayed page."""

import re
from dataclasses import dataclass
from itertools import pairwise

from pincite.adapters.parsers.pdfium import PdfPage, Rect
from pincite.core.documents import BlockRole

_LINE_BREAK = re.compile("\r\n?|\n|\ufffe")
_BOLD = re.compile(r"bold|black|heavy|demi|cmbx|cmssbx|sfbx|-bd\b", re.IGNORECASE)
_BLANKS = re.compile(" +")
_CELL_GAP_EMS = 1.5


@dataclass(slots=True)
class Line:
    """Characters `[start, end)` of a page, without blanks at the ends. `first` and `last` are the sizes of its outer characters.

    `hyphen` is the index of the line-end hyphen at which PDFium joined this line to the next, -1 without one. `cells` are the
    positions in `text` at which a wide gap begins. `role` and `level` are what later steps find out.
    """

    page: int
    start: int
    text: str
    box: Rect
    size: float
    first: float
    last: float
    bold: bool
    hyphen: int = -1
    cells: tuple[int, ...] = ()
    role: BlockRole = BlockRole.BODY
    level: int = 0

    @property
    def end(self) -> int:
        """Index behind the last character."""
        return self.start + len(self.text)



@dataclass(slots=True)
class PageLines:
    """A page's lines with its number from 1, label and size as displayed. `draws` says whether anything is on it."""

    number: int
    label: str
    width: float
    height: float
    draws: bool
    lines: list[Line]


def read_lines(page: PdfPage, *, number: int) -> list[Line]:
    """Return the lines of a page in PDFium's order; a line drawn twice at one place appears once."""
    chars = page.chars()
    lines: list[Line] = []
    seen: set[tuple[str, int, int]] = set()
    at = 0
    for found in _LINE_BREAK.finditer(chars + "\n"):
        line = _line(page, chars[at : found.start()], start=at, number=number)
        if line:
            line.hyphen = found.start() if found.group() == "\ufffe" else -1
            key = (line.text, round(line.box[0]), round(line.box[1]))
            if key not in seen:
                lines.append(line)
            seen.add(key)
        at = found.end()
    return lines


def _line(page: PdfPage, raw: str, *, start: int, number: int) -> Line | None:
    text = raw.strip(" \t\0\xa0")
    if not text:
        return None
    first = start + raw.index(text[0])
    last = first + len(text) - 1
    middle = _visible_near(text, len(text) // 2) + first
    sizes = [page.font_size(index) for index in (first, middle, last)]
    boxes = [page.loose_box(index) for index in (first, middle, last)]
    size = sorted(sizes)[1]
    box = _span(boxes, boxes[sizes.index(size)])
    line = Line(number, first, text, box, size, sizes[0], sizes[2], bool(_BOLD.search(page.font_name(middle))))
    if " " in text:
        line.cells = _wide_gaps(page, line)
    return line


def _visible_near(text: str, index: int) -> int:
    while index and text[index] in " \0":
        index -= 1
    return index


def _span(boxes: list[Rect], typical: Rect) -> Rect:
    """Join the boxes of three characters; across the line the typical one counts, so that a raised mark doesn't widen it."""
    x0, x1 = min(box[0] for box in boxes), max(box[2] for box in boxes)
    y0, y1 = min(box[1] for box in boxes), max(box[3] for box in boxes)
    upright = x1 - x0 >= y1 - y0
    if upright and typical[3] > typical[1]:
        return (x0, typical[1], x1, typical[3])
    return (x0, y0, x1, y1)


def _wide_gaps(page: PdfPage, line: Line) -> tuple[int, ...]:
    """Find the blanks at which a wide gap stands. PDFium puts one blank for a gap of any width."""
    rects = page.rects(line.start, len(line.text))
    wide = _CELL_GAP_EMS * line.size
    if not any(after[0] - before[2] > wide for before, after in pairwise(rects)):
        return ()
    gaps: list[int] = []
    for found in _BLANKS.finditer(line.text):
        before = page.loose_box(line.start + found.start() - 1)
        after = page.loose_box(line.start + found.end())
        if after[0] - before[2] > wide:
            gaps.append(found.start())
    return tuple(gaps)
