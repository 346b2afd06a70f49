"""PDF files read to canonical text."""

from collections.abc import Callable, Sequence

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.cleaning import TEX_LIGATURES
from pincite.adapters.parsers.content_types import PDF
from pincite.adapters.parsers.pdf_directions import bring_to_order
from pincite.adapters.parsers.pdf_figure_boxes import page_figures
from pincite.adapters.parsers.pdf_figures import figure_places
from pincite.adapters.parsers.pdf_flow import join_over_breaks
from pincite.adapters.parsers.pdf_footnotes import mark_footnotes
from pincite.adapters.parsers.pdf_furniture import PageNames, mark_furniture
from pincite.adapters.parsers.pdf_grids import holds, with_boxes
from pincite.adapters.parsers.pdf_heading_forms import capitals_are_rare
from pincite.adapters.parsers.pdf_headings import body_size, bold_is_rare, choose_title, mark_headings
from pincite.adapters.parsers.pdf_heads import TableHeads
from pincite.adapters.parsers.pdf_hyphens import Vocabulary
from pincite.adapters.parsers.pdf_lines import PageLines, read_lines
from pincite.adapters.parsers.pdf_outline import mark_outline
from pincite.adapters.parsers.pdf_paragraphs import Paragraph, paragraphs
from pincite.adapters.parsers.pdf_rows import line_pitch
from pincite.adapters.parsers.pdf_rules import NO_RULES, rules_of
from pincite.adapters.parsers.pdf_streams import has_swelling_stream
from pincite.adapters.parsers.pdf_words import find_gaps, find_words
from pincite.adapters.parsers.pdf_writing import write_paragraph
from pincite.adapters.parsers.pdfium import PdfDocument, open_pdf
from pincite.core.documents import Block, BlockRole, CanonicalText, Page, ParsedDocument
from pincite.core.errors import RefusedInput
from pincite.core.figures import FigurePlace

VERSION = "6"
_MAX_BOOKMARKS = 20_000
_MAX_OUTLINE_DEPTH = 12
_MAX_SHAPES = 5_000
_MAX_CHARS_PER_PAGE = 1_000_000
_LIFTED = (BlockRole.HEADER, BlockRole.FOOTNOTE, BlockRole.FOOTER, BlockRole.PAGE_NUMBER)


OnPage = Callable[[int, int], None]
Bookmark = tuple[int, str, int]


def read_pdf(path: str, *, max_pages: int, max_chars: int, on_page: OnPage = lambda done, total: None) -> ParsedDocument:
    """Read a PDF. `on_page` hears of pages done and in all, and goes on hearing while the last steps are at work.

    Raises `RefusedInput` (`encrypted`, `corrupt`, `too_many_pages`, `too_large`, `no_text`).
    A file whose pages are all pictures has no text, but pages for OCR.
    """
    with open_pdf(path) as document:
        pages = _read_pages(document, max_pages=max_pages, max_chars=max_chars, on_page=on_page)
        bookmarks = document.bookmarks(max_count=_MAX_BOOKMARKS, max_depth=_MAX_OUTLINE_DEPTH)
        declared_title = document.title()
    unread = tuple(page.number for page in pages if page.draws and not page.lines)
    if not any(page.lines for page in pages):
        _check_streams(path)
        return _without_text(pages, unread, title=declared_title)
    body = body_size(pages)
    names = mark_furniture(pages, body=body)
    flow, lifted = _order(pages, bookmarks, body=body, on_page=on_page)
    builder, figures = _write(pages, (*flow, *lifted), max_chars=max_chars, on_page=on_page)
    return ParsedDocument(
        canonical=builder.build(tuple(_named(page, names) for page in pages)),
        content_type=PDF,
        parser="pdfium",
        parser_version=VERSION,
        title=choose_title(declared_title, flow, body=body),
        pages_unread=len(unread),
        unread=unread,
        figures=figures,
    )


def _check_streams(path: str) -> None:
    """Refuse a file without text that was made to do harm, before OCR looks at it. Raises `RefusedInput` (`too_large`)."""
    if has_swelling_stream(path):
        raise RefusedInput(
            "A part of the PDF unpacks to far more than its size, as in files made to do harm. Print it to a new PDF.",
            code="too_large",
        )


