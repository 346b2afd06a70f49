"""Places in sheets: cells by number, and ranges of them by the names that people use."""

from collections.abc import Iterable

from pincite.core.documents import SourceRun

COLUMNS = 16_384
"""Columns of a sheet. A cell's number is its row, counted from 0, times this, plus its column."""

SHEET_TYPES = frozenset(
    {
        "text/csv",
        "text/tab-separated-values",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.oasis.opendocument.spreadsheet",
    }
)
"""Content types of documents whose runs count cells: `index` is the first of them, `index + count - 1` the last."""


def cell_index(row: int, column: int) -> int:
    """Return the number of the cell in a row and column, both counted from 0."""
    return row * COLUMNS + column


def cell_name(index: int) -> str:
    """Return the name of a cell, such as `B2`."""
    row, column = divmod(index, COLUMNS)
    letters = ""
    column += 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def cell_range(runs: Iterable[SourceRun]) -> str:
    """Return the smallest range that holds the cells of all runs, such as `B2:D9` or `B2`; empty without runs."""
    corners = [divmod(index, COLUMNS) for run in runs for index in (run.index, run.index + run.count - 1)]
    if not corners:
        return ""
    rows, columns = [row for row, _ in corners], [column for _, column in corners]
    first, last = cell_index(min(rows), min(columns)), cell_index(max(rows), max(columns))
    return cell_name(first) if first == last else f"{cell_name(first)}:{cell_name(last)}"
