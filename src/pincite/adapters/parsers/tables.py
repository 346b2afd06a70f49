"""Tables as rows of cells laid out in columns."""

from collections.abc import Iterable
from dataclasses import dataclass, field

_MAX_COLUMNS = 200
_MAX_REPEATED_CHARS = 200

# A text, its index in the source, and how many characters it stands for there. With the index `GLUE` it is a blank or line feed
# that collapses with its neighbours; with `MADE` it is text that the file doesn't hold as such, such as the number of an item.
Piece = tuple[str, int, int]
GLUE = -1
MADE = -2
BLANK: Piece = (" ", GLUE, 0)
LINE_FEED: Piece = ("\n", GLUE, 0)


@dataclass(slots=True)
class Cell:
    """A cell's leaves; each leaf is a list of pieces."""

    is_header: bool = False
    rows: int = 1
    columns: int = 1
    leaves: list[list[Piece]] = field(default_factory=list[list[Piece]])

    def pieces(self) -> list[Piece]:
        """Return all pieces in one line."""
        joined: list[Piece] = []
        for leaf in self.leaves:
            joined += [BLANK, *leaf] if joined else leaf
        return joined

    @property
    def size_chars(self) -> int:
        """Characters in the cell."""
        return sum(len(text) for leaf in self.leaves for text, _, _ in leaf)


def span(value: str) -> int:
    """Return a span attribute as a number from 1."""
    digits = value.strip()
    return max(1, min(int(digits), 10_000)) if digits.isdecimal() and len(digits) < 8 else 1


def grid_rows(rows: Iterable[list[Cell]]) -> list[list[list[Piece]]]:
    """Lay cells out in columns. A cell over several rows is repeated in each, so that a row can be read alone.

    A row that holds nothing of its own takes its place in the grid and is left out of the result.
    """
    laid: list[list[list[Piece]]] = []
    pending: dict[int, tuple[int, list[Piece]]] = {}
    for row in rows:
        line: list[list[Piece]] = []
        for cell in row:
            _take_pending(line, pending)
            _place(line, cell, pending)
        _take_pending(line, pending)
        if any(cell.leaves for cell in row):
            laid.append(line)
    return laid


def _take_pending(line: list[list[Piece]], pending: dict[int, tuple[int, list[Piece]]]) -> None:
    while len(line) in pending:
        left, pieces = pending.pop(len(line))
        if left > 1:
            pending[len(line)] = (left - 1, pieces)
        line.append(pieces)


def _place(line: list[list[Piece]], cell: Cell, pending: dict[int, tuple[int, list[Piece]]]) -> None:
    pieces = cell.pieces()
    repeated = pieces if cell.size_chars <= _MAX_REPEATED_CHARS else []
    for number in range(cell.columns):
        if len(line) >= _MAX_COLUMNS:
            return
        if cell.rows > 1:
            pending[len(line)] = (cell.rows - 1, [] if number else repeated)
        line.append([] if number else pieces)
