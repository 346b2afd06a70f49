"""The text flow of a PDF: paragraphs cut by a column or page break continue, line-end hyphens are mended, all is written out."""

import re
from collections.abc import Iterator, Sequence

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.pdf_lines import Line, PageLines
from pincite.adapters.parsers.pdf_paragraphs import Paragraph, ends_sentence, starts_item
from pincite.core.documents import BlockRole

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*$")
_FIRST_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_FLOATS = 6


def join_over_breaks(paragraphs: Sequence[Paragraph], *, body: float) -> list[Paragraph]:
    """Append to a paragraph cut by a column or page break what continues it; a figure in between doesn't part them."""
    joined: list[Paragraph] = []
    for paragraph in paragraphs:
        earlier = _continued(joined, paragraph, body=body)
        if earlier is None:
            joined.append(paragraph)
            continue
        ends_with_hyphen = earlier.last.hyphen >= 0 or _may_be_hyphenated(earlier.last, paragraph.first)
        earlier.glues += ["" if ends_with_hyphen else " ", *paragraph.glues]
        earlier.lines += paragraph.lines
    return joined


def _continued(earlier: Sequence[Paragraph], paragraph: Paragraph, *, body: float) -> Paragraph | None:
    first = paragraph.first
    if paragraph.role is not BlockRole.BODY or not earlier or starts_item(first.text):
        return None
    if not first.text[0].islower():
        last = earlier[-1]
        is_next = _is_open(last, paragraph) and last.last.page != first.page and len(last.lines) > 1 and _is_full(last)
        return last if is_next and first.text[0].isalpha() else None
    for candidate in earlier[: -_FLOATS - 1 : -1]:
        if _is_open(candidate, paragraph):
            return candidate
        if candidate.role is BlockRole.HEADING or (candidate.role is BlockRole.BODY and candidate.first.size >= 0.97 * body):
            return None
    return None


def _is_open(candidate: Paragraph, paragraph: Paragraph) -> bool:
    last, first = candidate.last, paragraph.first
    is_apart = last.page != first.page or first.box[1] < last.box[1] or first.box[0] > last.box[2]
    is_alike = abs(last.size - first.size) <= 0.04 * last.size and last.bold == first.bold
    return candidate.role is BlockRole.BODY and is_apart and is_alike and not ends_sentence(last.text)


def _is_full(paragraph: Paragraph) -> bool:
    return paragraph.last.box[2] >= max(line.box[2] for line in paragraph.lines) - 2 * paragraph.last.size


def _may_be_hyphenated(line: Line, following: Line) -> bool:
    return line.text.endswith("-") and line.text[-2:-1].isalpha() and following.text[0].islower()


class Vocabulary:
    """The words a document uses away from line ends; they decide whether a hyphen at a line end belongs to the word."""

    def __init__(self, pages: Sequence[PageLines]) -> None:
        self._words: set[str] = set()
        for page in pages:
            self._words.update(_WORD.findall("\n".join(line.text for line in page.lines).casefold()))

    def keeps_hyphen(self, before: str, after: str) -> bool:
        """Whether the word cut between two lines is written with a hyphen: as elsewhere in the document, else before a capital."""
        head, tail = _LAST_WORD.search(before), _FIRST_WORD.match(after)
        if not head or not tail:
            return True
        if f"{head.group()}{tail.group()}".casefold() in self._words:
            return False
        return f"{head.group()}-{tail.group()}".casefold() in self._words or tail.group()[0].isupper()


def write_paragraph(builder: CanonicalBuilder, paragraph: Paragraph, vocabulary: Vocabulary) -> None:
    """Write one paragraph as a block, each character with its place on its page."""
    for number, line in enumerate(paragraph.lines):
        if number:
            builder.glue(paragraph.glues[number - 1])
        following = paragraph.lines[number + 1] if number + 1 < len(paragraph.lines) else None
        is_cut = following is not None and not paragraph.glues[number]
        for text, index in _pieces(line, following if is_cut else None, vocabulary, is_table=paragraph.role is BlockRole.TABLE):
            builder.write(text, page=line.page, index=index)
    builder.close_block(paragraph.role, level=paragraph.level)


def _drops_hyphen(line: Line, following: Line, vocabulary: Vocabulary) -> bool:
    return _may_be_hyphenated(line, following) and not vocabulary.keeps_hyphen(line.text[:-1], following.text)


def _pieces(line: Line, following: Line | None, vocabulary: Vocabulary, *, is_table: bool) -> Iterator[tuple[str, int]]:
    text = line.text
    if following is not None and line.hyphen < 0 and _drops_hyphen(line, following, vocabulary):
        text = text[:-1]
    at = 0
    for gap in line.cells if is_table else ():
        # The tab stands for PDFium's blank, so that the row stays one run.
        yield f"{text[at:gap]}\t", line.start + at
        at = gap + len(text[gap:]) - len(text[gap:].lstrip(" "))
    yield text[at:], line.start + at
    if line.hyphen >= 0 and (following is None or vocabulary.keeps_hyphen(text, following.text)):
        yield "-", line.hyphen
