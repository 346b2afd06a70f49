"""Rows of a PDF page: pieces of lines that stand side by side."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pincite.adapters.parsers.pdf_lines import Line
from pincite.adapters.parsers.pdf_rules import Rules
from pincite.adapters.parsers.pdfium_shapes import Rect

_NUMBER = re.compile(r"[^\w]*(?:[A-Z]{0,3}[$€£¥]?\s?)?\d[\d.,'\s]*(?:[^\w]*|\s?[a-zA-Z%]{1,3}[^\w]*)|[-–—*.]")
_ALIGNED_POINTS = 3.0
_TOUCHING_EMS = 0.35


@dataclass(slots=True)
class Piece:
    """What stands together in a row: a part of a line, with raised or sunk parts that PDFium gives as lines of their own."""

    box: Rect
    lines: list[Line]

    @property
    def first(self) -> Line:
        """The first line."""
        return self.lines[0]

    @property
    def size(self) -> float:
        """The print size, that of the first line."""
        return self.lines[0].size

    @property
    def text(self) -> str:
        """The words, roughly."""
        return self.lines[0].text if len(self.lines) == 1 else " ".join(line.text for line in self.lines)


@dataclass(slots=True)
class VisualRow:
    """Pieces that stand side by side, sorted by place. `top` and `bottom` are those of the first piece found."""

    top: float
    bottom: float
    pieces: list[Piece] = field(default_factory=list[Piece])

    @property
    def middle(self) -> float:
        """The height of the row's middle."""
        return (self.top + self.bottom) / 2

    @property
    def size(self) -> float:
        """The print size of the row, that of its largest piece."""
        return max(piece.size for piece in self.pieces)

    @property
    def lines(self) -> list[Line]:
        """All lines of its pieces."""
        return [line for piece in self.pieces for line in piece.lines]


def visual_rows(lines: Iterable[Line]) -> list[VisualRow]:
    """Sort parts of lines into rows from top to bottom."""
    rows: list[VisualRow] = []
    for line in sorted(lines, key=lambda line: line.box[1] + line.box[3]):
        if rows and _is_in_row(rows[-1], line):
            rows[-1].pieces.append(Piece(line.box, [line]))
        else:
            rows.append(VisualRow(line.box[1], line.box[3], [Piece(line.box, [line])]))
    for row in rows:
        if len(row.pieces) > 1:
            row.pieces = _put_together(sorted(row.pieces, key=lambda piece: piece.box[0]))
    return rows


def _is_in_row(row: VisualRow, line: Line) -> bool:
    shared = min(row.bottom, line.box[3]) - max(row.top, line.box[1])
    return shared > 0.5 * min(row.bottom - row.top, line.box[3] - line.box[1])


def _put_together(pieces: Sequence[Piece]) -> list[Piece]:
    """Join neighbours that only their print sets apart: an index, an exponent and what follows it."""
    found: list[Piece] = []
    for piece in pieces:
        last = found[-1] if found else None
        if last and last.lines[-1].start >= 0 and piece.box[0] - last.box[2] < _TOUCHING_EMS * min(last.size, piece.size):
            last.lines += piece.lines
            last.box = (last.box[0], min(last.box[1], piece.box[1]), piece.box[2], max(last.box[3], piece.box[3]))
        else:
            found.append(piece)
    return found


def is_number(text: str) -> bool:
    """Whether a cell holds a number with its sign, currency or unit, or a dash that stands for none."""
    return bool(_NUMBER.fullmatch(text))


def is_aligned(piece: Piece, other: Piece) -> bool:
    """Whether two pieces are flush left, flush right or centred one under the other."""
    left, right = abs(piece.box[0] - other.box[0]), abs(piece.box[2] - other.box[2])
    centre = abs(piece.box[0] + piece.box[2] - other.box[0] - other.box[2]) / 2
    return min(left, right, centre) < _ALIGNED_POINTS


def bars_of(rows: Sequence[VisualRow], rules: Rules) -> list[float]:
    """Return the places of upright rules along at least half of the rows."""
    top, bottom = rows[0].top, rows[-1].bottom
    long = [rule for rule in rules.upright if min(rule.high, bottom) - max(rule.low, top) > 0.5 * (bottom - top)]
    return [rule.at for rule in long]


def row_box(row: VisualRow) -> Rect:
    """Return the box around a row."""
    boxes = [piece.box for piece in row.pieces]
    return (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))


def crosses(piece: Piece, bars: Sequence[float]) -> bool:
    """Whether a piece goes through an upright rule, as heads over several columns do."""
    return any(piece.box[0] + 2 < bar < piece.box[2] - 2 for bar in bars)
