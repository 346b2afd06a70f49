"""Rows of cells from sheets and delimited files: which of them are titles, which the head of the columns, which data."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

_MAX_TITLES = 3
_MAX_TITLE_CHARS = 200
_MAX_HEADS = 3
_MAX_HEAD_CHARS = 120
_LEAST_COVERED = 0.5
_NUMBER = re.compile(r"[-+(]?\s*[$€£¥]?\s*[-+]?\d[\d.,'’\u00a0\u202f ]*(?:[eE][-+]?\d+)?\s*(?:%|[$€£¥]|[A-Z]{3})?\)?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ].{0,20})?|\d{1,2}:\d{2}(?::\d{2})?(?:\s*[AaPp][Mm])?")
_FACT = {"true", "false", "yes", "no", "null", "none", "nan", "n/a", "-", "–", "—"}
_YEAR = re.compile(r"(?:FY\s?)?(?:19|20)\d\d(?:[-/]\d\d)?[AEBF]?")


class GridCell(NamedTuple):
    """A filled cell: its column from 0, what it shows, and whether that is a text rather than a number, date or truth."""

    column: int
    text: str
    is_text: bool = True


class GridRow(NamedTuple):
    """A row with at least one filled cell: its number from 0, and its filled cells by rising column."""

    number: int
    cells: list[GridCell]


@dataclass(slots=True)
class GridPlan:
    """What the rows on top of a table are, and the columns that it has."""

    titles: list[GridRow] = field(default_factory=list[GridRow])
    heads: list[GridRow] = field(default_factory=list[GridRow])
    columns: list[int] = field(default_factory=list[int])

    @property
    def lead(self) -> int:
        """Rows before the data."""
        return len(self.titles) + len(self.heads)


def shows_text(text: str) -> bool:
    """Whether a cell's content, where nothing tells its kind, is a text: no number, date, truth or empty mark."""
    if len(text) > 40:
        return True
    return not (_NUMBER.fullmatch(text) or _DATE.fullmatch(text) or text.casefold() in _FACT)


def plan_grid(rows: Sequence[GridRow], *, declared_heads: int | None = None) -> GridPlan:
    """Tell titles, head and columns from the first rows of a table. `declared_heads` is how many rows the file calls the head."""
    titles: Sequence[GridRow] = () if declared_heads is not None else _titles(rows)
    below = rows[len(titles) :]
    count = _count_heads(below) if declared_heads is None else min(declared_heads, max(0, len(below) - 1))
    columns = sorted({cell.column for row in below for cell in row.cells})
    return GridPlan([*titles], [*below[:count]], columns)


def _titles(rows: Sequence[GridRow]) -> Sequence[GridRow]:
    """Return the lines over a table: rows of one short text each, above rows of several cells."""
    if not rows or max(len(row.cells) for row in rows) < 2:
        return []
    count = 0
    while count < min(_MAX_TITLES, len(rows)) and _is_title(rows[count]):
        count += 1
    return rows[:count] if count < len(rows) and len(rows[count].cells) > 1 else []


def _is_title(row: GridRow) -> bool:
    return len(row.cells) == 1 and row.cells[0].is_text and len(row.cells[0].text) <= _MAX_TITLE_CHARS


def _count_heads(rows: Sequence[GridRow]) -> int:
    """Return how many rows name the columns: a row of distinct short texts, over rows that are something else."""
    if len(rows) < 2:
        return 0
    if not _names_columns(rows[0], rows[1:]):
        return 2 if _spans_names(rows[0], rows[1:]) else 0
    count = 1
    # A head of several rows: the upper one leaves columns unnamed, which the next one names.
    while count < min(_MAX_HEADS, len(rows) - 1) and _refines(rows[count - 1], rows[count], rows[count + 1 :]):
        count += 1
    return count


def _names_columns(row: GridRow, below: Sequence[GridRow]) -> bool:
    texts = [cell.text for cell in row.cells]
    widest = max(len(other.cells) for other in below)
    if len(texts) < _LEAST_COVERED * widest or not all(map(_is_name, row.cells)):
        return False
    if not any(cell.is_text for cell in row.cells) and row.cells[0].column <= below[0].cells[0].column:
        return False
    if len(texts) > 1 and len({text.casefold() for text in texts}) < len(texts):
        return _refines(row, below[0], below[1:])
    return not _comes_back(row, below)


def _spans_names(row: GridRow, below: Sequence[GridRow]) -> bool:
    """Whether a row of a few texts names groups of the columns that the next one names: the names of two groups may be alike."""
    names = below[0]
    if len(below) < 2 or len(row.cells) < 2 or len(row.cells) * 2 > len(names.cells) or not all(map(_is_name, names.cells)):
        return False
    widest = max(len(other.cells) for other in below)
    holds_values = any(not cell.is_text for other in below[1:] for cell in other.cells)
    is_full = len(names.cells) >= _LEAST_COVERED * widest and any(cell.is_text for cell in names.cells)
    return is_full and holds_values and all(map(_is_name, row.cells)) and not _comes_back(names, below[1:])


def _is_name(cell: GridCell) -> bool:
    return len(cell.text) <= _MAX_HEAD_CHARS and (cell.is_text or _YEAR.fullmatch(cell.text) is not None)


def _comes_back(row: GridRow, below: Sequence[GridRow]) -> bool:
    """Whether a row's words stand in its columns further down too, as values do and names of columns do not."""
    names = {cell.column: cell.text for cell in row.cells}
    again = {cell.column for other in below for cell in other.cells if names.get(cell.column) == cell.text}
    return len(again) * 2 > len(names)


def _refines(upper: GridRow, row: GridRow, below: Sequence[GridRow]) -> bool:
    if not below or not all(cell.is_text or _YEAR.fullmatch(cell.text) for cell in row.cells):
        return False
    unnamed = {cell.column for cell in row.cells} - {cell.column for cell in upper.cells}
    holds_values = any(not cell.is_text for other in below for cell in other.cells)
    return bool(unnamed) and holds_values and len(row.cells) > 1
