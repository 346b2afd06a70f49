"""The blocks of an OpenDocument text in the order of reading: paragraphs, headings, lists, tables, and what is drawn."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.leaves import Leaf, Table
from pincite.adapters.parsers.open_document import OpenDocument
from pincite.adapters.parsers.open_drawings import drawn
from pincite.adapters.parsers.open_inline import plain, spoken
from pincite.adapters.parsers.open_lists import Numbered, Numbering, whole
from pincite.adapters.parsers.open_styles import Styles
from pincite.adapters.parsers.open_tables import OpenCell, repeated, row_cells, table_rows
from pincite.adapters.parsers.placed_text import Places
from pincite.adapters.parsers.table_items import fill, settled
from pincite.adapters.parsers.tables import GLUE, LINE_FEED, Cell
from pincite.core.documents import BlockRole

MAX_HEADING_LEVEL = 9
_MAX_COLUMNS = 200
_MAX_REPEATED_ROWS = 100
_UNREAD = frozenset(
    {
        *("text_tracked-changes", "office_annotation", "office_forms", "text_sequence-decls", "text_variable-decls"),
        *("text_user-field-decls", "text_dde-connection-decls", "table_calculation-settings", "table_named-expressions"),
        *("table_desc", "table_title", "office_event-listeners"),
    }
)

Items = list[Leaf | Table]


@dataclass(frozen=True, slots=True)
class Note:
    """A note at the foot of a page or at the end: its mark as printed, and its text."""

    mark: str
    body: Element


@dataclass(slots=True)
class OdtContext:
    """What all flows of text of a document share. Without `has_markers` items of lists are read without number and bullet."""

    package: OpenDocument
    styles: Styles
    numbering: Numbering
    places: Places = field(default_factory=Places)
    notes: list[Note] = field(default_factory=list[Note])
    title: str = ""
    has_markers: bool = True


@dataclass(slots=True)
class _Item:
    """An item of a list that waits for its first paragraph."""

    numbered: Numbered
    level: int
    start: str = ""
    is_counted: bool = False


class Flow:
    """Reads one flow of text: the body, a note, a header, a text box, a cell."""

    def __init__(self, context: OdtContext) -> None:
        self._context = context
        self._items: Items = []
        self._list: Numbered | None = None
        self._depth = 0
        self._item: _Item | None = None
        self._handlers: dict[str, Callable[[Element], None]] = {
            "text_p": self._paragraph,
            "text_h": self._paragraph,
            "text_list": self._begin_list,
            "text_section": self._section,
            "table_table": lambda element: self._items.append(self._table(element)),
        }

    def read(self, elements: Iterable[Element]) -> Items:
        """Return the blocks of elements in order."""
        for element in elements:
            self.add(element)
        return self.take()

    def add(self, element: Element) -> None:
        """Read one element."""
        if element.tag in _UNREAD:
            return
        if element.tag.startswith("draw_"):
            self._items += self._drawn(element)
            return
        handle = self._handlers.get(element.tag)
        if handle:
            handle(element)
        else:
            for child in element:
                self.add(child)

    def take(self) -> Items:
        """Return the blocks read since the last call."""
        items, self._items = self._items, []
        return items

    def _drawn(self, element: Element) -> Items:
        context = self._context
        return drawn(element, context.package, context.places, lambda each: Flow(context).read([each]))

    def _section(self, element: Element) -> None:
        if element.get("text_display") != "none":
            for child in element:
                self.add(child)

    def _begin_list(self, element: Element) -> None:
        outer, before, level = self._list, self._item, self._depth
        self._list = self._context.numbering.begin(element, outer)
        self._depth += 1
        for child in element:
            if child.tag == "text_list-item":
                self._item = _Item(self._list, level, child.get("text_start-value", ""))
            elif child.tag == "text_list-header":
                self._item = None
            else:
                continue
            for inner in child:
                self.add(inner)
        self._list, self._item, self._depth = outer, before, level

    def _paragraph(self, element: Element) -> None:
        context, name = self._context, element.get("text_style-name", "")
        context.package.beat()
        hides = bool(context.styles.is_hidden(name, family="paragraph")) or _is_hidden(element)
        leaf = Leaf()
        drawings: list[Element] = []
        for piece in spoken(element, is_hidden=lambda style: context.styles.is_hidden(style, family="text"), hides=hides):
            if isinstance(piece, str):
                self._take(leaf, piece)
            elif piece.tag == "text_note":
                self._note(piece)
            else:
                drawings.append(piece)
        self._add(element, leaf, is_seen=not hides)
        for drawing in drawings:
            self._items += self._drawn(drawing)

    def _take(self, leaf: Leaf, text: str) -> None:
        if text == "\n":
            leaf.pieces.append(LINE_FEED)
        else:
            leaf.pieces += self._context.places.take(text)

    def _note(self, element: Element) -> None:
        mark = element.find("text_note-citation")
        body = element.find("text_note-body")
        if body is not None:
            self._context.notes.append(Note("" if mark is None else plain(mark).strip(), body))

    def _add(self, element: Element, leaf: Leaf, *, is_seen: bool) -> None:
        """Give a paragraph its role and number. An item without text counts, unless it can't be seen."""
        context, name = self._context, element.get("text_style-name", "")
        is_heading = element.tag == "text_h"
        marker = self._marker(element, is_heading=is_heading) if is_seen and context.has_markers else ""
        if not any(index != GLUE for _, index, _ in leaf.pieces):
            return
        if is_heading:
            leaf.role, leaf.level = BlockRole.HEADING, _level(element)
        elif context.styles.is_of(name, "title"):
            leaf.role, leaf.level = BlockRole.HEADING, 1
            context.title = context.title or leaf.text
        elif context.styles.is_of(name, "caption"):
            leaf.role = BlockRole.CAPTION
        if marker and not (is_heading and marker == "- "):
            leaf.put_before(marker)
        self._items.append(leaf)

    def _marker(self, element: Element, *, is_heading: bool) -> str:
        item, numbering = self._item, self._context.numbering
        if item and not item.is_counted:
            item.is_counted = True
            return numbering.item(item.numbered, item.level, item.start)
        if item or self._list or not is_heading or element.get("text_is-list-header") == "true":
            return ""
        start = element.get("text_start-value", "1") if element.get("text_restart-numbering") == "true" else ""
        return numbering.heading(_level(element) - 1, start)

    def _table(self, element: Element) -> Table:
        table = Table()
        for row, is_head in table_rows(element):
            cells = self._row(row, table, is_head=is_head)
            times = repeated(row, "rows") if any(cell.leaves for cell in cells) else 1
            table.rows += [cells] * min(times, _MAX_REPEATED_ROWS)
        return settled(table)

    def _row(self, row: Element, table: Table, *, is_head: bool) -> list[Cell]:
        """Read the cells of a row that are seen."""
        cells: list[Cell] = []
        for cell in row_cells(row):
            if not cell.is_covered:
                read = self._cell(cell, table, is_head=is_head)
                cells += [read] * min(cell.repeated, _MAX_COLUMNS - len(cells))
        return cells

    def _cell(self, cell: OpenCell, table: Table, *, is_head: bool) -> Cell:
        read = Cell(is_head, cell.rows, cell.columns)
        fill(read, Flow(self._context).read(cell.element), table)
        return read


def _level(heading: Element) -> int:
    return max(1, min(MAX_HEADING_LEVEL, whole(heading.get("text_outline-level", "")) or 1))


def _is_hidden(paragraph: Element) -> bool:
    return any(each.get("text_is-hidden") == "true" for each in paragraph.iter("text_hidden-paragraph"))
