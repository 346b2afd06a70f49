"""Whether the passages that were found can hold the answer at all. Pure."""

from dataclasses import dataclass

from pincite.core.evidence import Signals


@dataclass(frozen=True, slots=True)
class EvidenceRule:
    """How raw scores become a strength in 0–1, and the strength below which no model is asked.

    `cosine_floor` and `cosine_span` describe the embedding model: the cosine of texts that have nothing to do with each
    other, and the distance from there to a near-certain hit.
    """

    cosine_floor: float = 0.78
    cosine_span: float = 0.12
    lexical_share: float = 0.4
    threshold: float = 0.2


def strength(signals: Signals, rule: EvidenceRule) -> float:
    """Return how likely the best passage holds the answer: cosine above its floor, and the share of the question's idf mass
    that the best passage's BM25 reaches. With one side missing the other decides.
    """
    near = None if signals.dense_top is None else _clip((signals.dense_top - rule.cosine_floor) / rule.cosine_span)
    said = None
    if signals.lexical_top is not None and signals.idf_mass > 0:
        said = _clip(signals.lexical_top / (signals.idf_mass * 2.2))
    if near is None:
        return said or 0.0
    if said is None:
        return near
    return (1 - rule.lexical_share) * near + rule.lexical_share * said


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
