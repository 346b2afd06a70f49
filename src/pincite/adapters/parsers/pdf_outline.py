"""The outline of a PDF tied to the lines that print its titles."""

import re
from collections.abc import Sequence

from pincite.adapters.parsers.cleaning import fold
from pincite.adapters.parsers.pdf_lines import Line, PageLines
from pincite.core.documents import BlockRole

_MAX_LINES = 3
_NUMBERING = re.compile(r"(?:[a-zäöü]{0,9}\d{1,4}[a-z]?|[ivxlc]{1,6}|[a-z])")


def mark_outline(pages: Sequence[PageLines], bookmarks: Sequence[tuple[int, str, int]]) -> int:
    """Give the lines that print a bookmark's title on its page the role of a heading and its depth; return how many were found."""
    found = 0
    folded: dict[int, list[str]] = {}
    by_number = {page.number: page for page in pages}
    for depth, title, index in bookmarks:
        page = by_number.get(index + 1)
        if page is None or not fold(title):
            continue
        if page.number not in folded:
            folded[page.number] = [fold(line.text) for line in page.lines]
        lines = _printed(fold(title), page.lines, folded[page.number])
        for line in lines:
            line.role, line.level, line.begins = BlockRole.HEADING, min(depth, 6), line is lines[0]
        found += bool(lines)
    return found


def _printed(title: str, lines: Sequence[Line], folded: Sequence[str]) -> list[Line]:
    """Return the lines whose text, together, is the title, perhaps with its number before it; the largest print wins."""
    candidates: list[list[Line]] = []
    for first in range(len(lines)):
        text = ""
        for last in range(first, min(first + _MAX_LINES, len(lines))):
            if lines[last].role is not BlockRole.BODY:
                break
            text += folded[last]
            if _is_title(text, title):
                candidates.append(list(lines[first : last + 1]))
            if len(text) > len(title):
                break
    return max(candidates, key=lambda group: (group[0].size, -group[0].box[1]), default=list[Line]())


def _is_title(text: str, title: str) -> bool:
    if text == title:
        return True
    longer, shorter = (text, title) if len(text) > len(title) else (title, text)
    rest = longer[: len(longer) - len(shorter)]
    return len(shorter) > 1 and longer.endswith(shorter) and bool(_NUMBERING.fullmatch(rest))
