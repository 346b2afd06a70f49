"""Numbers and bullets of lists, computed as Word prints them (ISO/IEC 29500-1, section 17.9)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.docx_styles import Styles, flag, value, whole
from pincite.adapters.parsers.numerals import numeral

_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_BULLET = "- "
_MAX_MARKER_CHARS = 80


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    style: str = "decimal"
    pattern: str = ""
    is_legal: bool = False
    restarts_after: int | None = None
    paragraph_style: str = ""


@dataclass(slots=True)
class _Definition:
    """An abstract list: its levels, and the count reached at each in this document."""

    levels: dict[int, _Level] = field(default_factory=dict[int, _Level])
    style_link: str = ""
    counts: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)


@dataclass(slots=True)
class _List:
    """A list of the document: its definition, levels of its own, counts it begins anew."""

    definition: str
    levels: dict[int, _Level] = field(default_factory=dict[int, _Level])
    restarts: dict[int, int] = field(default_factory=dict[int, int])


class Numbering:
    """Counts the items of all lists. Call `marker` once for every numbered paragraph, in order."""

    def __init__(self, elements: Iterable[Element], styles: Styles) -> None:
        self._styles = styles
        self._definitions: dict[str, _Definition] = {}
        self._lists: dict[str, _List] = {}
        for element in elements:
            if element.tag == "w_abstractNum":
                self._definitions[element.get("w_abstractNumId", "")] = _read_definition(element)
            elif element.tag == "w_num":
                self._lists[element.get("w_numId", "")] = _read_list(element)

    def marker(self, list_id: str, level: int | None, *, style_id: str = "") -> str:
        """Return what is printed before the next item of a list, with a blank behind it; empty when nothing is."""
        found = self._lists.get(list_id)
        definition = self._definition(found) if found else None
        if found is None or definition is None:
            return ""
        levels = {**definition.levels, **found.levels}
        at = min(_LEVELS - 1, level if level is not None else _level_of_style(levels, style_id))
        _count(definition.counts, at, levels, found.restarts)
        return _print(levels, at, definition.counts)

    def _definition(self, found: _List) -> _Definition | None:
        definition = self._definitions.get(found.definition)
        if definition and definition.style_link and not definition.levels:
            linked = self._lists.get(self._styles.list_of(definition.style_link))
            return self._definitions.get(linked.definition) if linked else definition
        return definition


def _read_definition(element: Element) -> _Definition:
    return _Definition(_read_levels(element), value(element, "w_numStyleLink"))


def _read_levels(element: Element) -> dict[int, _Level]:
    levels: dict[int, _Level] = {}
    for child in element.iterfind("w_lvl"):
        number = whole(child.get("w_ilvl", ""))
        if number is not None and number < _LEVELS:
            levels[number] = _read_level(child)
    return levels


def _read_level(element: Element) -> _Level:
    start = whole(value(element, "w_start"))
    custom = element.find("w_numFmt")
    return _Level(
        start=1 if start is None else start,
        style="decimal" if custom is None else custom.get("w_val", "decimal"),
        pattern=value(element, "w_lvlText"),
        is_legal=bool(flag(element, "w_isLgl")),
        restarts_after=whole(value(element, "w_lvlRestart")),
        paragraph_style=value(element, "w_pStyle"),
    )


def _read_list(element: Element) -> _List:
    found = _List(value(element, "w_abstractNumId"))
    for override in element.iterfind("w_lvlOverride"):
        number = whole(override.get("w_ilvl", ""))
        if number is None or number >= _LEVELS:
            continue
        found.levels.update({level: own for level, own in _read_levels(override).items() if level == number})
        start = whole(value(override, "w_startOverride"))
        if start is not None:
            found.restarts[number] = start
    return found


def _level_of_style(levels: Mapping[int, _Level], style_id: str) -> int:
    return next((number for number, level in levels.items() if style_id and level.paragraph_style == style_id), 0)


def _count(counts: list[int | None], at: int, levels: Mapping[int, _Level], restarts: dict[int, int]) -> None:
    """Count one item at a level, and let deeper levels begin anew."""
    if at in restarts:
        counts[at] = restarts.pop(at)
    else:
        last = counts[at]
        counts[at] = levels.get(at, _Level()).start if last is None else last + 1
    for above in range(at):
        if counts[above] is None:
            counts[above] = restarts.pop(above, levels.get(above, _Level()).start)
    for below in range(at + 1, _LEVELS):
        after = levels.get(below, _Level()).restarts_after
        if after is None or 0 < at + 1 <= after:
            counts[below] = None


def _print(levels: Mapping[int, _Level], at: int, counts: list[int | None]) -> str:
    level = levels.get(at, _Level())
    if level.style == "bullet":
        return _BULLET

    def number(found: re.Match[str]) -> str:
        place = int(found.group(1)) - 1
        shown = levels.get(place, _Level())
        count = counts[place]
        style = "decimal" if level.is_legal else shown.style
        return numeral(shown.start if count is None else count, style)

    text = " ".join(_PLACE.sub(number, level.pattern).split())
    return f"{text} " if text and len(text) <= _MAX_MARKER_CHARS else ""
