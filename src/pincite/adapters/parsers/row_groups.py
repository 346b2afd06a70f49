"""Long tables in groups of rows, each under the head of the columns: whoever finds a row sees what its columns are."""

from collections.abc import Sequence

from pincite.adapters.parsers.grids import GridCell, GridRow, plan_grid, shows_text
from pincite.adapters.parsers.tables import Cell

GROUP_CHARS = 700
"""Characters of a group, with its head: so many fit into a chunk of the usual size, also where they are figures."""

_SAMPLE_ROWS = 100
_MAX_REPEATED_CHARS = 300

Texts = Sequence[Sequence[str]]


def row_groups(rows: Texts, *, heads: Sequence[int] | None = None) -> list[list[int]]:
    """Return the numbers of the rows in each group of a table, from 0. All groups but the first begin with those of the head.

    `rows` are the texts of the cells, empty ones too. `heads` are the numbers of the rows that are the head; with None what the
    rows hold tells it. A table that is short, or has no head, is one group; so is one whose head is long.
    """
    sizes = [sum(len(text) + 3 for text in row) + 1 for row in rows]
    if sum(sizes) <= GROUP_CHARS:
        return [list(range(len(rows)))]
    heads = head_rows(rows) if heads is None else list(heads)
    lead = heads[-1] + 1 if heads else 0
    if sum(sizes[head] for head in heads) > _MAX_REPEATED_CHARS:
        heads = heads[-1:]
    if not heads or lead >= len(rows) or sum(sizes[row] for row in heads) > GROUP_CHARS // 2:
        return [list(range(len(rows)))]
    groups = [list(range(lead))]
    used = sum(sizes[:lead])
    for row in range(lead, len(rows)):
        if used + sizes[row] > GROUP_CHARS and groups[-1][-1] >= lead:
            groups.append(list(heads))
            used = sum(sizes[head] for head in heads)
        groups[-1].append(row)
        used += sizes[row]
    return groups


def declared_heads(rows: Sequence[Sequence[Cell]]) -> Sequence[int] | None:
    """Return the numbers of the rows on top with header cells alone, of those that hold something; None when all or none do."""
    filled = [row for row in rows if any(cell.leaves for cell in row)]
    count = next((number for number, row in enumerate(filled) if not all(cell.is_header for cell in row if cell.leaves)), 0)
    return range(count) if count else None


def head_rows(rows: Texts) -> list[int]:
    """Return the numbers of the rows that name the columns, as what they hold tells; rows before them are titles."""
    sample = [
        GridRow(number, [GridCell(column, text, shows_text(text)) for column, text in enumerate(row) if text])
        for number, row in enumerate(rows[:_SAMPLE_ROWS])
        if any(row)
    ]
    return [row.number for row in plan_grid(sample).heads] if sample else []
