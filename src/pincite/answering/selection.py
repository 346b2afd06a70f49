"""Choosing the sentences that answer a question. Pure.

The weights are those of a logistic regression of "is this a gold sentence" on dev halves of public sets (CLAP NQ, HotpotQA,
SciFact, XQuAD in six languages, weighted alike), rounded to what changed nothing.
"""

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from pincite.answering.cues import holds_answer_kind
from pincite.answering.fragments import is_fragment
from pincite.answering.matching import find_literal, fold
from pincite.answering.naming import name_words
from pincite.answering.overlap import Pair, Weighted, adjacency, pairs, rarity, terms, token_set, weigh
from pincite.answering.rows import only_names, table_heads
from pincite.answering.segments import Segment, SegmentKind, language_of, segments
from pincite.core.evidence import Passage, Source
from pincite.language.detect import detect
from pincite.language.words import words

MAX_SENTENCES = 4
MIN_SHARE_OF_BEST = 0.5
"""A further sentence must be at least so likely as this share of the best one."""
MIN_COVERAGE = 0.22
"""Share of the question's weight that some sentence and its surroundings must cover.

It declines 80–95% of questions put to passages of another question, and 0–4% of those put to their own (CLAP NQ, HotpotQA, XQuAD).
"""
MIN_LITERAL_CHARACTERS = 8
"""A shorter question is not looked for word for word."""

_BIAS = -7.0
_OWN = 2.0
_OWN_OF_BEST = 2.5
_TITLE = 3.0
_BEFORE = 1.0
_ADJACENT = 1.0
_PRIOR = 3.5
_KIND = 0.4
_LEAD = 0.4
_QUESTION = -1.0
_HEADING = -3.0
_NEAREST = 1.5
_NEARNESS = 18.0
_FARTHEST = 0.12
_LITERAL = 20.0
_NAMED = 1.0
_UNNAMED = -1.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that may be quoted.

    `coverage` is the share of the question's weight that it covers together with its title, its table's heads and the
    sentence before. `logit` says how likely it answers. `heads` are the rows that a row of a table is read under. `adjacent` is the
    share of the question's neighbouring words that are neighbours here. `covered` is the weight of each of the question's words
    that it covers by itself, `titled` what its title and heads add to their sum.
    """

    n: int
    passage: Passage
    segment: Segment
    coverage: float
    logit: float
    literal: bool = False
    heads: tuple[Segment, ...] = ()
    adjacent: float = 0.0
    covered: tuple[float, ...] = ()
    titled: float = 0.0

    @property
    def likelihood(self) -> float:
        """Return how likely the sentence answers, in 0–1."""
        return 1 / (1 + math.exp(-self.logit))

    @property
    def place(self) -> tuple[int, int]:
        """Return where it stands among the passages of its source."""
        return (self.passage.chunk_index, self.passage.start + self.segment.start)


@dataclass(frozen=True, slots=True)
class _Text:
    """A passage cut into segments, with what each covers of the question."""

    n: int
    passage: Passage
    segments: tuple[Segment, ...]
    covered: tuple[tuple[float, ...], ...]
    title: tuple[float, ...]
    adjacent: tuple[float, ...]
    literal: tuple[int, int] | None

    def own(self, index: int) -> float:
        return sum(self.covered[index])


def candidates(question: str, sources: Sequence[Source]) -> list[Candidate]:
    """Return all sentences of the sources that say something by themselves, likeliest first, equal ones once.

    A fragment, such as a number or a row of links, is among them only when it is the question or a row under its head.
    """
    texts = _read(question, sources)
    best_own = max((text.own(i) for text in texts for i in range(len(text.segments))), default=0.0) or 1.0
    best_fused = max((text.passage.scores.fused for text in texts), default=0.0)
    found: list[Candidate] = []
    for text in texts:
        # A retriever that gives no scores still gives an order.
        prior = text.passage.scores.fused / best_fused if best_fused else 1 / text.n
        found += [_candidate(question, text, i, best_own=best_own, prior=prior) for i in range(len(text.segments))]
    saying = [one for one in found if one.literal or one.heads or not is_fragment(one.segment)]
    return sorted(_unique(saying), key=lambda candidate: -candidate.logit)


def _read(question: str, sources: Sequence[Source]) -> list[_Text]:
    passages = [(source.n, passage) for source in sources for passage in source.quotable]
    langs = [language_of(passage) for _, passage in passages]
    cut = [tuple(segments(passage)) for _, passage in passages]
    sets = [[token_set(part.text, lang) for part in parts] for lang, parts in zip(langs, cut, strict=True)]
    every = [tokens for found in sets for tokens in found]
    asked_in = detect(question) or next(iter(langs), "")
    asked = terms(question, asked_in, stem_langs=langs)
    asked_pairs = pairs(question, asked_in, stem_langs=langs)
    weighted = weigh(asked, rarity(every), len(every))
    return [
        _text(question, (weighted, asked_pairs), n, passage, parts=parts, tokens=tokens)
        for (n, passage), parts, tokens in zip(passages, cut, sets, strict=True)
    ]


def _text(
    question: str,
    asked: tuple[Weighted, Sequence[Pair]],
    n: int,
    passage: Passage,
    *,
    parts: tuple[Segment, ...],
    tokens: Sequence[frozenset[str]],
) -> _Text:
    weighted, asked_pairs = asked
    lang = language_of(passage)
    title = weighted.vector(token_set(" ".join((passage.title, *passage.heading_path)), lang))
    adjacent = tuple(adjacency(asked_pairs, part.text, lang) for part in parts)
    literal = find_literal(question, fold(passage.text)) if len(question) >= MIN_LITERAL_CHARACTERS else None
    return _Text(n, passage, parts, tuple(weighted.vector(found) for found in tokens), title, adjacent, literal)


def _candidate(question: str, text: _Text, index: int, *, best_own: float, prior: float) -> Candidate:
    segment, own = text.segments[index], text.covered[index]
    heads = table_heads(text.segments, index, may_be_cut=text.passage.chunk_index > 0)
    headed = _union(own, text.title, *(text.covered[head] for head in heads))
    whole = _union(headed, text.covered[index - 1]) if index else headed
    literal = text.literal is not None and segment.start < text.literal[1] and segment.end > text.literal[0]
    logit = (
        _BIAS
        + _OWN * sum(own)
        + _OWN_OF_BEST * sum(own) / best_own
        + _TITLE * (sum(headed) - sum(own))
        + _BEFORE * (sum(whole) - sum(headed))
        + _ADJACENT * text.adjacent[index]
        + _PRIOR * prior
        + _KIND * holds_answer_kind(question, segment.text)
        + _LEAD * (index == 0)
        + _LITERAL * literal
        + _form(segment, is_first_row=segment.kind is SegmentKind.ROW and not heads)
    )
    return Candidate(
        text.n,
        text.passage,
        segment,
        sum(whole),
        logit,
        literal,
        tuple(text.segments[head] for head in heads),
        text.adjacent[index],
        own,
        sum(headed) - sum(own),
    )


def _union(*covered: Sequence[float]) -> tuple[float, ...]:
    return tuple(map(max, zip(*covered, strict=True)))


def _form(segment: Segment, *, is_first_row: bool) -> float:
    """Return what speaks against a segment for what it is: a heading or a table's head names, a question asks."""
    if segment.kind is SegmentKind.HEADING or is_first_row or (segment.kind is SegmentKind.ROW and only_names(segment)):
        return _HEADING
    return _QUESTION if segment.text.rstrip().endswith(("?", "？", "؟", "\u037e")) else 0.0


