"""Watermarks of PDF pages: words drawn across the text or behind it."""

from collections import defaultdict
from collections.abc import Sequence

from pincite.adapters.parsers.pdf_lines import Line, PageLines
from pincite.core.documents import BlockRole

_LARGE = 2.2
_SLANTED_SHARE = 0.2
_SAME_PLACE_POINTS = 8


def mark_watermarks(pages: Sequence[PageLines], *, body: float) -> None:
    """Give watermarks the role of a header: slanted lines of a page that reads level, and large print that lies over text.

    Large level print counts only when it comes back at its place on another page.
    """
    large: dict[tuple[str, int, int], list[tuple[PageLines, Line]]] = defaultdict(list)
    for page in pages:
        slanted = [line for line in page.lines if line.slanted]
        if sum(len(line.text) for line in slanted) <= _SLANTED_SHARE * sum(len(line.text) for line in page.lines):
            for line in slanted:
                line.role = BlockRole.HEADER
        for line in page.lines:
            if line.size > _LARGE * body and line.role is BlockRole.BODY:
                large[line.text, round(line.box[0] / _SAME_PLACE_POINTS), round(line.box[1] / _SAME_PLACE_POINTS)].append(
                    (page, line)
                )
    for found in large.values():
        if len(found) > 1 and any(_lies_over_text(page, line) for page, line in found):
            for _, line in found:
                line.role = BlockRole.HEADER


def _lies_over_text(page: PageLines, mark: Line) -> bool:
    return any(other is not mark and _overlap(mark, other) for other in page.lines)


def _overlap(one: Line, other: Line) -> bool:
    wide = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
    high = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    return wide > 0 and high > 0.5 * (other.box[3] - other.box[1])
