"""Running headers, footers and page numbers: lines of a PDF page that don't belong to its flow.

A line is lifted only on evidence: its text comes back at one height of another page, or it holds a number that counts with the
pages or is the page's declared label; and nothing of the flow stands between it and the edge. A single page gives no evidence.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from pincite.adapters.parsers.pdf_lines import Line, PageLines
from pincite.core.documents import BlockRole

_ZONE_SHARE = 0.12
# Of the paper: how far from its edge a zone may reach in a short document, where little repeats by chance or by design, and else.
_FEW_PAGES = 4
_REACH_OF_FEW, _REACH_OF_MANY = 0.12, 0.25
_ZONE_ROWS = 4
_SAME_HEIGHT_POINTS = 4.0
_COUNTING_SHARE = 0.1
_LEAST_LETTERS = 3
_TABLE_CELLS = 3
_DIGITS = re.compile(r"\d+")
_NUMBER_ONLY = re.compile(
    r"\W*(?:page|seite|p\.|pg\.?)?\s*([0-9]{1,5}|[ivxlcdm]{1,8})\s*(?:(?:/|of|von)\s*[0-9]{1,5})?\W*", re.IGNORECASE
)
_EDGE_NUMBER = re.compile(r"^\W*(\d{1,5})\b|\b(\d{1,5})\W*$")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


@dataclass(slots=True)
class _Row:
    """Lines side by side near the top or bottom edge of a page."""

    page: PageLines
    lines: list[Line]
    is_top: bool
    top: float
    bottom: float
    size: float
    text: str = ""
    pattern: str = ""
    is_number: bool = False

    def add(self, line: Line) -> None:
        self.lines.append(line)
        self.top, self.bottom = min(self.top, line.box[1]), max(self.bottom, line.box[3])
        self.size = max(self.size, line.size)

    def read(self) -> None:
        self.text = " ".join(line.text for line in sorted(self.lines, key=lambda line: line.box[0]))
        self.pattern = _DIGITS.sub("#", " ".join(self.text.casefold().split()))
        self.is_number = bool(_NUMBER_ONLY.fullmatch(self.text))

    @property
    def cells(self) -> int:
        return len(self.lines) + sum(len(line.cells) for line in self.lines)

    @property
    def is_label(self) -> bool:
        """Whether the row is nothing but the label that the file declares for the page."""
        return bool(self.page.label) and self.text.strip(" -–—[]()").casefold() == self.page.label.casefold()

    @property
    def has_words(self) -> bool:
        return sum(character.isalpha() for character in self.pattern) >= _LEAST_LETTERS


@dataclass(slots=True)
class _Zone:
    """The outermost rows of one edge of a page, from the edge inwards, and the row that follows them, if any."""

    rows: list[_Row]
    following: _Row | None


def mark_furniture(pages: Sequence[PageLines]) -> None:
    """Set the role of running headers, footers and page numbers on their lines."""
    filled = [page for page in pages if page.lines]
    if len(filled) < 2:
        return
    zones = [*_zones(filled, is_top=True), *_zones(filled, is_top=False)]
    counting = _counting(zones, page_count=len(filled))
    supported = _repeated(zones) | counting
    for zone in zones:
        for row in _without_flowing_text(zone, _outer_rows(zone, supported)):
            is_number = id(row) in counting and (row.is_number or row.is_label)
            role = BlockRole.PAGE_NUMBER if is_number else BlockRole.HEADER if row.is_top else BlockRole.FOOTER
            for line in row.lines:
                line.role = role


def _zones(pages: Sequence[PageLines], *, is_top: bool) -> list[_Zone]:
    """Return the zone of each page. Its edge is that of the print on most pages, not of the paper."""
    all_rows = [_rows_from_edge(page, is_top=is_top) for page in pages]
    edges = sorted(rows[0].top if is_top else -rows[0].bottom for rows in all_rows)
    edge = edges[len(edges) // 10]
    reach = _REACH_OF_FEW if len(pages) < _FEW_PAGES else _REACH_OF_MANY
    return [_cut_zone(rows, edge, reach=reach) for rows in all_rows]


def _rows_from_edge(page: PageLines, *, is_top: bool) -> list[_Row]:
    rows: list[_Row] = []
    for line in sorted(page.lines, key=lambda line: line.box[1] if is_top else -line.box[3]):
        if rows and _is_in_row(rows[-1], line):
            rows[-1].add(line)
        elif len(rows) > _ZONE_ROWS:
            break
        else:
            rows.append(_Row(page, [line], is_top, line.box[1], line.box[3], line.size))
    for row in rows:
        row.read()
    return rows


def _is_in_row(row: _Row, line: Line) -> bool:
    overlap = min(row.bottom, line.box[3]) - max(row.top, line.box[1])
    return overlap > 0.5 * min(row.bottom - row.top, line.box[3] - line.box[1])


def _cut_zone(rows: list[_Row], edge: float, *, reach: float) -> _Zone:
    height = max(rows[0].page.height, rows[0].page.width)
    within = list(takewhile(lambda row: _is_in_zone(row, edge, height, reach=reach), rows[:_ZONE_ROWS]))
    return _Zone(within, rows[len(within)] if len(within) < len(rows) else None)


def _is_in_zone(row: _Row, edge: float, height: float, *, reach: float) -> bool:
    near = (row.top if row.is_top else -row.bottom) <= edge + _ZONE_SHARE * height
    from_edge = row.top if row.is_top else row.page.height - row.bottom
    return near and (row.is_number or from_edge <= reach * row.page.height)


def _candidates(zones: Iterable[_Zone]) -> Iterable[_Row]:
    return (row for zone in zones for row in zone.rows)


def _repeated(zones: Sequence[_Zone]) -> set[int]:
    """Return ids of rows whose text, digits aside, stands at the same height on another page."""
    groups: dict[tuple[bool, str], list[_Row]] = defaultdict(list)
    for row in _candidates(zones):
        if row.has_words:
            groups[row.is_top, row.pattern].append(row)
    return {id(row) for rows in groups.values() for row, pages in _shared(rows) if pages > 1}


def _shared(rows: Sequence[_Row]) -> Iterable[tuple[_Row, int]]:
    """Return each row with the number of pages that have one of these rows at its height."""
    pages: dict[int, set[int]] = defaultdict(set)
    for row in rows:
        pages[_height_key(row)].add(row.page.number)
    for row in rows:
        key = _height_key(row)
        yield row, len(pages[key].union(*(pages[near] for near in (key - 1, key + 1) if near in pages)))


def _height_key(row: _Row) -> int:
    return int(row.top // _SAME_HEIGHT_POINTS)


def _counting(zones: Sequence[_Zone], *, page_count: int) -> set[int]:
    """Return ids of rows with the page's label, or with a number that counts: number minus page is the same on several pages."""
    groups: dict[tuple[bool, bool, int], list[_Row]] = defaultdict(list)
    for row in _candidates(zones):
        for number in _numbers(row):
            groups[row.is_top, row.is_number, number - row.page.number].append(row)
    least = max(2.0, _COUNTING_SHARE * page_count)
    counted = {id(row) for row in _candidates(zones) if row.is_label}
    for (_, is_number, _), rows in groups.items():
        enough = least if is_number else max(3.0, least)
        if len(rows) >= enough:
            counted.update(id(row) for row, pages in _shared(rows) if pages >= enough and (is_number or row.has_words))
    return counted


