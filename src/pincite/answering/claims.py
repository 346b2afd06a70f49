"""The claims of an answer: its sentences, list items and table cells, each with the labels that stand for it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pincite.answering.claim_blocks import Block, blocks_of
from pincite.answering.marker_words import SOURCE_WORDS
from pincite.answering.markers import Mark
from pincite.language.detect import detect
from pincite.language.sentences import sentence_spans


@dataclass(frozen=True, slots=True)
class ClaimSpan:
    """A claim `[start, end)` of the answer in code points, its own labels included, and the numbers that stand for it."""

    start: int
    end: int
    labels: tuple[int, ...]


@dataclass(slots=True)
class Sentence:
    """A claim in the making, with the numbers written for it."""

    start: int
    end: int
    numbers: list[int] = field(default_factory=list[int])


@dataclass(slots=True)
class Sentences:
    """The claims of a block in the making. Where labels are `leading` they stand before what they stand for."""

    each: list[Sentence] = field(default_factory=list[Sentence])
    leading: bool = False
    cells: bool = False

    def add_labels(self, marks: Sequence[Mark]) -> None:
        """Give the last one the labels of a paragraph that holds nothing else."""
        if self.each:
            self.each[-1].numbers.extend(mark.n for mark in marks)

    def claims(self) -> list[ClaimSpan]:
        """Return the claims: one without a label has those of the next, or of the one before where labels lead."""
        carried: tuple[int, ...] = ()
        claims: list[ClaimSpan] = []
        lone = self.leading and sum(bool(sentence.numbers) for sentence in self.each) == 1
        for sentence in self.each if self.leading else reversed(self.each):
            own = tuple(dict.fromkeys(sentence.numbers))
            carried = own if own or lone else carried
            claims.append(ClaimSpan(sentence.start, sentence.end, carried))
        return claims if self.leading else claims[::-1]


@dataclass(frozen=True, slots=True)
class _Words:
    """A part of the text without labels; `offsets[i]` is where its i-th code point stands in the text."""

    text: str
    offsets: Sequence[int]


_TERMINATORS = frozenset(".!?…")
_DRESS = re.compile(r"\*\*|(?<=\n)[ \t]*(?:>[ \t]?)*|[ \t][(（][ \t,;]*[)）]")
"""Strong emphasis, indentation and quote marks of later lines, and parentheses that held nothing but labels."""
_WORD = re.compile(r"[^\W_]+")
_NAMED = re.compile(rf"(?<=[.!?…。।])\s*[(（]?(?:{'|'.join(sorted(SOURCE_WORDS))})\s*[:：]\s*[.)）]*\s*\Z", re.IGNORECASE)
"""What named a source behind a sentence."""


def split_claims(text: str, marks: Sequence[Mark], lang: str = "") -> list[ClaimSpan]:
    """Return the claims in order, without overlap; headings, code blocks, formulas and table heads are none.

    A label stands for the claim that it follows, also when it follows the full stop, and for the claims without one before it
    in the same paragraph, list item or table row. Where a paragraph opens with a label and closes without one, labels stand for
    what they open.
    `lang` is an ISO 639-1 code, detected when empty.
    """
    language = lang or detect(text)
    claims: list[ClaimSpan] = []
    held = Sentences()
    for block in blocks_of(text):
        inside = marks_in(block, marks)
        found = sentences_of(text, block, inside, language)
        if found.each:
            claims.extend(held.claims())
            held = found
        else:
            held.add_labels(inside)
    claims.extend(held.claims())
    return claims


def claim_text(text: str, claim: ClaimSpan, marks: Sequence[Mark]) -> str:
    """Return the words of a claim without labels, the blanks before them, strong emphasis and the marks of quotes."""
    words = _without(text, [(claim.start, claim.end)], marks)
    return _NAMED.sub("", _DRESS.sub("", words.text)).strip()


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


def marks_in(block: Block, marks: Sequence[Mark]) -> list[Mark]:
    """Return the labels that stand in a block."""
    return [mark for mark in marks if block.start <= mark.position < block.end] if block.pieces else []


def sentences_of(text: str, block: Block, marks: Sequence[Mark], lang: str, *, may_lead: bool = True) -> "Sentences":
    """Return the claims of a block in the making, with its labels given to them. Without `may_lead` no label opens a claim."""
    found: list[Sentence] = []
    for pieces in [[piece] for piece in block.pieces] if block.cells else [block.pieces]:
        words = _without(text, pieces, marks)
        spans = _cell(words.text) if block.cells else sentence_spans(words.text, lang)
        for start, end in spans:
            if _says_something(words.text[start:end]):
                found.append(Sentence(words.offsets[start], words.offsets[end - 1] + 1))
    leading = _assign(found, marks, cells=block.cells, may_lead=may_lead) if found else False
    return Sentences(found, leading, block.cells)


def _says_something(words: str) -> bool:
    """Say whether a text has words besides those that name a source, as in `Source: [1]`."""
    return any(word.casefold() not in SOURCE_WORDS for word in _WORD.findall(words))


def _cell(words: str) -> list[tuple[int, int]]:
    return [(len(words) - len(words.lstrip()), len(words.rstrip()))]


def _assign(sentences: Sequence[Sentence], marks: Sequence[Mark], *, cells: bool, may_lead: bool) -> bool:
    """Give each label to its sentence; return True if labels stand before what they stand for."""
    opens = may_lead and bool(marks) and marks[0].end <= sentences[0].start
    leading = opens and marks[-1].position < sentences[-1].end
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
