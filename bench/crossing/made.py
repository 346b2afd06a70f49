"""A generated PDF with what is known about it."""

from dataclasses import dataclass
from random import Random

from crossing.design import Design, draw_design
from crossing.draw import Paper
from crossing.furniture import Print, Rule, bates_of, label_of, note_texts, prints, watermark
from crossing.layout import Line, Setting, frames_of, set_body
from crossing.letters import bearings, extent, font_name, width

Rect = tuple[float, float, float, float]
_NOTE_SHARE = 0.8


@dataclass(frozen=True)
class Part:
    """What of the sentence stands on one page, counted from 1: the boxes of its lines in the page as displayed."""

    page: int
    label: str
    bates: str
    boxes: tuple[Rect, ...]


@dataclass(frozen=True)
class Made:
    """A PDF file, the sentence that crosses a page, and where it stands."""

    design: Design
    data: bytes
    sentence: str
    parts: tuple[Part, ...]
    labels: tuple[str, ...]
    bates: tuple[str, ...]
    foreign: frozenset[str]

    @property
    def name(self) -> str:
        """A file name that tells the kind."""
        return f"made-{self.design.seed:04d}.pdf"


def make(seed: int) -> Made:
    """Return the document of a seed."""
    return make_of(draw_design(seed))


def make_of(design: Design) -> Made:
    """Return the document of a design."""
    plan = _Plan(design)
    setting = set_body(design, plan.frames())
    data = plan.draw(setting)
    parts = [plan.part(page, setting) for page in range(design.pages)]
    foreign = {word for page in range(design.pages) for group in plan.printed(page) for item in group for word in item.text.split()}
    return Made(
        design=design,
        data=data,
        sentence=setting.text,
        parts=tuple(part for part in parts if part.boxes),
        labels=tuple(label_of(design, page) for page in range(design.pages)),
        bates=tuple(bates_of(design, page) for page in range(design.pages)),
        foreign=frozenset(word for word in foreign if len(word) > 3 and word.isalpha()),
    )


