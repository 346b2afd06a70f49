"""The ruling lines of a PDF page: what parts the rows and columns of its tables."""

from collections.abc import Iterable
from dataclasses import dataclass

from pincite.adapters.parsers.pdfium_shapes import Rect, Shape

_SAME_PLACE_POINTS = 1.6
_BRIDGED_POINTS = 3.0
_LEAST_POINTS = 4.0
_MOST_RULES = 1500
_BACKGROUND_SHARE = 0.8


@dataclass(slots=True, eq=False)
class Rule:
    """A straight line: `at` is its place across its direction; it runs from `low` to `high`."""

    at: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Rules:
    """Level and upright lines of a page as displayed, each sorted by place; pieces of one line are joined.

    `boxes` may hold ruled tables.
    """

    level: tuple[Rule, ...] = ()
    upright: tuple[Rule, ...] = ()
    boxes: tuple[Rect, ...] = ()


NO_RULES = Rules()


def rules_of(shapes: Iterable[Shape], *, page_area: float) -> Rules:
    """Return the lines that shapes draw: strokes, thin boxes, and the edges of filled areas that aren't a background."""
    level: list[Rule] = []
    upright: list[Rule] = []
    for shape in shapes:
        if _area(shape.box) > _BACKGROUND_SHARE * page_area:
            continue
        for x0, y0, x1, y1 in shape.edges:
            if x1 - x0 >= max(_LEAST_POINTS, y1 - y0):
                level.append(Rule((y0 + y1) / 2, x0, x1))
            elif y1 - y0 >= _LEAST_POINTS:
                upright.append(Rule((x0 + x1) / 2, y0, y1))
        if len(level) + len(upright) > _MOST_RULES:
            return NO_RULES
    return Rules(tuple(_joined(level)), tuple(_joined(upright)))


def _area(box: Rect) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _joined(rules: list[Rule]) -> list[Rule]:
    """Join what lies on one line and touches."""
    places: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda rule: rule.at):
        if places and rule.at - places[-1][0].at <= _SAME_PLACE_POINTS:
            places[-1].append(rule)
        else:
            places.append([rule])
    return [joined for place in places for joined in _bridged(place)]


def _bridged(place: list[Rule]) -> list[Rule]:
    found: list[Rule] = []
    for rule in sorted(place, key=lambda rule: rule.low):
        if found and rule.low <= found[-1].high + _BRIDGED_POINTS:
            found[-1].high = max(found[-1].high, rule.high)
        else:
            found.append(Rule(rule.at, rule.low, rule.high))
    return found
