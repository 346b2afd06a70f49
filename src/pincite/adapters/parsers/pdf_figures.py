"""The figures of a PDF: which text tells of each, and how it looks on its page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from pincite.adapters.parsers.pdf_figure_boxes import PageFigure, around
from pincite.adapters.parsers.pdf_lines import Line, PageLines
from pincite.adapters.parsers.pdf_paragraphs import Paragraph
from pincite.adapters.parsers.pdfium import open_pdf
from pincite.adapters.parsers.pdfium_drawing import DrawnPage
from pincite.adapters.parsers.pdfium_shapes import Rect
from pincite.adapters.parsers.picture_forms import encoded
from pincite.core.documents import Block, BlockRole
from pincite.core.figures import FigurePlace

_DOTS_PER_POINT = 150 / 72
_MOST_SIDE, _MOST_PIXELS = 2_000.0, 4_000_000.0
_NEAR_POINTS = 60.0
_EDGE_POINTS = 4.0
_MOST_COVERED, _MOST_COVERED_ACROSS = 0.4, 0.04
_TABLE = ("table", "tab.", "tabelle", "tabla", "tableau")
_LEAST_SHARED = 0.2
_SAME_ROW, _BESIDE_POINTS = 0.7, 40.0


@dataclass(slots=True)
class _Told:
    """A figure with the paragraph that tells of it."""

    figure: PageFigure
    number: int | None
    is_caption: bool = False


def figure_places(
    pages: Sequence[PageLines], ordered: Sequence[Paragraph], blocks: Sequence[Block | None]
) -> tuple[FigurePlace, ...]:
    """Return the figures of all pages; `blocks` are what became of the paragraphs.

    A figure is told of by the caption nearest to it, which may stand for several pictures, else by the text nearest to it.
    """
    of_page: dict[int, list[int]] = {}
    with_figures = {page.number for page in pages if page.figures}
    for number, paragraph in enumerate(ordered):
        if paragraph.first.page in with_figures and blocks[number] is not None:
            of_page.setdefault(paragraph.first.page, []).append(number)
    found: list[FigurePlace] = []
    for page in pages:
        if page.figures:
            shown = [figure for figure in page.figures if not _is_behind_text(figure, page)]
            told = [_told(figure, page, ordered, of_page.get(page.number, ())) for figure in shown]
            found += [_place(each, page, blocks) for each in _with_common_caption(told)]
    return tuple(found)


def _is_behind_text(figure: PageFigure, page: PageLines) -> bool:
    """Whether a picture is what text is printed on: much of it is covered by text, or it runs from edge to edge under some."""
    x0, y0, x1, y1 = figure.among
    covered = 0.0
    for line in page.lines:
        left, top, right, bottom = _box([line], page)
        covered += max(0.0, min(x1, right) - max(x0, left)) * max(0.0, min(y1, bottom) - max(y0, top))
    share = covered / max(1.0, (x1 - x0) * (y1 - y0))
    is_across = x0 < _EDGE_POINTS and x1 > page.width - _EDGE_POINTS
    is_along = y0 < _EDGE_POINTS and y1 > page.height - _EDGE_POINTS
    return share > (_MOST_COVERED_ACROSS if is_across or is_along else _MOST_COVERED)


def _told(figure: PageFigure, page: PageLines, ordered: Sequence[Paragraph], numbers: Sequence[int]) -> _Told:
    captions: list[tuple[float, int]] = []
    others: list[tuple[float, int]] = []
    for number in numbers:
        paragraph = ordered[number]
        box = _box(paragraph.lines, page)
        apart = _apart(figure.among, box)
        if paragraph.role is BlockRole.CAPTION and not paragraph.first.text.casefold().startswith(_TABLE):
            if apart <= _NEAR_POINTS and _shared(figure.among, box) > _LEAST_SHARED:
                captions.append((apart, number))
        elif paragraph.role in (BlockRole.BODY, BlockRole.HEADING):
            others.append((apart if _shared(figure.among, box) > _LEAST_SHARED else 1_000.0 + apart, number))
    if captions:
        return _Told(figure, min(captions)[1], is_caption=True)
    return _Told(figure, min(others)[1] if others else None)


def _with_common_caption(told: Sequence[_Told]) -> Iterator[_Told]:
    """Join the pictures that have one caption: they are the parts of one figure."""
    joined: dict[int, _Told] = {}
    captioned = [each for each in told if each.is_caption]
    for each in told:
        if not each.is_caption and (row := next((other for other in captioned if _is_beside(each, other)), None)):
            each.number, each.is_caption = row.number, True
        if not each.is_caption or each.number is None:
            yield each
        elif (other := joined.get(each.number)) is None:
            joined[each.number] = each
        else:
            both = PageFigure(around(other.figure.among, each.figure.among), around(other.figure.shown, each.figure.shown))
            joined[each.number] = _Told(both, each.number, is_caption=True)
    yield from joined.values()


def _is_beside(told: _Told, other: _Told) -> bool:
    one, two = told.figure.among, other.figure.among
    shared = min(one[3], two[3]) - max(one[1], two[1])
    return shared > _SAME_ROW * max(one[3] - one[1], two[3] - two[1]) and max(one[0] - two[2], two[0] - one[2]) < _BESIDE_POINTS


def _place(told: _Told, page: PageLines, blocks: Sequence[Block | None]) -> FigurePlace:
    block = blocks[told.number] if told.number is not None else None
    x0, y0, x1, y1 = (round(edge, 2) for edge in told.figure.shown)
    return FigurePlace(block.start if block else 0, block.end if block else 0, page.number, (x0, y0, x1, y1))


def _box(lines: Sequence[Line], page: PageLines) -> Rect:
    """Return the box of the lines of a paragraph that stand on a page, as the page is read."""
    found: Rect | None = None
    for line in lines:
        if line.page == page.number:
            x0, y0, x1, y1 = line.box
            box = (page.width - x1, y0, page.width - x0, y1) if line.mirrored else line.box
            found = around(found, box) if found else box
    return found or (0.0, 0.0, 0.0, 0.0)


def _apart(one: Rect, other: Rect) -> float:
    """Return the distance of two boxes in height, 0 when they stand side by side."""
    return max(0.0, one[1] - other[3], other[1] - one[3])


def _shared(one: Rect, other: Rect) -> float:
    """Return which share of the narrower of two boxes stands over or under the other one."""
    narrower = max(1.0, min(one[2] - one[0], other[2] - other[0]))
    return (min(one[2], other[2]) - max(one[0], other[0])) / narrower


def drawn_figures(path: str, places: Sequence[FigurePlace]) -> Iterator[tuple[int, bytes, tuple[int, int]]]:
    """Yield the figures that show something: their number among the places, bytes and pixels. What lies over them is drawn too.

    Raises `RefusedInput` (`encrypted`, `corrupt`) and `MemoryError`.
    """
    with open_pdf(path) as document:
        for number, place in enumerate(places):
            if place.box is None or place.page is None or not 1 <= place.page <= document.page_count:
                continue
            with document.drawn_page(place.page - 1) as page:
                if drawn := _drawn(page, place.box):
                    yield number, *drawn


def _drawn(page: DrawnPage, box: Rect) -> tuple[bytes, tuple[int, int]] | None:
    from PIL import Image

    wide, high = box[2] - box[0], box[3] - box[1]
    if not min(page.size) or min(wide, high) <= 0:
        return None
    scale = min(_DOTS_PER_POINT, _MOST_SIDE / max(wide, high), sqrt(_MOST_PIXELS / (wide * high)))
    size = (max(1, round(wide * scale)), max(1, round(high * scale)))
    whole = (max(1, round(page.size[0] * scale)), max(1, round(page.size[1] * scale)))
    rows = page.pixels(*size, left=round(box[0] * scale), top=round(box[1] * scale), whole=whole)
    picture = Image.frombytes("RGB", size, b"".join(rows))
    if picture.getcolors(1) is not None:
        return None
    return encoded(picture), size
