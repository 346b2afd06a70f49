"""The quote finder: which sentences of a source a claim rests on. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.answering.matching import find_literal, fold
from pincite.answering.overlap import Weighted, rarity, terms, token_set, weigh
from pincite.answering.segments import Segment, segments
from pincite.core.evidence import Passage, Source

MAX_RUN = 3
"""A quote is at most this many adjacent sentences."""
LONGER_RUN_PENALTY = 0.12
"""What a further sentence must add to the support of a run to be worth its length."""
MIN_LITERAL_CHARACTERS = 12
"""A shorter claim ("No.", "60") stands in any text by chance: its words are weighed instead."""
NUMBER_MISSING = 0.5
"""The most support that a run can give to a claim with a number that it doesn't hold."""


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """A literal run of a passage: `text == passage.text[start - passage.start : end - passage.start]`.

    `start` and `end` are offsets in the canonical text. `support` in 0–1 is the share of the claim's weight that the run covers;
    it is 1 when the claim stands there word for word (`literal`). It measures words, not truth.
    """

    passage: Passage
    start: int
    end: int
    text: str
    support: float
    literal: bool = False


@dataclass(frozen=True, slots=True)
class _Part:
    passage: Passage
    segments: tuple[Segment, ...]
    tokens: tuple[frozenset[str], ...]


def find_quote(claim: str, source: Source, *, lang: str = "") -> QuoteMatch | None:
    """Return the smallest run of sentences of the source that supports the claim best; None when the source holds no text.

    First the claim itself is looked for, whatever its quotes, dashes, case, ligatures and white space look like. Otherwise words
    are weighed by their rarity in the source, numbers and names most, over runs of up to three adjacent sentences. A claim that
    nothing supports still gets the best sentence, with a low support. `lang` is the claim's language.
    """
    found = _literal(claim, source)
    if found:
        return found
    parts = [part for part in map(_part, source.passages) if part.segments]
    if not parts:
        return None
    asked = terms(claim, lang or parts[0].passage.lang, stem_langs=[part.passage.lang for part in parts])
    every = [tokens for part in parts for tokens in part.tokens]
    weighted = weigh(asked, rarity(every), len(every))
    score, part, first, last = max(_runs(parts, weighted), key=lambda run: run[0])
    return _match(part, first, last, _support(weighted, part, first, last)) if score > 0 else _best_of(source, parts)


def _literal(claim: str, source: Source) -> QuoteMatch | None:
    wanted = fold(claim).text.strip()
    if len(wanted) < MIN_LITERAL_CHARACTERS:
        return None
    for passage in sorted(source.passages, key=lambda passage: -passage.scores.fused):
        place = find_literal(claim, fold(passage.text))
        if place:
            start, end = _whole_sentences(passage, *place)
            return _at(passage, start, end, support=1.0, literal=True)
    return None


def _whole_sentences(passage: Passage, start: int, end: int) -> tuple[int, int]:
    """Widen a run to the sentences it stands in, unless they are much longer than the run."""
    touched = [segment for segment in segments(passage) if segment.start < end and segment.end > start]
    if not touched:
        return start, end
    first, last = min(start, touched[0].start), max(end, touched[-1].end)
    return (first, last) if last - first <= max(300, 3 * (end - start)) else (start, end)


def _part(passage: Passage) -> _Part:
    found = tuple(segments(passage))
    return _Part(passage, found, tuple(token_set(segment.text, passage.lang) for segment in found))


def _runs(parts: Sequence[_Part], weighted: Weighted) -> Iterator[tuple[float, _Part, int, int]]:
    """Yield (score, part, first segment, last segment) of all runs of adjacent sentences, shorter ones first."""
    for part in parts:
        prior = 0.001 * part.passage.scores.fused
        for size in range(1, MAX_RUN + 1):
            for first in range(len(part.segments) - size + 1):
                last = first + size - 1
                covered = weighted.covered(_union(part, first, last))
                yield covered - LONGER_RUN_PENALTY * (size - 1) + (prior if covered else 0), part, first, last


def _union(part: _Part, first: int, last: int) -> frozenset[str]:
    return frozenset[str]().union(*part.tokens[first : last + 1])


def _support(weighted: Weighted, part: _Part, first: int, last: int) -> float:
    tokens = _union(part, first, last)
    covered = min(0.99, weighted.covered(tokens))
    numbers = [term for term in weighted.terms if any(char.isdigit() for token in term.tokens for char in token)]
    missing = any(tokens.isdisjoint(term.tokens) for term in numbers)
    return round(min(covered, NUMBER_MISSING) if missing else covered, 4)


def _match(part: _Part, first: int, last: int, support: float) -> QuoteMatch:
    return _at(part.passage, part.segments[first].start, part.segments[last].end, support=support)


def _best_of(source: Source, parts: Sequence[_Part]) -> QuoteMatch:
    """Return the first sentence of the best passage: nothing supports the claim, but its label points here."""
    part = next((part for part in parts if part.passage is source.best), parts[0])
    return _match(part, 0, 0, 0.0)


def _at(passage: Passage, start: int, end: int, *, support: float, literal: bool = False) -> QuoteMatch:
    return QuoteMatch(passage, passage.start + start, passage.start + end, passage.text[start:end], support, literal)
