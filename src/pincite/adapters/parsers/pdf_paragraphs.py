"""Lines of PDF pages joined to paragraphs and tables by their geometry."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from pincite.adapters.parsers.pdf_lines import Line
from pincite.core.documents import BlockRole

_BULLET = re.compile(
    r"(?:[•‣◦▪●○■□–—*·\uf0b7-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]|\(\d{1,3}\)|\[\d{1,3}\]|\.?\d{1,3}(?:\.\d{1,3})+\.?|\.\d)\s+\S", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?:;。！？؟۔]['\"”’»)\]]*$")
_SAME_SIZE = 0.08


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together. `glues[n]` stands between line n and line n+1: nothing, a blank, a tab or a line feed."""

    lines: list[Line]
    glues: list[str] = field(default_factory=list[str])
    role: BlockRole = BlockRole.BODY
    level: int = 0

    @property
    def first(self) -> Line:
        """The first line."""
        return self.lines[0]

    @property
    def last(self) -> Line:
        """The last line."""
        return self.lines[-1]

    @property
    def text(self) -> str:
        """The words, roughly."""
        return " ".join(line.text for line in self.lines)


@dataclass(slots=True)
class _Column:
    """A stretch of lines read downwards, with its edges and the usual distance from line to line."""

    lines: list[Line]
    left: float
    right: float
    pitch: float


def paragraphs(lines: Sequence[Line]) -> list[Paragraph]:
    """Join the lines of one page, in reading order, to paragraphs, headings and tables."""
    found: list[Paragraph] = []
    for stretch in _stretches(lines):
        column = _column(stretch)
        for rows, is_table in _tables(_rows(stretch)):
            found += [_table(rows)] if is_table else _prose([line for row in rows for line in row], column)
    return found


def is_beside(line: Line, other: Line) -> bool:
    """Whether `other` continues the visual row of `line` to the right."""
    overlap = min(line.box[3], other.box[3]) - max(line.box[1], other.box[1])
    least = 0.4 * min(line.box[3] - line.box[1], other.box[3] - other.box[1])
    return overlap > least and other.box[0] >= line.box[2] - 0.3 * line.size


def ends_sentence(text: str) -> bool:
    """Whether a text ends like a sentence."""
    return bool(_SENTENCE_END.search(text))


def starts_item(text: str) -> bool:
    """Whether a text starts like a list item."""
    return bool(_BULLET.match(text))


def _stretches(lines: Sequence[Line]) -> Iterator[list[Line]]:
    stretch: list[Line] = []
    for line in lines:
        if stretch and _leaves_column(stretch[-1], line):
            yield stretch
            stretch = []
        stretch.append(line)
    if stretch:
        yield stretch


def _leaves_column(line: Line, following: Line) -> bool:
    if is_beside(line, following):
        return False
    if following.box[1] < line.box[1] - 0.5 * line.size:
        return True
    return following.box[0] > line.box[2] + line.size or following.box[2] < line.box[0] - line.size


def _column(lines: list[Line]) -> _Column:
    pitches = [after.box[3] - before.box[3] for before, after in pairwise(lines)]
    usual = [pitch for pitch, line in zip(pitches, lines, strict=False) if 0.8 * line.size < pitch < 2.2 * line.size]
    typical = median(usual) if len(usual) > 2 else 1.25 * median(line.size for line in lines)
    return _Column(lines, min(line.box[0] for line in lines), max(line.box[2] for line in lines), typical)


def _rows(lines: Iterable[Line]) -> list[list[Line]]:
    rows: list[list[Line]] = []
    for line in lines:
        if rows and is_beside(rows[-1][-1], line):
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _cell_count(row: Sequence[Line]) -> int:
    apart = sum(after.box[0] - before.box[2] > 1.5 * before.size for before, after in pairwise(row))
    return 1 + apart + sum(len(line.cells) for line in row)


def _tables(rows: list[list[Line]]) -> Iterator[tuple[list[list[Line]], bool]]:
    """Cut rows into tables and the rest: a table has two rows of cells at least, and three cells in a row or three rows."""
    at = 0
    while at < len(rows):
        end = _table_end(rows, at)
        if end > at:
            yield rows[at:end], True
            at = end
            continue
        rest = at
        while at < len(rows) and (at == rest or _table_end(rows, at) == at):
            at += 1
        yield rows[rest:at], False