class _Plan:
    """Where everything of a design stands."""

    def __init__(self, design: Design) -> None:
        self._design = design
        self._wide, self._high = design.size_of_paper
        self._notes = note_texts(design)
        self._note_size = design.size * (1.0 if design.note == "large" else _NOTE_SHARE)

    def frames(self):
        """Return the columns of the body."""
        design = self._design
        left, _, right, _ = design.margins
        column = (self._wide - left - right - 20 * (design.columns - 1)) / design.columns
        self._column = column
        note_lines = [line for text in self._notes for line in _wrapped(text, font_name(design.font), self._note_size, column)]
        self._note_lines = note_lines
        feet = {design.page: (len(note_lines) * 1.2 * self._note_size + 14) if note_lines else 0.0}
        tops = {0: 40.0} if design.first_differs else {}
        after = design.page + 1
        if design.between == "figure":
            tops[after] = tops.get(after, 0) + 0.24 * self._high
        if design.between == "table":
            feet[design.page] += 5 * 1.3 * design.size
        frames = frames_of(design, notes=feet, tops=tops)
        return [frame for frame in frames if not (design.between == "page" and frame.page == after)]

    def turn(self, page: int) -> str:
        """Return how a page is turned: only the one behind the cut is."""
        return self._design.turn if page == self._design.page + 1 else "none"

    def printed(self, page: int) -> list[list[Print]]:
        """Return the texts of a page that are not of its body, in groups that are drawn together."""
        design = self._design
        groups = [[item] for item in (*prints(design, page), *watermark(design, page))]
        left, top, _, bottom = design.margins
        font = font_name(design.font)
        x = left + (design.columns - 1) * (self._column + 20)
        y = self._high - bottom
        if page == design.page and self._note_lines:
            y -= (len(self._note_lines) - 1) * 1.2 * self._note_size
            size = self._note_size
            groups.append([Print(page, x, y + n * 1.2 * size, text, font, size) for n, text in enumerate(self._note_lines)])
            y -= size + 14
        if page == design.page and design.between == "table":
            groups.append(self._table(page, x, y - 4 * 1.3 * design.size, font))
        if page == design.page + 1 and design.between in ("figure", "page"):
            caption_y = top + (0.2 if design.between == "figure" else 0.5) * self._high
            groups.append(
                [Print(page, left, caption_y, "Figure 3. Wexcombe sluices awaiting remodelling", font, 0.9 * design.size)]
            )
        if page == design.page + 1 and design.between == "page":
            groups.append([Print(page, left, self._high - bottom, "9 Drawn by Quillon, Records folio 77.", font, self._note_size)])
        if page == 0 and design.first_differs:
            groups.append([Print(page, left, top + 16, "Wexcombe Enquiry", font_name(design.font, "bold"), 1.7 * design.size)])
        return groups

    def _table(self, page: int, x: float, y: float, font: str) -> list[Print]:
        rows = [("Quarter", "Tonnage", "Levy"), ("Q1", "8,204", "311.50"), ("Q2", "7,119", "290.75"), ("Q3", "9,003", "340.10")]
        each, size = self._column / 3, self._design.size
        return [
            Print(page, x + c * each, y + r * 1.3 * size, cell, font, size)
            for r, row in enumerate(rows)
            for c, cell in enumerate(row)
        ]

    def rules(self, page: int) -> list[Rule]:
        """Return lines and frames of a page."""
        design, found = self._design, list[Rule]()
        left, top, _, bottom = design.margins
        if page == design.page and self._note_lines and design.note != "two":
            x = left + (design.columns - 1) * (self._column + 20)
            y = self._high - bottom - (len(self._note_lines) - 1) * 1.2 * self._note_size - self._note_size - 3
            found.append(Rule(page, x, y, 0.3 * self._column))
        if page == design.page + 1 and design.between in ("figure", "page"):
            found.append(Rule(page, left, top, self._column, (0.17 if design.between == "figure" else 0.45) * self._high))
        return found

    def draw(self, setting: Setting) -> bytes:
        """Return the file."""
        design, paper = self._design, Paper(self._design)
        random = Random(f"{design.seed} order")
        for page in range(design.pages):
            paper.turn_page(self.turn(page))
            groups = self.printed(page)
            if design.order == "mixed":
                random.shuffle(groups)
            half = {"first": len(groups), "last": 0, "mixed": len(groups) // 2}[design.order]
            paper.prints(item for group in groups[:half] for item in group)
            paper.rules(self.rules(page))
            paper.lines([line for line in setting.lines if line.page == page])
            paper.prints(item for group in groups[half:] for item in group)
            paper.end_page()
        return paper.finish()

    def part(self, page: int, setting: Setting) -> Part:
        """Return where the sentence stands on a page."""
        boxes = (self._box(line, setting.sentence) for line in setting.lines if line.page == page)
        shown = tuple(self._shown(box, page) for box in boxes if box)
        return Part(page + 1, label_of(self._design, page), bates_of(self._design, page), shown)

    def _box(self, line: Line, sentence: int) -> Rect | None:
        words = [(word, x) for word, x in zip(line.words, line.xs, strict=True) if word.sentence == sentence]
        if not words:
            return None
        last, last_x = words[-1]
        above, below = extent("".join(word.text for word, _ in words), self._design.font, self._design.size)
        end = last_x + width(last.text, font_name(self._design.font), self._design.size)
        left, right = bearings(last.text[-1], self._design.font, self._design.size)
        return (words[0][1] + left, line.y - above, end - right, line.y + below)

    def _shown(self, box: Rect, page: int) -> Rect:
        x0, top, x1, bottom = box
        turn = self.turn(page)
        if turn == "sideways":
            return (self._high - bottom, x0, self._high - top, x1)
        if turn == "back":
            return (self._wide - x1, self._high - bottom, self._wide - x0, self._high - top)
        return box


def _wrapped(text: str, font: str, size: float, room: float) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and width(f"{lines[-1]} {word}", font, size) > room:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
