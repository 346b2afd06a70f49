"""Rows between the two halves of a sentence that a page break cuts: what stands there belongs to the pages, not to the text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.adapters.parsers.pdf_lines import Line, PageLines
from pincite.adapters.parsers.pdf_paragraphs import ends_sentence, starts_caption, starts_note
from pincite.adapters.parsers.pdf_rows import Row, Zone
from pincite.core.documents import BlockRole

_SAME_SIZE = 0.04
_MOST_ROWS = 3
_SMALL_PRINT = 0.93


def rows_between_halves(tops: Sequence[Zone], feet: Sequence[Zone], *, body: float) -> Iterator[Row]:
    """Yield rows, not lifted so far, that part the last line of a page from the first of the next, where its sentence goes on.

    `tops` and `feet` are the zones of consecutive pages. The last line must be full, its print that of the first, and each row
    parted from the text by a gap; of several ways to read it, that which lifts the fewest rows counts.
    """
    for foot, top in zip(feet, tops[1:], strict=False):
        ways = ((under, over) for under in _readings(foot, body=body) for over in _readings(top, body=body))
        for under, over in sorted(ways, key=lambda way: way[0].cost + way[1].cost):
            if _goes_on(under.text.lines[-1], over.text.lines[0], foot.page):
                yield from under.lifted
                yield from over.lifted
                break


@dataclass(frozen=True, slots=True)
class _Reading:
    """A row taken for the outermost of the text, and the rows beyond it that then are none of it; small print costs nothing."""

    text: Row
    lifted: list[Row]
    cost: int


def _readings(zone: Zone, *, body: float) -> Iterator[_Reading]:
    rows = [(number, row) for number, row in enumerate([*zone.rows, *zone.following]) if row.lines[0].role is BlockRole.BODY]
    lifted: list[Row] = []
    cost = 0
    for number, row in rows:
        is_small = row.size <= _SMALL_PRINT * body
        if not is_small:
            yield _Reading(row, list(lifted), cost)
        is_apart = number < zone.apart and not starts_caption(row.text)
        if is_apart and not (is_small and starts_note(row.text) and not zone.is_top):
            lifted.append(row)
        elif not is_small:
            return
        cost += not is_small
        if cost > _MOST_ROWS:
            return


def _goes_on(last: Line, first: Line, page: PageLines) -> bool:
    if not first.text[0].islower() or last.bold != first.bold or abs(last.size - first.size) > _SAME_SIZE * last.size:
        return False
    if last.hyphen >= 0 or last.text.endswith("-"):
        return True
    return not ends_sentence(last.text) and not has_room(last, first, page)


def has_room(last: Line, first: Line, page: PageLines, *, least: int = 1) -> bool:
    """Whether the first word of a line would have had room in another line of a page: then that line ends a paragraph.

    With fewer lines of its column and print than `least` nobody can tell, and it counts as having room.
    """
    alike = [
        line
        for line in page.lines
        if line.size == last.size
        and line.box[0] < last.box[0] + 2 * last.size
        and last.box[0] < line.box[2]
        and line.role is last.role
    ]
    if len(alike) < least:
        return True
    right = max((line.box[2] for line in alike), default=last.box[2])
    word = first.text.partition(" ")[0]
    letter = (first.box[2] - first.box[0]) / max(1, len(first.text))
    return right - last.box[2] > letter * (len(word) + 1) + 0.5 * last.size
