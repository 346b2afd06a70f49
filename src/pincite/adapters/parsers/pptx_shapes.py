"""Shapes of a slide: where each stands, in points, and in which order they are read."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

EMU_PER_POINT = 12_700
_WHOLE_TURN = 21_600_000
_MAX_EMU = 1 << 40
_MAX_CUTS = 40

Rect = tuple[float, float, float, float]
_SHAPES = frozenset({"p_sp", "p_grpSp", "p_graphicFrame", "p_pic", "p_cxnSp", "p_contentPart"})


@dataclass(frozen=True, slots=True)
class Frame:
    """Where something stands in the coordinates around it: corner, size, and turn in 60,000ths of a degree."""

    x: float
    y: float
    width: float
    height: float
    turn: int = 0

    @property
    def rect(self) -> Rect:
        """The upright rectangle around it."""
        if not self.turn % _WHOLE_TURN:
            return (self.x, self.y, self.x + self.width, self.y + self.height)
        angle = 2 * math.pi * self.turn / _WHOLE_TURN
        cosine, sine = abs(math.cos(angle)), abs(math.sin(angle))
        half_x, half_y = (self.width * cosine + self.height * sine) / 2, (self.width * sine + self.height * cosine) / 2
        x, y = self.x + self.width / 2, self.y + self.height / 2
        return (x - half_x, y - half_y, x + half_x, y + half_y)


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape outside any group, or from inside one, in points of the slide. `frame` is None where nothing says."""

    element: Element
    frame: Frame | None

    @property
    def placeholder(self) -> Element | None:
        """What makes it a placeholder of its layout, None for any other shape."""
        return next((child for child in self.element.iter("p_ph")), None) if self.element.tag != "p_grpSp" else None


Map = Callable[[Frame], Frame]
Inherit = Callable[[Element], Frame | None]


def shapes_in_order(tree: Element, inherited: Inherit) -> list[Shape]:
    """Return the visible shapes of a slide: the title, then by position; what belongs to one group stays together."""
    found = _ordered(tree, _in_points, inherited)
    return sorted(found, key=lambda shape: not is_title(shape.placeholder))


def is_title(placeholder: Element | None) -> bool:
    """Whether a placeholder is that of the slide's title."""
    return placeholder is not None and placeholder.get("type") in ("title", "ctrTitle")


def _ordered(tree: Element, to_slide: Map, inherited: Inherit) -> list[Shape]:
    """Return shapes in order; a group counts as one of its size."""
    units: list[tuple[Rect | None, list[Shape]]] = []
    for element in tree:
        if element.tag not in _SHAPES or _is_hidden(element):
            continue
        own = read_frame(element) or inherited(element)
        frame = to_slide(own) if own else None
        if element.tag == "p_grpSp":
            members = _ordered(element, _map_of_group(element, to_slide), inherited)
        else:
            members = [Shape(element, frame)]
        units.append((frame.rect if frame else None, members))
    placed = [(rect, members) for rect, members in units if rect]
    unplaced = [shape for rect, members in units if not rect for shape in members]
    order = reading_order([rect for rect, _ in placed])
    return [*(shape for position in order for shape in placed[position][1]), *unplaced]


def reading_order(rects: Sequence[Rect]) -> list[int]:
    """Return positions in the order of reading, by cutting the slide along gaps, first across, then down (recursive XY cut)."""
    return _cut(rects, list(range(len(rects))), axis=1, cuts=0, tries=0)


def _cut(rects: Sequence[Rect], chosen: list[int], *, axis: int, cuts: int, tries: int) -> list[int]:
    if len(chosen) < 2:
        return chosen
    if tries == 2 or cuts == _MAX_CUTS:
        return sorted(chosen, key=lambda position: (rects[position][1], rects[position][0]))
    parts = _parted(rects, chosen, axis)
    if len(parts) == 1:
        return _cut(rects, chosen, axis=1 - axis, cuts=cuts, tries=tries + 1)
    return [position for part in parts for position in _cut(rects, part, axis=1 - axis, cuts=cuts + 1, tries=0)]


def _parted(rects: Sequence[Rect], chosen: list[int], axis: int) -> list[list[int]]:
    """Part rectangles where a line across touches none; a small overlap doesn't bind two together."""
    parts: list[list[int]] = []
    end = -math.inf
    for position in sorted(chosen, key=lambda position: (rects[position][axis], rects[position][1 - axis])):
        low, high = rects[position][axis], rects[position][axis + 2]
        if low >= end - 0.1 * (high - low):
            parts.append([])
        parts[-1].append(position)
        end = max(end, high)
    return parts


def read_frame(element: Element) -> Frame | None:
    """Return the frame that a shape declares, in EMU; None where it declares none that makes sense."""
    transform = _transform(element)
    if transform is None:
        return None
    offset, extent = transform.find("a_off"), transform.find("a_ext")
    if offset is None or extent is None:
        return None
    numbers = [_emu(offset.get("x")), _emu(offset.get("y")), _emu(extent.get("cx")), _emu(extent.get("cy"))]
    x, y, width, height = (0.0 if number is None else number for number in numbers)
    if None in numbers or width < 0 or height < 0:
        return None
    return Frame(x, y, width, height, int(_emu(transform.get("rot")) or 0))


def _transform(element: Element) -> Element | None:
    direct = element.find("p_xfrm")
    if direct is not None:
        return direct
    properties = next((child for child in element if child.tag in ("p_spPr", "p_grpSpPr")), None)
    return None if properties is None else properties.find("a_xfrm")


def _emu(text: str | None) -> float | None:
    try:
        number = int(text or "")
    except ValueError:
        return None
    return float(number) if abs(number) < _MAX_EMU else None


def _in_points(frame: Frame) -> Frame:
    scale = 1 / EMU_PER_POINT
    return replace(frame, x=frame.x * scale, y=frame.y * scale, width=frame.width * scale, height=frame.height * scale)


def _map_of_group(group: Element, to_slide: Map) -> Map:
    """Return how frames inside a group lie on the slide: the group's own space is scaled into its frame."""
    outer, transform = read_frame(group), _transform(group)
    if outer is None or transform is None:
        return to_slide
    offset, extent = transform.find("a_chOff"), transform.find("a_chExt")
    if offset is None or extent is None:
        return to_slide
    x, y = _emu(offset.get("x")) or 0.0, _emu(offset.get("y")) or 0.0
    scale_x = outer.width / (_emu(extent.get("cx")) or outer.width or 1.0)
    scale_y = outer.height / (_emu(extent.get("cy")) or outer.height or 1.0)

    def into_group(frame: Frame) -> Frame:
        left, top = outer.x + (frame.x - x) * scale_x, outer.y + (frame.y - y) * scale_y
        return to_slide(Frame(left, top, frame.width * scale_x, frame.height * scale_y, frame.turn + outer.turn))

    return into_group


def _is_hidden(element: Element) -> bool:
    properties = next((child for part in element for child in part if child.tag == "p_cNvPr"), None)
    return properties is not None and properties.get("hidden", "0") in ("1", "true")
