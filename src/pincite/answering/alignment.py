"""How closely a claim follows the texts it cites: what a reader would compare, as numbers. Pure.

All shares are weighted: a long word says more than a short one, a function word says nothing.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from pincite.answering.cells import Cell, cells_of
from pincite.answering.matching import shared_start
from pincite.answering.opposition import Turned
from pincite.answering.scales import scaled
from pincite.answering.substitutions import Counted, Line, counted
from pincite.language.polarity import signs_of
from pincite.language.quantities import Figures, figures_of
from pincite.language.sentences import sentence_spans
from pincite.language.stems import stem_all
from pincite.language.stopwords import stop_words
from pincite.language.words import word_spans, words

Features = Mapping[str, float]

_WINDOW = 40
_NEAR, _CLOSE = 6, 2
_PLACES = 30
"""Of a word that stands in a text more often, the first places count."""
_HEAD = 4
_TITLE = 150
"""Characters of a text's first line."""
_MOST_SENTENCES = 400


@dataclass(frozen=True)
class Side:
    """One text: its words, their stems, where they stand, sentence by sentence."""

    text: str
    lang: str

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where each sentence stands."""
        return (sentence_spans(self.text, self.lang) or [(0, len(self.text))])[:_MOST_SENTENCES]

    def text_of(self, at: int) -> str:
        """Return a sentence."""
        start, end = self.spans[at]
        return self.text[start:end]

    @cached_property
    def sentences(self) -> list[list[str]]:
        """The words of each sentence."""
        return [words(self.text[start:end]) for start, end in self.spans]

    @cached_property
    def sets(self) -> list[frozenset[str]]:
        """The different stems of each sentence."""
        return [frozenset(stems) for stems in self.stems]

    @cached_property
    def rows(self) -> tuple[list[frozenset[str]], list[frozenset[str]], list[frozenset[str]]]:
        """The different stems of each sentence, of it with the next, and of it with the next two."""
        none = frozenset[str]()
        two = [one | other for one, other in pairwise((*self.sets, none))]
        return self.sets, two, [pair | other for pair, other in zip(two, (*self.sets[2:], none, none), strict=False)]

    @cached_property
    def head(self) -> frozenset[str]:
        """The different stems of the title, or of what else the text opens with."""
        return frozenset(stem_all(words(self.text.split("\n", 1)[0][:_TITLE]), self.lang))

    @cached_property
    def figures(self) -> Figures:
        """The amounts and dates of the text."""
        return scaled(self.text, self.lang, figures_of(self.text, self.lang))

    def figures_at(self, at: int) -> Figures:
        """Return the amounts and dates of a sentence."""
        found, start = figures_of(self.text_of(at), self.lang), self.spans[at][0]
        scales = {amount.start - start: amount.scales for amount in self.figures.amounts if amount.scales}
        return (
            replace(found, amounts=tuple(replace(one, scales=scales.get(one.start, ())) for one in found.amounts))
            if scales
            else found
        )

    @cached_property
    def counted(self) -> list[Counted]:
        """The amounts of the text with their neighbours."""
        return counted(self.text, self.figures.amounts)

    @cached_property
    def cells(self) -> list[Cell]:
        """The values of tables and forms in the text."""
        return cells_of(self.text, self.lang, self.figures)

    def turned(self, at: int) -> Turned:
        """Return a sentence with what turns it."""
        return Turned(self.stems[at], self.sets[at], signs_of(self.sentences[at], self.stems[at], self.lang))

    def line(self, at: int) -> Line:
        """Return a sentence word by word."""
        text, found = self.text_of(at), self.sentences[at]
        stops = stop_words(self.lang)
        starts = [start for start, _ in word_spans(text)]
        names = [start > 0 and text[start].isupper() for start in starts]
        return Line(found, self.stems[at], [word not in stops for word in found], names, self.turned(at).signs.negations)

    @cached_property
    def stems(self) -> list[list[str]]:
        """The stems of each sentence."""
        return [stem_all(found, self.lang) for found in self.sentences]

    @cached_property
    def flat(self) -> list[str]:
        """All stems in order."""
        return [token for sentence in self.stems for token in sentence]

    @cached_property
    def places(self) -> Mapping[str, list[tuple[int, int]]]:
        """For each stem its first places: the number of the word, and of its sentence."""
        found: dict[str, list[tuple[int, int]]] = {}
        at = 0
        for number, sentence in enumerate(self.stems):
            for token in sentence:
                places = found.setdefault(token, [])
                if len(places) < _PLACES:
                    places.append((at, number))
                at += 1
        return found


@dataclass(frozen=True)
class Word:
    """A word of a claim; `weight` is 0 for one that says nothing."""

    text: str
    token: str
    weight: float
    is_name: bool
    is_figure: bool


def closeness(every: Sequence[Word], content: Sequence[Word], sources: Sequence[Side]) -> Features:
    """Return how much of a claim its sources hold, in what order and how near together; `content` are the words that count."""
    return {
        **_held(content, sources),
        **_in_order(every, sources),
        **_close_together(content, sources),
        "claim words": math.log1p(len(every)),
        "source words": math.log1p(sum(len(source.flat) for source in sources)),
    }


def words_of_claim(claim: str, lang: str, own: Figures) -> Iterator[Word]:
    """Yield the words of a claim; a number that is written in words is a figure, which is compared by its value."""
    stops = stop_words(lang)
    found = words(claim)
    written = {at for amount in own.amounts for at in range(amount.start, amount.end)} if own.amounts else set[int]()
    for text, token, (start, _) in zip(found, stem_all(found, lang), word_spans(claim), strict=True):
        digits = any(character.isdigit() for character in text)
        counts = text not in stops and (digits or start not in written)
        weight = 3.0 + 0.7 * min(len(text), 9) if counts else 0.0
        yield Word(text, token, weight, is_name=start > 0 and claim[start].isupper() and not digits, is_figure=digits)


def share(content: Sequence[Word], tokens: frozenset[str] | set[str]) -> float:
    """Return the share in 0–1 of the words' weight that a text with these stems holds."""
    return sum(word.weight for word in content if word.token in tokens) / sum(word.weight for word in content)


