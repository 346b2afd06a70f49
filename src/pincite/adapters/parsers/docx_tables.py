"""The grid of a Word table: which cells are printed, and over how many rows and columns each goes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.docx_styles import flag, value, whole

_MAX_SPAN = 1000
_NOT_ENTERED = frozenset({"w_tbl", "w_p", "w_del", "w_moveFrom", "w_tblPr", "w_tblGrid", "w_trPr", "w_tcPr"})


@dataclass(slots=True)
class CellPlan:
    """A printed cell: what it holds, its size in the grid, and whether it stands in a row that is repeated on each page."""

    elements: list[Element] = field(default_factory=list[Element])
    rows: int = 1
    columns: int = 1
    is_header: bool = False


def plan_rows(table: Element) -> list[list[CellPlan]]:
    """Return the rows of a table. Cells that are covered by another are left out; rows taken away by a tracked change too."""
    rows: list[list[CellPlan]] = []
    above: dict[int, CellPlan] = {}
    for row in _within(table, "w_tr"):
        properties = row.find("w_trPr")
        if properties is not None and (properties.find("w_del") is not None or flag(properties, "w_hidden")):
            continue
        rows.append(_plan_row(row, properties, above))
        if properties is not None and flag(properties, "w_tblHeader"):
            for plan in rows[-1]:
                plan.is_header = True
    return rows


def _plan_row(row: Element, properties: Element | None, above: dict[int, CellPlan]) -> list[CellPlan]:
    """Return the cells of a row; `above` holds, by column, the cells that go on downwards, and is brought up to date."""
    plans: list[CellPlan] = []
    column = _span("" if properties is None else value(properties, "w_gridBefore"), least=0)
    if column:
        plans.append(CellPlan(columns=column))
    for element in _within(row, "w_tc"):
        merge = _merge(element)
        width = _span(_cell_value(element, "w_gridSpan"), least=1)
        if merge == "continue" and column in above:
            above[column].rows += 1
        elif _cell_merge(element, "w_hMerge") == "continue" and plans:
            plans[-1].columns += width
        else:
            plan = CellPlan(list(element), columns=width)
            plans.append(plan)
            for covered in range(column, column + width):
                above.pop(covered, None)
            if merge:
                above[column] = plan
        column += width
    return plans


def _merge(cell: Element) -> str:
    return _cell_merge(cell, "w_vMerge")


def _cell_merge(cell: Element, tag: str) -> str:
    """Return "restart", "continue", or "" for a cell that isn't merged."""
    properties = cell.find("w_tcPr")
    merge = None if properties is None else properties.find(tag)
    return "" if merge is None else merge.get("w_val", "continue")


def _cell_value(cell: Element, tag: str) -> str:
    properties = cell.find("w_tcPr")
    return "" if properties is None else value(properties, tag)


def _span(text: str, *, least: int) -> int:
    return max(least, min(_MAX_SPAN, whole(text) or 0))


def _within(element: Element, tag: str) -> Iterator[Element]:
    """Yield rows or cells, also those inside content controls and tracked insertions."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag not in _NOT_ENTERED:
            yield from _within(child, tag)
