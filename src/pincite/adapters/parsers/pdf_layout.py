"""The layout of a PDF page: its lines in reading order, with the tables among them."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median

from pincite.adapters.parsers.pdf_cells import Table, table_of
from pincite.adapters.parsers.pdf_columns import regions
from pincite.adapters.parsers.pdf_grids import holds
from pincite.adapters.parsers.pdf_lines import Line, is_beside
from pincite.adapters.parsers.pdf_pieces import VisualRow, row_box, visual_rows
from pincite.adapters.parsers.pdf_rules import NO_RULES, Rules
from pincite.adapters.parsers.pdf_scripts import has_no_blanks
from pincite.adapters.parsers.pdf_tables import goes_on_in_cell, is_row_wise, is_ruled_table, is_tabular, joins_run
from pincite.adapters.parsers.pdf_words import may_hold_tables
from pincite.adapters.parsers.pdfium_shapes import Rect

_MOST_LINES = 3000
_MOST_UNITS = 800
_DISORDER_EMS = 2.2
_LEAST_LETTERS = 12
_STAND_IN = "\ufffc"


@dataclass(slots=True)
class _Unit:
    """What is read as one: lines side by side, or a table. `number` is its place in the file's order."""

    number: int
    box: Rect
    size: float
    lines: list[Line] = field(default_factory=list[Line])
    table: Table | None = None


def arrange(lines: Sequence[Line], rules: Rules = NO_RULES) -> list[list[Line] | Table]:
    """Return the lines of one page in reading order, cut where tables stand.

    PDFium's order, which is that of the file, stays wherever it goes downwards; a page without tables and disorder is
    given back as it is.
    """
    if not lines:
        return []
    if len(lines) > _MOST_LINES:
        return [list(lines)]
    if rules.boxes or may_hold_tables(lines) or _is_disordered(_groups(_units(lines))):
        return _Arrangement(lines, rules).ordered()
    return [list(lines)]


class _Arrangement:
    """One page at work."""

    def __init__(self, lines: Sequence[Line], rules: Rules) -> None:
        self._rules = rules
        self._numbers = {line.start: number for number, line in enumerate(lines)}
        self._starts = sorted(self._numbers)
        self._whole = {line.start: line for line in lines}
        self._sideways = [line for line in lines if _is_sideways(line)]
        upright = [line for line in lines if not _is_sideways(line)]
        self._parts = {line.start: line.parts(_cuts(line, rules)) for line in upright}
        self._pieces = [part for line in upright for part in self._parts[line.start]]
        self._origin = {part.start: line.start for line in upright for part in self._parts[line.start]}
        self._tables: dict[int, Table] = {}

    def ordered(self) -> list[list[Line] | Table]:
        rest = self._take_ruled(self._pieces)
        units = [unit for region in regions(rest) for unit in self._in_region(region)]
        found: list[list[Line] | Table] = []
        for unit in units:
            if unit.table:
                found.append(unit.table)
            elif found and isinstance(found[-1], list):
                found[-1] += unit.lines
            else:
                found.append(list(unit.lines))
        return [*found, self._sideways] if self._sideways else found

    def _take_ruled(self, pieces: Sequence[Line]) -> list[Line]:
        """Replace what stands in a ruled table by one stand-in of the table's size."""
        rest = list(pieces)
        for box in self._rules.boxes:
            rows = self._rows_of(box, rest)
            table = table_of(rows, self._rules) if is_ruled_table(rows, self._rules) else None
            if table is None:
                continue
            taken = {piece.start for row in rows for piece in row.lines}
            rest = [piece for piece in rest if piece.start not in taken]
            around = _around([box, *(row_box(row) for row in rows)])
            stand_in = Line(rows[0].lines[0].page, -1 - len(self._tables), _STAND_IN, around, rows[0].size, 0.0, 0.0, bold=False)
            self._tables[stand_in.start] = table
            rest.append(stand_in)
        return rest

    def _rows_of(self, box: Rect, pieces: Sequence[Line]) -> list[VisualRow]:
        """Return the rows in a box of rules, with a head over it and rows under it that rules don't frame."""
        inside = [piece for piece in pieces if holds(box, piece.box)]
        rows = _without_titles(visual_rows(_of_one_print(inside)), _width(box))
        if len(rows) < 2:
            return rows
        taken = {piece.start for piece in inside}
        within = [piece for piece in pieces if piece.start in taken or _is_over(piece, box)]
        over: list[VisualRow] = []
        under: list[VisualRow] = []
        for run in _runs(visual_rows(within)):
            middles = [row.middle for row in run]
            if not is_tabular(run):
                continue
            if middles[0] < rows[0].middle <= middles[-1] + 1:
                over = [row for row in run if row.bottom <= box[1] + 1]
            if middles[0] - 1 <= rows[-1].middle < middles[-1]:
                under = [row for row in run if row.top >= box[3] - 1]
        return [*over, *rows, *under]

    def _in_region(self, region: Sequence[Line]) -> list[_Unit]:
        units: list[_Unit] = []
        loose: list[Line] = []
        for rows in _runs(visual_rows(region)):
            is_table = len(rows) > 1 and is_tabular(rows) and is_row_wise(rows, self._number)
            table = table_of(rows, self._rules) if is_table else None
            if table:
                units.append(self._table_unit(table))
            else:
                loose += [line for row in rows for line in row.lines]
        units += self._loose_units(loose)
        units.sort(key=lambda unit: unit.number)
        groups = _groups(units)
        return _reordered(groups) if _is_disordered(groups) else units

    def _number(self, piece: Line) -> int:
        """Return the place of a line in the file's order, also of a part of it; that of a table is its first line's."""
        if piece.start < 0:
            return min(map(self._number, self._tables[piece.start].lines))
        return self._numbers[self._starts[bisect_right(self._starts, piece.start) - 1]]

    def _table_unit(self, table: Table) -> _Unit:
        pieces = table.lines
        box = _around([piece.box for piece in pieces])
        return _Unit(min(map(self._number, pieces)), box, max(piece.size for piece in pieces), table=table)

    def _loose_units(self, pieces: Sequence[Line]) -> list[_Unit]:
        """Put parts of lines together again, and lines side by side to units."""
        there = {piece.start for piece in pieces}
        lines: list[Line] = []
        units = [self._table_unit(self._tables[piece.start]) for piece in pieces if piece.start < 0]
        for piece in pieces:
            if piece.start < 0:
                continue
            whole = self._whole[self._origin[piece.start]]
            if not all(part.start in there for part in self._parts[whole.start]):
                lines.append(piece)
            elif piece.start == whole.start:
                lines.append(whole)
        lines.sort(key=lambda line: line.start)
        return units + _units(lines, [self._number(line) for line in lines])


