"""Columns of text on a PDF page: which lines are read after which when columns, or what spans them, stand side by side."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pincite.adapters.parsers.pdf_lines import Line
from pincite.adapters.parsers.pdf_pieces import is_number
from pincite.adapters.parsers.pdf_scripts import is_mostly_rtl
from pincite.adapters.parsers.pdfium_shapes import Rect

_MOST_DEPTH = 5
_MOST_CANDIDATES = 4
_LEAST_LINES = 3
_LEAST_LETTERS = 14
_WORDY = 12
_EDGE_POINTS = 3
_LEAST_GUTTER_POINTS = 5.0
_LOWER_SHARE = 0.25
_FILLED_SHARE = 0.8
_MOST_CROSSING = 0.6
_FEW_SHARE = 0.15


def regions(lines: Sequence[Line]) -> list[list[Line]]:
    """Cut lines into regions in reading order: columns of prose one after the other, what spans them between."""
    return [[line for part in region for line in part.lines] for region in _regions(_parts(lines), depth=0)]


@dataclass(slots=True)
class _Part:
    """Lines that touch in a row, such as a word and its raised mark."""

    lines: list[Line]
    box: Rect

    @property
    def text(self) -> str:
        return self.lines[0].text if len(self.lines) == 1 else " ".join(line.text for line in self.lines)


def _parts(lines: Sequence[Line]) -> list[_Part]:
    parts: list[_Part] = []
    for line in sorted(lines, key=lambda line: line.start):
        last = parts[-1] if parts else None
        if last and line.start >= 0 and _touches(last.lines[-1], line):
            last.lines.append(line)
            x0, y0, x1, y1 = last.box
            last.box = (min(x0, line.box[0]), min(y0, line.box[1]), max(x1, line.box[2]), max(y1, line.box[3]))
        else:
            parts.append(_Part([line], line.box))
    return parts


def _touches(line: Line, other: Line) -> bool:
    gap = other.box[0] - line.box[2]
    return -0.3 * line.size <= gap < line.size and min(line.box[3], other.box[3]) > max(line.box[1], other.box[1])


def _regions(parts: Sequence[_Part], *, depth: int) -> list[list[_Part]]:
    gutter = _gutter(parts) if depth < _MOST_DEPTH and len(parts) >= 2 * _LEAST_LINES else None
    if gutter is None:
        return [list(parts)]
    is_rtl = not parts[0].lines[0].mirrored and is_mostly_rtl(" ".join(part.text for part in parts))
    found: list[list[_Part]] = []
    for band in _bands(parts, gutter):
        if band.across:
            found.append(band.across)
        elif not band.left or not band.right or _is_grid(band):
            found += _regions([*band.left, *band.right], depth=depth + 1)
        else:
            for side in (band.right, band.left) if is_rtl else (band.left, band.right):
                found += _regions(side, depth=depth + 1)
    return found


@dataclass(slots=True)
class _Band:
    """Parts between two heights: those left and right of a gutter, or those that span it."""

    left: list[_Part]
    right: list[_Part]
    across: list[_Part]


def _gutter(parts: Sequence[_Part]) -> float | None:
    """Return the left edge of a column of prose that has another to its left, None without one."""
    wordy = [part for part in parts if len(part.text) >= _WORDY]
    if len(wordy) < 2 * _LEAST_LINES:
        return None
    edges = Counter(round(part.box[0] / _EDGE_POINTS) for part in wordy)
    least = min(part.box[0] for part in wordy)
    usual = [(count, edge * _EDGE_POINTS) for edge, count in edges.items() if count >= _LEAST_LINES]
    best: tuple[int, float] | None = None
    for _, edge in sorted(usual, reverse=True)[:_MOST_CANDIDATES]:
        at = edge - _EDGE_POINTS
        if at > least + 5 * wordy[0].lines[0].size and (weight := _weight(parts, at)) and (best is None or weight > best[0]):
            best = (weight, at)
    return best[1] if best else None


def _weight(parts: Sequence[_Part], at: float) -> int:
    """Return how many letters stand on the poorer side of a gutter, 0 when it is none."""
    left = [part for part in parts if part.box[2] <= at - _LEAST_GUTTER_POINTS + _EDGE_POINTS]
    right = [part for part in parts if part.box[0] >= at]
    crossing = len(parts) - len(left) - len(right)
    if crossing > _MOST_CROSSING * len(parts):
        return 0
    if not (_is_prose(left) and _is_prose(right)) and not _are_written_apart(left, right):
        return 0
    return min(sum(len(part.text) for part in left), sum(len(part.text) for part in right))


def _are_written_apart(left: Sequence[_Part], right: Sequence[_Part]) -> bool:
    """Whether the file has one side down to its end, then the other."""
    if min(len(left), len(right)) < _LEAST_LINES + 1 or min(_letters(left), _letters(right)) < _LEAST_LETTERS / 2:
        return False
    sides = sorted([*((part.lines[0].start, 0) for part in left), *((part.lines[0].start, 1) for part in right)])
    turns = sum(before[1] != after[1] for before, after in pairwise(sides))
    return turns <= max(1, min(len(left), len(right)) // 6)


def _letters(parts: Sequence[_Part]) -> float:
    return median(len(part.text) for part in parts)


def _is_prose(lines: Sequence[_Part]) -> bool:
    """Whether lines are the lines of running text: they go on with small letters, or fill their column in a script without."""
    if len(lines) < _LEAST_LINES or median(len(line.text) for line in lines) < _least_letters(lines):
        return False
    if sum(is_number(line.text) for line in lines) > 0.3 * len(lines):
        return False
    cased = [line for line in lines if line.text[0].lower() != line.text[0].upper()]
    if len(cased) >= 0.5 * len(lines):
        return sum(line.text[0].islower() for line in cased) >= _LOWER_SHARE * len(cased)
    widths = sorted(line.box[2] - line.box[0] for line in lines)
    full = widths[len(widths) * 9 // 10]
    return sum(width >= _FILLED_SHARE * full for width in widths) >= 0.5 * len(widths)


def _least_letters(lines: Sequence[_Part]) -> int:
    wide = sum(ord(line.text[0]) >= 0x2E80 for line in lines) * 2 > len(lines)
    return _LEAST_LETTERS // 2 if wide else _LEAST_LETTERS


def _bands(parts: Sequence[_Part], at: float) -> list[_Band]:
    """Cut a region by what spans the gutter, from top to bottom."""
    together = _in_one_string(parts, at)
    bands: list[_Band] = []
    for part in sorted(parts, key=lambda part: part.box[1] + part.box[3]):
        side = 0 if part.box[2] <= at else 1 if part.box[0] >= at else 2
        if part.lines[0].start in together:
            side = 2
        if not bands or (side == 2) != bool(bands[-1].across):
            bands.append(_Band([], [], []))
        (bands[-1].left, bands[-1].right, bands[-1].across)[side].append(part)
    return bands


def _in_one_string(parts: Sequence[_Part], at: float) -> set[int]:
    """Return the starts of parts that the file has side by side over the gutter, unless most are: a running head spans columns."""
    both: set[int] = set()
    pairs = 0
    for part, following in pairwise(parts):
        is_row = min(part.box[3], following.box[3]) - max(part.box[1], following.box[1]) > 0.5 * part.lines[0].size
        if part.box[2] <= at <= following.box[0] and is_row:
            both.update((part.lines[0].start, following.lines[0].start))
            pairs += 1
    return both if pairs < _FEW_SHARE * len(parts) else set()


def _is_grid(band: _Band) -> bool:
    """Whether a band is rather rows of short cells: three or more pieces in most rows."""
    if _is_prose(band.left) or _is_prose(band.right):
        return False
    parts = [*band.left, *band.right]
    heights = sorted(round((line.box[1] + line.box[3]) / 4) for line in parts)
    rows = 1 + sum(after > before for before, after in pairwise(heights))
    return len(parts) >= 2.5 * rows and rows > 1
