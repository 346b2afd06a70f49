"""Running headers, footers, page numbers and stamps: lines of a PDF page that don't belong to its flow.

A row is lifted only on evidence: its text, a part of it or its opening comes back at one height of another page; it holds a
number that counts with the pages, is the page's declared label or a Bates number; rows of its print stand at its height, apart
from the text, on most pages; or a sentence goes on beyond it. And nothing of the flow stands between it and the edge. A single
page gives no evidence.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from math import isinf
from statistics import median

from pincite.adapters.parsers.pdf_evidence import is_often, margins_of, repeated_rows, rows_of_one_print
from pincite.adapters.parsers.pdf_lines import PageLines
from pincite.adapters.parsers.pdf_numbering import Number, bates_numbers, counting_numbers, is_number, lone_numbers
from pincite.adapters.parsers.pdf_paragraphs import starts_caption, starts_item
from pincite.adapters.parsers.pdf_rows import Row, Zone, edge_zones, line_pitch
from pincite.adapters.parsers.pdf_turns import rows_between_halves
from pincite.adapters.parsers.pdf_watermarks import mark_watermarks
from pincite.core.documents import BlockRole

# In a longer document what is furniture comes back.
_FEW_PAGES = 8
_TABLE_CELLS = 2
_LARGER = 1.1
_EVEN_PITCH = 1.25
_TABLE_PITCH = 1.7
_FORM = re.compile(
    r"_{4,}|\.{8,}|…{4,}|\b(?:signed|signature|unterschrift|initials)\b\W{0,2}$|^(?:table|tabelle|tableau|tabla)\b.*\((?:cont|forts|suite)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PageNames:
    """What the pages are called in print, by page number: their labels and Bates numbers."""

    labels: dict[int, str] = field(default_factory=dict[int, str])
    bates: dict[int, str] = field(default_factory=dict[int, str])


def mark_furniture(pages: Sequence[PageLines], *, body: float) -> PageNames:
    """Set the role of running headers, footers and page numbers on their lines; return what they call the pages."""
    filled = [page for page in pages if page.lines]
    if len(filled) < 2:
        return PageNames()
    mark_watermarks(filled, body=body)
    pitch = line_pitch(filled, body=body)
    tops, feet = edge_zones(filled, is_top=True, pitch=pitch), edge_zones(filled, is_top=False, pitch=pitch)
    zones = [*tops, *feet]
    counts, bates = counting_numbers(zones, page_count=len(filled)), bates_numbers(zones)
    numbers = {row: number for row, (_, number) in counts.items()} or lone_numbers(zones, page_count=len(filled))
    margins = margins_of(zones, page_count=len(filled))
    repeated, often = repeated_rows(zones, margins)
    counted = {row for row, (count, _) in counts.items() if is_often(count, page_count=len(filled))}
    known = {*numbers, *bates, *repeated}
    supported = known | rows_of_one_print(zones, margins, known, body=body)
    lifted: list[Row] = []
    for zone in zones:
        outer = list(takewhile(lambda row: (id(row) in supported or _is_label(row)) and not _is_form(row), zone.rows))
        lifted += _without_flowing_text(zone, outer, often, counted)
    for row in lifted:
        _lift(row, numbers, bates)
    for row in rows_between_halves(tops, feet, body=body) if len(filled) <= _FEW_PAGES else ():
        if not margins.has(row):
            continue
        _lift(row, numbers, bates)
        lifted.append(row)
    for zone in zones:
        _put_in_order(zone, body=body)
    return _names(lifted, numbers, bates)


def _lift(row: Row, numbers: Mapping[int, Number], bates: Mapping[int, str]) -> None:
    stamp = bates.get(id(row), "")
    counts = id(row) in numbers and is_number(row)
    if counts or _is_label(row) or (stamp and _without(row.text, stamp)):
        role = BlockRole.PAGE_NUMBER
    else:
        role = BlockRole.HEADER if row.is_top else BlockRole.FOOTER
    for line in row.lines:
        line.role = role


def _without(text: str, stamp: str) -> bool:
    """Whether nothing but figures is left of a text without a stamp."""
    return not any(character.isalpha() for character in text.replace(stamp, ""))


def _is_label(row: Row) -> bool:
    """Whether the row is nothing but the label that the file declares for the page."""
    return bool(row.page.label) and row.text.strip(" -–—[]()").casefold() == row.page.label.casefold()


def _is_form(row: Row) -> bool:
    """Whether a row is to be filled in or signed, or names a table: text, even where it comes back."""
    return bool(_FORM.search(row.text)) or starts_caption(row.text)


def _without_flowing_text(zone: Zone, chosen: list[Row], often: Collection[int], counted: Collection[int]) -> list[Row]:
    """Give back the innermost rows that stand in the flow: print and distance of the text that follows, or rows of a table."""
    following = zone.row(len(chosen))
    while chosen and following is not None:
        row, usual = chosen[-1], following.gap
        if isinf(usual):
            usual = chosen[-2].gap if len(chosen) > 1 else 0.0
        is_table = id(row) not in counted and _is_row_of_table(row, following)
        if not is_table and not _flows_into(row, following, usual, is_often=id(row) in often or id(row) in counted):
            break
        following = chosen.pop()
    return chosen


def _is_row_of_table(inner: Row, following: Row) -> bool:
    """Whether two rows have as many cells, and stand no further apart than the rows of a table that follow."""
    cells = len(inner.parts)
    return _TABLE_CELLS <= cells == len(following.parts) and inner.gap < min(_TABLE_PITCH * following.gap, 4 * following.size)


def _flows_into(inner: Row, following: Row, usual_gap: float, *, is_often: bool) -> bool:
    if is_number(inner) or abs(inner.size - following.size) > 0.04 * following.size:
        return False
    space = following.top - inner.bottom if inner.is_top else inner.top - following.bottom
    if space < 0.6 * following.size:
        return True
    is_even = inner.gap <= _EVEN_PITCH * usual_gap and usual_gap < 3 * following.size
    return is_even and (not is_often or starts_item(inner.text))


def _put_in_order(zone: Zone, *, body: float) -> None:
    """Put rows apart from the text that stay in the flow before it at the top, behind it at the foot, whenever they were drawn.

    So with a title over the text, which may stand close to it.
    """
    titles = takewhile(lambda row: row.size > _LARGER * body, zone.rows[zone.apart :] if zone.is_top else ())
    rows = [row for row in (*zone.rows[: zone.apart], *titles) if row.lines[0].role is BlockRole.BODY]
    apart = [line for row in (rows if zone.is_top else reversed(rows)) for line in row.lines]
    chosen = set(map(id, apart))
    text = [line for line in zone.page.lines if line.role is BlockRole.BODY and id(line) not in chosen]
    if not apart or not text:
        return
    starts = {id(line): at for at, line in enumerate(zone.page.lines)}
    drawn, read = [starts[id(line)] for line in apart], [starts[id(line)] for line in text]
    rest = [line for line in zone.page.lines if id(line) not in chosen]
    if zone.is_top and min(drawn) > median(read):
        zone.page.lines[:] = [*apart, *rest]
    elif not zone.is_top and max(drawn) < min(read):
        zone.page.lines[:] = [*rest, *apart]


def _names(lifted: Sequence[Row], numbers: Mapping[int, Number], bates: Mapping[int, str]) -> PageNames:
    names = PageNames()
    for row in lifted:
        if id(row) in bates:
            names.bates.setdefault(row.page.number, bates[id(row)])
    by_worth = sorted((row for row in lifted if id(row) in numbers), key=lambda row: _worth(numbers[id(row)]), reverse=True)
    for row in by_worth:
        names.labels.setdefault(row.page.number, numbers[id(row)].label)
    return names


def _worth(number: Number) -> tuple[bool, bool]:
    """Rank numbers of one page: "A-3" says more than "3", and a number alone more than one in a text."""
    return number.alone, number.kind != "digits"
