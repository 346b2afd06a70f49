"""Words set in lines, columns and pages, so that one sentence is cut by the end of a page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from crossing.design import Design
from crossing.furniture import note_texts
from crossing.letters import font_name, width
from crossing.prose import COMPOUNDS, Prose

MARK_SHARE = 0.6
_LEAST_SIDE = 3
_LEAST_CUT = 6
_COMPOUND_HEADS = {f"{compound.partition('-')[0]}-" for compound in COMPOUNDS}


@dataclass(frozen=True)
class Word:
    """A printed word: its text with a hyphen where a line cuts it, its sentence, a raised mark behind it."""

    text: str
    sentence: int
    opens: bool = False
    is_cut: bool = False
    mark: str = ""


@dataclass
class Line:
    """Words on one base line, `y` points under the top of the page as it is read. `xs` are the left edges of the words."""

    page: int
    x: float
    y: float
    words: list[Word]
    xs: list[float]


@dataclass(frozen=True)
class Frame:
    """A column of a page: where lines may stand."""

    page: int
    left: float
    right: float
    top: float
    bottom: float


@dataclass(frozen=True)
class Setting:
    """The body of a document: its lines, and the sentence that is cut after page `page` with its literal text."""

    lines: tuple[Line, ...]
    sentence: int
    text: str


def frames_of(design: Design, *, notes: dict[int, float], tops: dict[int, float]) -> list[Frame]:
    """Return the columns in reading order; `notes` and `tops` take room from the foot and the head of a page's columns."""
    paper_width, paper_height = design.size_of_paper
    left, top, right, bottom = design.margins
    gutter = 20.0
    each = (paper_width - left - right - gutter * (design.columns - 1)) / design.columns
    frames: list[Frame] = []
    for page in range(design.pages):
        for column in range(design.columns):
            x = left + column * (each + gutter)
            is_last = column == design.columns - 1
            foot = notes.get(page, 0.0) if is_last else 0.0
            frames.append(Frame(page, x, x + each, top + tops.get(page, 0.0), paper_height - bottom - foot))
    return frames


def set_body(design: Design, frames: Sequence[Frame]) -> Setting:
    """Return a body in which a sentence is cut after `design.page` as the design wants it."""
    for attempt in range(500):
        random = Random(f"{design.seed} {attempt}")
        try:
            return _attempt(design, frames, random)
        except _Unfit:
            continue
    raise ValueError(f"no body fits design {design.seed}")


class _Unfit(Exception):
    """This text does not break as wanted."""


def _attempt(design: Design, frames: Sequence[Frame], random: Random) -> Setting:
    before = [frame for frame in frames if frame.page <= design.page]
    after = [frame for frame in frames if frame.page > design.page]
    words = _words(design, random)
    cutter = random if design.hyphenates else None
    break_at = _count(_fill(design, before, words, cutter=cutter))
    words = _cut(design, _marked(design, words, break_at, random), break_at, random)
    first = list(_fill(design, before, words))
    rest = words[_count(first) :]
    second = list(_fill(design, after, rest, cutter=cutter))
    words = [*words[: _count(first)], *rest]
    sentence = words[_count(first) - 1].sentence
    _check(design, words, _count(first), sentence)
    return Setting((*first, *second), sentence, _text([word for word in words if word.sentence == sentence]))


def _check(design: Design, words: Sequence[Word], taken: int, sentence: int) -> None:
    before = [word for word in words[:taken] if word.sentence == sentence]
    after = [word for word in words[taken:] if word.sentence == sentence]
    if len(before) < _LEAST_SIDE or len(after) < _LEAST_SIDE or words[taken].opens:
        raise _Unfit
    if design.hyphen != "none" and not words[taken - 1].is_cut:
        raise _Unfit


def _words(design: Design, random: Random) -> list[Word]:
    prose = Prose(random, design.lang)
    words: list[Word] = []
    sentence = 0
    room = design.pages * 1400
    while len(words) < room:
        for number, text in enumerate(prose.paragraph()):
            parts = text.split()
            words += [Word(part, sentence, opens=not number and not at) for at, part in enumerate(parts)]
            sentence += 1
    if design.hyphen == "compound seen":
        words.insert(3, Word(design.compound, 0))
    return words


