"""The text of a Word paragraph: what is printed of it, piece by piece."""

from collections.abc import Callable
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.docx_styles import ParagraphLook, Styles, flag, value
from pincite.adapters.parsers.office_math import is_math, math_pieces
from pincite.adapters.parsers.placed_text import Places
from pincite.adapters.parsers.symbols import plain, symbol
from pincite.adapters.parsers.tables import BLANK, LINE_FEED, Piece

# Properties; what tracked changes took away (`w_t` can stand there too); instructions of fields; readings over East Asian words.
_UNREAD = frozenset(
    (
        *("w_pPr", "w_rPr", "w_sdtPr", "w_sdtEndPr", "w_del", "w_moveFrom", "w_delText", "w_instrText", "w_delInstrText"),
        *("w_rt", "w_rubyPr", "w_customXmlPr", "w_smartTagPr"),
    )
)


@dataclass(slots=True)
class Fields:
    """The fields open at a place: how many show their result there, and how many, inside those, are still instructions.

    A field that begins in an instruction belongs to it, so that what is hidden is always innermost.
    """

    shown: int = 0
    hidden: list[bool] = field(default_factory=list[bool])

    @property
    def hide(self) -> bool:
        """Whether the place is inside an instruction."""
        return bool(self.hidden)

    def mark(self, kind: str) -> None:
        """Go over the begin, the separator or the end of a field."""
        if kind == "begin":
            self.hidden.append(False)
        elif kind == "separate" and len(self.hidden) == 1:
            self.hidden.clear()
            self.shown += 1
        elif kind == "end" and self.hidden:
            self.hidden.pop()
        elif kind == "end" and self.shown:
            self.shown -= 1

    def end_paragraph(self) -> None:
        """Take what is still an instruction for a result."""
        self.shown += len(self.hidden)
        self.hidden.clear()


@dataclass(slots=True)
class NoteMark:
    """A reference to a note, in the order of the text. `has_number` is False where the author put a mark of their own."""

    kind: str
    note_id: str
    has_number: bool


@dataclass(slots=True)
class ReadParagraph:
    """A paragraph's pieces, and the drawings in it, which may hold text boxes, charts and diagrams."""

    pieces: list[Piece] = field(default_factory=list[Piece])
    drawings: list[Element] = field(default_factory=list[Element])


class ParagraphReader:
    """Reads paragraphs of one story. `notes` collects the notes that the text refers to."""

    def __init__(self, styles: Styles, places: Places, notes: list[NoteMark]) -> None:
        self._styles = styles
        self._places = places
        self._notes = notes
        self._fields = Fields()
        self._read = ReadParagraph()
        self._look = ParagraphLook()
        self._font = ""
        self._withheld: list[str] = []
        self._handlers: dict[str, Callable[[Element], None]] = {
            "w_r": self._run,
            "w_t": lambda element: self._take(plain(element.text or "", self._font)),
            "w_tab": lambda element: self._glue(BLANK),
            "w_ptab": lambda element: self._glue(BLANK),
            "w_br": lambda element: self._glue(LINE_FEED),
            "w_cr": lambda element: self._glue(LINE_FEED),
            "w_noBreakHyphen": lambda element: self._take("-"),
            "w_sym": lambda element: self._take(symbol(element.get("w_font", ""), element.get("w_char", ""))),
            "w_fldChar": self._field,
            "w_footnoteReference": lambda element: self._note("footnote", element),
            "w_endnoteReference": lambda element: self._note("endnote", element),
            "w_drawing": self._drawing,
            "w_pict": self._drawing,
            "w_object": self._drawing,
        }

    def read(self, paragraph: Element, look: ParagraphLook) -> ReadParagraph:
        """Return what is printed of a paragraph."""
        self._read, self._look = ReadParagraph(), look
        self._children(paragraph)
        self._end_fields()
        return self._read

    def _children(self, element: Element) -> None:
        for child in element:
            if child.tag in _UNREAD:
                continue
            if is_math(child):
                if not self._fields.hide:
                    self._read.pieces += math_pieces(child, self._places)
                continue
            self._handlers.get(child.tag, self._children)(child)

    def _run(self, element: Element) -> None:
        properties = element.find("w_rPr")
        hidden = flag(properties, "w_vanish")
        if hidden is None and properties is not None:
            hidden = self._styles.is_hidden(value(properties, "w_rStyle"))
        if not (self._look.is_hidden if hidden is None else hidden):
            self._font = _font(properties)
            self._children(element)

    def _take(self, text: str) -> None:
        if self._fields.hide:
            self._withheld.append(text)
        elif text:
            self._read.pieces += self._places.take(text)

    def _field(self, element: Element) -> None:
        self._fields.mark(element.get("w_fldCharType", ""))
        if not self._fields.hide:
            self._withheld.clear()

    def _end_fields(self) -> None:
        """Let no instruction run on: behind the begin of a field that never ends stands text that is printed."""
        self._fields.end_paragraph()
        for text in self._withheld:
            self._take(text)
        self._withheld.clear()

    def _glue(self, piece: Piece) -> None:
        if not self._fields.hide:
            self._read.pieces.append(piece)

    def _note(self, kind: str, element: Element) -> None:
        if not self._fields.hide:
            has_number = element.get("w_customMarkFollows", "0") in ("0", "false", "off")
            self._notes.append(NoteMark(kind, element.get("w_id", ""), has_number))

    def _drawing(self, element: Element) -> None:
        self._read.drawings.append(element)


def _font(properties: Element | None) -> str:
    fonts = None if properties is None else properties.find("w_rFonts")
    return "" if fonts is None else fonts.get("w_ascii") or fonts.get("w_hAnsi") or ""
