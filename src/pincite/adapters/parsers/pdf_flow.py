"""The text flow of a PDF: paragraphs cut by a column or page break continue, whatever stands in between."""

from collections.abc import Mapping, Sequence

from pincite.adapters.parsers.pdf_lines import Line, PageLines
from pincite.adapters.parsers.pdf_paragraphs import Paragraph, ends_entry, ends_sentence, starts_caption, starts_item, starts_note
from pincite.adapters.parsers.pdf_turns import has_room
from pincite.core.documents import BlockRole

_FLOATS = 6
_MOST_BESIDE_FLOAT, _MOST_NOTE_LINES = 300, 6
_LEAST_PROSE, _LEAST_LINES = 20, 3


def join_over_breaks(paragraphs: Sequence[Paragraph], pages: Sequence[PageLines], *, body: float) -> list[Paragraph]:
    """Append to a paragraph cut by a column or page break what continues it; a figure in between doesn't part them."""
    joined: list[Paragraph] = []
    by_number = {page.number: page for page in pages}
    for paragraph in paragraphs:
        earlier = _continued(joined, paragraph, by_number, body=body)
        if earlier is None:
            joined.append(paragraph)
            continue
        ends_with_hyphen = earlier.last.hyphen >= 0 or _may_be_hyphenated(earlier.last, paragraph.first)
        earlier.glues += ["" if ends_with_hyphen else " ", *paragraph.glues]
        earlier.lines += paragraph.lines
    return joined


def _continued(
    earlier: Sequence[Paragraph], paragraph: Paragraph, pages: Mapping[int, PageLines], *, body: float
) -> Paragraph | None:
    """Return the paragraph that this one continues. One that begins with a small letter says so; any other must be proven."""
    first = paragraph.first
    if paragraph.role is not BlockRole.BODY or not earlier or starts_item(first.text) or starts_caption(first.text):
        return None
    says_so = first.text[0].islower()
    if not says_so and (not _may_continue(first) or _is_indented(paragraph)):
        return None
    for candidate in earlier[: -_FLOATS - 1 : -1]:
        if _stands_below(candidate.last, first):
            continue
        if _is_open(candidate, paragraph) and (says_so or _is_full(candidate.last, first, pages[candidate.last.page])):
            return candidate
        if _parts(candidate, first, pages, body=body):
            return None
    return None


def _stands_below(last: Line, first: Line) -> bool:
    """Whether what was drawn before a line stands below it, as a foot does that is drawn first."""
    shares_column = min(last.box[2], first.box[2]) > max(last.box[0], first.box[0])
    return last.page == first.page and last.box[1] > first.box[1] and shares_column


def _parts(candidate: Paragraph, first: Line, pages: Mapping[int, PageLines], *, body: float) -> bool:
    """Whether a paragraph that isn't continued ends the search: any heading and any text of the usual size does.

    On a page between, where only a picture and a few words stand, and at the foot of the page that is cut, a note does not.
    """
    if candidate.role is BlockRole.HEADING:
        return True
    if candidate.role is not BlockRole.BODY or candidate.first.size < 0.97 * body:
        return False
    page = pages[candidate.last.page]
    is_between = candidate.last.page < first.page and sum(len(line.text) for line in page.lines) <= _MOST_BESIDE_FLOAT
    is_note = candidate.last.page < first.page and starts_note(candidate.first.text) and not starts_item(candidate.first.text)
    return not (is_between or (is_note and len(candidate.lines) <= _MOST_NOTE_LINES))


def _is_full(last: Line, first: Line, page: PageLines) -> bool:
    """Whether a line of prose ends only because the column does: at the foot of its page, or beside the column that goes on."""
    if last.hyphen >= 0 or last.text.endswith("-") or len(last.text) < _LEAST_PROSE:
        return False
    goes_beside = first.box[0] > last.box[2] and first.box[1] < last.box[1]
    return (last.page != first.page or goes_beside) and not has_room(last, first, page, least=_LEAST_LINES)


def _may_continue(first: Line) -> bool:
    opening = first.text[0]
    if opening.isdigit() and starts_note(first.text) and any(map(str.isupper, first.text[:5])):
        return False
    return opening.isalpha() or (len(first.text) >= _LEAST_PROSE and (opening.isalnum() or opening in "\"'“‘«(["))


def _is_indented(paragraph: Paragraph) -> bool:
    """Whether the first line stands further in than the second, as at the beginning of a paragraph."""
    return len(paragraph.lines) > 1 and paragraph.first.box[0] - paragraph.lines[1].box[0] > 0.8 * paragraph.first.size


def _is_open(candidate: Paragraph, paragraph: Paragraph) -> bool:
    last, first = candidate.last, paragraph.first
    is_apart = last.page != first.page or first.box[1] < last.box[1] or first.box[0] > last.box[2]
    is_alike = abs(last.size - first.size) <= 0.04 * last.size and last.bold == first.bold
    return candidate.role is BlockRole.BODY and is_apart and is_alike and not ends_sentence(last.text) and not ends_entry(last.text)


def _may_be_hyphenated(line: Line, following: Line) -> bool:
    return line.text.endswith("-") and line.text[-2:-1].isalpha() and following.text[0].islower()