def _units(lines: Sequence[Line], numbers: Sequence[int] | None = None) -> list[_Unit]:
    units: list[_Unit] = []
    for at, line in enumerate(lines):
        if units and _goes_on(units[-1].lines[-1], line):
            units[-1].lines.append(line)
            units[-1].box = _around([units[-1].box, line.box])
        else:
            units.append(_Unit(numbers[at] if numbers else at, line.box, line.size, [line]))
    return units


def _goes_on(line: Line, other: Line) -> bool:
    """Whether a line continues a row, also as a raised or sunk part of it."""
    if is_beside(line, other):
        return True
    touches = -0.3 * line.size <= other.box[0] - line.box[2] < line.size
    return touches and min(line.box[3], other.box[3]) > max(line.box[1], other.box[1])


@dataclass(slots=True)
class _Group:
    """Units that follow each other downwards in the file."""

    units: list[_Unit]
    box: Rect

    @property
    def is_wordy(self) -> bool:
        """Whether it is more than the part of a formula or the mark of a chart, which go up and down."""
        return (
            any(unit.table for unit in self.units) or sum(len(line.text) for u in self.units for line in u.lines) >= _LEAST_LETTERS
        )

    @property
    def size(self) -> float:
        return max(unit.size for unit in self.units)


def _groups(units: Sequence[_Unit]) -> list[_Group]:
    groups: list[_Group] = []
    for unit in units:
        last = groups[-1] if groups else None
        if last and unit.box[1] >= last.box[3] - 0.8 * max(unit.size, last.units[-1].size) and _share(last.box, unit.box):
            last.units.append(unit)
            last.box = _around([last.box, unit.box])
        else:
            groups.append(_Group([unit], unit.box))
    return groups


def _is_disordered(groups: Sequence[_Group]) -> bool:
    """Whether some words are read after what stands under them."""
    wordy = [group for group in groups if group.is_wordy]
    return any(
        other.box[3] - group.units[0].box[1] > _DISORDER_EMS * max(group.units[0].size, other.size) and _share(other.box, group.box)
        for number, group in enumerate(wordy)
        for other in wordy[:number]
    )


def _share(box: Rect, other: Rect) -> bool:
    """Whether two boxes stand over each other in good part."""
    # Without min() and max(): a page in disorder asks this of all pairs of its units.
    left, _, right, _ = box
    other_left, _, other_right, _ = other
    shared = (right if right < other_right else other_right) - (left if left > other_left else other_left)
    width, other_width = right - left, other_right - other_left
    return shared > 0.3 * (width if width < other_width else other_width)


