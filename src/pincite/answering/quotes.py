"""The quote finder: which sentences of a source a claim rests on. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pincite.answering.matching import EDGES, find_literal, fold
from pincite.answering.overlap import Term, Weighted, rarity, terms, token_set, weigh
from pincite.answering.rows import table_heads
from pincite.answering.segments import Segment, language_of, segments
from pincite.core.evidence import Passage, Source

QUOTES = "quotes/2"
"""What finds quotes, as receipts name it where nothing judges claims: another number where it finds others."""
MAX_RUN = 3
"""A quote is at most this many adjacent sentences."""
LONGER_RUN_PENALTY = 0.12
"""What a further sentence must add to the support of a run to be worth its length."""
LACKING_PENALTY = 0.2
"""What a run loses for a number of the claim that it lacks and another has: a reader looks for the number first."""
_MIN_LITERAL_CHARACTERS = 12
"""A shorter claim ("No.", "60") stands in any text by chance: its words are weighed instead."""
_CELLS = re.compile(r"[^\W_]\s*\|\s*[^\W_]")
_COUNTED = re.compile(r"\d[\d.,]* [^\W\d_]{3,}")
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
    """A passage cut into segments, with their tokens."""

    passage: Passage
    lang: str
    segments: tuple[Segment, ...]
    tokens: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class _Run:
    """Segments `[first, last]` of a part, the weight that they cover of each term of the claim, and how good a quote they are."""

    part: _Part
    first: int
    last: int
    covered: tuple[float, ...]
    score: float


def find_quote(claim: str, source: Source, *, lang: str = "") -> QuoteMatch | None:
    """Return the smallest run of sentences of the source that supports the claim best; None when the source holds no text
    of its document: what a model wrote is no quote.

    First the claim itself is looked for, whatever its quotes, dashes, case, ligatures and white space look like. Otherwise words
    are weighed by their rarity in the source, numbers and names most, over runs of up to three adjacent sentences. A claim that
    nothing supports still gets the best sentence, with a low support. `lang` is the claim's language.
    """
    found = _literal(claim, source)
    if found:
        return found
    parts = [part for part in map(_part, source.quotable) if part.segments]
    if not parts:
        return None
    asked = terms(claim, lang or parts[0].lang, stem_langs=[part.lang for part in parts])
    every = [tokens for part in parts for tokens in part.tokens]
    weighted = weigh(asked, rarity(every), len(every))
    best = max(_runs(parts, weighted), key=lambda run: run.score)
    return _match(best, _support(weighted, best)) if any(best.covered) else _best_of(source, parts)


def is_telling(claim: str) -> bool:
    """Say whether it means something that a text holds a claim word for word: it is long, a row, or counts things ("3 trucks")."""
    plain = fold(claim).text.strip(EDGES)
    return len(plain) >= _MIN_LITERAL_CHARACTERS or bool(_COUNTED.fullmatch(plain) or _CELLS.search(claim))


def _literal(claim: str, source: Source) -> QuoteMatch | None:
    if not is_telling(claim):
        return None
    for passage in sorted(source.quotable, key=lambda passage: -passage.scores.fused):
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
    lang = language_of(passage)
    found = tuple(segments(passage))
    return _Part(passage, lang, found, tuple(token_set(segment.text, lang) for segment in found))


def _runs(parts: Sequence[_Part], weighted: Weighted) -> Iterator[_Run]:
    """Yield all runs of adjacent sentences, shorter ones first."""
    singles = [_covered(part, weighted) for part in parts]
    numbers = [at for at, term in enumerate(weighted.terms) if _is_number(term) and any(v[at] for one in singles for v in one)]
    for part, single in zip(parts, singles, strict=True):
        prior = 0.001 * part.passage.scores.fused
        for size in range(1, MAX_RUN + 1):
            for first in range(len(single) - size + 1):
                covered = tuple(map(max, zip(*single[first : first + size], strict=True)))
                lacks = sum(not covered[at] for at in numbers)
                score = sum(covered) - LONGER_RUN_PENALTY * (size - 1) - LACKING_PENALTY * lacks + prior
                yield _Run(part, first, first + size - 1, covered, score)


def _covered(part: _Part, weighted: Weighted) -> list[tuple[float, ...]]:
    """Return what each segment covers of each term of the claim; a row of a table covers what its heads do, too."""
    own = [weighted.vector(tokens) for tokens in part.tokens]
    cut = part.passage.chunk_index > 0
    heads = [table_heads(part.segments, at, may_be_cut=cut) for at in range(len(part.segments))]
    return [
        tuple(map(max, zip(mine, *(own[head] for head in above), strict=True))) if above else mine
        for mine, above in zip(own, heads, strict=True)
    ]


def _support(weighted: Weighted, run: _Run) -> float:
    """Return the share of the claim that a run covers; less when a number is missing."""
    covered = min(0.99, sum(run.covered))
    numbers = [weight for term, weight in zip(weighted.terms, run.covered, strict=True) if _is_number(term)]
    return round(covered if all(numbers) else min(covered, NUMBER_MISSING), 4)


def _is_number(term: Term) -> bool:
    return any(char.isdigit() for token in term.tokens for char in token)


def _match(run: _Run, support: float) -> QuoteMatch:
    parts = run.part.segments
    return _at(run.part.passage, parts[run.first].start, parts[run.last].end, support=support)


def _best_of(source: Source, parts: Sequence[_Part]) -> QuoteMatch:
    """Return the first sentence of the best passage: nothing supports the claim, but its label points here."""
    part = next((part for part in parts if part.passage is source.best), parts[0])
    return _at(part.passage, part.segments[0].start, part.segments[0].end, support=0.0)


def _at(passage: Passage, start: int, end: int, *, support: float, literal: bool = False) -> QuoteMatch:
    return QuoteMatch(passage, passage.start + start, passage.start + end, passage.text[start:end], support, literal)
