"""Lines of PDF pages joined to paragraphs and tables by their geometry."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from pincite.adapters.parsers.pdf_cells import Table
from pincite.adapters.parsers.pdf_layout import arrange
from pincite.adapters.parsers.pdf_lines import CELL_GAP_EMS, Line, is_beside
from pincite.adapters.parsers.pdf_rules import NO_RULES, Rules
from pincite.adapters.parsers.pdf_scripts import has_no_blanks
from pincite.core.documents import BlockRole

_BULLETS = "•‣◦▪▫●○■□◆◇♦►▶▸➢➤➔→✓✔✗☐☑❖❑⁃∙·"
_ITEM = re.compile(
    rf"[{_BULLETS}](?:\s*\S|$)|[–—*-]\s+\S|"
    r"(?:\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]|\[\d{1,3}\]|\.?\d{1,3}(?:\.\d{1,3})+\.?|\.\d|§+\s?[\d.]+)\s+\S|"
    r"\(?\d{1,3}[.)](?=[^\W\d_]{2})|\d{4}(?:\.\d{1,3})+\.?\s+(?-i:[A-Z])|[*†‡]{1,3}(?=(?-i:[A-Z]))",
    re.IGNORECASE,
)
# Behind its number a caption has a full stop, a colon, a dash, its end or a title with a capital; "Figure 7 shows" is a sentence.
_CAPTION = re.compile(
    r"(?i:fig(?:ure|\.)?|table|tab\.|abbildung|abb\.|tabelle|figura|tabla|tableau|chart|exhibit)\s*\d+(?:[.\-]\d+)*\s*"
    r"(?:[:.](?!\d)|-(?!\S)|[–—](?!\d)|$|(?<=\s)(?:\([a-z\d]\)\s*)?[\"“‘«]?[A-ZÀ-ÖØ-ÞΑ-ΩА-Я])"
)
_NOTE = re.compile(r"(?:\(?\d{1,3}\)?|[*†‡§¶]{1,3})\s*(?=[^\s\d.,)])")
_LEADERS = re.compile(r"(?:\.\s?){5,}\s*[\divxlc]*$")
_SENTENCE_END = re.compile(r"[.!?:;。！？؟۔]['\"”’»)\]]*$")
_SAME_SIZE = 0.08
_LONGEST_MARK = 8
_LEAST_PROSE = 30
_OUTDENT_EMS = 0.8
_LEAST_EMS, _USUAL_EMS, _WIDE_EMS = 0.8, 2.2, 3.8
_EVEN, _EVEN_SHARE = 0.05, 0.6


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together. `glues[n]` stands between line n and line n+1: nothing, a blank or a line feed.

    `row_lefts` are the left edges of its visual rows so far.
    """

    lines: list[Line]
    glues: list[str] = field(default_factory=list[str])
    role: BlockRole = BlockRole.BODY
    level: int = 0
    row_lefts: list[float] = field(default_factory=list[float])
    table: Table | None = None

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
    """A stretch of lines read downwards: its left edge and print size, the usual distance of lines, the right edge of each size."""

    left: float
    size: float
    pitch: float
    rights: dict[int, float]

    def right(self, line: Line) -> float:
        """Return where lines printed like this one end when they are full."""
        return self.rights[round(2 * line.size)]


def paragraphs(lines: Sequence[Line], rules: Rules = NO_RULES) -> list[Paragraph]:
    """Join the lines of one page to paragraphs, headings and tables in reading order."""
    found: list[Paragraph] = []
    for part in arrange(lines, rules):
        if isinstance(part, Table):
            found.append(_table(part))
            continue
        for stretch in _stretches(part):
            found += _prose(stretch, _column(stretch))
    return found


def ends_sentence(text: str) -> bool:
    """Whether a text ends like a sentence."""
    return bool(_SENTENCE_END.search(text))


def ends_entry(text: str) -> bool:
    """Whether a text ends like an entry of a list of contents: leaders and a page number."""
    return bool(_LEADERS.search(text))


def starts_item(text: str) -> bool:
    """Whether a text starts like a list item."""
    return bool(_ITEM.match(text))


def starts_note(text: str) -> bool:
    """Whether a text starts like a footnote."""
    return bool(_NOTE.match(text))


def starts_caption(text: str) -> bool:
    """Whether a text starts like the caption of a figure or table."""
    return bool(_CAPTION.match(text))