def _reordered(groups: Sequence[_Group]) -> list[_Unit]:
    """Put each group before the first unit that stands under it; what stands beside others stays where the file has it.

    A group that others stand among, such as all that is printed bold, goes unit by unit.
    """
    if sum(len(group.units) for group in groups) > _MOST_UNITS:
        units = [unit for group in groups for unit in group.units]
        return sorted(units, key=lambda unit: (unit.box[1], unit.box[0]))
    found: list[_Unit] = []
    for group in groups:
        at = _place_for(group.units[0], found)
        following = next((unit for unit in found[at:] if _share(unit.box, group.box)), None)
        if following is None or following.box[1] >= group.box[3] - 0.8 * group.size:
            found[at:at] = group.units
            continue
        for unit in group.units:
            found.insert(_place_for(unit, found), unit)
    return found


def _place_for(unit: _Unit, found: Sequence[_Unit]) -> int:
    return next((number for number, other in enumerate(found) if _is_under(other, unit)), len(found))


def _is_under(unit: _Unit, other: _Unit) -> bool:
    """Whether a unit stands under another, or right of it in the same row."""
    middle, other_middle = (unit.box[1] + unit.box[3]) / 2, (other.box[1] + other.box[3]) / 2
    return _share(unit.box, other.box) and middle > other_middle + 0.4 * min(unit.size, other.size)


def _runs(rows: Sequence[VisualRow]) -> Iterator[list[VisualRow]]:
    """Cut rows into runs that may be tables and single rows that can't be part of one."""
    run: list[VisualRow] = []
    for number, row in enumerate(rows):
        following = rows[number + 1] if number + 1 < len(rows) else None
        if run and not joins_run(run, row, following):
            yield from _trimmed(run)
            run = []
        run.append(row)
    if run:
        yield from _trimmed(run)


def _trimmed(run: Sequence[VisualRow]) -> Iterator[list[VisualRow]]:
    """Give back single pieces at the ends of a run, but for the last lines of a cell."""
    full = [number for number, row in enumerate(run) if len(row.pieces) > 1]
    if len(full) < 2:
        yield from ([row] for row in run)
        return
    end = full[-1] + 1
    while end < len(run) and goes_on_in_cell(run[end - 1], run[end]):
        end += 1
    yield from ([row] for row in run[: full[0]])
    yield list(run[full[0] : end])
    yield from ([row] for row in run[end:])


def _of_one_print(pieces: Sequence[Line]) -> list[Line]:
    """Leave out what is printed much larger than the rest: a title inside the frame."""
    usual = median(piece.size for piece in pieces) if pieces else 0.0
    return [piece for piece in pieces if piece.size <= 1.3 * usual]


def _without_titles(rows: Sequence[VisualRow], width: float) -> list[VisualRow]:
    """Return the rows of a ruled table without a title over them or notes under them inside its frame."""
    first = next((number for number, row in enumerate(rows) if len(row.pieces) > 1), 0)
    last = len(rows)
    while last > first and len(rows[last - 1].pieces) == 1 and _width(rows[last - 1].pieces[0].box) > 0.5 * width:
        last -= 1
    return list(rows[first:last])


def _width(box: Rect) -> float:
    return box[2] - box[0]


def _cuts(line: Line, rules: Rules) -> Sequence[int]:
    """Return where a line is cut: at wide gaps, and in a box of rules at gaps that an upright rule goes through."""
    wide = line.cells
    if not line.words or not any(holds(box, line.box) for box in rules.boxes):
        return wide
    middle = (line.box[1] + line.box[3]) / 2
    bars = [rule.at for rule in rules.upright if rule.low <= middle <= rule.high]
    ruled = [gap.position for gap in line.gaps if any(gap.left - 1 <= bar <= gap.right + 1 for bar in bars)]
    return sorted({*wide, *ruled})


def _is_over(piece: Line, box: Rect) -> bool:
    """Whether a piece stands over or under a box, within its sides."""
    is_apart = piece.box[3] <= box[1] + 1 or piece.box[1] >= box[3] - 1
    return is_apart and piece.box[0] >= box[0] - piece.size and piece.box[2] <= box[2] + piece.size


def _is_sideways(line: Line) -> bool:
    is_long = len(line.text) > 3 or (len(line.text) > 1 and has_no_blanks(line.text[0]))
    return is_long and line.box[3] - line.box[1] > 2 * (line.box[2] - line.box[0])


def _around(boxes: Sequence[Rect]) -> Rect:
    return (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
