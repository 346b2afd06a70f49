"""Where ruling lines frame a table: grids of level and upright lines, and stacks of level lines of one length."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pincite.adapters.parsers.pdf_rules import Rule, Rules
from pincite.adapters.parsers.pdfium_shapes import Rect

_MOST_RULES = 400
_TOUCH_POINTS = 3.0
_SAME_ENDS_POINTS = 4.0
_NEXT_POINTS = 8.0
_LEAST_WIDTH_POINTS = 60.0
_LEAST_HEIGHT_POINTS = 8.0
_LEAST_STACK = 3
_INNER_SHARE = 0.45


def with_boxes(rules: Rules) -> Rules:
    """Add the boxes that may hold ruled tables, the smallest first; they don't overlap."""
    if len(rules.level) < 2 or len(rules.level) + len(rules.upright) > _MOST_RULES:
        return rules
    boxes = sorted(_joined([*_grids(rules), *_stacks(rules.level)]), key=_area)
    found: list[Rect] = []
    for box in boxes:
        if not any(_overlap(box, other) for other in found):
            found.append(box)
    return replace(rules, boxes=tuple(found))


def holds(box: Rect, inner: Rect) -> bool:
    """Whether the middle of a box stands in another."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _grids(rules: Rules) -> Iterable[Rect]:
    """Yield the boxes of level and upright lines that cross, with a line inside that parts columns."""
    groups: list[tuple[list[Rule], list[Rule]]] = []
    owners: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for upright in rules.upright:
        if upright.high - upright.low < _LEAST_HEIGHT_POINTS:
            continue
        met = [level for level in rules.level if _cross(level, upright)]
        group: tuple[list[Rule], list[Rule]] = ([level for level in met if id(level) not in owners], [upright])
        for other in {id(owners[id(level)]): owners[id(level)] for level in met if id(level) in owners}.values():
            groups.remove(other)
            group = ([*group[0], *other[0]], [*group[1], *other[1]])
        owners.update((id(level), group) for level in group[0])
        groups.append(group)
    for levels, uprights in groups:
        if box := _grid(levels, uprights):
            yield box


def _cross(level: Rule, upright: Rule) -> bool:
    return (
        level.low - _TOUCH_POINTS <= upright.at <= level.high + _TOUCH_POINTS
        and upright.low - _TOUCH_POINTS <= level.at <= upright.high + _TOUCH_POINTS
    )


def _grid(levels: Sequence[Rule], uprights: Sequence[Rule]) -> Rect | None:
    if len(levels) < 2:
        return None
    x0 = min(*(rule.low for rule in levels), *(rule.at for rule in uprights), 1e9)
    x1 = max(*(rule.high for rule in levels), *(rule.at for rule in uprights), -1e9)
    y0, y1 = min(rule.at for rule in levels), max(rule.at for rule in levels)
    inner = [rule for rule in uprights if x0 + _LEAST_HEIGHT_POINTS < rule.at < x1 - _LEAST_HEIGHT_POINTS]
    if not any(min(rule.high, y1) - max(rule.low, y0) >= _INNER_SHARE * (y1 - y0) for rule in inner):
        return None
    return (x0, y0, x1, y1)


def _stacks(levels: Sequence[Rule]) -> Iterable[Rect]:
    """Yield the boxes of three or more level lines with the same ends: tables ruled without uprights."""
    stacks: list[list[Rule]] = []
    for rule in levels:
        if rule.high - rule.low < _LEAST_WIDTH_POINTS:
            continue
        for stack in stacks:
            if abs(stack[0].low - rule.low) <= _SAME_ENDS_POINTS and abs(stack[0].high - rule.high) <= _SAME_ENDS_POINTS:
                stack.append(rule)
                break
        else:
            stacks.append([rule])
    for stack in stacks:
        if len(stack) >= _LEAST_STACK:
            yield (stack[0].low, stack[0].at, stack[0].high, stack[-1].at)


def _joined(boxes: Sequence[Rect]) -> list[Rect]:
    """Join boxes of the same width that follow each other closely: a head and its body."""
    found: list[Rect] = []
    for box in sorted(boxes, key=lambda box: box[1]):
        above = next((other for other in found if _follows(box, other)), None)
        if above:
            found.remove(above)
            box = (above[0], above[1], above[2], max(above[3], box[3]))
        found.append(box)
    return found


def _follows(box: Rect, above: Rect) -> bool:
    same = abs(box[0] - above[0]) <= _SAME_ENDS_POINTS and abs(box[2] - above[2]) <= _SAME_ENDS_POINTS
    return same and box[1] <= above[3] + _NEXT_POINTS


def _overlap(box: Rect, other: Rect) -> bool:
    return min(box[2], other[2]) - max(box[0], other[0]) > 1 and min(box[3], other[3]) - max(box[1], other[1]) > 1


def _area(box: Rect) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
