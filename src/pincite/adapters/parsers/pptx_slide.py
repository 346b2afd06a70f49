"""One slide: its text in the order of reading, and the frame that each part of it stands in."""

from xml.etree.ElementTree import Element

from pincite.adapters.parsers.drawings import drawing_text, graphic_items
from pincite.adapters.parsers.leaves import Leaf, Table
from pincite.adapters.parsers.office_package import OfficePackage
from pincite.adapters.parsers.placed_text import Places
from pincite.adapters.parsers.pptx_layouts import Layouts
from pincite.adapters.parsers.pptx_shapes import EMU_PER_POINT, Frame, Shape, is_title, shapes_in_order
from pincite.adapters.parsers.slides import Framed, Slide, as_heading
from pincite.adapters.parsers.tables import Cell
from pincite.core.documents import BlockRole

_EDGES = {"dt": BlockRole.FOOTER, "ftr": BlockRole.FOOTER, "hdr": BlockRole.HEADER, "sldNum": BlockRole.PAGE_NUMBER}
_MAX_SPAN = 1000


def read_slide(package: OfficePackage, layouts: Layouts, part: str) -> Slide:
    """Read a slide and its notes. Characters are counted from 0 in each slide."""
    return _SlideReader(package, layouts, part).read()


class _SlideReader:
    def __init__(self, package: OfficePackage, layouts: Layouts, part: str) -> None:
        self._package = package
        self._layouts = layouts
        self._part = part
        self._places = Places()
        self._slide = Slide()

    def read(self) -> Slide:
        for tree in self._package.tree(self._part).iter("p_spTree"):
            for shape in shapes_in_order(tree, lambda element: self._layouts.frame(self._part, element)):
                self._shape(shape)
        self._notes()
        return self._slide

    def _shape(self, shape: Shape) -> None:
        start = self._places.index
        match shape.element.tag:
            case "p_sp" | "p_cxnSp":
                self._text(shape)
            case "p_graphicFrame":
                self._graphic(shape)
            case _:
                self._slide.has_pictures = True
                for element in shape.element.iter("a_blip"):
                    self._slide.pictures += graphic_items(element, self._package, self._part, self._places)
        self._frame(start, shape.frame)

    def _frame(self, start: int, frame: Frame | None) -> None:
        if frame and self._places.index > start:
            self._slide.framed.append(Framed(start, self._places.index, frame.rect))

    def _text(self, shape: Shape) -> None:
        placeholder = shape.placeholder
        role = BlockRole.HEADING if is_title(placeholder) else BlockRole.BODY
        edge = _EDGES.get("" if placeholder is None else placeholder.get("type", ""))
        leaves = [leaf for body in shape.element.iter("p_txBody") for leaf in self._leaves(body)]
        if role is BlockRole.HEADING:
            leaves = as_heading(leaves)
            self._slide.title = self._slide.title or " ".join(leaf.text for leaf in leaves)
        if edge:
            self._slide.edges += [(edge, leaf) for leaf in leaves]
        else:
            self._slide.items += leaves

    def _leaves(self, body: Element) -> list[Leaf]:
        read = (Leaf(pieces=drawing_text(paragraph, self._places)) for paragraph in body.findall("a_p"))
        return [leaf for leaf in read if leaf.text]

    def _graphic(self, shape: Shape) -> None:
        for element in shape.element.iter():
            if element.tag == "a_tbl":
                self._slide.items.append(self._table(element, shape.frame))
            else:
                self._slide.items += graphic_items(element, self._package, self._part, self._places)
        self._slide.has_pictures = self._slide.has_pictures or not self._slide.items

    def _table(self, element: Element, frame: Frame | None) -> Table:
        """Read a table. Its cells have frames of their own, from the widths and heights that the file gives them."""
        widths = _sizes(element, "a_gridCol", "w")
        table, top = Table(), frame.y if frame else 0.0
        properties = element.find("a_tblPr")
        has_head = properties is not None and properties.get("firstRow", "0") in ("1", "true")
        for row in element.findall("a_tr"):
            table.rows.append([])
            height, left = _points(row.get("h")), frame.x if frame else 0.0
            for column, cell in enumerate(row.findall("a_tc")):
                width = sum(widths[column : column + _span(cell, "gridSpan")])
                if not _is_covered(cell):
                    start = self._places.index
                    table.rows[-1].append(self._cell(cell, is_header=has_head and len(table.rows) == 1))
                    self._frame(start, Frame(left, top, width, height) if frame and not frame.turn else None)
                left += widths[column] if column < len(widths) else 0.0
            top += height
        return table

    def _cell(self, element: Element, *, is_header: bool) -> Cell:
        leaves = [leaf.pieces for body in element.findall("a_txBody") for leaf in self._leaves(body)]
        return Cell(is_header, _span(element, "rowSpan"), _span(element, "gridSpan"), leaves)

    def _notes(self) -> None:
        """Add the speaker's notes. They aren't on the slide, so they have no frame."""
        notes = self._package.related(self._part, "notesSlide")
        for shape in self._package.tree(notes).iter("p_sp"):
            placeholder = next(iter(shape.iter("p_ph")), None)
            if placeholder is None or placeholder.get("type", "body") == "body":
                for body in shape.iter("p_txBody"):
                    self._slide.items += self._leaves(body)


def _is_covered(cell: Element) -> bool:
    return any(cell.get(merge, "0") in ("1", "true") for merge in ("hMerge", "vMerge"))


def _span(cell: Element, name: str) -> int:
    text = cell.get(name, "1")
    return max(1, min(_MAX_SPAN, int(text))) if text.isascii() and text.isdecimal() and len(text) < 7 else 1


def _sizes(element: Element, tag: str, name: str) -> list[float]:
    return [_points(child.get(name)) for grid in element.findall("a_tblGrid") for child in grid.findall(tag)]


def _points(text: str | None) -> float:
    return int(text) / EMU_PER_POINT if text and text.isascii() and text.isdecimal() and len(text) < 12 else 0.0
