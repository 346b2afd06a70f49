"""A claim as it is compared: its words, figures and what turns it. Pure."""

from dataclasses import dataclass
from functools import cached_property

from pincite.answering.alignment import Word, words_of_claim
from pincite.language.polarity import Signs, signs_of
from pincite.language.quantities import Figures, figures_of
from pincite.language.sentences import sentence_spans
from pincite.language.words import word_spans


@dataclass(frozen=True)
class Stated:
    """A claim as it is compared."""

    text: str
    lang: str

    @cached_property
    def figures(self) -> Figures:
        """Its amounts and dates."""
        return figures_of(self.text, self.lang)

    @cached_property
    def every(self) -> list[Word]:
        """All its words."""
        return list(words_of_claim(self.text, self.lang, self.figures))

    @cached_property
    def content(self) -> list[Word]:
        """The words that count; all of them where none does."""
        return [word for word in self.every if word.weight] or [
            Word(word.text, word.token, 1.0, is_name=False, is_figure=False) for word in self.every
        ]

    @cached_property
    def parts(self) -> list[list[Word]]:
        """The words that count, sentence by sentence."""
        spans = sentence_spans(self.text, self.lang)
        starts = [start for start, _ in word_spans(self.text)]
        parts = [
            [word for word, at in zip(self.every, starts, strict=True) if start <= at < end and word.weight] for start, end in spans
        ]
        return [part for part in parts if part] or [self.content]

    @cached_property
    def stems(self) -> list[str]:
        """The stem of each word."""
        return [word.token for word in self.every]

    @cached_property
    def signs(self) -> Signs:
        """What turns it."""
        return signs_of([word.text for word in self.every], self.stems, self.lang)

    @cached_property
    def core(self) -> list[Word]:
        """The words that say what the claim is about: without those that may be turned."""
        turning = {self.stems[sign.at] for sign in self.signs.opposites} | {self.stems[at] for at in self.signs.negations}
        return [word for word in self.content if word.token not in turning] or self.content
