"""OpenDocument texts (ODT) read to canonical text."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.leaves import Leaf, LeafWriter
from pincite.adapters.parsers.odt_flow import MAX_HEADING_LEVEL, Flow, Items, OdtContext
from pincite.adapters.parsers.office_title import choose_title
from pincite.adapters.parsers.open_document import CONTENT, STYLES, OpenDocument
from pincite.adapters.parsers.open_lists import Numbering
from pincite.adapters.parsers.open_styles import Styles
from pincite.adapters.parsers.xml_parts import Selection
from pincite.core.documents import BlockRole, ParsedDocument

CONTENT_TYPE = "application/vnd.oasis.opendocument.text"
VERSION = "1"
_BODY_LEVEL = 3
_BODY = Selection(
    skipped=frozenset(
        {"office_automatic-styles", "office_font-face-decls", "office_scripts", "office_forms", "text_tracked-changes"}
    )
)
_MARGINS = {
    "style_header": BlockRole.HEADER,
    "style_header-left": BlockRole.HEADER,
    "style_header-first": BlockRole.HEADER,
    "style_footer": BlockRole.FOOTER,
    "style_footer-left": BlockRole.FOOTER,
    "style_footer-first": BlockRole.FOOTER,
}


def read_odt(package: OpenDocument, *, max_chars: int) -> ParsedDocument:
    """Read a text. It has no pages.

    A run's index counts the characters that the reader took from the file: the body, then notes, headers and footers. Raises
    `RefusedInput` (`corrupt`, `too_deep`, `too_large`).
    """
    context = context_of(package)
    builder = CanonicalBuilder(max_chars=max_chars)
    writer = LeafWriter(builder)
    heading = Leaf(level=MAX_HEADING_LEVEL + 1)
    flow = Flow(context)
    for element in package.children(CONTENT, level=_BODY_LEVEL, selection=_BODY):
        flow.add(element)
        items = flow.take()
        heading = min([heading, *_headings(items)], key=lambda leaf: leaf.level)
        writer.write(items)
    _write_notes(context, writer)
    _write_margins(context, writer)
    canonical = builder.build()
    opening = canonical.text[:2000]
    return ParsedDocument(
        canonical=canonical,
        content_type=CONTENT_TYPE,
        parser="odt",
        parser_version=VERSION,
        title=choose_title(package.declared_title, context.title, opening=opening, otherwise=heading.text),
        figures=tuple(writer.figures()),
    )


def context_of(package: OpenDocument, *, has_markers: bool = True) -> OdtContext:
    """Return what is needed to read the text of a file: its styles and lists."""
    elements = [*package.style_elements(STYLES), *package.style_elements(CONTENT)]
    return OdtContext(package, Styles(elements), Numbering(elements), has_markers=has_markers)


def _headings(items: Items) -> Iterator[Leaf]:
    return (item for item in items if isinstance(item, Leaf) and item.role is BlockRole.HEADING)


def _write_notes(context: OdtContext, writer: LeafWriter) -> None:
    """Write the notes in the order of their marks. One that stands in another comes after it."""
    for note in context.notes:
        items = Flow(context).read(note.body)
        if note.mark and items and isinstance(items[0], Leaf):
            items[0].put_before(f"{note.mark} ")
        writer.write_lifted(items, role=BlockRole.FOOTNOTE)


def _write_margins(context: OdtContext, writer: LeafWriter) -> None:
    """Write the headers, then the footers, of the pages that are used; equal ones once."""
    found = list(_margins(context))
    for wanted in (BlockRole.HEADER, BlockRole.FOOTER):
        writer.write_once((Flow(context).read(element) for role, element in found if role is wanted), role=wanted)


def _margins(context: OdtContext) -> Iterator[tuple[BlockRole, Element]]:
    pages = {
        element.get("style_name", ""): element
        for element in context.package.style_elements(STYLES)
        if element.tag == "style_master-page"
    }
    used = context.styles.master_pages
    for page in pages.values():
        used |= {page.get("style_next-style-name", "")} if page.get("style_name") in used else set()
    for name, page in pages.items():
        for element in page if name in used else ():
            if element.tag in _MARGINS and element.get("style_display") != "false":
                yield _MARGINS[element.tag], element
