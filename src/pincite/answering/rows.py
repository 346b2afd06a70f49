"""Rows of tables: their cells, and the rows that they are read under. Pure."""

import re
from collections.abc import Sequence

from pincite.answering.segments import Segment, SegmentKind

_CELL_BORDER = re.compile(r"[|\t]")
_NUMBER = re.compile(r"[^\w]*\d[\d.,\s]*+(?:[^\w]*|[a-zA-Z%]{1,3})")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
"""Years head columns: they are names here, not numbers."""
_HEADS_YEAR = re.compile(r"[^\d]*(?:\d{1,2}\W+)?(?:1[5-9]|20)\d\d(?!\d)[^\d]*+\d?\W*")
_MOST_HEADS = 4
_FARTHEST = 200
"""Rows above in which what names a row is looked for."""


def table_heads(parts: Sequence[Segment], index: int, *, may_be_cut: bool = False) -> tuple[int, ...]:
    """Return what a row of a table is read under: its head rows, and the nearest row above that only names what follows it.

    With `may_be_cut` the first part may go on with a table that began before the passage: then its row is a head only when
    it has names where the row has numbers. A row whose cells are mostly numbers never is one.
    """
    if parts[index].kind is not SegmentKind.ROW:
        return ()
    first = index
    while first and parts[first - 1].kind is SegmentKind.ROW:
        first -= 1
    named = next((above for above in range(index - 1, max(first, index - _FARTHEST), -1) if only_names(parts[above])), first)
    is_headed = _is_head(parts[first], over=parts[first + 1 : index + 1], in_doubt=may_be_cut and first == 0)
    more = next((at for at in range(first + 1, first + _MOST_HEADS) if at >= index or not _goes_on(parts[at])), first + _MOST_HEADS)
    heads = (*range(first, more), named) if is_headed else (named,) if named != first else ()
    return tuple(head for head in dict.fromkeys(heads) if head < index)


def only_names(row: Segment) -> bool:
    """Say whether a row has a single cell that isn't empty."""
    return len([cell for cell in cells(row) if cell]) < 2


def cells(row: Segment) -> list[str]:
    """Return the trimmed cells of a row, empty ones too."""
    return [cell.strip() for cell in _CELL_BORDER.split(row.text.strip().removeprefix("|").removesuffix("|"))]


def _is_head(row: Segment, *, over: Sequence[Segment], in_doubt: bool) -> bool:
    values = [cell for cell in cells(row)[1:] if cell]
    numbers = sum(map(is_number, values))
    if values and 2 * numbers >= len(values):
        return False
    return not in_doubt or (not numbers and any(is_number(cell) for other in over for cell in cells(other)[1:]))


def _goes_on(row: Segment) -> bool:
    """Say whether a row under a head is part of it: it names no row itself, or years."""
    label, *values = cells(row)
    values = [cell for cell in values if cell]
    others = [cell for cell in values if not _HEADS_YEAR.fullmatch(cell)]
    has_names = not label or label.startswith("(") or len(others) < len(values)
    return bool(values) and has_names and not any(map(is_number, others))


def is_number(cell: str) -> bool:
    """Say whether a cell is a number, perhaps with a unit; a year is none."""
    return bool(_NUMBER.fullmatch(cell)) and not _YEAR.fullmatch(cell)
