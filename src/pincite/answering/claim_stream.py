"""The claims of an answer as it comes: each once it is complete and its labels are known."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.answering.claim_blocks import Block, BlockReader
from pincite.answering.claims import ClaimSpan, Sentence, Sentences, marks_in, sentences_of
from pincite.answering.markers import Mark
from pincite.language.detect import detect

_EVENT = re.compile(r"\n|[.!?…。！？।॥؟۔։።]|[^\W_]+(?=[\W_])")
_CLOSERS = {"(": ")", "（": "）", "«": "»", "「": "」", "『": "』"}


@dataclass(frozen=True, slots=True)
class ReadyClaim:
    """A claim with the labels that stand for it, where its paragraph begins, and the language that it is written in."""

    span: ClaimSpan
    block: int
    is_cell: bool
    lang: str


class ClaimStream:
    """Splits a text into claims while it comes.

    A claim is ready when the first word of the next one has come and a label is known to stand for it: its own, or that of a
    later claim of its paragraph. The last ones of a paragraph wait for words of the next. Claims are the same however the text
    is cut, and those of the whole text (`split_claims`), unless what follows a claim that is out would have changed it.
    """

    def __init__(self, question: str = "") -> None:
        self.text = ""
        self.marks: list[Mark] = []
        self._question = question
        self._plain = ""
        """The text with blanks in place of labels."""
        self._reader = BlockReader()
        self._waiting: list[tuple[int, int]] = []
        """Complete lines that can't be told from others before more has come."""
        self._line = self._seen = self._out = 0
        self._may_decide = True
        self._held = Sentences()
        self._held_block = 0

    def feed(self, text: str, marks: Sequence[Mark]) -> Iterator[ReadyClaim]:
        """Yield the claims that a piece of the text makes ready; `marks` are all labels so far."""
        self._take(text, marks[len(self.marks) :])
        for event in _EVENT.finditer(self._plain, self._seen):
            self._seen = event.end()
            if event.group() == "\n":
                self._waiting.append((self._line, event.end()))
                self._line = event.end()
                yield from self._read_lines(final=False)
            is_word = event.group()[0].isalnum()
            if is_word and self._may_decide:
                yield from self._decide(event.end())
            self._may_decide = not is_word

    def finish(self) -> Iterator[ReadyClaim]:
        """Yield the claims that are left; nothing is fed after it."""
        if self._line < len(self.text):
            self._waiting.append((self._line, len(self.text)))
        yield from self._read_lines(final=True)
        for block in self._reader.finish():
            yield from self._close(block, len(self.text))
        yield from self._let_go(len(self.text))

    def _take(self, text: str, marks: Sequence[Mark]) -> None:
        offset = len(self.text)
        plain = text
        for mark in marks:
            start, end = mark.position - offset, mark.end - offset
            plain = plain[:start] + " " * (end - start) + plain[end:]
        self.text += text
        self._plain += plain
        self.marks.extend(marks)

    def _read_lines(self, *, final: bool) -> Iterator[ReadyClaim]:
        while self._waiting and (final or not self._must_wait()):
            start, end = self._waiting.pop(0)
            ahead = self.text[slice(*self._waiting[0])].rstrip() if self._waiting else ""
            known = self._waiting[-1][1] if self._waiting else end
            for block in self._reader.read(self.text[:known], start, end, ahead=ahead):
                yield from self._close(block, known)

    def _must_wait(self) -> bool:
        """Say whether the first line may turn out to be the head of a table, or to go on with code or math."""
        lines = [self.text[start:end] for start, end in self._waiting]
        if self._reader.is_unsure and not any(map(str.isspace, lines)):
            return True
        return "|" in lines[0] and len(lines) == 1

    def _decide(self, at: int) -> Iterator[ReadyClaim]:
        """Look at the line that is coming, whose last word ends at `at`."""
        foreseen = None if self._waiting else self._reader.foresee(self.text, self._line, at)
        if foreseen is None:
            return
        is_new, block = foreseen
        sentences = self._sentences(block, at)
        if not sentences.each:
            return
        if is_new and self._reader.current.pieces:
            yield from self._close(self._reader.current, at)
        yield from self._let_go(at)
        if not sentences.leading:
            whole = Sentences(self._complete(sentences.each))
            yield from self._give(whole, block.start, at)

    def _complete(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Return the sentences up to the last one that has a label and a successor, and in which no quote is open."""
        for count in range(len(sentences) - 1, 0, -1):
            said = self.text[sentences[0].start : sentences[count - 1].end]
            if sentences[count - 1].numbers and _is_closed(said):
                return list(sentences[:count])
        return []

    def _close(self, block: Block, known: int) -> Iterator[ReadyClaim]:
        """Hold the claims of a block that is complete: a paragraph of labels alone may still follow."""
        sentences = self._sentences(block, known)
        if sentences.each:
            yield from self._let_go(known)
            self._held, self._held_block = sentences, block.start
        else:
            self._held.add_labels(marks_in(block.behind(self._out), self.marks))

    def _sentences(self, block: Block, known: int) -> Sentences:
        """Return the claims of what isn't out of a block, as far as the text is known."""
        rest = block.behind(self._out)
        if not rest.pieces:
            return Sentences()
        marks = [mark for mark in marks_in(rest, self.marks) if mark.end <= known]
        return sentences_of(self.text, rest, marks, self._lang(known), may_lead=rest.start == block.start)

    def _let_go(self, known: int) -> Iterator[ReadyClaim]:
        held, self._held = self._held, Sentences()
        yield from self._give(held, self._held_block, known)

    def _give(self, sentences: Sentences, block: int, known: int) -> Iterator[ReadyClaim]:
        lang = self._lang(known) if sentences.each else ""
        for span in sentences.claims():
            self._out = span.end
            yield ReadyClaim(span, block, sentences.cells, lang)

    def _lang(self, known: int) -> str:
        """Return the language of what came so far; where that is little, the question speaks for it too."""
        return detect(f"{self.text[:known]}\n{self._question}")


def _is_closed(text: str) -> bool:
    """Say whether all quotes and parentheses end that begin in a text."""
    german = text.count("„")
    curly = german > text.count("“") + text.count("”") if german else text.count("“") > text.count("”")
    return not curly and text.count('"') % 2 == 0 and all(text.count(a) <= text.count(b) for a, b in _CLOSERS.items())
