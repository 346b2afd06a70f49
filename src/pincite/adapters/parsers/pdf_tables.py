"""Which rows of a PDF page are a table, with rules or without, and what only looks like one."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

from pincite.adapters.parsers.pdf_lines import Line
from pincite.adapters.parsers.pdf_pieces import Piece, VisualRow, bars_of, crosses, is_aligned, is_number
from pincite.adapters.parsers.pdf_rules import Rules

_MARKER = re.compile(
    r"[•‣◦▪●○■□–—*·\uf0b7-]|\(?(?:\d{1,3}|[a-z]|[ivxlc]{1,6})[.)]|\[\d{1,3}\]|\d{1,3}(?:\.\d{1,3})*\.?|§+\s?[\d.]+", re.I
)
_MATHS = re.compile("[∀-∃∈-∑∘√∞∧-∳≅≡⊂-⊊⊕⊗→⇒⇔↦∂\uf8e6-\uf8ff\ue000-\uf0a6]|\\{z|[({\\[„=·]$|^[)}\\]«=·]|:=")
_NUMBERED = re.compile(r"(?:\d{1,3}|[A-Z]|[IVX]{1,5})(?:\.\d{1,3})*\.?\s+\S*[^\W\d]{2}")
_PAGE_LABEL = re.compile(r"\d{1,4}|[ivxlc]{1,8}", re.IGNORECASE)
_LEADERS = re.compile(r"(?:\.\s?){5,}")
_ALIGNED_POINTS = 3.0
_NEXT_LINE_EMS = 1.6
_APART_EMS = 3.0
_LONG_PROSE = 45
_LEAST_SHARE = 0.6
_NEAR_LINES = 4


def joins_run(run: Sequence[VisualRow], row: VisualRow, following: VisualRow | None) -> bool:
    """Whether a row may belong to the table that the rows before it may be."""
    last, full = run[-1], next((above for above in reversed(run) if len(above.pieces) > 1), None)
    if any(line.start < 0 or line.level for line in (*row.lines, *last.lines)) or row.top - last.bottom > _APART_EMS * row.size:
        return False
    if len(row.pieces) > 1:
        return len(last.pieces) == 1 or full is None or _have_column(full, row)
    if full is None:
        return False
    piece = row.pieces[0]
    pitch = row.middle - last.middle
    if piece.box[0] > full.pieces[0].box[0] + 2 * piece.size:
        return pitch < 2 * piece.size and _fits_under(piece, full)
    return _is_label(piece, full, pitch) and following is not None and len(following.pieces) > 1 and _have_column(full, following)


def _fits_under(piece: Piece, row: VisualRow) -> bool:
    """Whether a piece stands under one piece of a row without reaching under the next."""
    ends = [*(other.box[0] for other in row.pieces[1:]), 1e9]
    return any(
        other.box[0] - piece.size <= piece.box[0] and piece.box[2] <= end and (is_aligned(piece, other) or end < 1e9)
        for other, end in zip(row.pieces, ends, strict=True)
    )


def _is_label(piece: Piece, full: VisualRow, pitch: float) -> bool:
    """Whether a piece alone in its row may name the rows after it, or go on with the first cell above it."""
    is_alike = piece.size <= 1.1 * full.size and (not piece.first.bold or full.pieces[0].first.bold)
    ends = piece.box[2] <= full.pieces[1].box[0] + piece.size
    return is_alike and ends and pitch < 2 * piece.size and not _MARKER.match(piece.text)


def _have_column(row: VisualRow, other: VisualRow) -> bool:
    """Whether a gap between pieces of one row meets one of the other, so that a column may end there in both."""
    return any(
        min(right.box[0], after.box[0]) - max(left.box[2], before.box[2]) > 0
        for left, right in pairwise(row.pieces)
        for before, after in pairwise(other.pieces)
    )


def goes_on_in_cell(above: VisualRow, below: VisualRow) -> bool:
    """Whether a row of one piece is the next line of a cell over it that isn't in the first column."""
    if len(below.pieces) != 1 or below.middle - above.middle > _NEXT_LINE_EMS * max(above.size, below.size):
        return False
    piece = below.pieces[0]
    over = next((other for other in above.pieces[1:] if is_aligned(piece, other)), None)
    return over is not None and not is_number(piece.text) and not is_number(over.text)