def _stretches(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Cut lines where the reading goes up or sideways: into another column, a float, a margin."""
    stretch: list[Line] = []
    left = right = 0.0
    for line in lines:
        is_row = bool(stretch) and is_beside(stretch[-1], line)
        if stretch and not is_row and _leaves_column(stretch[-1], line, left, right):
            yield stretch
            stretch = []
        left, right = (min(left, line.box[0]), max(right, line.box[2])) if is_row else (line.box[0], line.box[2])
        stretch.append(line)
    if stretch:
        yield stretch


def _leaves_column(line: Line, following: Line, left: float, right: float) -> bool:
    """Whether `following` is no continuation of a row that ends with `line` and reaches from `left` to `right`."""
    if following.box[1] < line.box[1] - 0.5 * line.size:
        return True
    return following.box[0] > right + line.size or following.box[2] < left - line.size


def _column(lines: list[Line]) -> _Column:
    ends: dict[int, list[float]] = {}
    for line in lines:
        ends.setdefault(round(2 * line.size), []).append(line.box[2])
    size = median(line.size for line in lines)
    rights = {key: _edge(sorted(found)) for key, found in ends.items()}
    return _Column(min(line.box[0] for line in lines), size, _pitch(lines, size), rights)


def _pitch(lines: Sequence[Line], size: float) -> float:
    """Return the usual distance of lines: wide ones count where prose is evenly set apart, as with a free line between."""
    pitches = [after.box[3] - before.box[3] for before, after in pairwise(lines)]
    usual = [pitch for pitch, line in zip(pitches, lines, strict=False) if _LEAST_EMS * line.size < pitch < _USUAL_EMS * line.size]
    least = (_USUAL_EMS if len(usual) > 2 else _LEAST_EMS) * size
    wide = [pitch for pitch in pitches if least <= pitch < _WIDE_EMS * size]
    if wide and _is_prose(lines) and _are_even(wide, of=len(pitches)):
        return median(wide)
    return median(usual) if len(usual) > 2 else 1.25 * size


def _is_prose(lines: Sequence[Line]) -> bool:
    least = _LEAST_PROSE // 2 if has_no_blanks(lines[0].text[0]) else _LEAST_PROSE
    return median(len(line.text) for line in lines) >= least


def _are_even(wide: Sequence[float], *, of: int) -> bool:
    """Whether most of so many distances are the same wide one, as where two lines or more are left free between lines."""
    middle = median(wide)
    return sum(abs(pitch - middle) < _EVEN * middle for pitch in wide) > _EVEN_SHARE * of


def _edge(rights: list[float]) -> float:
    """Return the right edge: the outermost of few lines, of many one that a few wider ones don't move."""
    return rights[-1] if len(rights) < 8 else rights[len(rights) * 9 // 10]


def _table(table: Table) -> Paragraph:
    return Paragraph(table.lines, role=BlockRole.TABLE, table=table)


def _prose(lines: Sequence[Line], column: _Column) -> list[Paragraph]:
    found: list[Paragraph] = []
    for line in lines:
        current = found[-1] if found else None
        glue = _glue(current, line, column) if current else None
        if current is None or glue is None:
            current = Paragraph([line], role=line.role, level=line.level)
            found.append(current)
        else:
            current.glues.append(glue)
            current.lines.append(line)
        if len(current.lines) == 1 or not is_beside(current.lines[-2], line):
            current.row_lefts.append(line.box[0])
    return found


def _glue(paragraph: Paragraph, line: Line, column: _Column) -> str | None:
    """Return what stands between a paragraph and its next line, None when a new paragraph begins."""
    last = paragraph.last
    if line.begins or (last.role, last.level) != (line.role, line.level):
        return None
    if is_beside(last, line):
        return None if starts_caption(line.text) else _glue_beside(last, line)
    if last.hyphen >= 0 and _is_next_line(last, line):
        return ""
    if _breaks(paragraph, line, column):
        return None
    return "\n" if last.mono and line.mono else " "


def _is_next_line(last: Line, line: Line) -> bool:
    """Whether a line stands right under another, in its print: PDFium joins whatever is drawn behind a hyphen."""
    return 0 < line.box[3] - last.box[3] < 2.2 * line.size and abs(line.size - last.size) <= _SAME_SIZE * last.size


def _glue_beside(last: Line, line: Line) -> str:
    is_raised = line.first < 0.86 * last.last or line.size < 0.86 * last.last
    return "" if is_raised and line.box[0] - last.box[2] < 0.2 * last.size else " "


def _breaks(paragraph: Paragraph, line: Line, column: _Column) -> bool:
    last = paragraph.last
    if line.level:
        return False
    pitch = line.box[3] - last.box[3]
    usual = column.pitch * max(1.0, min(last.size, line.size) / column.size)
    if pitch > max(1.32 * usual, usual + 2, 1.4 * line.size):
        return True
    if last.mono and line.mono:
        return False
    return (
        _changes_print(last, line)
        or starts_item(line.text)
        or (starts_caption(line.text) and not _runs_on(last, line, column))
        or bool(_LEADERS.search(last.text))
        or _is_labelled(line)
        or _ends_apart(paragraph)
        or _are_pairs(last, line)
        or _is_indented(paragraph, line, column)
        or _ends_early(paragraph, line, column)
    )


def _ends_apart(paragraph: Paragraph) -> bool:
    """Whether the last line stands far behind the one beside it, which is more than a number or bullet: a title and its page."""
    if len(paragraph.lines) < 2 or len(paragraph.lines[-2].text) <= _LONGEST_MARK:
        return False
    before, last = paragraph.lines[-2:]
    return is_beside(before, last) and last.box[0] - before.box[2] > CELL_GAP_EMS * last.size


def _is_labelled(line: Line) -> bool:
    """Whether a line begins with a label and a gap: "Contact:     Michael Chen"."""
    return bool(line.cells) and line.text[: line.cells[0]].endswith(":")


def _are_pairs(last: Line, line: Line) -> bool:
    """Whether both lines have a term and its meaning behind a gap that ends at one place."""
    if not line.words or not last.words:
        return False
    least = 0.8 * line.size
    ends = [gap.right for gap in last.gaps if gap.right - gap.left > least]
    return bool(ends) and any(abs(gap.right - end) < 1.5 for gap in line.gaps if gap.right - gap.left > least for end in ends)


def _changes_print(last: Line, line: Line) -> bool:
    if len(line.text) < 4 or len(last.text) < 4:
        return False
    if abs(line.size - last.size) > _SAME_SIZE * last.size:
        return True
    return line.bold != last.bold and (last.bold or ends_sentence(last.text))


def _is_indented(paragraph: Paragraph, line: Line, column: _Column) -> bool:
    """Whether a line starts a paragraph by its left edge: a first-line indent, or back from a hanging one."""
    em, first, last = line.size, paragraph.row_lefts[0], paragraph.row_lefts[-1]
    step = line.box[0] - last
    if step < -_OUTDENT_EMS * em and len(paragraph.row_lefts) > 1 and ends_sentence(paragraph.last.text):
        return line.box[0] < min(paragraph.row_lefts) - _OUTDENT_EMS * em
    if 0.8 * em < step < 6 * em and last - column.left < 0.5 * em:
        return not starts_item(paragraph.last.text) and ends_sentence(paragraph.last.text)
    is_hanging = len(paragraph.row_lefts) > 1 and last - first > 0.8 * em
    return is_hanging and abs(line.box[0] - first) < 0.5 * em


def _ends_early(paragraph: Paragraph, line: Line, column: _Column) -> bool:
    """Whether the last line ends although the next word would have had room in it."""
    last = paragraph.last
    if _is_centred(last, line, column):
        return False
    if _is_full(last, line, column):
        return False
    if ends_sentence(last.text):
        return True
    right = column.right(last)
    return not line.text[0].islower() and right - last.box[2] > 0.25 * (right - column.left)


def _is_full(last: Line, line: Line, column: _Column) -> bool:
    """Whether the first word of a line would have had no room in the line before."""
    word = line.text.partition(" ")[0]
    width = (line.box[2] - line.box[0]) / len(line.text) * (len(word) + 1)
    return column.right(last) - last.box[2] < 1.25 * width + 0.5 * line.size


def _runs_on(last: Line, line: Line, column: _Column) -> bool:
    """Whether a full line's sentence goes on in the next: "as seen in / Figure 3. The next"."""
    return not ends_sentence(last.text) and not starts_caption(last.text) and _is_full(last, line, column)


def _is_centred(line: Line, following: Line, column: _Column) -> bool:
    middle, next_middle = (line.box[0] + line.box[2]) / 2, (following.box[0] + following.box[2]) / 2
    return (
        abs(middle - next_middle) < 0.5 * line.size
        and min(line.box[0], following.box[0]) > column.left - 1
        and (abs(line.box[0] - following.box[0]) > line.size)
    )
