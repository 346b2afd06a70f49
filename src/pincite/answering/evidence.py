"""Whether the passages that were found can hold the answer at all. Pure."""

from dataclasses import dataclass

from pincite.core.evidence import Signals


@dataclass(frozen=True, slots=True)
class EvidenceRule:
    """How raw scores become a strength in 0–1, and the strength below which no model is asked.

    `cosine_floor` and `cosine_span` describe the embedding model: the cosine of texts that have nothing to do with each
    other, and the distance from there to a near-certain hit, as chosen on clapnq dev for telling questions with an answer from
    near misses (`make bench-quality`). The gate itself is low: it only saves a model from passages that can't hold an answer,
    since a chunk of several topics, a small collection or another language weaken both signals. `cosine_enough` opens it alone.
    """

    cosine_floor: float = 0.80
    cosine_span: float = 0.12
    lexical_share: float = 0.3
    threshold: float = 0.1
    cosine_enough: float = 0.77


MEASURED = {"intfloat/multilingual-e5-small": EvidenceRule()}
"""Rules by embedding model. Cosines of different models don't compare."""

LITERAL_ENOUGH = 0.8
"""Share of a question that a passage must hold word for word for that to be evidence."""

WORDS_ALONE = EvidenceRule()
"""For search by words alone: only a question that hardly shares a word with anything is refused."""

OPEN = EvidenceRule(threshold=0.0)
"""For a model whose cosines were not measured: the chat model decides."""


def rule_for(model: str | None) -> EvidenceRule:
    """Return the rule for an embedding model, None being search by words alone."""
    return WORDS_ALONE if model is None else MEASURED.get(model, OPEN)


def strength(signals: Signals, rule: EvidenceRule) -> float:
    """Return how likely the best passage holds the answer: cosine above its floor, and the share of the question's idf mass
    that the best passage's BM25 reaches. With one side missing the other decides. A question that stands literally in a
    passage is as strong as the share of it that does.
    """
    literal = signals.literal if signals.literal >= LITERAL_ENOUGH else 0.0
    near = None if signals.dense_top is None else _clip((signals.dense_top - rule.cosine_floor) / rule.cosine_span)
    said = None
    if signals.lexical_top is not None and signals.idf_mass > 0:
        said = _clip(signals.lexical_top / (signals.idf_mass * 2.2))
    if near is None or said is None:
        return max(near or said or 0.0, literal)
    return max((1 - rule.lexical_share) * near + rule.lexical_share * said, literal)


def may_hold_answer(signals: Signals, rule: EvidenceRule) -> bool:
    """Say whether a model should be asked at all."""
    near = signals.dense_top is not None and signals.dense_top >= rule.cosine_enough
    return near or strength(signals, rule) >= rule.threshold


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
