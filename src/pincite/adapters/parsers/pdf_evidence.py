"""Evidence that a row at the edge of a PDF page is a running head or foot: what comes back on other pages, and where."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pincite.adapters.parsers.pdf_paragraphs import starts_caption
from pincite.adapters.parsers.pdf_rows import Heights, Row, Zone, pattern_of, rows_by_height

_LEAST_LETTERS = 3
_LEAST_OPENING = 8
_MANY_PAGES = 10
_REPEATED_SHARE = 0.1
_SLOT_SHARE = 0.5
_BODY_SLOT_SHARE = 0.2
_MARGIN_SHARE = 0.095
_SMALL_PRINT, _LARGE_PRINT = 0.95, 1.06
_OFTEN_PAGES, _OFTEN_SHARE = 4, 0.6

Key = tuple[str, str]


def is_often(count: int, *, page_count: int) -> bool:
    """Whether what stands on so many pages stands on most of them."""
    return count >= max(_OFTEN_PAGES, _OFTEN_SHARE * page_count)


@dataclass(frozen=True, slots=True)
class Margins:
    """Where the text of a document stands in its pages: how often a row of it is at a height."""

    texts: dict[bool, Heights]
    page_count: int

    def has(self, row: Row) -> bool:
        """Whether the text of hardly any page reaches the height of a row."""
        return len(self.texts[row.is_top].near(row)) <= _BODY_SLOT_SHARE * self.page_count


def margins_of(zones: Sequence[Zone], *, page_count: int) -> Margins:
    """Return the margins of a document: its zones, less the rows that no gap parts from the text."""
    texts = {
        is_top: rows_by_height(row for zone in zones if zone.is_top is is_top for row in zone.rows[zone.apart :])
        for is_top in (True, False)
    }
    return Margins(texts, page_count)


def repeated_rows(zones: Sequence[Zone], margins: Margins) -> tuple[set[int], set[int]]:
    """Return ids of rows whose text comes back at their height on other pages, and of those that do on most pages.

    Figures and months may differ. Of a row in the margins a part is enough, or how it begins or ends: a section or a date may
    change beside it.
    """
    page_count = margins.page_count
    groups: dict[tuple[bool, Key], list[Row]] = defaultdict(list)
    for zone in zones:
        for number, row in enumerate(zone.rows):
            for key in _keys(row, is_in_margin=number < zone.apart and margins.has(row)):
                groups[zone.is_top, key].append(row)
    least = 2 if page_count <= _MANY_PAGES else max(2, _REPEATED_SHARE * page_count)
    found, often = set[int](), set[int]()
    for (_, (kind, _)), rows in groups.items():
        if len(rows) < least:
            continue
        heights = rows_by_height(rows)
        for row in rows:
            count = len(heights.near(row))
            if count >= least:
                found.add(id(row))
            if kind == "text" and is_often(count, page_count=page_count):
                often.add(id(row))
    return found, often


def _keys(row: Row, *, is_in_margin: bool) -> Iterator[Key]:
    if row.has_words:
        yield "text", row.pattern
    if not is_in_margin:
        return
    if len(row.parts) > 1:
        for part in row.parts:
            pattern = pattern_of(part)
            if _letters(pattern) >= _LEAST_LETTERS:
                yield "part", pattern
    words = row.pattern.split()
    for kind, some in (("start", words[:2]), ("end", words[-2:])) if len(words) > 2 else ():
        opening = " ".join(some)
        if _letters(opening) >= _LEAST_OPENING:
            yield kind, opening


def _letters(text: str) -> int:
    return sum(character.isalpha() for character in text)


def rows_of_one_print(zones: Sequence[Zone], margins: Margins, known: Collection[int], *, body: float) -> set[int]:
    """Return ids of rows that say other things on each page, but stand in the margins at one height in one print.

    A gap parts them from the text. Rows of most pages must agree, or one of them must be known to be furniture.
    """
    slots: dict[tuple[bool, int, bool], list[Row]] = defaultdict(list)
    for zone in zones:
        for row in zone.rows[: zone.apart]:
            if margins.has(row) and not starts_caption(row.text):
                slots[zone.is_top, round(4 * row.size), row.is_bold].append(row)
    least = max(2.0, _SLOT_SHARE * margins.page_count)
    found = set[int]()
    for rows in slots.values():
        heights, sure = rows_by_height(rows), rows_by_height(row for row in rows if id(row) in known)
        for row in rows:
            is_usual = len(heights.near(row)) >= least and _may_be_furniture(row, body=body)
            if is_usual or sure.near(row):
                found.add(id(row))
    return found


def _may_be_furniture(row: Row, *, body: float) -> bool:
    is_in_margin = row.from_edge + (row.bottom - row.top) <= _MARGIN_SHARE * max(row.page.width, row.page.height)
    return row.size <= _SMALL_PRINT * body or (is_in_margin and row.size <= _LARGE_PRINT * body)
