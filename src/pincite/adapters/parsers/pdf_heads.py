"""Heads of PDF tables: over which rows they are repeated, also on the next page where none is printed."""

from collections.abc import Sequence
from dataclasses import dataclass

from pincite.adapters.parsers.pdf_cells import Table
from pincite.adapters.parsers.pdf_lines import Line
from pincite.adapters.parsers.pdf_paragraphs import Paragraph
from pincite.adapters.parsers.row_groups import head_rows, row_groups

_LEAST_SHARE = 2 / 3

Row = Sequence[Sequence[Line]]


@dataclass(frozen=True, slots=True)
class HeadedRows:
    """Some rows of a table. `carried` are texts of a head that is printed on a page before."""

    rows: list[Row]
    carried: list[list[str]]


class TableHeads:
    """Parts the tables of a document, in its order, into groups of rows under their head."""

    def __init__(self) -> None:
        self._before: Table | None = None
        self._heads: list[list[str]] = []

    def groups(self, paragraph: Paragraph) -> list[HeadedRows]:
        """Return the groups of a table; of a paragraph without one, none."""
        table, before, self._before = paragraph.table, self._before, paragraph.table
        if table is None:
            return []
        texts = [[" ".join(line.text for line in cell) for cell in row] for row in table.rows]
        own = head_rows(texts)
        if own or not self._heads or before is None or not _goes_on(before, table):
            self._heads = [texts[number] for number in own]
            return [HeadedRows([table.rows[number] for number in group], []) for group in row_groups(texts, heads=own)]
        count = len(self._heads)
        groups = row_groups([*self._heads, *texts], heads=range(count))
        return [_headed(group, self._heads, table) for group in groups]


def _headed(group: Sequence[int], heads: Sequence[list[str]], table: Table) -> HeadedRows:
    count = len(heads)
    carried = [heads[number] for number in group if number < count]
    return HeadedRows([table.rows[number - count] for number in group if number >= count], carried)


def _goes_on(before: Table, table: Table) -> bool:
    """Whether a table on the next page has the columns of the one before it, in the same places."""
    last, first = before.lines[-1].page, table.lines[0].page
    if first != last + 1 or len(before.rows[0]) != len(table.rows[0]):
        return False
    pairs = [
        (above, below)
        for above, below in zip(_columns(before), _columns(table), strict=True)
        if above is not None and below is not None
    ]
    met = sum(min(above[1], below[1]) > max(above[0], below[0]) for above, below in pairs)
    return bool(pairs) and met >= _LEAST_SHARE * len(pairs)


def _columns(table: Table) -> list[tuple[float, float] | None]:
    """Return where each column begins and ends, None for an empty one."""
    found: list[tuple[float, float] | None] = []
    for cells in zip(*table.rows, strict=True):
        boxes = [line.box for cell in cells for line in cell]
        found.append((min(box[0] for box in boxes), max(box[2] for box in boxes)) if boxes else None)
    return found
