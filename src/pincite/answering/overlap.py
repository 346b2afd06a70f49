"""How much of what one text says another text says: weighted words, with numbers and names counting most. Pure."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pincite.answering.matching import shared_start
from pincite.language.stems import index_tokens, stem
from pincite.language.stopwords import stop_words
from pincite.language.words import word_spans, words

NUMBER_WEIGHT = 1.8
NAME_WEIGHT = 1.3
_MIN_STEM = 4
_CELL_BORDER = re.compile(r"[|\t]")


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a text: the index tokens that may stand for it, and how much it counts before rarity."""

    tokens: tuple[str, ...]
    weight: float


def terms(text: str, lang: str, *, stem_langs: Sequence[str] = ()) -> list[Term]:
    """Return the words of a text, each once, in order, without the stop words of its language.

    `stem_langs` are the languages of the texts it will be compared with. A text of nothing but stop words keeps them.
    """
    stops = stop_words(lang)
    langs = tuple(dict.fromkeys((*stem_langs, lang)))
    every: dict[str, bool] = {}
    for word, (start, _) in zip(words(text), word_spans(text), strict=True):
        every[word] = every.get(word, False) or _is_name(text, start)
    kept = {word: named for word, named in every.items() if word not in stops} or every
    return [Term(_stems(word, langs), _weight(word, named=named)) for word, named in kept.items()]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring words of a text: the tokens that may stand for each, and how much they count."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    weight: float


def pairs(text: str, lang: str, *, stem_langs: Sequence[str] = ()) -> list[Pair]:
    """Return the neighbours among the words of a text, none of them a stop word. A pair with a number counts most."""
    stops = stop_words(lang)
    langs = tuple(dict.fromkeys((*stem_langs, lang)))
    found = words(text)
    return [
        Pair(_stems(left, langs), _stems(right, langs), max(_weight(left, named=False), _weight(right, named=False)))
        for left, right in pairwise(found)
        if left not in stops and right not in stops
    ]


def adjacency(asked: Sequence[Pair], text: str, lang: str) -> float:
    """Return the share in 0–1 of the pairs that stand side by side in a text, in one cell of a table; 0 without pairs."""
    whole = sum(pair.weight for pair in asked)
    if not whole:
        return 0.0
    said = {side for cell in _CELL_BORDER.split(text) for side in pairwise(stem(word, lang) for word in words(cell))}
    held = (pair.weight for pair in asked if any((left, right) in said for left in pair.left for right in pair.right))
    return sum(held) / whole


def _stems(word: str, langs: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stem(word, code) for code in langs))


def _is_name(text: str, start: int) -> bool:
    """Say whether a word starts with a capital inside a sentence."""
    return text[start].isupper() and start > 1 and text[:start].rstrip()[-1:] not in ".!?:"


def _weight(word: str, *, named: bool) -> float:
    if any(char.isdigit() for char in word):
        return NUMBER_WEIGHT
    return NAME_WEIGHT if named else 1.0


def token_set(text: str, lang: str) -> frozenset[str]:
    """Return the index tokens of a text."""
    return frozenset(index_tokens(text, lang))


def rarity(token_sets: Iterable[frozenset[str]]) -> Mapping[str, float]:
    """Return the idf of each token over the given texts, as BM25 counts it."""
    sets = list(token_sets)
    counts: dict[str, int] = {}
    for tokens in sets:
        for token in tokens:
            counts[token] = counts.get(token, 0) + 1
    return {token: _idf(count, len(sets)) for token, count in counts.items()}


def _idf(count: float, total: int) -> float:
    return math.log(1 + (total - count + 0.5) / (count + 0.5))


@dataclass(frozen=True, slots=True)
class Weighted:
    """The terms of a text with their final weights, which sum to 1 (0 without terms)."""

    terms: tuple[Term, ...]
    weights: tuple[float, ...]

    def vector(self, tokens: frozenset[str]) -> tuple[float, ...]:
        """Return per term the weight that a text with these tokens covers."""
        return tuple(weight * match(term, tokens) for term, weight in zip(self.terms, self.weights, strict=True))


def weigh(found: Sequence[Term], idf: Mapping[str, float], total: int) -> Weighted:
    """Weigh terms by their rarity among `total` texts; unknown words count like the rarest."""
    unknown = _idf(0.5, total)
    raw = [term.weight * max(0.1, min(idf.get(token, unknown) for token in term.tokens)) for term in found]
    whole = sum(raw)
    return Weighted(tuple(found), tuple(value / whole for value in raw) if whole else ())


def match(term: Term, tokens: frozenset[str]) -> float:
    """Return 1 when a token of the term occurs, part of it when a word with the same beginning does, else 0."""
    if any(token in tokens for token in term.tokens):
        return 1.0
    return max((_kinship(token, tokens) for token in term.tokens), default=0.0)


def _kinship(token: str, tokens: frozenset[str]) -> float:
    """Return up to 0.7 for a word that shares most of its beginning: inflection that no stemmer undid."""
    if len(token) < _MIN_STEM or any(char.isdigit() for char in token):
        return 0.0
    head = token[:_MIN_STEM]
    best = 0.0
    for other in tokens:
        if other.startswith(head):
            best = max(best, shared_start(token, other) / max(len(token), len(other)))
    return 0.7 * best if best >= 0.6 else 0.0
