"""The lines of a PDF page, as PDFium reads them, with their geometry in the displayed page."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

from pincite.adapters.parsers.pdf_figure_boxes import PageFigure
from pincite.adapters.parsers.pdf_rules import NO_RULES, Rules
from pincite.adapters.parsers.pdf_scripts import is_shaped
from pincite.adapters.parsers.pdf_shaping import ShapedPage
from pincite.adapters.parsers.pdfium import PdfPage, Rect
from pincite.core.documents import BlockRole

_LINE_BREAK = re.compile("\r\n?|\n|\ufffe")
CELL_GAP_EMS = 1.15
_FEW_LETTERS = 24
_MARK = re.compile(
    r"(?:(?<=[^\W\d_]{2})|(?<=[^\W\d_][.,;:!?\"”’»])|(?<=[.,;:!?][\"”’»])|(?<=\d[,;:]))\d{1,3}(?![\w)]|[.,]\d)|(?<=\d\d\d)\d(?!\d|[.,]\d)|(?<=\S)[*†‡§]{1,3}"
)
_MARK_CHARACTER = re.compile(r"[\d*†‡§]")
_MARK_ALONE = re.compile(r"(?:\d{1,3}|[*†‡§]{1,3})(?!\d)")
# Fonts of pictures name their bullets by whatever letter; Courier New's "o" is the bullet of second levels.
_PRIVATE = re.compile("[\uf020-\uf0ff]")
_BULLET = "•"
_BLANK_OR_END = ("", " ", "\t", "\xa0")
_JUMP, _LEAST_JUMP_LETTERS = 2.2, 4
_MARK_SIZE, _RAISED = 0.86, 0.1
_LEAST_POINTS = 1.0
_COVERED_SHARE, _MOST_OBJECTS = 0.5, 20_000


class Word(NamedTuple):
    """Characters `[start, end)` of a line without a blank or a wide gap among them, and where they stand on the page."""

    start: int
    end: int
    left: float
    right: float
    top: float
    bottom: float


class Gap(NamedTuple):
    """The gap behind the word that ends at `position` of a line, from `left` to `right` on the page."""

    position: int
    left: float
    right: float


@dataclass(slots=True, eq=False)
class Line:
    """Characters `[start, end)` of a page, without blanks at the ends. `first` and `last` are the sizes of its outer characters.

    `indices` are there where the characters are read in another order than the file has them: the index of each on the page, -1
    for a blank between that isn't there. `mirrored` says that boxes and words are those of the page in a mirror.

    `hyphen` is the index of the line-end hyphen at which PDFium joined this line to the next, -1 without one. `words` are
    known where a table may stand; `cells` are the ends of words behind which a gap is wide enough to part cells. `mono` says
    that all letters are equally wide, `starts_bold` that the first is bold, `bold_end` where the bold
    print ends then that stands at the beginning of a line alone, `slanted` that the line neither runs level nor
    upright; `marks` are raised marks as `(position, length)`. `role`, `level`, `begins` (a paragraph starts here) and
    `dropped` (marks that lead to a footnote) are what later steps find out.
    """

    page: int
    start: int
    text: str
    box: Rect
    size: float
    first: float
    last: float
    bold: bool
    mono: bool = False
    slanted: bool = False
    starts_bold: bool = False
    bold_end: int = 0
    hyphen: int = -1
    words: tuple[Word, ...] = ()
    cells: tuple[int, ...] = ()
    marks: tuple[tuple[int, int], ...] = ()
    dropped: tuple[tuple[int, int], ...] = ()
    role: BlockRole = BlockRole.BODY
    level: int = 0
    begins: bool = False
    indices: tuple[int, ...] = ()
    mirrored: bool = False

    def index(self, position: int) -> int:
        """Return the index on the page of the character at a position of the text, -1 for a blank that isn't there."""
        return self.indices[position] if self.indices else self.start + position

    @property
    def gaps(self) -> list[Gap]:
        """The gaps between its words, whichever way they run."""
        return [
            Gap(word.end, word.right, after.left) if word.right <= after.left else Gap(word.end, after.right, word.left)
            for word, after in pairwise(self.words)
        ]

    def halves(self, position: int) -> tuple["Line", "Line"]:
        """Return the line cut at a blank, both with the box of the whole."""
        rest = len(self.text) - len(self.text[position:].lstrip())
        head = replace(self, text=self.text[:position], bold=True, bold_end=0, hyphen=-1, cells=(), words=())
        tail = replace(self, text=self.text[rest:], start=self.start + rest, starts_bold=False, bold_end=0, begins=False)
        tail.words, tail.cells = (), ()
        head.marks, head.dropped = _within(self.marks, 0, position), _within(self.dropped, 0, position)
        tail.marks, tail.dropped = _within(self.marks, rest, len(self.text)), _within(self.dropped, rest, len(self.text))
        return head, tail

    def measure(self, words: Sequence[Word]) -> None:
        """Take the places of its words, and find the gaps that may part cells: wide ones, but not those of a justified line."""
        self.words = tuple(words)
        wide = CELL_GAP_EMS * self.size
        gaps = self.gaps
        cells = tuple(gap.position for gap in gaps if gap.right - gap.left > wide)
        self.cells = () if len(cells) > 1 and len(self.text) > _FEW_LETTERS and self._is_justified(gaps) else cells

    def _is_justified(self, gaps: Sequence[Gap]) -> bool:
        """Whether its words are drawn apart evenly, as in a narrow column with flush margins."""
        widths = [gap.right - gap.left for gap in gaps]
        lower = sum(self.text[word.start].islower() for word in self.words[1:])
        return min(widths) > 0.75 * max(widths) and 2 * lower >= len(widths)

    def parts(self, positions: Sequence[int]) -> list["Line"]:
        """Return the line cut behind words that end at these positions, in the order of the text, each part with its own box."""
        if not positions:
            return [self]
        found: list[Line] = []
        words: list[Word] = []
        for word in self.words:
            words.append(word)
            if word.end in positions or word is self.words[-1]:
                found.append(self._part(words))
                words = []
        return found

    def _part(self, words: Sequence[Word]) -> "Line":
        start, end = words[0].start, words[-1].end
        top, bottom, size = self.box[1], self.box[3], self.size
        if abs(self.first - self.last) > 0.1 * self.size and bottom > top:
            size *= (words[0].bottom - words[0].top) / (bottom - top)
            top, bottom = words[0].top, words[0].bottom
        indices = self.indices[start:end]
        return replace(
            self,
            start=min(index for index in indices if index >= 0) if indices else self.start + start,
            indices=indices,
            text=self.text[start:end],
            box=(min(word.left for word in words), top, max(word.right for word in words), bottom),
            size=size,
            hyphen=self.hyphen if end == len(self.text) else -1,
            bold=self.bold or (self.starts_bold and not start),
            bold_end=self.bold_end if not start and self.bold_end < end else 0,
            words=tuple(word._replace(start=word.start - start, end=word.end - start) for word in words),
            cells=tuple(position - start for position in self.cells if start < position < end),
            marks=_within(self.marks, start, end),
            dropped=_within(self.dropped, start, end),
        )