def is_row_wise(rows: Sequence[VisualRow], number: Callable[[Line], int]) -> bool:
    """Whether the file goes from cell to cell of a row, or down a cell and on to the next: side by side alone is no table."""
    pairs = [(left, right) for row in rows for left, right in pairwise(row.pieces)]
    if max(len(row.pieces) for row in rows) == 2 and max(number(left.first) for left, _ in pairs) < min(
        number(right.first) for _, right in pairs
    ):
        return False
    near = sum(abs(number(left.lines[-1]) - number(right.first)) <= _NEAR_LINES for left, right in pairs)
    return 2 * near >= len(pairs)


def is_ruled_table(rows: Sequence[VisualRow], rules: Rules) -> bool:
    """Whether rows of pieces within rules are a table, not prose in a frame."""
    full = [row for row in rows if len(row.pieces) > 1]
    if len(full) < 2 or 3 * len(full) < len(rows) or _is_formula(full):
        return False
    bars = bars_of(rows, rules)
    pieces = [piece for row in rows for piece in row.pieces]
    if bars and 3 * sum(crosses(piece, bars) for piece in pieces) < len(pieces):
        return True
    return _aligned_share(full) >= _LEAST_SHARE


def is_tabular(rows: Sequence[VisualRow]) -> bool:
    """Whether rows of pieces without rules are a table, not a list, verse or a formula."""
    full = [row for row in rows if len(row.pieces) > 1]
    most = max((len(row.pieces) for row in full), default=0)
    if len(full) < 2 or (most < 3 and len(full) < 3) or _is_formula(full):
        return False
    if most == 2 and (_is_list(full) or _is_contents(full) or median(len(row.pieces[1].text) for row in full) > _LONG_PROSE):
        return False
    return 2 * len(full) >= len(rows) and _level_share(full) >= _LEAST_SHARE and _aligned_share(full) >= _LEAST_SHARE


def _is_list(rows: Sequence[VisualRow]) -> bool:
    """Whether rows of two pieces are items behind their bullets or numbers."""
    marked = sum(bool(_MARKER.fullmatch(row.pieces[0].text)) for row in rows)
    return marked > 0.6 * len(rows) and sum(is_number(row.pieces[1].text) for row in rows) < 0.5 * len(rows)


def _is_contents(rows: Sequence[VisualRow]) -> bool:
    """Whether rows of two pieces are numbered titles with their pages."""
    numbered = sum(bool(_NUMBERED.match(row.pieces[0].text)) for row in rows)
    return numbered > 0.6 * len(rows) and all(_PAGE_LABEL.fullmatch(row.pieces[1].text) for row in rows)


def _is_formula(rows: Sequence[VisualRow]) -> bool:
    """Whether many pieces have signs of mathematics, are a letter or two, or lead to a page number with dots."""
    texts = [piece.text for row in rows for piece in row.pieces]
    is_pair = all(len(row.pieces) == 2 for row in rows)
    maths = sum(bool(_MATHS.search(text) or (is_pair and _LEADERS.search(text))) for text in texts)
    letters = sum(len(text) < 3 and not any(character.isdigit() for character in text) for text in texts)
    return maths > 0.12 * len(texts) or letters > 0.5 * len(texts)


def _level_share(rows: Sequence[VisualRow]) -> float:
    """Return the share of pieces with the base line of their row, which the parts of a formula don't share."""
    off = total = 0
    for row in rows:
        base = median(piece.first.box[3] for piece in row.pieces)
        total += len(row.pieces)
        off += sum(abs(piece.first.box[3] - base) > 0.2 * row.size for piece in row.pieces)
        off += sum(len(piece.lines) > 2 for piece in row.pieces)
    return 1 - off / total


def _aligned_share(rows: Sequence[VisualRow]) -> float:
    """Return the share of pieces, the first of each row aside, that stand flush or centred with one of another row."""
    found = total = 0
    for number, row in enumerate(rows):
        near = [piece for other in (*rows[max(0, number - 3) : number], *rows[number + 1 : number + 4]) for piece in other.pieces]
        for piece in row.pieces[1:]:
            total += 1
            found += any(is_aligned(piece, other) for other in near if piece is not row.pieces[-1] or _heads_alike(piece, other))
    return found / total if total else 0.0


def _heads_alike(piece: Piece, other: Piece) -> bool:
    """Whether the last piece of a row stands in a column: words that share the right margin alone are justified prose."""
    shifted = min(abs(piece.box[0] - other.box[0]), abs(sum(piece.box[::2]) - sum(other.box[::2])) / 2)
    return shifted < _ALIGNED_POINTS or (is_number(piece.text) and is_number(other.text))
