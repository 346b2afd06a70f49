"""Verdicts: does what a claim cites support it? Pure.

A claim that stands word for word in its source is supported. Any other is compared with the sentences that are closest to it:
numbers, units, dates, names, negations, opposites, order and neighbourhood of words. `weights.py` makes one figure of that.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pincite.answering.alignment import Side
from pincite.answering.contrast import Compared, compare
from pincite.answering.figures import listed
from pincite.answering.matching import find_literal, fold
from pincite.answering.quotes import is_telling
from pincite.answering.segments import language_of
from pincite.answering.weights import Weights, load_weights
from pincite.core.answers import Verdict
from pincite.core.evidence import Passage, Source
from pincite.core.ports.models import WordSense
from pincite.language.polarity import knows

VERDICTS = "verdicts/3"
"""What judges claims, as receipts name it: another number where verdicts change."""

_EVEN = 0.5
_SAME = 0.85
"""A sentence that holds this share of a claim says the same or the opposite."""
_CLOSE = 0.6
"""A sentence that holds this share of a claim is about the same: what differs contradicts."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its support in 0–1: how likely people would call such a claim supported. None where nothing was judged."""

    verdict: Verdict
    support: float | None
    reason: str


LITERAL = Judgement(Verdict.SUPPORTED, 1.0, "The claim stands word for word in its quote.")


class Evidence:
    """The sources of an answer, each cut into sentences and words once."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = {source.n: source for source in sources}
        self._sides: dict[int, list[Side]] = {}

    def sides(self, numbers: Sequence[int]) -> list[Side]:
        """Return the texts of sources that may be quoted."""
        return [side for n in numbers if n in self._sources for side in self._of(n)]

    def _of(self, n: int) -> list[Side]:
        if n not in self._sides:
            source = self._sources[n]
            self._sides[n] = [_side(source, passage) for passage in source.quotable]
        return self._sides[n]


def _side(source: Source, passage: Passage) -> Side:
    lang = language_of(passage)
    return Side(f"{source.title}\n{passage.text}" if source.title else passage.text, lang)


@dataclass(frozen=True)
class Verifier:
    """Judges claims by what they cite. `sense` knows the meaning of single words."""

    sense: WordSense
    weights: Callable[[], Weights] = load_weights

    def check(self, claim: str, sides: Sequence[Side], lang: str, *, question: str = "") -> Judgement:
        """Return the verdict on a claim, also of one that stands there word for word. Otherwise as `judge`."""
        if is_telling(claim) and any(find_literal(claim, fold(side.text)) for side in sides):
            return LITERAL
        return self.judge(claim, sides, lang, question=question)

    def judge(self, claim: str, sides: Sequence[Side], lang: str, *, question: str = "") -> Judgement:
        """Return the verdict on a claim against all texts it cites together.

        `lang` is the claim's language, empty if unknown, `question` what it answers. Texts whose language is unknown, as of forms,
        are read in the claim's; that nothing is found in them tells nothing.
        """
        if not sides:
            return _unchecked("What it cites can't be quoted.")
        unknown = not all(side.lang for side in sides)
        sides = [side if side.lang or not lang else Side(side.text, lang) for side in sides]
        theirs = {side.lang for side in sides}
        if lang and lang not in theirs and knows(lang):
            return _unchecked("The claim and its sources are in different languages; compare it with its quote.")
        if not any(knows(code) for code in theirs):
            return Judgement(
                Verdict.NOT_CHECKED,
                None,
                "Nothing is known of how reliable verdicts are in this language; compare it with its quote.",
            )
        compared = compare(claim, sides, lang if lang in theirs else sides[0].lang, self.sense, question=question)
        if compared is None:
            return _unchecked("It holds no words that could be compared.")
        found = _judged(compared, self.weights())
        if unknown and found.verdict is Verdict.NOT_FOUND and not compared.there:
            return _unchecked("It can't be told in which language its sources are; compare it with its quote.")
        return found


def _unchecked(reason: str) -> Judgement:
    return Judgement(Verdict.NOT_CHECKED, None, reason)


def _judged(compared: Compared, weights: Weights) -> Judgement:
    support = weights.probability(compared.features)
    if compared.differs or compared.lacking or (compared.held >= _SAME and (compared.denied or compared.turned)):
        support = min(support, _EVEN - 0.01)
    support = round(support, 4)
    if support >= weights.supported and compared.ambiguous:
        return Judgement(
            Verdict.NOT_CHECKED,
            support,
            f"{listed(compared.ambiguous)} can be read in more than one way; compare it with its quote.",
        )
    if support >= weights.supported:
        return Judgement(Verdict.SUPPORTED, support, "Its sources say so in other words.")
    if support >= _EVEN:
        return Judgement(Verdict.PARTLY, support, _partly(compared))
    differs = compared.instead or compared.turned or compared.denied
    if compared.differs or (compared.held >= _CLOSE and differs):
        return Judgement(Verdict.CONTRADICTED, support, _contradicted(compared))
    return Judgement(Verdict.NOT_FOUND, support, _not_found(compared))


def _partly(compared: Compared) -> str:
    if compared.missing:
        return f"Its sources say part of it, or say it otherwise; they don't have {listed(compared.missing)}."
    return "Its sources hold its words, but may not say this; compare it with its quote."


def _contradicted(compared: Compared) -> str:
    if compared.instead:
        said, told = compared.instead
        return f"It says {said} where its source says {told}."
    if compared.turned:
        return f"Its source says the opposite about {listed(compared.turned)}."
    if compared.denied:
        return "Its source says this with a negation."
    return "It differs from its source in a negation."


def _not_found(compared: Compared) -> str:
    if compared.there:
        return f"Its source says {compared.there} there; compare the claim with its quote."
    lacking = [*compared.lacking, *compared.missing][:4]
    if lacking:
        return f"Its sources don't say {listed(lacking)}; compare the claim with its quote."
    return "Its sources don't say this; compare the claim with its quote."
