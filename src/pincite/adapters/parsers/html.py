"""HTML files read to canonical text: what a person sees on the page, block by block."""

import re
from dataclasses import dataclass
from functools import partial

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.html_events import HtmlReader
from pincite.adapters.parsers.html_pictures import NamePicture, embedded_picture
from pincite.adapters.parsers.leaves import Leaf, LeafWriter, Table
from pincite.adapters.parsers.tables import BLANK, GLUE, LINE_FEED, MADE, Cell, Piece, span
from pincite.core.documents import BlockRole, ParsedDocument
from pincite.core.figures import FigurePlace

CONTENT_TYPE = "text/html"
VERSION = "4"
_BLANKS = re.compile(r"[ \t\r\n\f]+")
_LINES = re.compile(r"\r\n?|\n")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_OWN_PARTS = frozenset({"article", "main", "section", "blockquote"})
_DEFAULT_DEPTH = 2000
_LEAST_ALTERNATIVE = 15
"""Characters of an alternative text that says something: shorter ones are names of icons."""


@dataclass(slots=True)
class _OpenTable(Table):
    """A table being read."""

    has_open_cell: bool = False


def read_html(text: str, *, max_chars: int, max_depth: int = _DEFAULT_DEPTH) -> ParsedDocument:
    """Read an HTML text; each run of canonical text has its index in `text`. Raises `RefusedInput` (`too_deep`, `too_large`)."""
    builder = CanonicalBuilder(max_chars=max_chars)
    page = _Page(pictures=partial(embedded_picture, text))
    HtmlReader(page, max_depth=max_depth).read(text)
    figures = page.write(builder, offset=0)
    return ParsedDocument(
        canonical=builder.build(),
        content_type=CONTENT_TYPE,
        parser="html",
        parser_version=VERSION,
        title=page.chosen_title,
        figures=figures,
    )


def write_html(builder: CanonicalBuilder, text: str, *, index: int | None) -> None:
    """Write a fragment of HTML that begins at `index` of the file, None where that isn't known."""
    page = _Page()
    HtmlReader(page, max_depth=_DEFAULT_DEPTH).read(text)
    page.write(builder, offset=index)


def html_items(text: str, *, index: int, is_xml: bool = False, pictures: NamePicture | None = None) -> list[Leaf | Table]:
    """Return what a person sees of an HTML text that stands in another document, its characters counted from `index`.

    With `is_xml` elements may be empty (`<a id="x"/>`), as in XHTML. `pictures` names those that are wanted.
    """
    page = _Page(index, pictures)
    HtmlReader(page, max_depth=_DEFAULT_DEPTH, is_xml=is_xml).read(text)
    return page.items()


