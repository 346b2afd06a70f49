"""A claim beside the sentences that are closest to it: what differs, as numbers and in words. Pure."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pincite.answering.alignment import Features, Side, Word, closeness, share
from pincite.answering.cells import InCells, Laid, in_cells
from pincite.answering.figures import Given, lacking, together
from pincite.answering.makeup import letters_held, makeup, without_labels
from pincite.answering.opposition import Opposition, Turned, oppose
from pincite.answering.stated import Stated
from pincite.answering.substitutions import (
    FIRST_UNSPACED,
    Edits,
    Line,
    Run,
    bared,
    counted,
    edits,
    negated_forms,
    other_things,
    runs,
    strangeness,
)
from pincite.core.ports.models import WordSense
from pincite.language.number_words import folded, names_of
from pincite.language.quantities import Figures, figures_of
from pincite.language.stems import stem_all, stop_stems
from pincite.language.stopwords import stop_words
from pincite.language.words import word_spans, words

_CLOSEST = 3
_NOT_MUCH_WORSE = 0.7
_MOST_TOLD = 6
_MOSTLY = 0.6
_LAST = 3
_LETTERS = 2


@dataclass(frozen=True, slots=True)
class Compared:
    """What a claim and its sources have in common and what not; texts are as the claim or the source writes them.

    `held` is the share of the claim in its closest sentence, `lacking` are amounts and dates that no source gives, `missing` words
    that no source has, `turned` words of which the closest sentences say the opposite, `denied` those that the closest one
    negates and the claim doesn't, `instead` an amount, a date or the only word that differs with what the closest sentences give in
    its place, `ambiguous` figures that can be read in more than one way, `there` the value that a table or form has under labels
    that the claim names, when it states none of them. `differs` says that the closest sentence is the claim word
    for word but for a negation, or for a word beside a number, or that a table has a figure of the claim under other labels.
    """

    features: Features
    held: float
    lacking: Sequence[str] = ()
    missing: Sequence[str] = ()
    turned: Sequence[str] = ()
    denied: Sequence[str] = ()
    instead: tuple[str, str] | None = None
    ambiguous: Sequence[str] = ()
    there: str = ""
    differs: bool = False


def compare(claim: str, sources: Sequence[Side], lang: str, sense: WordSense, *, question: str = "") -> Compared | None:
    """Compare a claim with all texts it cites together; None for one without words.

    `lang` is the language of both. `question` is what the claim answers: words of it say less than the others.
    """
    claim = without_labels(claim)
    stated = Stated(claim, lang)
    if not stated.content or not sources:
        return None
    contrast = _Contrast(stated, sources)
    edited = contrast.edited(sense)
    features = {
        **makeup(claim, lang, stated.every, stated.content),
        "claim sentences": float(len(stated.parts)),
        **closeness(stated.every, stated.content, sources),
        **contrast.told(),
        **contrast.covered(),
        **contrast.asked(question),
        **contrast.figures(),
        **contrast.in_place(sense),
        **edited.features,
        **contrast.celled.features,
        "is a reference": float("http" in claim),
    }
    return Compared(
        features,
        contrast.held,
        lacking(claim, contrast.given, lang),
        contrast.missing(),
        [stated.every[at].text for at in (*contrast.near.opposed, *contrast.near.negated_here)],
        contrast.denied(),
        contrast.celled.misplaced or contrast.told_instead() or contrast.swapped(edited) or contrast.celled.instead,
        [claim[date.start : date.end] for date in stated.figures.dates if len(date.readings) > 1],
        contrast.celled.there,
        edited.is_denied or contrast.counts_others(edited) or contrast.celled.misplaced is not None,
    )


@dataclass
class _Contrast:
    """A claim, its sources, and the sentences that hold most of it: the best first, at most three and none much worse."""

    stated: Stated
    sources: Sequence[Side]
    close: list[tuple[float, Side, int]] = field(init=False)

    def __post_init__(self) -> None:
        every = ((share(self.stated.core, found), source, at) for source in self.sources for at, found in enumerate(source.sets))
        best = sorted((item for item in every if item[0]), key=lambda item: -item[0])[:_CLOSEST]
        self.close = [item for item in best if item[0] >= _NOT_MUCH_WORSE * best[0][0]]

    @cached_property
    def there(self) -> set[str]:
        """All stems of all sources."""
        return {token for source in self.sources for token in source.places}

    @cached_property
    def given(self) -> Given:
        """All figures of all sources."""
        return together(source.figures for source in self.sources)

    @cached_property
    def told_sentences(self) -> list[Turned]:
        return [source.turned(at) for _, source, at in self.close]

    @property
    def held(self) -> float:
        return self.close[0][0] if self.close else 0.0

    @cached_property
    def near(self) -> Opposition:
        return self._opposed(self.told_sentences)

    def _opposed(self, sentences: Sequence[Turned]) -> Opposition:
        content = {word.token for word in self.stated.content}
        return oppose(Turned(self.stated.stems, content, self.stated.signs), sentences)

    def told(self) -> Features:
        """What turns a claim against sources that hold its words: negations, opposites, how sure it is."""
        signs, told, near = self.stated.signs, self.told_sentences, self.near
        best = self._opposed(told[:1])
        core = self.stated.core
        strong = {self.stated.every[at].text for at in signs.strong}
        return {
            "core held": self.held,
            "core held first": min(1.0, sum(share(core, source.sets[0]) for source in self.sources if source.sets)),
            "core held last": max((share(core, found) for source in self.sources for found in source.sets[-_LAST:]), default=0.0),
            "core margin": self.held - (self.close[1][0] if len(self.close) > 1 else 0.0),
            "best at": self.close[0][2] / len(self.close[0][1].sets) if self.close else 0.0,
            "negation differs": float(bool(signs.negations) != any(sentence.signs.negations for sentence in told[:2])),
            "told negations": float(sum(bool(sentence.signs.negations) for sentence in told)),
            "sure missing": float(len(strong - {word for source in self.sources for found in source.sentences for word in found})),
            "signs": float(len(signs.opposites)),
            "negations": float(len(signs.negations)),
            "weak": float(len(signs.weak) - (len(told[0].signs.weak) if told else 0)),
            "strong": float(len(signs.strong) - (len(told[0].signs.strong) if told else 0)),
            "agreed": float(len(near.agreed)),
            "agreed by best": float(len(best.agreed)),
            "opposed": float(len(near.opposed)),
            "opposed by best": float(len(best.opposed)),
            "untold": float(len(near.untold)),
            "negated here": float(len(near.negated_here)),
            "negated here by best": float(len(best.negated_here)),
            "negated there": float(min(_MOST_TOLD, len(set(near.negated_there)))),
            "negated there by best": float(min(_MOST_TOLD, len(set(best.negated_there)))),
            "negated both": float(near.negated_both),
            "turned": self.held * float(bool(near.opposed) or bool(near.negated_here)),
            "turned once": float(bool(best.opposed) != bool(best.negated_here)),
            "rising": float(sum(sign.side for sign in signs.opposites)),
        }

    def covered(self) -> Features:
        """How much the claim says of its closest sentence, and that one of the claim's names and letters."""
        best, said, stops = self._best, set(self.stated.stems), stop_stems(self.stated.lang)
        names = [word for word in self.stated.content if word.is_name]
        written = self.close[0][1].sentences[self.close[0][2]] if self.close else []
        letters = {token: len(token) for token in best if token not in stops}
        return {
            "best covered": sum(letters[token] for token in said & letters.keys()) / max(1, sum(letters.values())),
            "best words": math.log1p(len(best)),
            "names held by best": share(names, best) if names else 1.0,
            "letters held by best": letters_held([word.text for word in self.stated.every], written),
            "weakest held": min(self._most_held(part) for part in self.stated.parts),
            "held by heads": max(share(self.stated.content, source.head) for source in self.sources),
            "starts negated": float(0 in self.stated.signs.negations),
            "source sentences": math.log1p(sum(len(source.sets) for source in self.sources)),
        }

    def _most_held(self, part: Sequence[Word]) -> float:
        """Return the most that two sentences in a row hold of a sentence of the claim."""
        return max((share(part, pair) for source in self.sources for pair in source.rows[1]), default=0.0)

    @property
    def _best(self) -> frozenset[str]:
        return self.close[0][1].sets[self.close[0][2]] if self.close else frozenset()

    def asked(self, question: str) -> Features:
        """How much the sources hold of what a claim adds to its question, and the sentences that say it of the question."""
        asked = set(stem_all(words(question), self.stated.lang)) - stop_stems(self.stated.lang)
        new = [word for word in self.stated.content if word.token not in asked]
        old = [word for word in self.stated.content if word.token in asked]
        best, said = self._best, {word.token for word in self.stated.content}
        near = [found for source in self.sources for found in source.sets if new and share(new, found) >= _MOSTLY]
        return {
            "new words": float(len(new)) if question else 0.0,
            "new held": share(new, self.there) if new else 1.0,
            "new held by best": share(new, best) if new else 1.0,
            "asked held": len(asked & self.there) / len(asked) if asked else 1.0,
            "asked held by best": len(asked & best) / len(asked) if asked else 1.0,
            "asked near new": max((len(asked & found) / len(asked) for found in near), default=0.0) if asked else 1.0,
            "asked near new names": self._near_names(asked, new) if asked else 1.0,
            "asked said": len(asked & said) / len(asked) if asked else 1.0,
            "new share": len(new) / len(self.stated.content) if asked else 1.0,
            "old held by best": share(old, best) if old else 1.0,
        }

    def _near_names(self, asked: set[str], new: Sequence[Word]) -> float:
        """Return the share of the question that two sentences hold which hold the names and numbers that a claim adds to it."""
        named = [word for word in new if word.is_name or word.is_figure]
        if not named:
            return 1.0
        near = [pair for source in self.sources for pair in source.rows[1] if share(named, pair) > _MOSTLY]
        return max((len(asked & pair) / len(asked) for pair in near), default=0.0)

    def figures(self) -> Features:
        """Amounts and dates that the sources don't give, or give elsewhere, or of something else."""
        own, text, lang = self.stated.figures, self.stated.text, self.stated.lang
        count = len(own.amounts) + len(own.dates)
        if not count:
            return {
                "figures": 0.0,
                "figures missing": 0.0,
                "figures far": 0.0,
                "figures instead": 0.0,
                "counted other": 0.0,
                "counted after other": 0.0,
            }
        return {
            "figures": float(count),
            "figures missing": float(len(lacking(text, self.given, lang))),
            "figures far": float(len(lacking(text, together(self._close_figures), lang))),
            "figures instead": float(self.instead() is not None),
            **other_things(counted(text, own.amounts), [one for source in self.sources for one in source.counted]),
        }

    @cached_property
    def _close_figures(self) -> list[Figures]:
        return [source.figures_at(at) for _, source, at in self.close]

    @cached_property
    def celled(self) -> InCells:
        """What the tables and forms of the sources make of the claim."""
        stated = self.stated
        weights: dict[str, float] = {}
        for word in stated.content:
            weights[word.token] = max(word.weight, weights.get(word.token, 0.0))
        prose = (
            share(stated.content, found)
            for source in self.sources
            for at, found in enumerate(source.sets)
            if source.cells and "|" not in source.text_of(at)
        )
        claim = Laid(stated.text, stated.lang, weights, stated.figures, max(prose, default=0.0), bool(stated.signs.negations))
        return in_cells(claim, [(source.text, source.cells) for source in self.sources])

    def denied(self) -> list[str]:
        """Return the words that the closest sentence negates and the claim, which negates nothing, doesn't: two at least."""
        negated = set(self._opposed(self.told_sentences[:1]).negated_there) if not self.stated.signs.negations else set[str]()
        found = [word.text for word in self.stated.content if word.token in negated]
        return found if len(found) > 1 else []

    def instead(self) -> tuple[str, str] | None:
        """Return a figure of the claim that its closest sentences don't give, and what of the same kind they give in its place."""
        there = together(self._close_figures)
        for mine, theirs in (*self._other_amounts(there), *self._other_dates(there)):
            return mine, theirs
        return None

    def told_instead(self) -> tuple[str, str] | None:
        """Return as `instead`, but nothing for a figure that a sentence of some source gives beside a word of the claim."""
        found = self.instead()
        if not found or folded(found[1]) in names_of(self.stated.lang).scales:  # "(in millions)" gives no other figure
            return None
        said = {word.token for word in self.stated.content if not word.is_figure}
        mine = figures_of(found[0], self.stated.lang)
        for source in self.sources:
            for at, (start, end) in enumerate(source.spans):
                within = [
                    a for a in source.figures.amounts if start <= a.start < end and any(a.may_equal(one) for one in mine.amounts)
                ]
                if within and said & source.sets[at]:
                    return None
        return found

    def _other_amounts(self, there: Given) -> Iterator[tuple[str, str]]:
        for amount in self.stated.figures.amounts:
            if not there.holds_amount(amount):
                for (_, source, at), figures in zip(self.close, self._close_figures, strict=True):
                    text = source.text_of(at)
                    for other in figures.amounts:
                        if other.is_comparable(amount) and not any(other.may_equal(one) for one in self.stated.figures.amounts):
                            yield self.stated.text[amount.start : amount.end].strip(), text[other.start : other.end].strip()

    def _other_dates(self, there: Given) -> Iterator[tuple[str, str]]:
        for date in self.stated.figures.dates:
            if not there.holds_date(date):
                for (_, source, at), figures in zip(self.close, self._close_figures, strict=True):
                    text = source.text_of(at)
                    for other in figures.dates:
                        if date.differs(other):
                            yield self.stated.text[date.start : date.end].strip(), text[other.start : other.end].strip()

    def missing(self) -> list[str]:
        """Return the words of the claim that no source has; what is written without blanks in runs."""
        lost = [word.text for word in self.stated.content if self._is_missing(word)]
        return [run.text for run in self._missing_runs()] if any(word >= FIRST_UNSPACED for word in lost) else lost

    def _missing_runs(self) -> list[Run]:
        every = self.stated.every
        return runs([word.text for word in every], [self._is_missing(word) for word in every])

    def in_place(self, sense: WordSense) -> Features:
        """What stands in the claim in place of what the closest sentences say."""
        there = self.there
        missing = self._missing_runs()
        others, plain = self._untold()
        turkish = self.sources[0].lang == "tr"
        negated = negated_forms([word.text for word in self.stated.content if word.token not in there], plain) if turkish else 0
        singles = [Run(word, len(word)) for word in plain if word < FIRST_UNSPACED and len(word) > _LETTERS]
        return {
            **strangeness(missing, [*others, *singles], sense),
            "missing runs": float(len(missing)),
            "missing sure names": float(sum(word.is_name and word.token not in there for word in self.stated.content)),
            "negated form": float(negated),
        }

    def swapped(self, edited: Edits) -> tuple[str, str] | None:
        """Return the words that a claim has in place of those of its closest sentence, when nothing else differs."""
        if not edited.swap:
            return None
        _, source, at = self.close[0]
        return bared(_written(self.stated.text, edited.swap[0]), _written(source.text_of(at), edited.swap[1]))

    def counts_others(self, edited: Edits) -> bool:
        """Say whether the only word that differs stands beside a number, also behind one in words."""
        if not edited.swap:
            return False
        start = word_spans(self.stated.text)[edited.swap[0][0]][0]
        behind = any(amount.start < start <= amount.end + 1 for amount in self.stated.figures.amounts)
        return behind or bool(edited.features["swapped beside number"])

    def edited(self, sense: WordSense) -> Edits:
        """Compare the claim with its closest sentence word by word."""
        stated, stops = self.stated, stop_words(self.stated.lang)
        turning = {*stated.signs.negations, *(sign.at for sign in stated.signs.opposites)}
        texts = [word.text for word in stated.every]
        counts = [text not in stops or at in turning for at, text in enumerate(texts)]
        claim = Line(texts, stated.stems, counts, [word.is_name for word in stated.every], stated.signs.negations)
        there = [source.line(at) for _, source, at in self.close[:1]]
        return edits(claim, there[0] if there else Line([], [], [], []), sense)

    def _is_missing(self, word: Word) -> bool:
        return bool(word.weight) and not word.is_figure and word.token not in self.there

    def _untold(self) -> tuple[list[Run], list[str]]:
        """Return what the closest sentences have and the claim hasn't: runs of words, and the words."""
        mine = set(self.stated.stems)
        others: list[Run] = []
        plain: list[str] = []
        for _, source, at in self.close:
            found = source.sentences[at]
            lack = [token not in mine and not word[0].isdigit() for word, token in zip(found, source.stems[at], strict=True)]
            others += runs(found, lack)
            plain += [word for word, lacks in zip(found, lack, strict=True) if lacks]
        return others, plain


def _written(text: str, run: tuple[int, int]) -> str:
    """Return words, by their numbers, as a text writes them."""
    spans = word_spans(text)[slice(*run)]
    return text[spans[0][0] : spans[-1][1]]
