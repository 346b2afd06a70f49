"""Numbers of lists and headings in OpenDocument files (ISO/IEC 26300, section 16.30 and following, list styles)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.numerals import numeral

_LEVELS = 10
_BULLET = "- "
_MAX_MARKER_CHARS = 40
_FORMATS = {"1": "decimal", "i": "lowerRoman", "I": "upperRoman", "a": "lowerLetter", "A": "upperLetter"}


@dataclass(frozen=True, slots=True)
class _Level:
    style: str = ""
    before: str = ""
    after: str = ""
    start: int = 1
    shown: int = 1


@dataclass(slots=True)
class Numbered:
    """A list that is being counted, or all headings."""

    style: str
    counts: list[int | None] = field(default_factory=lambda: [None] * _LEVELS)


class Numbering:
    """The list styles of a document, and how far each of its lists is counted."""

    def __init__(self, elements: Iterable[Element]) -> None:
        self._styles: dict[str, dict[int, _Level]] = {}
        self._outline: dict[int, _Level] = {}
        self._by_id: dict[str, Numbered] = {}
        self._last: dict[str, Numbered] = {}
        self._headings = Numbered("")
        for element in elements:
            if element.tag == "text_list-style":
                self._styles[element.get("style_name", "")] = _levels(element)
            elif element.tag == "text_outline-style":
                self._outline = _levels(element)

    def begin(self, element: Element, outer: Numbered | None) -> Numbered:
        """Return the list that begins, or goes on, with a `text:list`; one in another shares its counts."""
        style = element.get("text_style-name", "") or (outer.style if outer else "")
        if outer:
            return Numbered(style, outer.counts)
        before = self._by_id.get(element.get("text_continue-list", ""))
        if before is None and element.get("text_continue-numbering") == "true":
            before = self._last.get(style)
        found = Numbered(style, before.counts if before else [None] * _LEVELS)
        self._last[style] = found
        if own_id := element.get("xml_id"):
            self._by_id[own_id] = found
        return found

    def item(self, numbered: Numbered, level: int, start: str = "") -> str:
        """Count an item on a level from 0 and return its number or bullet."""
        return _marker(self._styles.get(numbered.style, {}), numbered.counts, level, start)

    def heading(self, level: int, start: str = "") -> str:
        """Count a heading outside any list, on a level from 0, and return its number; empty where headings have none."""
        marker = _marker(self._outline, self._headings.counts, level, start)
        return "" if marker == _BULLET else marker


def _levels(style: Element) -> dict[int, _Level]:
    levels: dict[int, _Level] = {}
    for element in style:
        level = whole(element.get("text_level", ""))
        if level is None or not 1 <= level <= _LEVELS:
            continue
        if element.tag == "text_list-level-style-bullet" or element.tag == "text_list-level-style-image":
            levels[level - 1] = _Level("bullet")
        else:
            levels[level - 1] = _Level(
                style=_FORMATS.get(element.get("style_num-format", ""), "decimal" if element.get("style_num-format") else ""),
                before=element.get("style_num-prefix", ""),
                after=element.get("style_num-suffix", ""),
                start=1 if (start := whole(element.get("text_start-value", ""))) is None else start,
                shown=whole(element.get("text_display-levels", "")) or 1,
            )
    return levels


def _marker(levels: dict[int, _Level], counts: list[int | None], at: int, start: str) -> str:
    at = min(at, _LEVELS - 1)
    last, declared = counts[at], whole(start)
    first = levels.get(at, _Level()).start
    counts[at] = declared if declared is not None else first if last is None else last + 1
    counts[at + 1 :] = [None] * (_LEVELS - at - 1)
    level = levels.get(at, _Level("bullet"))
    if level.style == "bullet":
        return _BULLET
    if not level.style:
        return ""
    numbers: list[str] = []
    for above in range(max(0, at + 1 - level.shown), at + 1):
        other = levels.get(above, _Level())
        if other.style not in ("", "bullet"):
            counts[above] = other.start if counts[above] is None else counts[above]
            numbers.append(numeral(counts[above] or 0, other.style))
    marker = " ".join(f"{level.before}{'.'.join(numbers)}{level.after}".split())
    return f"{marker} " if marker and len(marker) <= _MAX_MARKER_CHARS else ""


def whole(text: str) -> int | None:
    """Return a number from 0 on, None for what is none."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else None
