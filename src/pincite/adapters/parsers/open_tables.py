"""The grid of an OpenDocument table: its rows and cells, with those that the file holds once and shows several times."""

from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.tables import span

_ROWS = "table_table-row"
_HEADS = "table_table-header-rows"
_FRAMES = frozenset({_HEADS, "table_table-rows", "table_table-row-group"})
_CELLS = frozenset({"table_table-cell", "table_covered-table-cell"})


@dataclass(frozen=True, slots=True)
class OpenCell:
    """A cell as it is in the file: how often it stands there side by side, and over how many rows and columns it goes."""

    element: Element
    repeated: int = 1
    rows: int = 1
    columns: int = 1

    @property
    def is_covered(self) -> bool:
        """Whether another cell lies over it, so that nobody sees it."""
        return self.element.tag == "table_covered-table-cell"


def table_rows(table: Element, *, is_head: bool = False) -> Iterator[tuple[Element, bool]]:
    """Yield the rows of a table, and of each whether it is repeated on every page."""
    for child in table:
        if child.tag == _ROWS:
            yield child, is_head
        elif child.tag in _FRAMES:
            yield from table_rows(child, is_head=is_head or child.tag == _HEADS)


def row_cells(row: Element) -> Iterator[OpenCell]:
    """Yield the cells of a row from left to right, also those without anything in them."""
    for element in row:
        if element.tag in _CELLS:
            yield OpenCell(
                element,
                repeated(element, "columns"),
                span(element.get("table_number-rows-spanned", "1")),
                span(element.get("table_number-columns-spanned", "1")),
            )


def repeated(element: Element, what: str) -> int:
    """Return how often a row or a cell (`columns`) stands in the file's place of it."""
    text = element.get(f"table_number-{what}-repeated", "1")
    return max(1, int(text)) if text.isascii() and text.isdecimal() and len(text) < 9 else 1
