"""The outermost rows of PDF pages: lines side by side near the top or bottom edge, where running heads and feet stand."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from statistics import mode

from pincite.adapters.parsers.pdf_lines import Line, PageLines
from pincite.adapters.parsers.pdf_paragraphs import ends_sentence
from pincite.core.documents import BlockRole

_ZONE_SHARE = 0.12
# Of the paper: how far from its edge a zone may reach in a short document, where little repeats by chance or by design, and else.
_FEW_PAGES = 4
_REACH_OF_FEW, _REACH_OF_MANY = 0.15, 0.25
_ZONE_ROWS = 6
_LEAST_LETTERS = 3
_APART_PITCHES, _WIDEST_PITCHES = 1.5, 2.5
_SAME_HEIGHT_POINTS = 4.0
_SAME_SIZE = 0.04
_MONTHS = (
    "jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|février|mar(?:ch|s)?|märz|apr(?:il)?|avril|may|mai|june?|juin|juni|july?|juillet|juli|"
    "aug(?:ust)?|août|sept?(?:ember|embre)?|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|de[cz](?:ember)?|décembre|enero|febrero|marzo|"
    "abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_CHANGING = re.compile(rf"\d+|\b(?:{_MONTHS})\b")


@dataclass(slots=True)
class Row:
    """Lines side by side near an edge of a page. `gap` is the distance of its base line from that of the next row inwards."""

    page: PageLines
    lines: list[Line]
    is_top: bool
    top: float
    bottom: float
    size: float
    gap: float = float("inf")
    text: str = ""
    pattern: str = ""
    parts: list[str] = field(default_factory=list[str])

    def add(self, line: Line) -> None:
        """Take in a line that stands beside the others."""
        self.lines.append(line)
        self.top, self.bottom = min(self.top, line.box[1]), max(self.bottom, line.box[3])
        self.size = max(self.size, line.size)

    def read(self) -> None:
        """Set what the row says: its text, its parts, and its text without what changes from page to page."""
        self.lines.sort(key=lambda line: line.box[0])
        self.text = " ".join(line.text for line in self.lines)
        self.parts = [part for line in self.lines for part in _parts(line)]
        self.pattern = pattern_of(self.text)

    @property
    def from_edge(self) -> float:
        """Distance from its edge of the page, in points: the same on pages of different size."""
        return self.top if self.is_top else self.page.upright_height - self.bottom

    @property
    def is_bold(self) -> bool:
        """Whether all of it is bold."""
        return all(line.bold for line in self.lines)

    @property
    def has_words(self) -> bool:
        """Whether it says something beside numbers."""
        return sum(character.isalpha() for character in self.pattern) >= _LEAST_LETTERS


@dataclass(slots=True)
class Zone:
    """The outermost rows of one edge of a page, from the edge inwards, and the rows that follow them.

    `apart` is how many of the rows a gap parts from the text: all from the edge to the innermost gap.
    """

    page: PageLines
    is_top: bool
    rows: list[Row]
    following: list[Row]
    apart: int = 0

    def row(self, number: int) -> Row | None:
        """Return a row by its place from the edge, counted from 0, one that follows the zone too."""
        every = [*self.rows, *self.following]
        return every[number] if number < len(every) else None


@dataclass(slots=True)
class Heights:
    """Which pages have a row at a height: distances from the edge that differ by a few points are one."""

    pages: dict[int, set[int]]

    def near(self, row: Row) -> set[int]:
        """Return the numbers of the pages with a row at the height of this one."""
        key = _height_key(row)
        return set[int]().union(*(self.pages.get(near, ()) for near in (key - 1, key, key + 1)))


def rows_by_height(rows: Iterable[Row]) -> Heights:
    """Return the heights of some rows."""
    pages: dict[int, set[int]] = {}
    for row in rows:
        pages.setdefault(_height_key(row), set()).add(row.page.number)
    return Heights(pages)


def _height_key(row: Row) -> int:
    return int(row.from_edge // _SAME_HEIGHT_POINTS)


def is_upended(line: Line) -> bool:
    """Whether a line runs up or down the page, or across it: a stamp at its side, a watermark."""
    return len(line.text) > 2 and line.box[3] - line.box[1] > max(2.2 * line.size, 0.6 * (line.box[2] - line.box[0]))


def pattern_of(text: str) -> str:
    """Return a text in one case, without figures and names of months."""
    return _CHANGING.sub("#", " ".join(text.casefold().split()))


def _parts(line: Line) -> Iterator[str]:
    at = 0
    for gap in (*line.cells, len(line.text)):
        if part := line.text[at:gap].strip():
            yield part
        at = gap


def line_pitch(pages: Sequence[PageLines], *, body: float) -> float:
    """Return the usual distance of base lines in the body of a document, in points."""
    found: list[float] = []
    for page in pages:
        before: Line | None = None
        for line in page.lines:
            if before is not None:
                step = line.box[3] - before.box[3]
                if 0.9 * body < step < 2.6 * body and abs(line.size - body) < 0.06 * body:
                    found.append(step)
            before = line
    return mode(round(4 * step) / 4 for step in found) if len(found) > 3 else 1.25 * body


def edge_zones(pages: Sequence[PageLines], *, is_top: bool, pitch: float) -> list[Zone]:
    """Return the zone of each page. Its edge is that of the print on most pages, not of the paper."""
    all_rows = [_rows_from_edge(page, is_top=is_top) for page in pages]
    edges = sorted(rows[0].from_edge for rows in all_rows if rows)
    edge = edges[len(edges) // 10] if edges else 0.0
    reach = _REACH_OF_FEW if len(pages) < _FEW_PAGES else _REACH_OF_MANY
    return [_cut_zone(page, rows, edge, reach, pitch, is_top=is_top) for page, rows in zip(pages, all_rows, strict=True)]


def _rows_from_edge(page: PageLines, *, is_top: bool) -> list[Row]:
    rows: list[Row] = []
    for line in sorted(page.lines, key=lambda line: line.box[1] if is_top else -line.box[3]):
        if line.role is not BlockRole.BODY or is_upended(line):
            continue
        if rows and _is_in_row(rows[-1], line):
            rows[-1].add(line)
        elif len(rows) > _ZONE_ROWS + 1:
            break
        else:
            rows.append(Row(page, [line], is_top, line.box[1], line.box[3], line.size))
    for row, inner in zip(rows, [*rows[1:], None], strict=bool(rows)):
        row.read()
        row.gap = abs(inner.bottom - row.bottom) if inner else float("inf")
    return rows


def _is_in_row(row: Row, line: Line) -> bool:
    overlap = min(row.bottom, line.box[3]) - max(row.top, line.box[1])
    return overlap > 0.5 * min(row.bottom - row.top, line.box[3] - line.box[1])


def _cut_zone(page: PageLines, rows: list[Row], edge: float, reach: float, pitch: float, *, is_top: bool) -> Zone:
    deepest, most = edge + _ZONE_SHARE * max(page.width, page.height), reach * page.upright_height

    def is_within(row: Row) -> bool:
        return row.from_edge <= deepest and (row.from_edge <= most or not row.has_words)

    within = list(takewhile(is_within, rows[:_ZONE_ROWS]))
    apart = 0
    for number, (row, inner) in enumerate(zip(within, rows[1:], strict=False), start=1):
        if _is_prose(row, inner):
            break
        apart = number if _is_apart(row, inner, pitch) else apart
    return Zone(page, is_top, within, rows[len(within) : len(within) + 2], apart)


def _is_apart(row: Row, inner: Row, pitch: float) -> bool:
    """Whether the gap to the next row inwards is wider than between lines, here and in the document."""
    is_even = 0.8 * row.gap < inner.gap < 1.25 * row.gap and inner.gap < _WIDEST_PITCHES * pitch
    return row.gap >= _APART_PITCHES * pitch and not is_even


def _is_prose(row: Row, inner: Row) -> bool:
    """Whether a row looks like a line of the text: its print and left edge, as long or the end of a sentence."""
    if len(row.parts) > 1 or abs(row.size - inner.size) > _SAME_SIZE * row.size or row.is_bold != inner.is_bold:
        return False
    line, other = row.lines[0], inner.lines[0]
    if not -line.size < line.box[0] - other.box[0] < 4 * line.size:
        return False
    rights = [
        one.box[2]
        for one in row.page.lines
        if one is not line and one.size == line.size and abs(one.box[0] - other.box[0]) < line.size
    ]
    is_full = abs(line.box[2] - max(rights, default=0.0)) < 0.06 * (line.box[2] - line.box[0])
    return is_full or line.text[0].islower() or ends_sentence(line.text)
