"""Running headers, footers, page numbers and footnotes: lines that don't belong to the flow of a PDF page.

A line is lifted only on evidence: repetition over pages at one height, a number that counts with the pages, or, for
footnotes, a mark in smaller print below everything else. A single page gives no evidence of the first two kinds.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pincite.adapters.parsers.pdf_lines import Line, PageLines
from pincite.core.documents import BlockRole

_ZONE_SHARE = 0.16
_ZONE_ROWS = 4
_SAME_HEIGHT_POINTS = 4.0
_DIGITS = re.compile(r"\d+")
_NUMBER_ONLY = re.compile(r"\W*(?:page|seite|p\.|pg\.?)?\s*([0-9]{1,5}|[ivxlcdm]{1,8})\s*(?:(?:/|of|von)\s*[0-9]{1,5})?\W*", re.IGNORECASE)
_EDGE_NUMBER = re.compile(r"^\W*(\d{1,5})\b|\b(\d{1,5})\W*$")
_FOOTNOTE_MARK = re.compile(r"(?:\(?\d{1,3}\)?|[*†‡§¶]{1,3})\s*[^\s\d.,)]")
_SMALL = 0.93


@dataclass(slots=True)
class _Row:
    page: PageLines
    lines: list[Line]
    is_top: bool

    @property
    def text(self) -> str:
        return " ".join(line.text for line in sorted(self.lines, key=lambda line: line.box[0]))

    @property
    def pattern(self) -> str:
        return _DIGITS.sub("#", " ".join(self.text.casefold().split()))

    @property
    def top(self) -> float:
        return min(line.box[1] for line in self.lines)

    @property
    def bottom(self) -> float:
        return max(line.box[3] for line in self.lines)

    @property
    def size(self) -> float:
        return max(line.size for line in self.lines)


def mark_furniture(pages: Sequence[PageLines]) -> None:
    """Set the role of running headers, footers and page numbers on their lines."""
    if len(pages) < 2:
        return
    zones = [zone for page in pages for zone in (_zone(page, is_top=True), _zone(page, is_top=False)) if zone]
    repeated = _repeated(zones)
    counting = _counting(zones)
    for zone in zones:
        chosen = _outer_rows(zone, repeated | counting)
        for row in _without_flowing_text(zone, chosen):
            role = _role(row, counting)
            for line in row.lines:
                line.role = role


def _zone(page: PageLines, *, is_top: bool) -> list[_Row]:
    """Return the outermost rows at the top or bottom of a page, from the edge inwards, and one row more to measure the gap."""
    rows: list[_Row] = []
    for line in sorted(page.lines, key=lambda line: line.box[1] if is_top else -line.box[3]):
        if rows and _is_beside(rows[-1], line):
            rows[-1].lines.append(line)
        elif len(rows) > _ZONE_ROWS:
            break
        else:
            rows.append(_Row(page, [line], is_top))
    return rows


def _is_beside(row: _Row, line: Line) -> bool:
    overlap = min(row.bottom, line.box[3]) - max(row.top, line.box[1])
    return overlap > 0.5 * min(row.bottom - row.top, line.box[3] - line.box[1])


def _is_at_edge(row: _Row) -> bool:
    height = row.page.height
    return row.bottom <= height * _ZONE_SHARE if row.is_top else row.top >= height * (1 - _ZONE_SHARE)


def _candidates(zones: Iterable[list[_Row]]) -> Iterable[_Row]:
    return (row for zone in zones for row in zone[:_ZONE_ROWS] if _is_at_edge(row))


def _repeated(zones: Sequence[list[_Row]]) -> set[int]:
    """Return ids of rows whose text, digits aside, stands at the same height on another page."""
    groups: dict[tuple[bool, str], list[_Row]] = defaultdict(list)
    for row in _candidates(zones):
        if sum(character.isalpha() for character in row.pattern) >= 3:
            groups[row.is_top, row.pattern].append(row)
    return {id(row) for rows in groups.values() for row in rows if _has_twin(row, rows)}


def _has_twin(row: _Row, rows: Sequence[_Row]) -> bool:
    return any(other.page is not row.page and abs(other.top - row.top) <= _SAME_HEIGHT_POINTS for other in rows)


def _counting(zones: Sequence[list[_Row]]) -> set[int]:
    """Return ids of rows with a number that counts with the pages: the difference to the page number is shared by another page."""
    groups: dict[tuple[bool, int], list[_Row]] = defaultdict(list)
    for row in _candidates(zones):
        for number in _numbers(row):
            groups[row.is_top, number - row.page.number].append(row)
    counted = {id(row) for rows in groups.values() for row in rows if _has_twin(row, rows)}
    return counted | {id(row) for row in _candidates(zones) if _is_own_label(row)}


def _numbers(row: _Row) -> list[int]:
    if found := _NUMBER_ONLY.fullmatch(row.text):
        return [int(found.group(1)) if found.group(1).isdigit() else _roman(found.group(1))]
    return [int(first or last) for first, last in _EDGE_NUMBER.findall(row.text)]


def _roman(text: str) -> int:
    values = [{"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}[letter] for letter in text.casefold()]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


def _is_own_label(row: _Row) -> bool:
    label = row.page.label
    return bool(label) and not label.isdigit() and row.text.strip(" -–—").casefold() == label.casefold()


def _outer_rows(zone: list[_Row], supported: set[int]) -> list[_Row]:
    chosen: list[_Row] = []
    for row in zone[:_ZONE_ROWS]:
        if id(row) not in supported:
            break
        chosen.append(row)
    return chosen


def _without_flowing_text(zone: list[_Row], chosen: list[_Row]) -> list[_Row]:
    """Drop chosen rows when the innermost stands in the flow: no wider gap to the next row and the same print."""
    if not chosen or len(chosen) == len(zone):
        return chosen
    inner, following = chosen[-1], zone[len(chosen)]
    gap = following.top - inner.bottom if inner.is_top else inner.top - following.bottom
    is_same_print = abs(inner.size - following.size) <= 0.04 * following.size
    if gap < 0.6 * following.size and is_same_print and not _NUMBER_ONLY.fullmatch(inner.text):
        return []
    return chosen


def _role(row: _Row, counting: set[int]) -> BlockRole:
    if id(row) in counting and (_NUMBER_ONLY.fullmatch(row.text) or _is_own_label(row)):
        return BlockRole.PAGE_NUMBER
    return BlockRole.HEADER if row.is_top else BlockRole.FOOTER


def mark_footnotes(page: PageLines, *, body_size: float) -> None:
    """Set the role of footnotes: small print that starts with a mark, under body text and with nothing but small print below."""
    flow = [line for line in page.lines if line.role is BlockRole.BODY]
    starts = [line for line in flow if _may_start_footnote(line, page, body_size=body_size)]
    for start in sorted(starts, key=lambda line: line.box[1]):
        if start.role is not BlockRole.BODY:
            continue
        below = [line for line in flow if line.box[1] >= start.box[1] - 1 and _share_column(line, start)]
        if all(line.size <= _SMALL * body_size for line in below) and _stands_under_body(start, flow, body_size=body_size):
            for line in below:
                line.role = BlockRole.FOOTNOTE


def _may_start_footnote(line: Line, page: PageLines, *, body_size: float) -> bool:
    if line.size > _SMALL * body_size or line.cells or line.box[1] < 0.5 * page.height:
        return False
    return bool(_FOOTNOTE_MARK.match(line.text))


def _share_column(line: Line, other: Line) -> bool:
    return min(line.box[2], other.box[2]) - max(line.box[0], other.box[0]) > 0


def _stands_under_body(start: Line, flow: Sequence[Line], *, body_size: float) -> bool:
    above = [line for line in flow if line.box[3] <= start.box[1] + 1 and _share_column(line, start)]
    if not above:
        return False
    nearest = max(above, key=lambda line: line.box[3])
    return nearest.size > _SMALL * body_size and not nearest.bold and nearest.size < 1.1 * body_size