def _without_text(pages: Sequence[PageLines], unread: tuple[int, ...], *, title: str) -> ParsedDocument:
    """Return a PDF whose pages are pictures. Raises `RefusedInput` (`no_text`) when they are blank."""
    if not unread:
        raise RefusedInput("The PDF is blank: no page has text or pictures.", code="no_text")
    return ParsedDocument(
        canonical=CanonicalText("", (), tuple(_named(page, PageNames()) for page in pages)),
        content_type=PDF,
        parser="pdfium",
        parser_version=VERSION,
        title=choose_title(title, (), body=0.0),
        pages_unread=len(unread),
        unread=unread,
    )


def _read_pages(document: PdfDocument, *, max_pages: int, max_chars: int, on_page: OnPage) -> list[PageLines]:
    total = document.page_count
    if not total:
        raise RefusedInput("The PDF has no pages. Save it again from the program that made it.", code="corrupt")
    if total > max_pages:
        raise RefusedInput(f"The PDF says it has {total:,} pages; {max_pages:,} are read at most. Split it.", code="too_many_pages")
    pages: list[PageLines] = []
    chars = 0
    for index in range(total):
        pages.append(_read_page(document, index))
        chars += sum(len(line.text) for line in pages[-1].lines)
        if chars > max_chars:
            raise RefusedInput(f"The PDF holds more than {max_chars:,} characters. Split it and add the parts.", code="too_large")
        on_page(index + 1, total)
    return pages


def _read_page(document: PdfDocument, index: int) -> PageLines:
    with document.page(index) as page:
        if page.char_count > _MAX_CHARS_PER_PAGE:
            raise RefusedInput(f"Page {index + 1} of the PDF holds more than {_MAX_CHARS_PER_PAGE:,} characters.", code="too_large")
        width, height = page.size
        lines = read_lines(page, number=index + 1) if page.char_count else []
        draws = page.draws or not page.readable
        find_gaps(page, lines)
        shapes = page.shapes(most=_MAX_SHAPES) if draws else ()
        rules = with_boxes(rules_of(shapes, page_area=width * height)) if len(lines) > 1 else NO_RULES
        find_words(page, [line for line in lines if any(holds(box, line.box) for box in rules.boxes)])
        figures = page_figures(page.pictures, page.size, turned=page.turned)
        found = PageLines(index + 1, document.label(index), width, height, draws, lines, rules, page.size[1], figures)
        bring_to_order(found, width=page.size[0])
        return found


def _order(
    pages: Sequence[PageLines], bookmarks: Sequence[Bookmark], *, body: float, on_page: OnPage
) -> tuple[list[Paragraph], list[Paragraph]]:
    """Return the body flow and what was lifted out of it."""
    found = mark_outline(pages, bookmarks)
    flow: list[Paragraph] = []
    lifted: list[Paragraph] = []
    pitch = line_pitch(pages, body=body)
    for page in pages:
        mark_footnotes(page, body=body, pitch=pitch)
        flow += paragraphs([line for line in page.lines if line.role not in _LIFTED], page.rules)
        for role in _LIFTED:
            lifted += paragraphs([line for line in page.lines if line.role is role])
        on_page(len(pages), len(pages))
    is_outlined = found >= 3 and found * 2 >= len(bookmarks)
    flow = mark_headings(
        flow,
        body=body,
        bold_counts=not is_outlined and bold_is_rare(pages),
        forms_count=not is_outlined and capitals_are_rare(pages),
    )
    return join_over_breaks(flow, pages, body=body), lifted


def _write(
    pages: Sequence[PageLines], ordered: Sequence[Paragraph], *, max_chars: int, on_page: OnPage
) -> tuple[CanonicalBuilder, tuple[FigurePlace, ...]]:
    builder = CanonicalBuilder(max_chars=max_chars, controls=TEX_LIGATURES)
    vocabulary, heads = Vocabulary(pages), TableHeads()
    blocks: list[Block | None] = []
    for paragraph in ordered:
        before = len(builder.blocks)
        write_paragraph(builder, paragraph, vocabulary, heads)
        blocks.append(builder.blocks[before] if len(builder.blocks) > before else None)
        on_page(len(pages), len(pages))
    return builder, figure_places(pages, ordered, blocks)


def _named(page: PageLines, names: PageNames) -> Page:
    """Return a page with what it is called: by the number printed on it, else as the file declares, else by its Bates number."""
    bates = names.bates.get(page.number, "")
    label = names.labels.get(page.number) or page.label or bates or str(page.number)
    return Page(page.number, label, round(page.width, 2), round(page.height, 2), bates)
