"""The cells of a PDF table: its columns by what stands below what, its rows by rules, distances and where text runs on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pincite.adapters.parsers.pdf_lines import Gap, Line
from pincite.adapters.parsers.pdf_pieces import Piece, VisualRow, bars_of, crosses, is_aligned, is_number
from pincite.adapters.parsers.pdf_rules import Rules
from pincite.adapters.parsers.pdf_scripts import is_mostly_rtl

_HEAD_GAP_EMS = 0.45
_TIGHT_EMS = 1.4
_HEAD_EMS = 1.6
_NEXT_LINE_EMS = 1.6
_MOST_COLUMNS = 60


@dataclass(slots=True)
class Table:
    """Rows of cells; a cell is a list of lines or parts of lines in reading order. Each row has the same number of cells."""

    rows: list[list[list[Line]]]

    @property
    def lines(self) -> list[Line]:
        """All lines in order."""
        return [line for row in self.rows for cell in row for line in cell]


@dataclass(slots=True)
class _Column:
    left: float
    right: float
    count: int = 1


def table_of(rows: Sequence[VisualRow], rules: Rules) -> Table | None:
    """Return rows of pieces as a table, None when their cells stand in no columns."""
    columns = _columns(rows, rules)
    if not 2 <= len(columns) <= _MOST_COLUMNS:
        return None
    for row in rows:
        row.pieces = [part for piece in row.pieces for part in _cut_between(piece, columns)]
    laid = [_Laid(row, [_place(piece, columns) for piece in row.pieces]) for row in rows]
    groups = _logical_rows(laid, columns, rules)
    table = Table([_cells(group, len(columns)) for group in groups])
    pieces = [piece for row in rows for piece in row.pieces]
    if not pieces[0].first.mirrored and is_mostly_rtl(" ".join(piece.text for piece in pieces)):
        for row in table.rows:
            row.reverse()
    return table


def _columns(rows: Sequence[VisualRow], rules: Rules) -> list[_Column]:
    """Return the columns: what overlaps, from the narrowest pieces on; a piece over two columns widens neither."""
    bars = bars_of(rows, rules)
    columns: list[_Column] = []
    for piece in _narrow_first(rows):
        if crosses(piece, bars):
            continue
        met = [column for column in columns if _overlaps(column, piece)]
        if not met:
            columns.append(_Column(piece.box[0], piece.box[2]))
        elif len(met) == 1:
            met[0].left, met[0].right = min(met[0].left, piece.box[0]), max(met[0].right, piece.box[2])
            met[0].count += 1
    columns.sort(key=lambda column: column.left)
    return _without_orphans(columns, rows, bars)


def _narrow_first(rows: Sequence[VisualRow]) -> list[Piece]:
    """Return all pieces, those of well filled rows before the rest, which holds heads over several columns."""
    most = max(len(row.pieces) for row in rows)
    ranked = [(2 * len(row.pieces) < most, piece.box[2] - piece.box[0], piece) for row in rows for piece in row.pieces]
    return [piece for _, _, piece in sorted(ranked, key=lambda ranked: ranked[:2])]


def _overlaps(column: _Column, piece: Piece) -> bool:
    # Without min() and max(): large tables ask this hundreds of times a line.
    left, _, right, _ = piece.box
    shared = (right if right < column.right else column.right) - (left if left > column.left else column.left)
    least = 0.2 * (right - left)
    return shared > (least if least < 1.0 else 1.0)


def _without_orphans(columns: list[_Column], rows: Sequence[VisualRow], bars: Sequence[float]) -> list[_Column]:
    """Join neighbours that never stand in one row when they are one column.

    They are when something spans both (an indent), when no bar parts them where bars part columns, or when one is a head alone.
    """
    present = [[any(_overlaps(column, piece) for piece in row.pieces) for column in columns] for row in rows]
    at = 0
    while at + 1 < len(columns):
        left, right = columns[at], columns[at + 1]
        together = sum(row[at] and row[at + 1] for row in present)
        spanning = sum(_spans(row, left, right) for row in rows)
        if together > spanning or not _is_one(left, right, bars, is_spanned=spanning > 0, row_count=len(rows)):
            at += 1
            continue
        wider = _Column(left.left, right.right, left.count + right.count)
        columns[at : at + 2] = [wider if spanning or bars else max(left, right, key=lambda column: column.count)]
        for row in present:
            row[at : at + 2] = [row[at] or row[at + 1]]
    return columns


def _is_one(left: _Column, right: _Column, bars: Sequence[float], *, is_spanned: bool, row_count: int) -> bool:
    if is_spanned:
        return True
    if any(left.right - 2 <= bar <= right.left + 2 for bar in bars):
        return False
    return bool(bars) or (min(left.count, right.count) <= max(1, row_count // 10) and max(left.count, right.count) > 2)


def _spans(row: VisualRow, left: _Column, right: _Column) -> bool:
    return any(_overlaps(left, piece) and _overlaps(right, piece) for piece in row.pieces)


def _cut_between(piece: Piece, columns: Sequence[_Column]) -> list[Piece]:
    """Cut a piece over several columns at gaps that lie where one column ends and the next begins."""
    first, last = _place(piece, columns)
    if first == last or len(piece.lines) > 1 or not piece.first.words:
        return [piece]
    line = piece.first
    borders = [(before.right, after.left) for before, after in pairwise(columns[first : last + 1])]
    cuts = [gap.position for gap in line.gaps if _is_between(gap, borders, size=line.size)]
    parts = [Piece(part.box, [part]) for part in line.parts(cuts)]
    return parts if len({_place(part, columns)[0] for part in parts}) == len(parts) else [piece]


def _stands_in(column: _Column, piece: Piece) -> bool:
    """Whether a good part of a piece or of a column is where the other is."""
    shared = min(column.right, piece.box[2]) - max(column.left, piece.box[0])
    return shared > 0.3 * min(column.right - column.left, piece.box[2] - piece.box[0])


def _is_between(gap: Gap, borders: Sequence[tuple[float, float]], *, size: float) -> bool:
    if gap.right - gap.left < _HEAD_GAP_EMS * size:
        return False
    return any(gap.left < after + size and gap.right > before - size for before, after in borders)


def _place(piece: Piece, columns: Sequence[_Column]) -> tuple[int, int]:
    """Return the first and the last column that a piece stands in."""
    met = [number for number, column in enumerate(columns) if _overlaps(column, piece)]
    if len(met) > 1:
        met = [number for number in met if _stands_in(columns[number], piece)] or met
    if met:
        return (met[0], met[-1])
    nearest = min(range(len(columns)), key=lambda n: max(columns[n].left - piece.box[2], piece.box[0] - columns[n].right))
    return (nearest, nearest)


@dataclass(slots=True)
class _Laid:
    """A visual row with the columns that each piece stands in."""

    row: VisualRow
    places: list[tuple[int, int]]

    def in_column(self, number: int) -> list[Piece]:
        return [piece for piece, (first, _) in zip(self.row.pieces, self.places, strict=True) if first == number]


def _cells(group: Sequence[_Laid], width: int) -> list[list[Line]]:
    cells: list[list[Line]] = [[] for _ in range(width)]
    for laid in group:
        for piece, (first, _) in zip(laid.row.pieces, laid.places, strict=True):
            cells[first] += piece.lines
    return cells


def _logical_rows(laid: Sequence[_Laid], columns: Sequence[_Column], rules: Rules) -> Iterator[list[_Laid]]:
    """Join visual rows to rows of the table: the lines of a cell belong together."""
    joints = _Joints(laid, columns, rules)
    group: list[_Laid] = []
    for number, following in enumerate(laid):
        if group and not joints.join(group, number):
            yield group
            group = []
        group.append(following)
    if group:
        yield group


class _Joints:
    """Says which visual rows of one table are lines of the same cells."""

    def __init__(self, laid: Sequence[_Laid], columns: Sequence[_Column], rules: Rules) -> None:
        self._laid = laid
        self._columns = columns
        self._parted = [_is_parted(before, after, rules) for before, after in pairwise(laid)]
        self._head = _head_rows(laid, self._parted)
        self._close = _close_pitch(laid)
        self._is_ruled = sum(self._parted) >= max(1, 0.2 * len(self._parted)) and len(rules.upright) > 1
        bars = bars_of([one.row for one in laid], rules)
        self._is_grid = (
            self._is_ruled and len([bar for bar in bars if columns[0].left < bar < columns[-1].right]) >= len(columns) - 1
        )
        self._limits = _limits(columns, bars, size=laid[0].row.size)
        self._running = self._running_intervals()

    def join(self, group: Sequence[_Laid], number: int) -> bool:
        """Whether visual row `number` goes on with the row that `group` holds so far."""
        following = self._laid[number]
        if self._parted[number - 1] or _numbers_meet(group, following):
            return False
        pitch = following.row.middle - group[-1].row.middle
        if number <= max(self._head, 2) and _is_under_span(group[-1], following):
            return False
        if number < self._head and pitch < _HEAD_EMS * following.row.size:
            return True
        is_close = self._is_ruled or pitch <= self._close
        is_inner = len(following.row.pieces) == 1 and following.places[0][0] > 0
        return (is_close and (is_inner or number in self._running)) or _continues(group, following, pitch)

    def _running_intervals(self) -> set[int]:
        """Return the rows between two rules or wider gaps in which most lines are full, so that the text of the cells runs on."""
        found: set[int] = set()
        start = 0
        for end in range(1, len(self._laid) + 1):
            if end < len(self._laid) and not self._is_border(end):
                continue
            full = [self._is_full(self._laid[n - 1], self._laid[n]) for n in range(start + 1, end)]
            is_centred = self._is_grid and not self._laid[start].in_column(0)
            if is_centred or sum(full) >= max(0.6 * len(full), 1):
                found.update(range(start + 1, end))
            start = end
        return found

    def _is_border(self, number: int) -> bool:
        pitch = self._laid[number].row.middle - self._laid[number - 1].row.middle
        return self._parted[number - 1] or (not self._is_ruled and 0 < self._close < pitch)

    def _is_full(self, above: _Laid, below: _Laid) -> bool:
        """Whether in most columns the first word of the lower row would have had no room in the upper one."""
        full = parted = 0
        for piece, (first, _) in zip(below.row.pieces, below.places, strict=True):
            over = above.in_column(first)
            width = (piece.box[2] - piece.box[0]) / len(piece.text) * (len(piece.text.partition(" ")[0]) + 1)
            if over and over[-1].box[2] + width > self._limits[first]:
                full += 1
            elif over:
                parted += 1
        return full >= max(parted, 1)


def _limits(columns: Sequence[_Column], bars: Sequence[float], *, size: float) -> list[float]:
    """Return how far to the right the text of each column may go: to a bar, else to the next column."""
    nexts = [*(column.left - size for column in columns[1:]), columns[-1].right]
    return [
        min((bar - 1 for bar in bars if column.right - 2 <= bar <= after + 2 * size), default=after)
        for column, after in zip(columns, nexts, strict=True)
    ]


def _is_parted(above: _Laid, below: _Laid, rules: Rules) -> bool:
    """Whether a level rule stands between two rows, over a piece of the lower one."""
    between = [rule for rule in rules.level if above.row.middle < rule.at < below.row.middle]
    return any(
        rule.low <= (piece.box[0] + piece.box[2]) / 2 <= rule.high and rule.at <= piece.box[3] - 0.3 * piece.size
        for rule in between
        for piece in below.row.pieces
    )


def _close_pitch(laid: Sequence[_Laid]) -> float:
    """Return the distance of lines within a cell where it is clearly less than that of rows, else 0."""
    pitches = sorted(after.row.middle - before.row.middle for before, after in pairwise(laid))
    if len(pitches) < 2:
        return 0.0
    size = median(row.row.size for row in laid)
    wider = [(after - before, before) for before, after in pairwise(pitches) if before < _TIGHT_EMS * size and after > 1.2 * before]
    return max(wider, default=(0.0, 0.0))[1] + 0.05 * size if wider else 0.0


def _head_rows(laid: Sequence[_Laid], parted: Sequence[bool]) -> int:
    """Return how many visual rows head the table: those over the first rule, or those in bold when the rest isn't."""
    ruled = next((number for number, is_parted in enumerate(parted[:4], start=1) if is_parted), 0)
    if ruled:
        return ruled
    bold = [all(line.bold for line in row.row.lines) for row in laid]
    count = next((number for number, is_bold in enumerate(bold) if not is_bold), 0)
    return count if count <= 4 else 0


