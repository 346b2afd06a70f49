"""Tables of text documents: what stands in their cells, and which are there for the layout only."""

from pincite.adapters.parsers.leaves import Leaf, Table
from pincite.adapters.parsers.tables import Cell
from pincite.core.documents import BlockRole

_MAX_CELL_CHARS = 2000


def fill(cell: Cell, items: list[Leaf | Table], table: Table) -> None:
    """Put what was read of a cell into it, and into the content of its table."""
    for item in items:
        if isinstance(item, Leaf) and not item.picture:
            cell.leaves.append(item.pieces)
    table.content += (item for item in items if isinstance(item, Leaf) and item.picture)
    items = [item for item in items if isinstance(item, Table) or not item.picture]
    has_headings = any(isinstance(item, Leaf) and item.role is BlockRole.HEADING for item in items)
    is_flow = (has_headings and len(items) > 1) or (len(items) > 1 and cell.size_chars > _MAX_CELL_CHARS)
    table.is_layout = table.is_layout or is_flow or any(isinstance(item, Table) for item in items)
    table.content += items


def settled(table: Table) -> Table:
    """Tell whether a table whose cells are all read is only a frame: it has one column, or flows of text in it."""
    table.is_layout = table.is_layout or all(len(row) <= 1 for row in table.rows)
    if not table.is_layout:
        for item in table.content:
            if isinstance(item, Leaf):
                item.role, item.level = BlockRole.BODY, 0
    return table
