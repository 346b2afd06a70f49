"""Tables of sheets and delimited files as canonical text: groups of rows, each under the head of its columns.

A group is small enough for one chunk, so that whoever finds a row sees what its columns are. A table with long rows is written row
by row instead, each value behind the name of its column.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.cleaning import clean, is_clean
from pincite.adapters.parsers.grids import GridPlan, GridRow, plan_grid
from pincite.core.cells import COLUMNS, cell_index
from pincite.core.documents import BlockRole

SAMPLE_ROWS = 100
_GROUP_CHARS = 700
_MAX_CELL_RUNS = 100_000
_MAX_ROW_RUNS = 1_000_000
_MAX_REPEATED_CHARS = 300
_MAX_NAME_CHARS = 80

Cells = list[tuple[str, int]]


def shown(text: str) -> str:
    """Return a cell's text in one line, of characters that may stand in canonical text."""
    kept = text if is_clean(text) else "".join(part for part, _, _ in clean(text))
    return kept if kept.isprintable() and "  " not in kept and kept.strip() == kept else " ".join(kept.split())


class GridWriter:
    """Writes tables to a builder; `page` is the number of the sheet.

    Each cell is a run of its own, until there are very many: then each row is one, and at last each group of rows.
    """

    def __init__(self, builder: CanonicalBuilder, *, page: int | None = None) -> None:
        self._builder = builder
        self._page = page
        self._cells = 0
        self.title: str | None = None
        """The first line that stood on top of a table."""

    def write(self, rows: Iterable[GridRow], *, level: int, plan: GridPlan | None = None) -> None:
        """Write a table. Lines on top of it are headings from `level` on."""
        stream = iter(rows)
        sample = list(islice(stream, SAMPLE_ROWS))
        if not sample:
            return
        plan = plan or plan_grid(sample)
        for depth, row in enumerate(plan.titles):
            self.title = self.title or shown(row.cells[0].text)
            self.heading(row.cells[0].text, level=level + depth, index=cell_index(row.number, row.cells[0].column))
        data = sample[plan.lead :] if plan.heads or plan.titles else sample
        self._table(plan, data, stream)

    def heading(self, text: str, *, level: int, index: int) -> None:
        """Write a line on top of a table, or the name of a sheet at the number of its first cell."""
        self._builder.write_row([(shown(text), index)], page=self._page, bars=False)
        self._builder.close_block(BlockRole.HEADING, level=level)

    def line(self, text: str, *, index: int) -> None:
        """Write a text that belongs to a cell, such as a comment."""
        self._builder.write_row([(shown(text), index)], page=self._page, bars=False)
        self._builder.close_block(BlockRole.BODY)

    def _table(self, plan: GridPlan, sample: Sequence[GridRow], stream: Iterator[GridRow]) -> None:
        rows = chain(sample, stream)
        if not plan.heads and max((len(row.cells) for row in sample), default=0) < 2 and len(plan.columns) < 2:
            self._lines(rows)
            return
        heads = [self._laid(row, plan.columns) for row in plan.heads]
        head_chars = sum(map(_size, heads))
        usual = sum(_size(self._laid(row, plan.columns)) for row in sample) // max(1, len(sample))
        if heads and head_chars + usual > _GROUP_CHARS:
            self._records(plan, rows)
        else:
            self._groups(heads if head_chars <= _MAX_REPEATED_CHARS or len(heads) == 1 else heads[-1:], heads, plan, rows)

    def _lines(self, rows: Iterable[GridRow]) -> None:
        """Write a column of texts: each is a paragraph."""
        for row in rows:
            for cell in row.cells:
                self.line(cell.text, index=cell_index(row.number, cell.column))

    def _groups(self, repeated: list[Cells], heads: list[Cells], plan: GridPlan, rows: Iterable[GridRow]) -> None:
        size, is_first = 0, True
        for row in rows:
            cells = self._laid(row, plan.columns)
            added = _size(cells)
            if size and size + added > _GROUP_CHARS:
                self._builder.close_block(BlockRole.TABLE)
                size = 0
            if not size:
                for head in heads if is_first else repeated:
                    self._put(head)
                    size += _size(head)
                is_first = False
            self._put(cells)
            size += added
        if is_first:
            for head in heads:
                self._put(head)
        self._builder.close_block(BlockRole.TABLE)

    def _records(self, plan: GridPlan, rows: Iterable[GridRow]) -> None:
        names = _names(plan)
        for row in rows:
            for cell in row.cells:
                name, named = names.get(cell.column, ("", 0))
                at = cell_index(row.number, cell.column)
                self._builder.write_row(
                    [(f"{name}: ", named), (cell.text, at)] if name else [(cell.text, at)], page=self._page, bars=False
                )
            self._builder.close_block(BlockRole.TABLE)

    def _laid(self, row: GridRow, columns: list[int]) -> Cells:
        """Return all cells of a row, also the empty ones, as texts with their numbers."""
        first = row.number * COLUMNS
        if len(row.cells) == len(columns):
            return [(cell.text, first + cell.column) for cell in row.cells]
        texts = {cell.column: cell.text for cell in row.cells}
        known = [(texts.pop(column, ""), first + column) for column in columns]
        return known + [(text, first + column) for column, text in texts.items()]

    def _put(self, cells: Cells) -> None:
        self._cells += len(cells)
        self._builder.write_row(cells, page=self._page, as_one=self._cells > _MAX_CELL_RUNS)
        if self._cells > _MAX_ROW_RUNS:
            self._builder.join_rows(within=COLUMNS)


def _size(cells: Cells) -> int:
    return sum(len(text) + 3 for text, _ in cells) + 1


def _names(plan: GridPlan) -> dict[int, tuple[str, int]]:
    """Return the name of each column with the cell it comes from; names over several columns hold for those to their right."""
    names: dict[int, list[str]] = {}
    places: dict[int, int] = {}
    for depth, head in enumerate(plan.heads):
        texts = {cell.column: cell.text for cell in head.cells}
        current = ""
        for column in plan.columns:
            current = texts.get(column, current if depth < len(plan.heads) - 1 else "")
            if current and current not in names.get(column, ()):
                names.setdefault(column, []).append(current)
                places[column] = cell_index(head.number, column)
    return {column: (" ".join(parts)[:_MAX_NAME_CHARS], places[column]) for column, parts in names.items()}
