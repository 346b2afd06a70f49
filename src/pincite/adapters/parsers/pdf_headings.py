"""Headings of a PDF: what its outline names, then what its print shows; and a title from the largest of them."""

import re
from collections import Counter
from collections.abc import Sequence

from pincite.adapters.parsers.pdf_heading_forms import is_capital_heading, is_no_heading, is_numbered_heading, split_run_in
from pincite.adapters.parsers.pdf_lines import PageLines
from pincite.adapters.parsers.pdf_paragraphs import Paragraph, ends_sentence, starts_caption, starts_item
from pincite.core.documents import BlockRole

_LARGER = 1.12
_MAX_HEADING_CHARS = 200
_MAX_BOLD_CHARS = 100
_MAX_CAPTION_CHARS = 600
_FILE_NAME = re.compile(r"\.(?:docx?|pdf|tex|dvi|indd|pptx?|xlsx?|rtf|odt|qxd|pmd|p65|ps|fm)$|^\S+\.\w{2,4}$", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"(?:untitled.*|title|document\d*|powerpoint presentation|presentation|slide \d+|word document|print|layout \d+|unknown|none|"
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|table des matières|índice|)",
    re.IGNORECASE,
)


def body_size(pages: Sequence[PageLines]) -> float:
    """Return the print size that most characters have, in points."""
    weights: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            weights[round(line.size * 4) / 4] += len(line.text)
    return weights.most_common(1)[0][0] if weights else 0.0


def bold_is_rare(pages: Sequence[PageLines]) -> bool:
    """Whether bold print sets anything apart: less than a third of all characters are bold."""
    total = sum(len(line.text) for page in pages for line in page.lines)
    bold = sum(len(line.text) for page in pages for line in page.lines if line.bold)
    return bold * 3 < total


def mark_headings(paragraphs: Sequence[Paragraph], *, body: float, bold_counts: bool, forms_count: bool) -> list[Paragraph]:
    """Set role and level of headings and captions among body paragraphs; headings of the outline keep theirs.

    Where `bold_counts`, a bold title that runs into its text becomes a paragraph of its own. Where `forms_count`, so do lines in
    capitals and behind numbers that stand over text.
    """
    found = [part for one in paragraphs for part in (split_run_in(one) if bold_counts and one.role is BlockRole.BODY else [one])]
    for number, paragraph in enumerate(found):
        before = found[number - 1] if number else None
        following = found[number + 1] if number + 1 < len(found) else None
        if paragraph.role is not BlockRole.BODY:
            continue
        if _is_caption(paragraph):
            paragraph.role = BlockRole.CAPTION
        elif (
            _is_large(paragraph, body=body)
            or (bold_counts and _is_bold_heading(paragraph, following, body=body))
            or (forms_count and (is_capital_heading(paragraph, following) or is_numbered_heading(before, paragraph, following)))
        ) and not is_no_heading(paragraph.text[:_MAX_HEADING_CHARS]):
            paragraph.role = BlockRole.HEADING
    _set_levels([paragraph for paragraph in found if paragraph.role is BlockRole.HEADING])
    return found


def _is_caption(paragraph: Paragraph) -> bool:
    return starts_caption(paragraph.first.text) and sum(len(line.text) for line in paragraph.lines) <= _MAX_CAPTION_CHARS


def _is_wordy(text: str, *, most: int) -> bool:
    return len(text) <= most and sum(character.isalpha() for character in text) >= max(2, len(text) // 3)


def _is_large(paragraph: Paragraph, *, body: float) -> bool:
    return (
        len(paragraph.lines) <= 4
        and min(line.size for line in paragraph.lines) >= _LARGER * body
        and _is_wordy(paragraph.text, most=_MAX_HEADING_CHARS)
    )


def _is_bold_heading(paragraph: Paragraph, following: Paragraph | None, *, body: float) -> bool:
    """Whether a short bold paragraph stands over text that is not bold."""
    if following is None or following.role is BlockRole.HEADING or following.first.bold or len(paragraph.lines) > 2:
        return False
    first, after = paragraph.first, following.first
    stands_above = after.page != first.page or after.box[1] > first.box[1]
    is_bold = all(line.bold and not line.cells for line in paragraph.lines) and first.size >= 0.95 * body
    text = paragraph.text
    is_open = not text.endswith((",", ";")) and (not ends_sentence(text) or text.endswith((":", "?")))
    is_bullet = starts_item(text) and not text[0].isalnum()
    return is_bold and stands_above and is_open and not is_bullet and _is_wordy(text, most=_MAX_BOLD_CHARS)


def _set_levels(headings: Sequence[Paragraph]) -> None:
    """Give headings without a level one by their size: that of the outline's heading nearest in size, else the size's rank."""
    known = {round(heading.first.size, 1): heading.level for heading in reversed(headings) if heading.level}
    sizes = sorted({_print(heading) for heading in headings if not heading.level}, reverse=True)
    for heading in headings:
        if heading.level:
            continue
        if known:
            not_larger = [level for size, level in known.items() if size <= heading.first.size * 1.02]
            heading.level = min(not_larger, default=min(6, max(known.values()) + 1))
        else:
            heading.level = min(6, sizes.index(_print(heading)) + 1)


def _print(heading: Paragraph) -> tuple[float, bool]:
    return (round(heading.first.size * 2) / 2, heading.first.bold)


def choose_title(declared: str, paragraphs: Sequence[Paragraph], *, body: float) -> str | None:
    """Return the declared title if it is one, else the largest heading of the first page, else a heading that opens the text."""
    declared = " ".join(declared.split()).removeprefix("Microsoft Word - ")
    if _is_title(declared) and not _FILE_NAME.search(declared):
        return declared
    first_page = paragraphs[0].first.page if paragraphs else 0
    on_first_page = (p for p in paragraphs if p.role is BlockRole.HEADING and p.first.page == first_page)
    large = [p for p in on_first_page if p.first.size >= _LARGER * body and _is_title(p.text)]
    opening = paragraphs[0] if paragraphs and paragraphs[0].role is BlockRole.HEADING and _is_title(paragraphs[0].text) else None
    largest = max(large, key=lambda heading: heading.first.size, default=opening)
    return " ".join(largest.text.split()) if largest else None


def _is_title(text: str) -> bool:
    return not _NO_TITLE.fullmatch(text) and sum(character.isalpha() for character in text) > 1
