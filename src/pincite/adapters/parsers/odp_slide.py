"""One slide of an OpenDocument presentation: its text in the order of reading, and the frame that each part of it stands in."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.leaves import Leaf
from pincite.adapters.parsers.odt_flow import Flow, Items, OdtContext
from pincite.adapters.parsers.open_document import points
from pincite.adapters.parsers.placed_text import Places
from pincite.adapters.parsers.pptx_shapes import Rect, reading_order
from pincite.adapters.parsers.slides import Framed, Slide, as_heading
from pincite.core.documents import BlockRole

_EDGES = {
    "date-time": BlockRole.FOOTER,
    "footer": BlockRole.FOOTER,
    "header": BlockRole.HEADER,
    "page-number": BlockRole.PAGE_NUMBER,
}
_NO_SHAPES = frozenset({"draw_glue-point", "draw_layer-set"})
_NOTES = "presentation_notes"
_CLASS = "presentation_class"
_STEP = re.compile(r"(rotate|translate)\s*\(([^)]{0,80})\)")


def read_slide(context: OdtContext, page: Element) -> Slide:
    """Read a slide and its notes. Characters are counted from 0 in each slide."""
    return _SlideReader(replace(context, places=Places(), notes=[])).read(page)


class _SlideReader:
    def __init__(self, context: OdtContext) -> None:
        self._context = context
        self._slide = Slide()

    def read(self, page: Element) -> Slide:
        shapes = _ordered(page)
        for shape, rect in sorted(shapes, key=lambda found: found[0].get(_CLASS) != "title"):
            self._shape(shape, rect)
        for notes in page.findall(_NOTES):
            for frame in notes.findall("draw_frame"):
                if frame.get(_CLASS) == "notes":
                    self._slide.items += Flow(self._context).read([frame])
        return self._slide

    def _shape(self, shape: Element, rect: Rect | None) -> None:
        start = self._context.places.index
        read = Flow(self._context).read([shape])
        items = [item for item in read if not (isinstance(item, Leaf) and item.picture)]
        pictures = [item for item in read if isinstance(item, Leaf) and item.picture]
        self._slide.has_pictures = self._slide.has_pictures or bool(pictures)
        self._slide.pictures += pictures
        self._put(items, shape.get(_CLASS, ""))
        if rect and self._context.places.index > start:
            self._slide.framed.append(Framed(start, self._context.places.index, rect))

    def _put(self, items: Items, kind: str) -> None:
        leaves = [item for item in items if isinstance(item, Leaf)]
        if kind in _EDGES:
            self._slide.edges += [(_EDGES[kind], leaf) for leaf in leaves]
        elif kind == "title":
            heading = as_heading(leaves)
            self._slide.title = self._slide.title or " ".join(leaf.text for leaf in heading)
            self._slide.items += heading
        else:
            self._slide.items += items


def _ordered(parent: Element) -> list[tuple[Element, Rect | None]]:
    """Return the shapes of a slide or group in the order of reading, each with its frame; a group counts as one of its size."""
    units: list[tuple[Rect | None, list[tuple[Element, Rect | None]]]] = []
    for element in parent:
        if not element.tag.startswith("draw_") or element.tag in _NO_SHAPES:
            continue
        members = _ordered(element) if element.tag == "draw_g" else [(element, _rect(element))]
        units.append((_around([rect for _, rect in members if rect]), members))
    placed = [(rect, members) for rect, members in units if rect]
    unplaced = [shape for rect, members in units if not rect for shape in members]
    order = reading_order([rect for rect, _ in placed])
    return [*(shape for position in order for shape in placed[position][1]), *unplaced]


def _around(rects: Sequence[Rect]) -> Rect | None:
    if not rects:
        return None
    return min(r[0] for r in rects), min(r[1] for r in rects), max(r[2] for r in rects), max(r[3] for r in rects)


def _rect(element: Element) -> Rect | None:
    """Return the upright rectangle around a shape, in points; None where nothing says where it is."""
    width, height = points(element.get("svg_width")), points(element.get("svg_height"))
    if width is None or height is None:
        return None
    x, y = points(element.get("svg_x")), points(element.get("svg_y"))
    corners = [(px + (x or 0.0), py + (y or 0.0)) for px in (0.0, width) for py in (0.0, height)]
    for name, numbers in _STEP.findall(element.get("draw_transform", "")):
        corners = [_moved(corner, name, numbers.split()) for corner in corners]
    return _around([(px, py, px, py) for px, py in corners])


def _moved(point: tuple[float, float], step: str, numbers: Sequence[str]) -> tuple[float, float]:
    """Return a point after a step of a transformation (ISO/IEC 26300, section 19.228, draw:transform); y points down."""
    x, y = point
    if step == "translate":
        lengths = [points(number) or 0.0 for number in (*numbers, "", "")]
        return x + lengths[0], y + lengths[1]
    try:
        angle = float(numbers[0]) if numbers else 0.0
    except ValueError:
        return point
    if not math.isfinite(angle):
        return point
    cosine, sine = math.cos(angle), math.sin(angle)
    return x * cosine + y * sine, y * cosine - x * sine
