"""Where the pictures of a PDF page stand: the tiles of one joined, without lines, marks and backgrounds."""

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.adapters.parsers.pdfium_shapes import Rect

_TOUCH_POINTS = 2.5
_LEAST_SIDE_POINTS, _LEAST_AREA_POINTS = 30.0, 3_000.0
_MOST_OBLONG = 10.0
_MOST_PICTURES = 2_000
_PAGE_SHARE = 0.85


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A picture: its box among the lines, and in the page as displayed, which differ where a page is read sideways."""

    among: Rect
    shown: Rect


def page_figures(pictures: Sequence[Rect], size: tuple[float, float], *, turned: int) -> tuple[PageFigure, ...]:
    """A picture: its box among the lines, and in the page as displayed; they differ where it is read sideways."""
    width, height = size
    if not pictures or width <= 0 or height <= 0:
        return ()
    within = [_within(box, width, height) for box in pictures[:_MOST_PICTURES]]
    boxes = [box for box in _joined([box for box in within if box]) if _is_figure(box, width * height)]
    return tuple(PageFigure(box, _unturned(box, size, turned)) for box in sorted(boxes, key=lambda box: (box[1], box[0])))


def around(one: Rect, other: Rect) -> Rect:
    """Return the smallest box that holds two."""
    return (min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]))


def _within(box: Rect, width: float, height: float) -> Rect | None:
    x0, y0, x1, y1 = max(0.0, box[0]), max(0.0, box[1]), min(width, box[2]), min(height, box[3])
    return (x0, y0, x1, y1) if x1 - x0 > 1 and y1 - y0 > 1 else None


def _joined(boxes: Sequence[Rect]) -> list[Rect]:
    """Join boxes that touch: programs cut pictures into tiles and strips, and lay masks and shadows over them."""
    found: list[Rect] = []
    for box in boxes:
        met = [other for other in found if _touch(box, other)]
        while met:
            for other in met:
                found.remove(other)
                box = around(box, other)
            met = [other for other in found if _touch(box, other)]
        found.append(box)
    return found


def _touch(box: Rect, other: Rect) -> bool:
    return (
        min(box[2], other[2]) - max(box[0], other[0]) > -_TOUCH_POINTS
        and min(box[3], other[3]) - max(box[1], other[1]) > -_TOUCH_POINTS
    )


def _is_figure(box: Rect, page_area: float) -> bool:
    """Whether a picture is large enough, neither a bar nor the whole page: that is a scan, or the paper it is printed on."""
    short, long = sorted((box[2] - box[0], box[3] - box[1]))
    area = short * long
    return (
        short >= _LEAST_SIDE_POINTS
        and area >= _LEAST_AREA_POINTS
        and long <= _MOST_OBLONG * short
        and area < _PAGE_SHARE * page_area
    )


def _unturned(box: Rect, size: tuple[float, float], turned: int) -> Rect:
    """Return a box of a page that was turned clockwise to be read, in the page as displayed."""
    width, height = size
    x0, y0, x1, y1 = box
    match turned:
        case 1:
            return (y0, width - x1, y1, width - x0)
        case 2:
            return (width - x1, height - y1, width - x0, height - y0)
        case 3:
            return (height - y1, x0, height - y0, x1)
        case _:
            return box