@dataclass(slots=True)
class PageLines:
    """A page's lines with its number from 1, declared label and size as displayed. `draws` says whether anything is on it.

    When most lines run sideways, the boxes of all are those of the page turned until they read from left to right; it is
    `upright_height` high then.
    """

    number: int
    label: str
    width: float
    height: float
    draws: bool
    lines: list[Line]
    rules: Rules = NO_RULES
    upright_height: float = 0.0
    figures: tuple[PageFigure, ...] = ()

    def __post_init__(self) -> None:
        self.upright_height = self.upright_height or self.height


def is_beside(line: Line, other: Line) -> bool:
    """Whether `other` continues the visual row of `line` to the right."""
    _, top, right, bottom = line.box
    left, other_top, _, other_bottom = other.box
    if left < right - 0.3 * line.size:
        return False
    return min(bottom, other_bottom) - max(top, other_top) > 0.4 * min(bottom - top, other_bottom - other_top)


def read_lines(page: PdfPage, *, number: int) -> list[Line]:
    """Return the lines of a page in PDFium's order; a line drawn twice at one place appears once."""
    chars = page.chars()
    page.turn(page.text_turns)
    return _lines(page, chars, number=number)


def _lines(page: PdfPage, chars: str, *, number: int) -> list[Line]:
    lines: list[Line] = []
    seen: set[tuple[str, int, int]] = set()
    at = 0
    shaped = ShapedPage(page, chars) if is_shaped(chars) else None
    for found in _LINE_BREAK.finditer(chars + "\n"):
        found_lines = list(_one_or_two(page, chars[at : found.start()], start=at, number=number))
        if shaped:
            for line in found_lines:
                _take_order(line, shaped)
        for line in found_lines:
            line.hyphen = found.start() if found.group() == "\ufffe" and line is found_lines[-1] else -1
            key = (line.text, round(line.box[0]), round(line.box[1]))
            if key not in seen and line.text:
                lines.append(line)
            seen.add(key)
        at = found.end()
    lines = _visible(page, lines)
    for line in lines:
        line.marks = tuple(_raised_marks(page, line))
    return lines


def _visible(page: PdfPage, lines: list[Line]) -> list[Line]:
    """Leave out what nobody sees: print without ink, too small to be read, or beyond the page.

    All stays where a picture covers the page, whose text it then is, or where nothing else can be read.
    """
    width, height = page.size
    hidden = [line for line in lines if _is_hidden(page, line, width, height)]
    if not hidden or len(hidden) == len(lines) or page.picture_share(most=_MOST_OBJECTS) >= _COVERED_SHARE:
        return lines
    unseen = set(map(id, hidden))
    return [line for line in lines if id(line) not in unseen]


