"""RTF texts: as documents, and as texts of messages."""

from collections.abc import Iterator

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.leaves import Leaf, LeafWriter, Table
from pincite.adapters.parsers.mail_parts import Body
from pincite.adapters.parsers.placed_text import Places
from pincite.adapters.parsers.rtf_events import Event, Kind, RtfReader
from pincite.adapters.parsers.tables import LINE_FEED, Cell
from pincite.core.documents import BlockRole, ParsedDocument

CONTENT_TYPE = "application/rtf"
VERSION = "2"
_DEEPEST_HEADING = 9


def rtf_body(raw: bytes) -> Body:
    """Return the text of a message: the web page that it was made from, else its words line by line."""
    reader = RtfReader(raw)
    ends = {Kind.LINE: "\n", Kind.PARAGRAPH: "\n", Kind.ROW: "\n", Kind.CELL: "\t"}
    text = "".join(event.text or ends.get(event.kind, "") for event in _whole(reader.events()))
    return Body(text, is_html=reader.is_page)


def read_rtf(raw: bytes, *, max_chars: int) -> ParsedDocument:
    """Read an RTF file; each character has its number in the order of reading. Raises `RefusedInput` (`too_deep`, `too_large`)."""
    builder = CanonicalBuilder(max_chars=max_chars)
    items = _Document().read(_whole(RtfReader(raw).events()))
    LeafWriter(builder).write(items)
    headings = [item for item in items if isinstance(item, Leaf) and item.role is BlockRole.HEADING]
    title = min(headings, key=lambda leaf: leaf.level).text if headings else ""
    return ParsedDocument(
        canonical=builder.build(), content_type=CONTENT_TYPE, parser="rtf", parser_version=VERSION, title=title[:1000] or None
    )


def _whole(events: Iterator[Event]) -> Iterator[Event]:
    """Join the halves of characters beyond U+FFFF."""
    half = ""
    for event in events:
        if event.kind is Kind.TEXT and len(event.text) == 1 and "\ud800" <= event.text < "\udc00":
            half = event.text
            continue
        text = (half + event.text).encode("utf-16", "surrogatepass").decode("utf-16", "replace") if event.text else ""
        half = ""
        yield Event(event.kind, text, event.level, event.in_table)


class _Document:
    """Collects paragraphs and tables."""

    def __init__(self) -> None:
        self._places = Places()
        self._items: list[Leaf | Table] = []
        self._leaf = Leaf()
        self._table: Table | None = None
        self._row: list[Cell] = []
        self._cell = Cell()

    def read(self, events: Iterator[Event]) -> list[Leaf | Table]:
        for event in events:
            match event.kind:
                case Kind.TEXT | Kind.TAG:
                    self._leaf.pieces += self._places.take(event.text)
                case Kind.LINE:
                    self._leaf.pieces.append(LINE_FEED)
                case Kind.PARAGRAPH:
                    self._end_paragraph(event)
                case Kind.CELL:
                    self._end_cell()
                case Kind.ROW:
                    self._end_row()
        self._end_paragraph(Event(Kind.PARAGRAPH))
        return self._items

    def _end_paragraph(self, event: Event) -> None:
        leaf, self._leaf = self._leaf, Leaf()
        if not leaf.text:
            return
        if event.in_table:
            self._cell.leaves.append(leaf.pieces)
            return
        self._table = None
        if event.level:
            leaf.role, leaf.level = BlockRole.HEADING, min(event.level, _DEEPEST_HEADING)
        self._items.append(leaf)

    def _end_cell(self) -> None:
        if self._leaf.text:
            self._cell.leaves.append(self._leaf.pieces)
        self._leaf = Leaf()
        self._row.append(self._cell)
        self._cell = Cell()

    def _end_row(self) -> None:
        if self._row:
            if self._table is None:
                self._table = Table()
                self._items.append(self._table)
            self._table.rows.append(self._row)
        self._row = []