def _is_under_span(above: _Laid, below: _Laid) -> bool:
    """Whether several pieces of the lower row share one piece above them: a head over heads."""
    for piece in above.row.pieces:
        under = sum(min(other.box[2], piece.box[2]) > max(other.box[0], piece.box[0]) for other in below.row.pieces)
        if under > 1:
            return True
    return False


def _numbers_meet(group: Sequence[_Laid], following: _Laid) -> bool:
    """Whether a number would come to stand under a number in one cell: numbers don't go on in the next line."""
    for piece, (first, _) in zip(following.row.pieces, following.places, strict=True):
        if is_number(piece.text) and any(is_number(above.text) for laid in group for above in laid.in_column(first)):
            return True
    return False


def _continues(group: Sequence[_Laid], following: _Laid, pitch: float) -> bool:
    """Whether a row is the next line of one cell: words alone in a column other than the first, close under words."""
    size = max(following.row.size, group[-1].row.size)
    if len(following.row.pieces) != 1 or following.places[0][0] == 0 or pitch > _NEXT_LINE_EMS * size:
        return False
    piece = following.row.pieces[0]
    above = group[-1].in_column(following.places[0][0])
    if not above or is_number(piece.text) or is_number(above[-1].text):
        return False
    return any(character.isalpha() for character in piece.text) and is_aligned(piece, above[-1])