def _held(content: Sequence[Word], sources: Sequence[Side]) -> Features:
    """How much of the claim's weight the sources hold: in all, in their best sentences, and what is missing."""
    all_tokens = {token for source in sources for token in source.places}
    rows = [[found for source in sources for found in source.rows[size]] for size in range(3)]
    runs = [max((share(content, tokens) for tokens in found), default=0.0) for found in rows]
    missing = [word for word in content if word.token not in all_tokens]
    kin = [word.weight * (1 - _kinship(word.token, all_tokens)) for word in missing]
    names = [word for word in content if word.is_name]
    lost_names = [word for word in names if word.token not in all_tokens]
    half = max(1, len(content) // 2)
    return {
        "held": share(content, all_tokens),
        "held by a sentence": runs[0],
        "held by two": runs[1],
        "held by three": runs[2],
        "held by three more": runs[2] - runs[0],
        "missing words": float(len(missing)),
        "missing letters": float(sum(len(word.text) for word in missing)),
        "missing run": _missing_run(content, all_tokens),
        "missing share": len(missing) / len(content),
        "heaviest missing": max((word.weight for word in missing), default=0.0),
        "missing but for kin": sum(kin) / sum(word.weight for word in content),
        "heaviest without kin": max(kin, default=0.0),
        "names": float(len(names)),
        "names missing": float(len(lost_names)),
        "names held": 1 - len(lost_names) / len(names) if names else 1.0,
        "first half more": share(content[:half], all_tokens) - (share(content[half:], all_tokens) if content[half:] else 0.0),
    }


def _missing_run(content: Sequence[Word], tokens: set[str]) -> float:
    """Return how many letters the longest run of words has that the sources don't hold."""
    best = run = 0
    for word in content:
        run = 0 if word.token in tokens else run + len(word.text)
        best = max(best, run)
    return float(best)


def _kinship(token: str, tokens: set[str]) -> float:
    """Return 0–1 for the longest common beginning with a word of the sources: inflection, derivation."""
    if len(token) < _HEAD:
        return 0.0
    head = token[:_HEAD]
    return max(
        (shared_start(token, other) / max(len(token), len(other)) for other in tokens if other.startswith(head)), default=0.0
    )


def _in_order(every: Sequence[Word], sources: Sequence[Side]) -> Features:
    """How much of the claim stands in the sources in its own order."""
    said = [word.token for word in every]
    two = {pair for source in sources for sentence in source.stems for pair in pairwise(sentence)}
    three = {run for source in sources for s in source.stems for run in zip(s, s[1:], s[2:], strict=False)}
    pairs, triples = list(pairwise(said)), list(zip(said, said[1:], said[2:], strict=False))
    longest = max((_longest_run(said, source) for source in sources), default=0)
    return {
        "pairs": sum(pair in two for pair in pairs) / max(1, len(pairs)),
        "triples": sum(run in three for run in triples) / max(1, len(triples)),
        "longest run": longest / max(1, len(said)),
        "longest run words": float(longest),
    }


def _longest_run(said: Sequence[str], source: Side) -> int:
    best = 0
    before: dict[int, int] = {}
    for token in said:
        here = {at: before.get(at - 1, 0) + 1 for at, _ in source.places.get(token, ())}
        best = max(best, *here.values()) if here else best
        before = here
    return best


def _close_together(content: Sequence[Word], sources: Sequence[Side]) -> Features:
    """How much of the claim's neighbours are neighbours in the sources, and what forty words in a row hold of it."""
    whole = same = near = close = 0.0
    for first, word in enumerate(content):
        for step, other in enumerate(content[first + 1 : first + 3], 1):
            weight = (word.weight + other.weight) / step
            whole += weight
            distance = min((_distance(source, word.token, other.token) for source in sources), default=math.inf)
            same += weight * (distance < math.inf)
            near += weight * (distance <= _NEAR)
            close += weight * (distance <= _CLOSE)
    whole = whole or 1.0
    window = max((_window(content, source) for source in sources), default=0.0)
    return {
        "neighbours in a sentence": same / whole,
        "neighbours near": near / whole,
        "neighbours close": close / whole,
        "window": window,
    }


def _distance(source: Side, left: str, right: str) -> float:
    """Return how many words lie between two within one sentence, infinity when they never share one."""
    pairs = ((a, b) for a in source.places.get(left, ()) for b in source.places.get(right, ()))
    return min((abs(a[0] - b[0]) for a, b in pairs if a[1] == b[1]), default=math.inf)


def _window(content: Sequence[Word], source: Side) -> float:
    weights: dict[str, float] = {}
    for word in content:
        weights[word.token] = weights.get(word.token, 0.0) + word.weight
    hits = sorted((at, token) for token in weights for at, _ in source.places.get(token, ()))
    best, first = 0.0, 0
    for last, (end, _) in enumerate(hits):
        while hits[first][0] <= end - _WINDOW:
            first += 1
        best = max(best, sum(weights[token] for token in {token for _, token in hits[first : last + 1]}))
    return best / sum(weights.values())