def _text(words: Sequence[Word]) -> str:
    """Return a sentence as it is read: cut words whole, compounds with their hyphen."""
    text = ""
    for word in words:
        keeps = not word.is_cut or word.text in _COMPOUND_HEADS
        text += (word.text if keeps else word.text[:-1]) + ("" if word.is_cut else " ")
    return text.strip()


def _cut(design: Design, words: list[Word], break_at: int, random: Random) -> list[Word]:
    """Return the words with the one at the page's end cut, or a compound put there, as the design wants it."""
    if design.hyphen == "none":
        return words
    if design.hyphen == "cut":
        at = next((at for at in (break_at, break_at - 1) if _can_cut(words[at])), None)
        if at is None:
            raise _Unfit
        pieces = _pieces(words[at], random)
        return [*words[:at], *pieces, *words[at + 1 :]]
    head, _, tail = design.compound.partition("-")
    sentence = words[break_at].sentence
    return [*words[:break_at], Word(f"{head}-", sentence, is_cut=True), Word(tail, sentence), *words[break_at:]]


def _marked(design: Design, words: list[Word], break_at: int, random: Random) -> list[Word]:
    """Return the words with the marks of the footnotes at some of the last words of the page."""
    marks = [text.split()[0] for text in note_texts(design)] if design.note != "unmarked" else []
    places = sorted(random.sample(range(max(1, break_at - 60), break_at - 1), len(marks)))
    for at, mark in zip(places, marks, strict=True):
        if words[at].is_cut or (words[at].text[-1].isdigit() and mark.isdigit()):
            raise _Unfit
        words[at] = replace(words[at], mark=mark)
    return words


def printed_width(word: Word, design: Design) -> float:
    """Return how wide a word is printed, its mark included."""
    font = font_name(design.font)
    return width(word.text, font, design.size) + (width(word.mark, font, MARK_SHARE * design.size) if word.mark else 0.0)


def _can_cut(word: Word) -> bool:
    return word.text.isalpha() and word.text.islower() and len(word.text) >= _LEAST_CUT and not word.opens and not word.mark


def _pieces(word: Word, random: Random) -> list[Word]:
    at = random.randrange(2, len(word.text) - 2)
    return [replace(word, text=f"{word.text[:at]}-", is_cut=True), replace(word, text=word.text[at:], opens=False)]


def _count(lines: Iterator[Line] | Sequence[Line]) -> int:
    return sum(len(line.words) for line in lines)


def _fill(design: Design, frames: Sequence[Frame], words: list[Word], *, cutter: Random | None = None) -> Iterator[Line]:
    """Set words in lines until the frames or the words end. A cutter cuts words at line ends, in the list itself."""
    at, pitch = 0, design.size * design.leading
    for frame in frames:
        y = frame.top + design.size
        while at < len(words):
            starts = words[at].opens
            y += design.gap if starts and y > frame.top + design.size else 0
            if y > frame.bottom:
                break
            line = _line(design, frame, words, at, y, cutter=cutter)
            yield line
            at += len(line.words)
            y += pitch


def _line(design: Design, frame: Frame, words: list[Word], at: int, y: float, *, cutter: Random | None) -> Line:
    font, x = font_name(design.font), frame.left + (design.indent if words[at].opens else 0.0)
    blank, room, end, used = width(" ", font, design.size), frame.right - x, at, 0.0
    while end < len(words) and not (end > at and (words[end].opens or words[end - 1].is_cut)):
        wide = printed_width(words[end], design) + (blank if end > at else 0)
        if end > at and used + wide > room:
            if cutter and _can_cut(words[end]) and cutter.random() < 0.5:
                pieces = _pieces(words[end], cutter)
                if used + blank + width(pieces[0].text, font, design.size) <= room:
                    words[end : end + 1] = pieces
                    continue
            break
        used += wide
        end += 1
    is_full = end < len(words) and not words[end].opens
    stretch = (room - used) / (end - at - 1) if design.is_justified and is_full and end - at > 1 else 0.0
    xs: list[float] = []
    for word in words[at:end]:
        xs.append(x)
        x += printed_width(word, design) + blank + min(stretch, 2 * design.size)
    return Line(frame.page, xs[0], y, words[at:end], xs)
