"""What is drawn in an OpenDocument file: text in frames and shapes, pictures, charts and formulas."""

from collections.abc import Callable
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.decoding import decode_text
from pincite.adapters.parsers.html import html_items
from pincite.adapters.parsers.leaves import Leaf, Table
from pincite.adapters.parsers.open_document import CONTENT, OpenDocument
from pincite.adapters.parsers.open_inline import plain
from pincite.adapters.parsers.open_tables import row_cells, table_rows
from pincite.adapters.parsers.placed_text import Places
from pincite.adapters.parsers.tables import Cell
from pincite.core.documents import BlockRole

_UNREAD = frozenset({"svg_title", "svg_desc", "office_event-listeners", "draw_glue-point", "presentation_notes"})
_TEXT = ("text_", "table_")
_OBJECTS = frozenset({"draw_object", "draw_object-ole"})
_MAX_POINTS = 2000
_MAX_SERIES = 100

Items = list[Leaf | Table]


def drawn(element: Element, package: OpenDocument, places: Places, read: Callable[[Element], Items]) -> Items:
    """Return what is printed in a drawing. `read` reads a paragraph, list or table in it."""
    if element.tag in _UNREAD:
        return []
    if element.tag == "draw_frame":
        return _frame(element, package, places, read)
    return _inside(element, package, places, read)


def _inside(element: Element, package: OpenDocument, places: Places, read: Callable[[Element], Items]) -> Items:
    items: Items = []
    for child in element:
        items += read(child) if child.tag.startswith(_TEXT) else drawn(child, package, places, read)
    return items


def _frame(element: Element, package: OpenDocument, places: Places, read: Callable[[Element], Items]) -> Items:
    """Read a frame: of an object and the pictures that stand for it, the first that can be read."""
    items: Items = []
    for child in element:
        if child.tag in _OBJECTS and not items:
            items += _object(child, package, places)
        elif child.tag == "draw_image" and not items:
            part = package.linked(child.get("xlink_href", ""))
            items += [Leaf(picture=part)] if part else []
        if child.tag not in _OBJECTS:
            items += read(child) if child.tag.startswith(_TEXT) else _inside(child, package, places, read)
    return items


def _object(element: Element, package: OpenDocument, places: Places) -> Items:
    """Return what a chart or a formula says, which is a document of its own in the file; nothing for any other."""
    part = package.linked(f"{element.get('xlink_href', '')}/{CONTENT}")
    root = package.tree(part)
    if part and root.tag.endswith("_math"):
        text = decode_text(package.read(part), is_html=True)
        items, places.index = html_items(text, index=places.index), places.index + len(text)
        return items
    return [item for chart in root.iter("chart_chart") for item in _chart(chart, places)]


def _chart(chart: Element, places: Places) -> Items:
    """Return the titles of a chart, and the numbers that it draws as a table."""
    items: Items = []
    for title in (*chart.iter("chart_title"), *chart.iter("chart_subtitle")):
        pieces = list(places.take(" ".join(plain(paragraph) for paragraph in title.iter("text_p"))))
        if pieces:
            items.append(Leaf(BlockRole.BODY if items else BlockRole.CAPTION, 0, pieces))
    for table in chart.iter("table_table"):
        read = Table(rows=[_numbers(row, places) for row, _ in list(table_rows(table))[:_MAX_POINTS]])
        items += [read] if any(cell.leaves for row in read.rows for cell in row) else []
    return items


def _numbers(row: Element, places: Places) -> list[Cell]:
    cells: list[Cell] = []
    for cell in row_cells(row):
        pieces = list(places.take(" ".join(plain(paragraph) for paragraph in cell.element.iter("text_p"))))
        times = min(cell.repeated, _MAX_SERIES - len(cells))
        cells += [Cell(leaves=[pieces] if pieces else []) for _ in range(times)]
    return cells