def _unique(found: Sequence[Candidate]) -> list[Candidate]:
    """Keep one of equal sentences: that of the source found first, as likely as the likeliest of them."""
    best: dict[str, Candidate] = {}
    for candidate in sorted(found, key=lambda candidate: (candidate.n, -candidate.logit)):
        key = fold(candidate.segment.text).text.strip()
        if key:
            kept = best.setdefault(key, candidate)
            best[key] = replace(kept, logit=max(kept.logit, candidate.logit))
    return list(best.values())


def nearer(found: Sequence[Candidate], cosines: Sequence[float]) -> list[Candidate]:
    """Return the candidates reweighed by the cosine of each to the question, likeliest first.

    Only the distance to the nearest counts: what a cosine means differs from model to model.
    """
    again = [
        replace(candidate, logit=candidate.logit + nearness) for candidate, nearness in zip(found, nearnesses(cosines), strict=True)
    ]
    return sorted(again, key=lambda candidate: -candidate.logit)


def nearnesses(cosines: Sequence[float]) -> list[float]:
    """Return what each cosine adds to the logit of its sentence."""
    top = max(cosines, default=0.0)
    return [_NEAREST + _NEARNESS * max(-_FARTHEST, cosine - top) for cosine in cosines]


def linked(question: str, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates reweighed by what leads from the best one to other documents, likeliest first.

    A sentence of another document counts more when the question or the best sentence names that document, and less when neither
    does: so that of two steps both are quoted, and nothing that is about something else.
    """
    if not ranked or ranked[0].literal:
        return list(ranked)
    links = links_from(ranked[0], question, ranked)
    again = [replace(candidate, logit=candidate.logit + link) for candidate, link in zip(ranked, links, strict=True)]
    return sorted(again, key=lambda candidate: -candidate.logit)


def links_from(best: Candidate, question: str, found: Sequence[Candidate]) -> list[float]:
    """Return what the question and the best sentence add to the logit of each candidate by naming its document or not."""
    telling = set(words(f"{question} {best.segment.text}"))
    return [_link(best, candidate, telling) for candidate in found]


def _link(best: Candidate, candidate: Candidate, telling: Set[str]) -> float:
    name = name_words(candidate.passage.title)
    if candidate.passage.document_id == best.passage.document_id or not name:
        return 0.0
    return _NAMED if name <= telling else _UNNAMED


def select(ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the 1–4 sentences to quote, in reading order: those nearly as likely as the best.

    A literal match stands alone. Beside a row of a table no row is quoted that has fewer of the question's words side by side:
    of "district 102" and "district 2 | 102" one is asked for.
    """
    if not ranked:
        return []
    best = ranked[0]
    if best.literal:
        return in_reading_order([candidate for candidate in ranked[:MAX_SENTENCES] if candidate.literal])
    least = MIN_SHARE_OF_BEST * best.likelihood
    return in_reading_order(
        [candidate for candidate in ranked[:MAX_SENTENCES] if candidate.likelihood >= least and _is_beside(best, candidate)]
    )


def _is_beside(best: Candidate, candidate: Candidate) -> bool:
    are_rows = best.segment.kind is candidate.segment.kind is SegmentKind.ROW
    return not are_rows or candidate.adjacent >= best.adjacent


def in_reading_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Return the sentences by source, the source of the best first, and inside a source as they stand there."""
    order = list(dict.fromkeys(candidate.n for candidate in chosen))
    return sorted(chosen, key=lambda candidate: (order.index(candidate.n), candidate.place))
