"""Pages that OCR read, laid out: lines become paragraphs, columns, tables and headings by the rules for PDF pages.

Those rules know print sizes and distances; OCR knows how high its boxes are. So a page is brought to the scale at which most
of its letters are as large as in a printed text, and sizes that differ from those of the text by no more than boxes do are one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.pdf_directions import bring_to_order
from pincite.adapters.parsers.pdf_flow import join_over_breaks
from pincite.adapters.parsers.pdf_furniture import PageNames, mark_furniture
from pincite.adapters.parsers.pdf_headings import choose_title, mark_headings
from pincite.adapters.parsers.pdf_heads import TableHeads
from pincite.adapters.parsers.pdf_hyphens import Vocabulary
from pincite.adapters.parsers.pdf_lines import Line, PageLines, Word
from pincite.adapters.parsers.pdf_paragraphs import Paragraph, paragraphs
from pincite.adapters.parsers.pdf_writing import write_paragraph
from pincite.adapters.parsers.wire import encode_document
from pincite.core.documents import BlockRole, Page, ParsedDocument
from pincite.core.ocr import ReadWord

_BODY_POINTS = 10.0
_SIZE_OF_BOX = 0.96
"""Of the height of a line's box, from its highest letter to its lowest."""
_LARGER, _SMALLER = 1.3, 0.72
_LIFTED = (BlockRole.HEADER, BlockRole.FOOTER, BlockRole.PAGE_NUMBER)


def lay_out(pages: Sequence[dict[str, Any]], *, max_chars: int) -> dict[str, object]:
    """Return pages as a document with the words that were read, as JSON values. Raises `RefusedInput` (`too_large`).

    A change that makes another text of the same words raises `_LAYOUT` in `ocr.py`.
    """
    words: list[ReadWord] = []
    laid = [_page_lines(page, words) for page in pages]
    names = mark_furniture(laid, body=_BODY_POINTS)
    flow, lifted = _ordered(laid)
    builder = CanonicalBuilder(max_chars=max_chars)
    vocabulary, heads = Vocabulary(laid), TableHeads()
    for paragraph in (*flow, *lifted):
        write_paragraph(builder, paragraph, vocabulary, heads)
    canonical = builder.build(tuple(_named(page, names) for page in pages))
    canonical = replace(canonical, words=tuple(words))
    title = choose_title("", flow, body=_BODY_POINTS)
    return encode_document(ParsedDocument(canonical, content_type="", parser="ocr", parser_version="", title=title))


def _page_lines(page: dict[str, Any], words: list[ReadWord]) -> PageLines:
    """Return the lines of a page, scaled until its text is as large as printed text, and put its words to the others."""
    number = page["number"]
    body = _body_height(page["lines"]) * _SIZE_OF_BOX
    scale = _BODY_POINTS / body if body else 1.0
    lines: list[Line] = []
    at = 0
    for line in page["lines"]:
        read = _Read(number, at, line, scale, body)
        words += read.words
        lines.append(read.line)
        at += len(read.line.text) + 1
    across, down = (page["height"], page["width"]) if page["turns"] % 2 else (page["width"], page["height"])
    found = PageLines(number, page["label"], across * scale, down * scale, draws=True, lines=lines)
    bring_to_order(found, width=across * scale)
    return found


def _body_height(lines: Sequence[dict[str, Any]]) -> float:
    """Return how high the boxes are of the lines with most letters."""
    weights: Counter[float] = Counter()
    for line in lines:
        weights[line["box"][3] - line["box"][1]] += sum(len(word[0]) for word in line["words"])
    half, seen = weights.total() / 2, 0
    for height, count in sorted(weights.items()):
        seen += count
        if seen >= half:
            return height
    return 0.0


class _Read:
    """A line as it was read, from character `start` of its page on."""

    def __init__(self, page: int, start: int, line: dict[str, Any], scale: float, body: float) -> None:
        self.words: list[ReadWord] = []
        text = ""
        edges: list[tuple[int, float, float]] = []
        for word, confidence, is_apart, x0, y0, x1, y1, left, right in line["words"]:
            text += " " if text and is_apart else ""
            self.words.append(ReadWord(page, start + len(text), len(word), x0, y0, x1, y1, confidence))
            edges.append((len(text), left * scale, right * scale))
            text += word
        x0, y0, x1, y1 = (value * scale for value in line["box"])
        size = _print_size((y1 - y0) * _SIZE_OF_BOX, _BODY_POINTS if body else 0.0)
        middle = (y0 + y1) / 2
        top, bottom = middle - 0.55 * size, middle + 0.55 * size
        self.line = Line(page, start, text, (x0, top, x1, bottom), size, size, size, bold=False)
        self.line.measure(_blank_parted(text, edges, top, bottom))


def _print_size(size: float, body: float) -> float:
    """Return the print size of a line: that of the text, unless its box is higher or lower than letters make it."""
    return size if not _SMALLER * body <= size <= _LARGER * body else body


def _blank_parted(text: str, edges: Sequence[tuple[int, float, float]], top: float, bottom: float) -> list[Word]:
    """Join words that no blank parts."""
    found: list[Word] = []
    for (start, left, right), end in zip(edges, [*(start for start, _, _ in edges[1:]), len(text)], strict=True):
        stop = start + len(text[start:end].rstrip())
        if found and found[-1].end == start:
            found[-1] = found[-1]._replace(end=stop, right=right)
        else:
            found.append(Word(start, stop, left, right, top, bottom))
    return found


def _ordered(pages: Sequence[PageLines]) -> tuple[list[Paragraph], list[Paragraph]]:
    """Return the body flow and what was lifted out of it."""
    flow: list[Paragraph] = []
    lifted: list[Paragraph] = []
    for page in pages:
        flow += paragraphs([line for line in page.lines if line.role not in _LIFTED])
        for role in _LIFTED:
            lifted += paragraphs([line for line in page.lines if line.role is role])
    for paragraph in lifted:
        paragraph.role = paragraph.first.role
    flow = mark_headings(flow, body=_BODY_POINTS, bold_counts=False, forms_count=False)
    return join_over_breaks(flow, pages, body=_BODY_POINTS), lifted


def _named(page: dict[str, Any], names: PageNames) -> Page:
    number = page["number"]
    bates = names.bates.get(number, "")
    return Page(
        number,
        names.labels.get(number) or page["label"] or bates or str(number),
        round(page["width"], 2),
        round(page["height"], 2),
        bates,
    )