def _table_end(rows: list[list[Line]], start: int) -> int:
    end, counts, at = start, list[int](), start
    while at < len(rows) and not rows[at][0].level:
        count = _cell_count(rows[at])
        if count > 1:
            counts.append(count)
            end = at + 1
        elif not counts or end < at or not _is_cell_overflow(rows[at], rows[at - 1]):
            break
        at += 1
    is_table = len(counts) >= 2 and (max(counts) >= 3 or len(counts) >= 3)
    return end if is_table else start


def _is_cell_overflow(row: Sequence[Line], above: Sequence[Line]) -> bool:
    """Whether a row of one cell is the second line of a cell that is not in the first column."""
    return row[0].box[0] > above[0].box[0] + 2 * row[0].size and row[0].box[1] - above[0].box[3] < row[0].size


def _table(rows: Sequence[Sequence[Line]]) -> Paragraph:
    table = Paragraph([], role=BlockRole.TABLE)
    for row in rows:
        for number, line in enumerate(row):
            if table.lines:
                table.glues.append("\t" if number else "\n")
            table.lines.append(line)
    return table


def _prose(lines: Sequence[Line], column: _Column) -> list[Paragraph]:
    found: list[Paragraph] = []
    for line in lines:
        current = found[-1] if found else None
        glue = _glue(current, line, column) if current else None
        if current is None or glue is None:
            found.append(Paragraph([line], role=line.role, level=line.level))
        else:
            current.glues.append(glue)
            current.lines.append(line)
    return found


def _glue(paragraph: Paragraph, line: Line, column: _Column) -> str | None:
    """Return what stands between a paragraph and its next line, None when a new paragraph begins."""
    last = paragraph.last
    if (last.role, last.level) != (line.role, line.level):
        return None
    if is_beside(last, line):
        return _glue_beside(last, line)
    if last.hyphen >= 0:
        return ""
    return None if _breaks(paragraph, line, column) else " "


def _glue_beside(last: Line, line: Line) -> str:
    gap = line.box[0] - last.box[2]
    if gap > 3 * last.size:
        return "\t"
    is_raised = line.first < 0.86 * last.last or line.size < 0.86 * last.last
    return "" if is_raised and gap < 0.2 * last.size else " "


def _breaks(paragraph: Paragraph, line: Line, column: _Column) -> bool:
    last = paragraph.last
    if line.level:
        return False
    pitch = line.box[3] - last.box[3]
    is_fragment = len(line.text) < 4 or len(last.text) < 4
    if abs(line.size - last.size) > _SAME_SIZE * last.size and not is_fragment:
        return True
    if pitch > max(1.32 * column.pitch, column.pitch + 2) or starts_item(line.text):
        return True
    if line.bold != last.bold and not is_fragment and (last.bold or ends_sentence(last.text)):
        return True
    return _is_indented(paragraph, line, column) or _ends_early(paragraph, line, column)


def _is_indented(paragraph: Paragraph, line: Line, column: _Column) -> bool:
    """Whether a line starts a paragraph by its left edge: a first-line indent, or back from a hanging one."""
    em, first, last = line.size, paragraph.first, paragraph.last
    step = line.box[0] - last.box[0]
    if 0.8 * em < step < 6 * em and last.box[0] - column.left < 0.5 * em:
        return not starts_item(last.text) and ends_sentence(last.text)
    is_hanging = len(paragraph.lines) > 1 and last.box[0] - first.box[0] > 0.8 * em
    return is_hanging and abs(line.box[0] - first.box[0]) < 0.5 * em


def _ends_early(paragraph: Paragraph, line: Line, column: _Column) -> bool:
    """Whether the last line ends although the next word would have had room in it."""
    last = paragraph.last
    if _is_centred(last, line, column):
        return False
    word = line.text.partition(" ")[0]
    width = (line.box[2] - line.box[0]) / len(line.text) * (len(word) + 1)
    has_room = column.right - last.box[2] > 1.25 * width + 0.5 * line.size
    return has_room and (ends_sentence(last.text) or not line.text[0].islower())


def _is_centred(line: Line, following: Line, column: _Column) -> bool:
    middle, next_middle = (line.box[0] + line.box[2]) / 2, (following.box[0] + following.box[2]) / 2
    return abs(middle - next_middle) < 0.5 * line.size and min(line.box[0], following.box[0]) > column.left - 1 and (
        abs(line.box[0] - following.box[0]) > line.size
    )
