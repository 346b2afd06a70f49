"""Choosing the sentences that answer a question. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.answering.matching import find_literal, fold
from pincite.answering.overlap import Weighted, rarity, terms, token_set, weigh
from pincite.answering.segments import Segment, SegmentKind, segments
from pincite.core.evidence import Passage, Source
from pincite.language.detect import detect

MIN_LITERAL_CHARACTERS = 8
TITLE_SHARE = 0.5
NEIGHBOUR_SHARE = 0.35
CUE_WEIGHT = 0.08
PRIOR_WEIGHT = 0.15
HEADING_FACTOR = 0.3
QUESTION_FACTOR = 0.5
MIN_SCORE_SHARE = 0.75
MAX_SENTENCES = 4
MIN_EVIDENCE = 0.3

_NUMBER = re.compile(r"\d")
_YEAR = re.compile(
    r"\b(?:1\d{3}|20\d{2})\b|\b\d{1,2}[./-]\d{1,2}\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,;] )[^\W\d_a-z]\w+")
_CUES = (
    (
        re.compile(r"\b(?:how many|how much|how long|how old|how often|how far|what percentage|what number)\b", re.IGNORECASE),
        _NUMBER,
    ),
    (re.compile(r"\b(?:when|what year|which year|what date|in what month)\b", re.IGNORECASE), _YEAR),
    (re.compile(r"\b(?:who|whom|whose|where)\b", re.IGNORECASE), _NAME),
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be quoted: where it stands, what it covers of the question, its score."""

    n: int
    passage: Passage
    index: int
    segment: Segment
    covered: tuple[float, ...]
    score: float
    literal: bool = False

    @property
    def coverage(self) -> float:
        """Return the share of the question's weight that the sentence and its surroundings cover."""
        return sum(self.covered)

    @property
    def start(self) -> int:
        """Return its offset in the canonical text."""
        return self.passage.start + self.segment.start


def candidates(question: str, sources: Sequence[Source]) -> list[Candidate]:
    """Return all sentences of the sources, best first."""
    passages = [(source.n, passage) for source in sources for passage in source.passages]
    cut = [segments(passage) for _, passage in passages]
    sets = [[token_set(s.text, p.lang) for s in found] for (_, p), found in zip(passages, cut, strict=True)]
    every = [tokens for found in sets for tokens in found]
    langs = [passage.lang for _, passage in passages]
    asked = terms(question, detect(question) or next(iter(langs), ""), stem_langs=langs)
    weighted = weigh(asked, rarity(every), len(every))
    top = max((passage.scores.fused for _, passage in passages), default=0.0) or 1.0
    found: list[Candidate] = []
    for (n, passage), parts, tokens in zip(passages, cut, sets, strict=True):
        found.extend(_scored(question, weighted, n, passage, parts=parts, tokens=tokens, prior=passage.scores.fused / top))
    return sorted(_unique(found), key=lambda candidate: -candidate.score)


def _scored(
    question: str,
    weighted: Weighted,
    n: int,
    passage: Passage,
    *,
    parts: Sequence[Segment],
    tokens: Sequence[frozenset[str]],
    prior: float,
) -> list[Candidate]:
    about = token_set(" ".join((passage.title, *passage.heading_path)), passage.lang)
    place = find_literal(question, fold(passage.text)) if len(question) >= MIN_LITERAL_CHARACTERS else None
    title = weighted.vector(about)
    own = [weighted.vector(found) for found in tokens]
    blank = (0.0,) * len(title)
    scored: list[Candidate] = []
    for index, segment in enumerate(parts):
        before = own[index - 1] if index else blank
        covered = tuple(
            max(mine, TITLE_SHARE * headed, NEIGHBOUR_SHARE * near)
            for mine, headed, near in zip(own[index], title, before, strict=True)
        )
        literal = place is not None and segment.start < place[1] and segment.end > place[0]
        score = (sum(covered) + PRIOR_WEIGHT * prior + _cue(question, segment.text)) * _factor(segment)
        scored.append(Candidate(n, passage, index, segment, covered, score + (10 if literal else 0), literal))
    return scored


def _cue(question: str, text: str) -> float:
    """Return a bonus when the text holds the kind of thing that is asked for."""
    return next((CUE_WEIGHT for asked, answer in _CUES if asked.search(question) and answer.search(text)), 0.0)


def _factor(segment: Segment) -> float:
    if segment.kind is SegmentKind.HEADING:
        return HEADING_FACTOR
    return QUESTION_FACTOR if segment.text.rstrip().endswith(("?", "？", "؟")) else 1.0


def _unique(found: Sequence[Candidate]) -> list[Candidate]:
    """Keep the best of equal sentences."""
    best: dict[str, Candidate] = {}
    for candidate in found:
        key = fold(candidate.segment.text).text.strip()
        if key and (key not in best or candidate.score > best[key].score):
            best[key] = candidate
    return list(best.values())


def select(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the 1–4 sentences to quote in reading order, none when the evidence is thin."""
    if not ranked or not (ranked[0].literal or ranked[0].coverage >= MIN_EVIDENCE):
        return []
    chosen = [ranked[0]]
    for candidate in ranked[1:]:
        if len(chosen) == MAX_SENTENCES or candidate.score < MIN_SCORE_SHARE * ranked[0].score:
            break
        if ranked[0].literal and not candidate.literal:
            break
        chosen.append(candidate)
    return in_reading_order(chosen)


def in_reading_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Return the sentences by source, the source of the best first, and inside a source as they stand there."""
    order = list(dict.fromkeys(candidate.n for candidate in chosen))
    return sorted(chosen, key=lambda c: (order.index(c.n), c.passage.chunk_index, c.start))


def rescored(ranked: Sequence[Candidate], bonus: Sequence[float]) -> list[Candidate]:
    """Return the candidates with a bonus added to the score of each, best first."""
    again = [replace(c, score=c.score + extra) for c, extra in zip(ranked, bonus, strict=True)]
    return sorted(again, key=lambda candidate: -candidate.score)