def _is_hidden(page: PdfPage, line: Line, width: float, height: float) -> bool:
    x0, y0, x1, y1 = line.box
    if 0 < line.size < _LEAST_POINTS or (width > 0 and (x1 < 0 or y1 < 0 or x0 > width or y0 > height)):
        return True
    return page.is_invisible(line.index(0)) and page.is_invisible(line.index(len(line.text) - 1))


def _take_order(line: Line, shaped: ShapedPage) -> None:
    """Bring the characters of a line into the order of reading where its script needs it."""
    read = shaped.read(line.text, start=line.start)
    if read is not None:
        line.text, line.indices, line.box = read.text, read.indices, read.box
        line.start = min((index for index in read.indices if index >= 0), default=line.start)


def _within(spans: Sequence[tuple[int, int]], start: int, end: int) -> tuple[tuple[int, int], ...]:
    return tuple((position - start, length) for position, length in spans if start <= position < end)


def _one_or_two(page: PdfPage, raw: str, *, start: int, number: int) -> Iterator[Line]:
    """Yield a line, or two where print of quite another size goes on behind a blank: PDFium appends what is drawn at its height."""
    line = _line(page, raw, start=start, number=number)
    if line is None:
        return
    cut = _size_jump(page, line)
    if not cut:
        yield line
        return
    for part, at in ((line.text[:cut], line.start), (line.text[cut:], line.start + cut)):
        if (half := _line(page, part, start=at, number=number)) is not None:
            yield half


def _size_jump(page: PdfPage, line: Line) -> int:
    """Return where a word begins whose print is much larger or smaller than that before it, 0 without such a place."""
    if not line.first or not line.last or 1 / _JUMP < line.first / line.last < _JUMP:
        return 0
    low, high = 0, len(line.text) - 1
    while high - low > 1:
        middle = (low + high) // 2
        is_first = abs(page.font_size(line.start + middle) - line.first) < abs(page.font_size(line.start + middle) - line.last)
        low, high = (middle, high) if is_first else (low, middle)
    blank = line.text.rfind(" ", 0, high + 1)
    letters = min(sum(map(str.isalpha, part)) for part in (line.text[: max(blank, 0)], line.text[high:]))
    return blank if blank >= high - 2 and letters >= _LEAST_JUMP_LETTERS else 0


def _raised_marks(page: PdfPage, line: Line) -> Iterator[tuple[int, int]]:
    """Yield where small figures or signs stand at a word, as marks of footnotes do."""
    opening = _MARK_ALONE.match(line.text) if line.first < _MARK_SIZE * line.size or len(line.text) < 3 else None
    if opening:
        yield 0, opening.end()
    # Most lines have nothing that could be one, and looking behind every letter takes long.
    for found in _MARK.finditer(line.text) if _MARK_CHARACTER.search(line.text) else ():
        index = line.index(found.start())
        is_small = page.font_size(index) < _MARK_SIZE * line.size
        if is_small and line.box[3] - page.loose_box(index)[3] > _RAISED * line.size:
            yield found.start(), len(found.group())


def _line(page: PdfPage, raw: str, *, start: int, number: int) -> Line | None:
    text = raw.strip(" \t\0\xa0")
    if not text:
        return None
    first = start + raw.index(text[0])
    last = first + len(text) - 1
    head, tail = page.loose_box(first), page.loose_box(last)
    slanted = False
    if _stand_alike(head, tail):
        box = (min(head[0], tail[0]), head[1], max(head[2], tail[2]), head[3])
        sizes = [page.font_size(first)] * 3
    else:
        middle = _visible_near(text, len(text) // 2) + first
        sizes = [page.font_size(index) for index in (first, middle, last)]
        boxes = [head, page.loose_box(middle), tail]
        box = _span(boxes, boxes[sizes.index(sorted(sizes)[1])])
        slanted = page.is_slanted(first) and page.is_slanted(last)
    starts_bold, starts_mono, is_picture = page.font_style(first)
    ends_bold, ends_mono, _ = page.font_style(last)
    bold, mono = starts_bold and ends_bold, starts_mono and ends_mono
    if text[1:2] in _BLANK_OR_END and (is_picture or _PRIVATE.match(text) or (starts_mono and text[0] == "o" and not mono)):
        text = _BULLET + text[1:]
    if not all(map(isfinite, (*box, *sizes))):
        box, sizes = (0.0, 0.0, 0.0, 0.0), [0.0] * 3
    bold_end = _bold_end(page, text, first) if starts_bold and not ends_bold else 0
    return Line(number, first, text, box, sorted(sizes)[1], sizes[0], sizes[2], bold, mono, slanted, starts_bold, bold_end)


def _bold_end(page: PdfPage, text: str, first: int) -> int:
    """Return where the bold print ends that a line begins with."""
    low, high = 0, len(text) - 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if page.font_style(first + _visible_near(text, middle))[0] else (low, middle)
    return high


def _stand_alike(head: Rect, tail: Rect) -> bool:
    """Whether two characters have one height and one base line, as most lines begin and end."""
    close = 0.02 * (head[3] - head[1])
    return abs(head[1] - tail[1]) < close and abs(head[3] - tail[3]) < close


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
