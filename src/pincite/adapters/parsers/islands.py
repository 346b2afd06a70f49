"""The tables of a sheet: rows that belong together, told apart from what stands beside and under them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pincite.adapters.parsers.grids import GridRow, plan_grid

_WIDE_GAP = 3
_MAX_DEPTH = 20
_SAMPLE_ROWS = 100


def islands(rows: Sequence[GridRow]) -> list[list[GridRow]]:
    """Cut the filled rows of a sheet into tables, in the order of reading.

    Blank rows part tables, unless what follows has no head of its own and stands in the columns of the table above: then it goes
    on. Blank columns part them where both sides are tables by themselves.
    """
    found: list[list[GridRow]] = []
    for table in _split(list(rows), 0):
        if found and _goes_on(found[-1], table):
            found[-1].extend(table)
        else:
            found.append(table)
    return found


def _split(rows: list[GridRow], depth: int) -> Iterator[list[GridRow]]:
    bands = _bands(rows)
    if len(bands) > 1 and depth < _MAX_DEPTH:
        for band in bands:
            yield from _split(band, depth + 1)
        return
    border = _border(rows) if depth < _MAX_DEPTH else None
    if border is None:
        yield rows
        return
    yield from _split(_part(rows, 0, border), depth + 1)
    yield from _split(_part(rows, border, 1 << 30), depth + 1)


def _bands(rows: list[GridRow]) -> list[list[GridRow]]:
    bands: list[list[GridRow]] = []
    previous = -2
    for row in rows:
        if row.number > previous + 1:
            bands.append([])
        bands[-1].append(row)
        previous = row.number
    return bands


def _border(rows: list[GridRow]) -> int | None:
    """Return the first column right of a blank column that parts two tables, None where none does."""
    columns = sorted({cell.column for row in rows for cell in row.cells})
    for left, right in pairwise(columns):
        if right > left + 1 and _stand_apart(_part(rows, 0, right), _part(rows, right, 1 << 30), right - left - 1):
            return right
    return None


def _part(rows: Sequence[GridRow], first: int, end: int) -> list[GridRow]:
    parts = (GridRow(row.number, [cell for cell in row.cells if first <= cell.column < end]) for row in rows)
    return [row for row in parts if row.cells]


def _stand_apart(left: list[GridRow], right: list[GridRow], gap: int) -> bool:
    """Whether two sides of a gap are tables of their own rather than columns of one."""
    left_ends, right_ends = (left[0].number, left[-1].number), (right[0].number, right[-1].number)
    if left_ends[1] < right_ends[0] or right_ends[1] < left_ends[0]:
        return True
    if len(_columns(left)) < 2 or len(_columns(right)) < 2:
        return gap >= _WIDE_GAP and left_ends != right_ends
    heads = [plan_grid(side[:_SAMPLE_ROWS]).heads for side in (left, right)]
    if not all(heads):
        return gap >= _WIDE_GAP and left_ends != right_ends
    names = [{cell.text.casefold() for cell in head[0].cells} for head in heads]
    return left_ends != right_ends or gap >= _WIDE_GAP or bool(names[0] & names[1])


def _columns(rows: Sequence[GridRow]) -> set[int]:
    return {cell.column for row in rows for cell in row.cells}


def _goes_on(above: list[GridRow], table: list[GridRow]) -> bool:
    """Whether a table without a head is the rest of the one above it."""
    if table[0].number <= above[-1].number:
        return False
    plan = plan_grid(above[:_SAMPLE_ROWS])
    if not plan.heads or plan_grid(table[:_SAMPLE_ROWS]).lead:
        return False
    # A note under a table is one text; a row of it has several cells.
    return len(table[0].cells) > 1 and _columns(table) <= set(plan.columns)