def _numbers(row: _Row) -> list[int]:
    if found := _NUMBER_ONLY.fullmatch(row.text):
        return [int(found.group(1)) if found.group(1).isdecimal() else _roman(found.group(1))]
    return [int(first or last) for first, last in _EDGE_NUMBER.findall(row.text)]


def _roman(text: str) -> int:
    values = [_ROMAN[letter] for letter in text.casefold()]
    return sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))


def _outer_rows(zone: _Zone, supported: set[int]) -> list[_Row]:
    return list(takewhile(lambda row: id(row) in supported, zone.rows))


def _without_flowing_text(zone: _Zone, chosen: list[_Row]) -> list[_Row]:
    """Give back the innermost rows that stand in the flow: no wider gap to the next row and the same print, or rows of a table."""
    following = zone.rows[len(chosen)] if len(chosen) < len(zone.rows) else zone.following
    while chosen and following is not None and _flows_into(chosen[-1], following):
        following = chosen.pop()
    return chosen


def _flows_into(inner: _Row, following: _Row) -> bool:
    if inner.cells >= _TABLE_CELLS and following.cells >= _TABLE_CELLS:
        return True
    gap = following.top - inner.bottom if inner.is_top else inner.top - following.bottom
    is_same_print = abs(inner.size - following.size) <= 0.04 * following.size
    return gap < 0.6 * following.size and is_same_print and not inner.is_number
