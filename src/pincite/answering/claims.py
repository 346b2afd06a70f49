"""The claims of an answer: its sentences, list items and table cells, each with the labels that stand for it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pincite.answering.markers import Mark
from pincite.answering.protected_blocks import MarkdownState
from pincite.answering.protected_regions import Doubt, Ends, resolve_region
from pincite.language.detect import detect
from pincite.language.sentences import sentence_spans


@dataclass(frozen=True, slots=True)
class ClaimSpan:
    """A claim `[start, end)` of the answer in code points, its own labels included, and the numbers that stand for it."""

    start: int
    end: int
    labels: tuple[int, ...]


@dataclass(slots=True)
class _Block:
    """A paragraph, list item or table row: the pieces of the text that are split into claims."""

    pieces: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    cells: bool = False


@dataclass(slots=True)
class _Sentence:
    """A claim in the making, with the numbers written for it."""

    start: int
    end: int
    numbers: list[int] = field(default_factory=list[int])


@dataclass(frozen=True, slots=True)
class _Words:
    """A part of the text without labels; `offsets[i]` is where its i-th code point stands in the text."""

    text: str
    offsets: Sequence[int]


_LINE = re.compile(r"[^\n]*\n?")
_PREFIX = re.compile(r"(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)))*[ \t]*(?:\[[ xX]\][ \t])?")
_ITEM = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_SKIPPED = re.compile(
    r"#{1,6}(?:\s|$)|\$\$(?:[^$]*\$\$)?$|\\\[(?:.*\\\])?$|<!--|\\begin\{|(?:[-*_=][ \t]*){3,}$|\[[^\]\n]+\]:[ \t]*\S+$"
)
_DELIMITER = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_CELL = re.compile(r"(?:\\.|`[^`\n]*`|[^|\n\\])+")
_TERMINATORS = frozenset(".!?…")
_DRESS = re.compile(r"\*\*|(?<=\n)[ \t]*(?:>[ \t]?)*|[ \t][(（][ \t,;]*[)）]")
"""Strong emphasis, indentation and quote marks of later lines, and parentheses that held nothing but labels."""


def split_claims(text: str, marks: Sequence[Mark], lang: str = "") -> list[ClaimSpan]:
    """Return the claims in order, without overlap; headings, code blocks, formulas and table heads are none.

    A label stands for the claim that it follows, also when it follows the full stop, and for the claims without one before it
    in the same paragraph, list item or table row. Where a paragraph opens with a label and closes without one, labels stand for
    what they open.
    `lang` is an ISO 639-1 code, detected when empty.
    """
    language = lang or detect(text)
    claims: list[ClaimSpan] = []
    open_block: tuple[list[_Sentence], bool] = ([], False)
    for block in _blocks(text):
        inside = [mark for mark in marks if block.pieces[0][0] <= mark.position < block.pieces[-1][1]]
        sentences = list(_sentences(text, block, inside, language))
        if sentences:
            claims.extend(_inherited(*open_block))
            open_block = sentences, _assign(sentences, inside, cells=block.cells)
        elif open_block[0]:
            open_block[0][-1].numbers.extend(mark.n for mark in inside)
    claims.extend(_inherited(*open_block))
    return claims


def claim_text(text: str, claim: ClaimSpan, marks: Sequence[Mark]) -> str:
    """Return the words of a claim without labels, the blanks before them, strong emphasis and the marks of quotes."""
    words = _without(text, [(claim.start, claim.end)], marks)
    return _DRESS.sub("", words.text).strip()


def _blocks(text: str) -> Iterator[_Block]:
    """Yield the paragraphs, items and table rows that hold claims."""
    state = MarkdownState()
    lines = [match.span() for match in _LINE.finditer(text) if match.group()]
    block = _Block()
    table = False
    for index, (start, end) in enumerate(lines):
        line = text[start:end].rstrip("\n")
        skipped = _is_skipped(state, text, start, line)
        ahead = text[slice(*lines[index + 1])].rstrip() if index + 1 < len(lines) else ""
        head = "|" in line and "|" in ahead and _DELIMITER.fullmatch(ahead) is not None
        table = (table or head) and "|" in line and not skipped
        if block.pieces and (skipped or table or _ITEM.match(line)):
            yield block
            block = _Block()
        if table and not head and not _DELIMITER.fullmatch(line):
            yield from _row(text, start, start + len(line))
        elif not skipped and not table:
            block.pieces.append((start + _prefix_length(line), end))
    if block.pieces:
        yield block


def _is_skipped(state: MarkdownState, text: str, start: int, line: str) -> bool:
    """Move the state over a line and return whether it holds no claim: blank, code, heading, rule, formula, definition."""
    region = state.spans.region
    protected = (
        region is not None
        and region.ends >= Ends.BLANK_LINE
        and (region.certain or resolve_region(region, text, start, final=True) is Doubt.PROTECTED)
    )
    state.advance(line)
    skipped = protected or state.is_code
    state.advance("\n")
    body = line[_prefix_length(line) :].rstrip()
    return skipped or not body or _SKIPPED.match(body) is not None


def _prefix_length(line: str) -> int:
    match = _PREFIX.match(line)
    return match.end() if match else 0


def _row(text: str, start: int, end: int) -> Iterator[_Block]:
    cells = [match.span() for match in _CELL.finditer(text, start, end)]
    if cells:
        yield _Block(cells, cells=True)


def _without(text: str, pieces: Sequence[tuple[int, int]], marks: Sequence[Mark]) -> _Words:
    """Return the pieces without labels and the blanks that only stood before a label."""
    kept: list[int] = []
    joints: set[int] = set()
    for start, end in pieces:
        pos = start
        for mark in marks:
            if start <= mark.position and mark.end <= end:
                kept.extend(range(pos, mark.position))
                _close_gap(text, kept, joints, mark)
                pos = mark.end
        kept.extend(range(pos, end))
    return _Words("".join(" " if offset in joints else text[offset] for offset in kept), kept)


def _close_gap(text: str, kept: list[int], joints: set[int], mark: Mark) -> None:
    """Take the blanks before a label with it, but keep words apart and leave a blank behind a full stop."""
    word_follows = text[mark.end : mark.end + 1].isalnum()
    while kept and text[kept[-1]] in " \t" and kept[-1] not in joints and not word_follows:
        kept.pop()
    if word_follows and kept and text[kept[-1]] in _TERMINATORS:
        kept.append(mark.position)
        joints.add(mark.position)


def _sentences(text: str, block: _Block, marks: Sequence[Mark], lang: str) -> list[_Sentence]:
    found: list[_Sentence] = []
    for pieces in [[piece] for piece in block.pieces] if block.cells else [block.pieces]:
        words = _without(text, pieces, marks)
        spans = _cell(words.text) if block.cells else sentence_spans(words.text, lang)
        for start, end in spans:
            if any(map(str.isalnum, words.text[start:end])):
                found.append(_Sentence(words.offsets[start], words.offsets[end - 1] + 1))
    return found


def _cell(words: str) -> list[tuple[int, int]]:
    return [(len(words) - len(words.lstrip()), len(words.rstrip()))]


def _assign(sentences: list[_Sentence], marks: Sequence[Mark], *, cells: bool) -> bool:
    """Give each label to its sentence; return True if labels stand before what they stand for."""
    leading = bool(marks) and marks[0].end <= sentences[0].start and marks[-1].position < sentences[-1].end
    for mark in marks:
        if leading:
            index = next((i for i, sentence in enumerate(sentences) if mark.position < sentence.end), len(sentences) - 1)
        else:
            index = max((i for i, sentence in enumerate(sentences) if sentence.start < mark.position), default=0)
        sentence = sentences[index]
        sentence.numbers.append(mark.n)
        if not cells:
            sentence.start, sentence.end = min(sentence.start, mark.position), max(sentence.end, mark.end)
    return leading


def _inherited(sentences: list[_Sentence], leading: bool) -> list[ClaimSpan]:
    """Return the sentences as claims: one without a label has those of the next, or of the one before where labels lead."""
    carried: tuple[int, ...] = ()
    claims: list[ClaimSpan] = []
    lone = leading and sum(bool(sentence.numbers) for sentence in sentences) == 1
    for sentence in sentences if leading else reversed(sentences):
        own = tuple(dict.fromkeys(sentence.numbers))
        carried = own if own or lone else carried
        claims.append(ClaimSpan(sentence.start, sentence.end, carried))
    return claims if leading else claims[::-1]
