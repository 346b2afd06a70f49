"""Rows between the two halves of a sentence that a page break cuts: what stands there belongs to the pages, not to the text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile

from pincite.adapters.parsers.pdf_lines import Line, PageLines
from pincite.adapters.parsers.pdf_paragraphs import ends_sentence, starts_caption, starts_note
from pincite.adapters.parsers.pdf_rows import Row, Zone
from pincite.core.documents import BlockRole

_SAME_SIZE = 0.04
_MOST_ROWS = 3
_SMALL_PRINT = 0.93
_TABLE_CELLS = 3
_MARGIN_SHARE = 0.13
_SAME_PRINT = 0.95
_LEAST_ALIKE = 3


def rows_between_halves(tops: Sequence[Zone], feet: Sequence[Zone], *, body: float) -> Iterator[Row]:
    """Yield rows, not lifted so far, that part the last line of a page from the first of the next, where its sentence goes on.

    `tops` and `feet` are the zones of consecutive pages. The last line must be full, its print that of the first, and each row
    parted from the text by a gap; of several ways to read it, that which lifts the fewest rows counts.
    """
    for foot, top in zip(feet, tops[1:], strict=False):
        ways = ((under, over) for under in _readings(foot, body=body) for over in _readings(top, body=body))
        for under, over in sorted(ways, key=lambda way: way[0].cost + way[1].cost):
            last, first = _last_line(under.text, foot), over.text.lines[0]
            if _goes_on(last, first, foot.page) or (_in_margin(over.lifted) and _may_go_on(last, first, foot.page)):
                yield from under.lifted
                yield from over.lifted
                break


@dataclass(frozen=True, slots=True)
class _Reading:
    """A row taken for the outermost of the text, and the rows beyond it that then are none of it; small print costs nothing."""

    text: Row
    lifted: list[Row]
    cost: int


def _last_line(row: Row, zone: Zone) -> Line:
    """Return the line that is read last among a row at the foot and those above it: the lowest of the rightmost column."""
    rows = dropwhile(lambda other: other is not row, [*zone.rows, *zone.following])
    above = [line for other in rows for line in other.lines if line.size > _SAME_PRINT * row.size]
    return max(above, key=lambda line: (line.box[0] > row.lines[-1].box[2], line.box[3], line.box[0]))


def _readings(zone: Zone, *, body: float) -> Iterator[_Reading]:
    rows = [(number, row) for number, row in enumerate([*zone.rows, *zone.following]) if row.lines[0].role is BlockRole.BODY]
    lifted: list[Row] = []
    cost = 0
    for number, row in rows:
        is_apart = number < zone.apart and not starts_caption(row.text)
        is_note = starts_note(row.text) and not zone.is_top and (is_apart or row.size <= _SMALL_PRINT * body)
        is_free = row.size <= _SMALL_PRINT * body or is_note or len(row.parts) >= _TABLE_CELLS
        if not is_free:
            yield _Reading(row, list(lifted), cost)
        if is_apart and not is_note:
            lifted.append(row)
        elif not is_free:
            return
        cost += not is_free
        if cost > _MOST_ROWS:
            return


def _in_margin(rows: Sequence[Row]) -> bool:
    """Whether there are rows, all of them close to the edge of their page."""
    return bool(rows) and all(row.from_edge + row.size <= _MARGIN_SHARE * max(row.page.width, row.page.height) for row in rows)


def _are_alike(last: Line, first: Line) -> bool:
    return last.bold == first.bold and abs(last.size - first.size) <= _SAME_SIZE * last.size


def _goes_on(last: Line, first: Line, page: PageLines) -> bool:
    """Whether the sentence of one line goes on in another, which says so by its small letter."""
    if not first.text[0].islower() or not _are_alike(last, first):
        return False
    if last.hyphen >= 0 or last.text.endswith("-"):
        return True
    return not ends_sentence(last.text) and not has_room(last, first, page)


def _may_go_on(last: Line, first: Line, page: PageLines) -> bool:
    """Whether a full line ends amid a sentence, and the other may go on with a name or a figure."""
    if not first.text[0].isalnum() or not _are_alike(last, first) or last.hyphen >= 0 or last.text.endswith("-"):
        return False
    return not ends_sentence(last.text) and not has_room(last, first, page, least=_LEAST_ALIKE)


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
    return right - last.box[2] > 1.25 * letter * (len(word) + 1) + 0.5 * last.size
