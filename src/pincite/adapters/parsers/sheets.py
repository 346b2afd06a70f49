"""The sheets of a workbook as canonical text, whichever program wrote it."""

from collections.abc import Iterable, Sequence

from pincite.adapters.parsers.grid_writer import GridWriter
from pincite.adapters.parsers.grids import GridPlan, GridRow
from pincite.core.documents import Page

_MAX_LABEL_CHARS = 200
_SHEET_LEVEL = 1
_TABLE_LEVEL = 2


def sheet_page(number: int, name: str) -> Page:
    """Return the page of a sheet, with its name as label."""
    return Page(number, name[:_MAX_LABEL_CHARS])


def write_sheet(
    writer: GridWriter, name: str, tables: Iterable[tuple[list[GridRow], GridPlan]], comments: Sequence[tuple[int, str]]
) -> None:
    """Write a sheet under its name: its tables in order, then its comments, each with the number of its cell."""
    has_title = has_name = False
    for rows, plan in tables:
        # The line over one table doesn't hold for the next.
        if not has_name or (has_title and not plan.titles):
            writer.heading(name, level=_SHEET_LEVEL, index=0)
        has_name, has_title = True, bool(plan.titles)
        writer.write(rows, level=_TABLE_LEVEL, plan=plan)
    if comments and (has_title or not has_name):
        writer.heading(name, level=_SHEET_LEVEL, index=0)
    for at, text in comments:
        writer.line(text, index=at)
