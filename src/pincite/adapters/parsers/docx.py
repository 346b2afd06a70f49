"""Word files (DOCX) read to canonical text."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.docx_flow import DocxContext, Items, Story
from pincite.adapters.parsers.docx_numbering import Numbering
from pincite.adapters.parsers.docx_styles import MAX_HEADING_LEVEL, Styles, flag, value
from pincite.adapters.parsers.leaves import Leaf, LeafWriter
from pincite.adapters.parsers.numerals import numeral
from pincite.adapters.parsers.office_package import OfficePackage
from pincite.adapters.parsers.office_title import choose_title, declared_title
from pincite.core.documents import BlockRole, ParsedDocument

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
VERSION = "3"
_BODY_LEVEL = 2


def read_docx(package: OfficePackage, *, max_chars: int) -> ParsedDocument:
    """Read a Word document. It has no pages.

    A run's index counts the characters that the reader took from the file: the body, then notes, headers and footers. Raises
    `RefusedInput` (`corrupt`, `too_deep`, `too_large`).
    """
    styles = Styles(package.children(package.related(package.main, "styles")))
    numbering = Numbering(package.children(package.related(package.main, "numbering")), styles)
    context = DocxContext(package, styles, numbering)
    builder = CanonicalBuilder(max_chars=max_chars)
    writer = LeafWriter(builder)
    heading = Leaf(level=MAX_HEADING_LEVEL + 1)
    for items in _body(context):
        heading = min([heading, *_headings(items)], key=lambda leaf: leaf.level)
        writer.write(items)
    settings = _read_settings(package)
    _write_notes(context, settings, writer)
    _write_margins(context, settings, writer)
    canonical = builder.build()
    return ParsedDocument(
        canonical=canonical,
        content_type=CONTENT_TYPE,
        parser="docx",
        parser_version=VERSION,
        title=choose_title(declared_title(package), context.title, opening=canonical.text[:2000], otherwise=heading.text),
        figures=tuple(writer.figures()),
    )


def _body(context: DocxContext) -> Iterator[Items]:
    story = Story(context, context.package.main)
    for element in context.package.children(context.package.main, level=_BODY_LEVEL):
        story.add(element)
        yield story.take()
    yield story.finish()


def _headings(items: Items) -> Iterator[Leaf]:
    return (item for item in items if isinstance(item, Leaf) and item.role is BlockRole.HEADING)


@dataclass(frozen=True, slots=True)
class _Settings:
    has_even_pages: bool = False
    note_styles: dict[str, str] = field(default_factory=lambda: {"footnote": "decimal", "endnote": "lowerRoman"})


def _read_settings(package: OfficePackage) -> _Settings:
    settings = _Settings()
    has_even_pages = False
    for element in package.children(package.related(package.main, "settings")):
        kind = element.tag.removeprefix("w_").removesuffix("Pr")
        if element.tag == "w_evenAndOddHeaders":
            has_even_pages = element.get("w_val", "1") not in ("0", "false", "off")
        elif kind in settings.note_styles and (style := value(element, "w_numFmt")):
            settings.note_styles[kind] = style
    return _Settings(has_even_pages, settings.note_styles)


def _write_notes(context: DocxContext, settings: _Settings, writer: LeafWriter) -> None:
    """Write the notes that the body refers to, in its order, each with its number."""
    marks = list(context.notes)
    for kind, style in settings.note_styles.items():
        wanted = {mark.note_id for mark in marks if mark.kind == kind}
        part = context.package.related(context.package.main, f"{kind}s")
        found: dict[str, Items] = {}
        for element in context.package.children(part) if wanted else ():
            note_id = element.get("w_id", "")
            if note_id in wanted and note_id not in found:
                found[note_id] = Story(context, part or "").read(element)
        number = 0
        for mark in marks:
            if mark.kind != kind:
                continue
            number += mark.has_number
            _write_note(found.pop(mark.note_id, []), f"{numeral(number, style)} " if mark.has_number else "", writer)


def _write_note(items: Items, number: str, writer: LeafWriter) -> None:
    if number and items and isinstance(items[0], Leaf):
        items[0].put_before(number)
    writer.write_lifted(items, role=BlockRole.FOOTNOTE)


def _write_margins(context: DocxContext, settings: _Settings, writer: LeafWriter) -> None:
    """Write the headers, then the footers, that the sections show; equal ones once."""
    for kind, role in (("header", BlockRole.HEADER), ("footer", BlockRole.FOOTER)):
        parts = dict.fromkeys(_margin_parts(context, settings, kind))
        writer.write_once((Story(context, part).read(context.package.children(part)) for part in parts), role=role)


def _margin_parts(context: DocxContext, settings: _Settings, kind: str) -> Iterator[str]:
    relations = context.package.relations(context.package.main)
    first_pages: list[str] = []
    for section in context.sections:
        for reference in section.iterfind(f"w_{kind}Reference"):
            relation = relations.get(reference.get("r_id", ""))
            if relation is None or relation.target is None:
                continue
            which = reference.get("w_type", "default")
            if which == "first":
                first_pages.append(relation.target)
            elif which != "even" or settings.has_even_pages:
                yield relation.target
        if flag(section, "w_titlePg"):
            yield from first_pages
            first_pages = []
