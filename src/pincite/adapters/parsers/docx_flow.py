"""The blocks of a Word document in the order of reading: paragraphs, tables, and what stands in drawings."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.docx_numbering import Numbering
from pincite.adapters.parsers.docx_styles import ParagraphLook, Styles, heading_level, overlay, read_look, value
from pincite.adapters.parsers.docx_tables import CellPlan, plan_rows
from pincite.adapters.parsers.docx_text import NoteMark, ParagraphReader, ReadParagraph
from pincite.adapters.parsers.drawings import graphic_items
from pincite.adapters.parsers.leaves import Leaf, Table
from pincite.adapters.parsers.office_math import is_math, math_pieces
from pincite.adapters.parsers.office_package import OfficePackage
from pincite.adapters.parsers.placed_text import Places
from pincite.adapters.parsers.table_items import fill, settled
from pincite.adapters.parsers.tables import GLUE, Cell, Piece
from pincite.core.documents import BlockRole

_UNREAD = frozenset({"w_del", "w_moveFrom", "w_sdtPr", "w_sdtEndPr", "w_pPr", "w_rPr"})

Items = list[Leaf | Table]


@dataclass(slots=True)
class DocxContext:
    """What all stories of a document share."""

    package: OfficePackage
    styles: Styles
    numbering: Numbering
    places: Places = field(default_factory=Places)
    notes: list[NoteMark] = field(default_factory=list[NoteMark])
    sections: list[Element] = field(default_factory=list[Element])
    title: str = ""


class Story:
    """Reads one flow of text: the body, a note, a header, a text box, a cell.

    `part` is where its drawings refer from. A cell goes on with the `paragraphs` reader of the flow that it is in, since fields
    may begin in one cell and end in another.
    """

    def __init__(self, context: DocxContext, part: str, paragraphs: ParagraphReader | None = None) -> None:
        self._context = context
        self._part = part
        self._paragraphs = paragraphs or ParagraphReader(context.styles, context.places, context.notes)
        self._items: Items = []
        self._carried: list[Piece] = []
        self._handlers: dict[str, Callable[[Element], None]] = {
            "w_p": self._paragraph,
            "w_tbl": self._table,
            "w_sectPr": context.sections.append,
            "w_altChunk": self._chunk,
        }

    def read(self, elements: Iterable[Element]) -> Items:
        """Return the blocks of elements in order."""
        for element in elements:
            self.add(element)
        return self.finish()

    def add(self, element: Element) -> None:
        """Read one element; a paragraph may go on in the next."""
        if element.tag in _UNREAD:
            return
        if is_math(element):
            self._add_leaf(Leaf(pieces=math_pieces(element, self._context.places)))
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

    def finish(self) -> Items:
        """Return the last blocks, with a paragraph that had nothing to go on in."""
        self._add_leaf(Leaf(pieces=self._carried))
        self._carried = []
        return self.take()

    def _paragraph(self, element: Element) -> None:
        self._context.package.beat()
        look = self._look(element)
        read = self._paragraphs.read(element, look)
        properties = element.find("w_pPr")
        if properties is not None:
            self._context.sections += properties.findall("w_sectPr")
        if self._carried:
            self._carried += read.pieces
            read.pieces, self._carried = self._carried, []
        if _mark_is_gone(properties):
            self._carried = read.pieces
        else:
            self._add_leaf(self._leaf(look, read))
        for drawing in read.drawings:
            self._drawing(drawing)

    def _look(self, element: Element) -> ParagraphLook:
        properties = element.find("w_pPr")
        if properties is None:
            return self._context.styles.look("")
        style = self._context.styles.look(value(properties, "w_pStyle"))
        own = read_look(element)
        return overlay(style, ParagraphLook(outline=own.outline, numbered=own.numbered))

    def _leaf(self, look: ParagraphLook, read: ReadParagraph) -> Leaf:
        level = heading_level(look)
        marker = self._marker(look, is_blank=not read.pieces)
        if not any(index != GLUE for _, index, _ in read.pieces):
            return Leaf()
        if look.name == "title" and not self._context.title:
            self._context.title = Leaf(pieces=read.pieces).text
        role = BlockRole.HEADING if level else BlockRole.CAPTION if look.name == "caption" else BlockRole.BODY
        leaf = Leaf(role, level, read.pieces)
        if marker and not (level and marker == "- "):
            leaf.put_before(marker)
        return leaf

    def _marker(self, look: ParagraphLook, *, is_blank: bool) -> str:
        """Return the number or bullet of a paragraph. An item without text counts, unless it can't be seen at all."""
        list_id = look.numbered.list_id
        if not list_id or list_id == "0" or (is_blank and look.is_hidden):
            return ""
        return self._context.numbering.marker(list_id, look.numbered.level, style_id=look.style_id)

    def _add_leaf(self, leaf: Leaf) -> None:
        if leaf.pieces:
            self._items.append(leaf)

    def _chunk(self, element: Element) -> None:
        relation = self._context.package.relations(self._part).get(element.get("r_id", ""))
        if relation:
            from pincite.adapters.parsers.docx_chunks import chunk_items

            self._items += chunk_items(self._context.package, relation.target, self._context.places)

    def _drawing(self, element: Element) -> None:
        """Add what is printed in a drawing, behind the paragraph that it is anchored to."""
        if element.tag == "w_txbxContent":
            self._items += Story(self._context, self._part).read(element)
            return
        self._items += graphic_items(element, self._context.package, self._part, self._context.places)
        for child in element:
            self._drawing(child)

    def _table(self, element: Element) -> None:
        self._items = self.finish()
        table = Table()
        for row in plan_rows(element):
            table.rows.append([self._cell(plan, table) for plan in row])
        self._items.append(settled(table))

    def _cell(self, plan: CellPlan, table: Table) -> Cell:
        cell = Cell(plan.is_header, plan.rows, plan.columns)
        fill(cell, Story(self._context, self._part, self._paragraphs).read(plan.elements), table)
        return cell


def _mark_is_gone(properties: Element | None) -> bool:
    """Whether a tracked change took the end of a paragraph away, so that it goes on in the next."""
    marks = None if properties is None else properties.find("w_rPr")
    return marks is not None and (marks.find("w_del") is not None or marks.find("w_moveFrom") is not None)