class _Page:
    """Collects leaves: a leaf ends where a block begins or ends. Characters are counted from `index`.

    A picture stands behind the leaf that it interrupts, and what its author wrote in its place behind it, as a caption: but not in
    a figure that has one.
    """

    def __init__(self, index: int = 0, pictures: NamePicture | None = None) -> None:
        self._index = index
        self._name_picture = pictures
        self._held: list[Leaf] = []
        self._alternatives: list[Leaf] = []
        self._flow: list[Leaf | Table] = []
        self._footers: list[Leaf | Table] = []
        self._tables: list[_OpenTable] = []
        self._leaf: Leaf | None = None
        self._open: list[str] = []
        self._counters: list[int | None] = []
        self._marker = ""
        self._title: list[str] = []

    @property
    def chosen_title(self) -> str | None:
        """The declared title, else the first heading, else None."""
        declared = " ".join("".join(self._title).split())
        headings = (leaf for leaf in self._flow if isinstance(leaf, Leaf) and leaf.role is BlockRole.HEADING)
        first = next((leaf.text for leaf in headings), "")
        return declared or first or None

    def title(self, text: str) -> None:
        """Collect a part of the title."""
        self._title.append(text)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Open a block: a leaf before it ends."""
        self._open.append(tag)
        self._end_leaf()
        match tag:
            case "ul" | "menu" | "dir":
                self._counters.append(None)
            case "ol":
                self._counters.append(span(attributes.get("start", "1")))
            case "li":
                self._marker = self._next_marker()
            case "table":
                self._start_table(attributes)
            case "tr" if self._tables:
                self._tables[-1].rows.append([])
                self._tables[-1].has_open_cell = False
            case "td" | "th" if self._tables:
                self._start_cell(tag, attributes)
            case _:
                pass

    def _next_marker(self) -> str:
        counter = self._counters[-1] if self._counters else None
        if counter is None:
            return "- "
        self._counters[-1] = counter + 1
        return f"{counter}. "

    def _start_table(self, attributes: dict[str, str]) -> None:
        is_layout = attributes.get("role") in ("presentation", "none")
        table = _OpenTable(is_layout=is_layout, quoted=self._open.count("blockquote"))
        for outer in self._tables:
            outer.is_layout = True
        self._add(table)
        self._tables.append(table)

    def _start_cell(self, tag: str, attributes: dict[str, str]) -> None:
        table = self._tables[-1]
        if not table.rows:
            table.rows.append([])
        cell = Cell(tag == "th", span(attributes.get("rowspan", "1")), span(attributes.get("colspan", "1")))
        table.rows[-1].append(cell)
        table.has_open_cell = True

    def end(self, tag: str) -> None:
        """Close the innermost block."""
        self._open.pop()
        self._end_leaf()
        if tag == "figure" and "figure" not in self._open:
            self._add_all(self._alternatives)
        if tag in ("ul", "ol", "menu", "dir"):
            self._counters.pop()
        elif tag == "table":
            self._tables.pop()
        elif tag in ("td", "th") and self._tables:
            self._tables[-1].has_open_cell = False

    def picture(self, attributes: dict[str, str], *, index: int, count: int) -> None:
        """Take note of a picture that is wanted."""
        name = self._name_picture(attributes, index) if self._name_picture else ""
        if not name:
            return
        self._held.append(Leaf(picture=name, index=self._index + index))
        words = " ".join(attributes.get("alt", "").split())
        if len(words) >= _LEAST_ALTERNATIVE:
            told = Leaf(BlockRole.CAPTION, pieces=[(words, self._index + index, count)])
            (self._alternatives if "figure" in self._open else self._held).append(told)
        if self._leaf is None:
            self._add_all(self._held)

    def line_break(self) -> None:
        """End a line inside a block."""
        self._piece(LINE_FEED)

    def made(self, text: str) -> None:
        """Add a sign that the source has no character for."""
        if text:
            self._piece((text, MADE, 0))

    def text(self, text: str, *, index: int, count: int) -> None:
        """Add visible text, its blanks collapsed as a browser does."""
        if len(text) != count:
            self._word(text, index, count)
        elif "pre" in self._open:
            self._preformatted(text, index)
        else:
            self._collapsed(text, index)

    def _collapsed(self, text: str, index: int) -> None:
        at = 0
        for found in _BLANKS.finditer(text):
            if found.group() == " " and found.start() and found.end() < len(text):
                continue
            self._word(text[at : found.start()], index + at, found.start() - at)
            self._piece(BLANK)
            at = found.end()
        self._word(text[at:], index + at, len(text) - at)

    def _preformatted(self, text: str, index: int) -> None:
        at = 0
        for found in _LINES.finditer(text):
            self._word(text[at : found.start()], index + at, found.start() - at)
            self._piece(LINE_FEED)
            at = found.end()
        self._word(text[at:], index + at, len(text) - at)

    def _word(self, text: str, index: int, count: int) -> None:
        if text:
            self._piece((text, self._index + index, count))

    def _piece(self, piece: Piece) -> None:
        if self._leaf is None:
            if piece[1] == GLUE:
                return
            self._leaf = self._new_leaf()
        self._leaf.pieces.append(piece)

    def _new_leaf(self) -> Leaf:
        leaf = self._bare_leaf()
        leaf.quoted = self._open.count("blockquote")
        return leaf

    def _bare_leaf(self) -> Leaf:
        for tag in reversed(self._open):
            if tag in _HEADINGS:
                return Leaf(BlockRole.HEADING, _HEADINGS[tag])
            if tag in ("caption", "figcaption"):
                self._alternatives.clear()
                return Leaf(BlockRole.CAPTION)
            if tag in ("td", "th", "li"):
                break
        leaf = Leaf(BlockRole.BODY)
        if self._marker:
            leaf.pieces.append((self._marker, MADE, 0))
            self._marker = ""
        return leaf

    def _end_leaf(self) -> None:
        leaf, self._leaf = self._leaf, None
        if leaf is None:
            return
        self._close(leaf)
        self._add_all(self._held)

    def _close(self, leaf: Leaf) -> None:
        if self._tables and self._tables[-1].has_open_cell:
            self._tables[-1].rows[-1][-1].leaves.append(leaf.pieces)
            if leaf.role is BlockRole.HEADING:
                self._tables[-1].is_layout = True
        self._add(leaf)

    def _add_all(self, leaves: list[Leaf]) -> None:
        for leaf in leaves:
            self._add(leaf)
        leaves.clear()

    def _add(self, item: "Leaf | Table") -> None:
        if self._tables:
            self._tables[-1].content.append(item)
        elif "footer" in self._open and not _OWN_PARTS.intersection(self._open):
            self._footers.append(item)
        else:
            self._flow.append(item)

    def items(self) -> list[Leaf | Table]:
        """Return all leaves and tables in order, those of the page's footer last."""
        self._end_leaf()
        return [*self._flow, *self._footers]

    def write(self, builder: CanonicalBuilder, *, offset: int | None) -> tuple[FigurePlace, ...]:
        """Write all blocks, those of the page's footer last, and return the pictures. `offset` is where the text is in its file."""
        self._end_leaf()
        writer = LeafWriter(builder, offset=offset)
        writer.write(self._flow)
        writer.write(self._footers, body=BlockRole.FOOTER)
        return tuple(writer.figures())
