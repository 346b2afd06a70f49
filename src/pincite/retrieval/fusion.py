"""Fuses the two sides of a search into one order. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pincite.core.evidence import Scores, Strategy
from pincite.core.ids import ChunkId
from pincite.core.ports.index import IndexHit


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """Share of the dense side (0–1; the rest is lexical), the cosine that counts as no likeness at all, and what a passage gains
    that holds the whole question word for word.
    """

    dense: float = 0.45
    cosine_floor: float = 0.0
    phrase: float = 1.0


COSINE_FLOORS = {"intfloat/multilingual-e5-small": 0.7}
"""Models whose cosines are squeezed: hardly any pair of texts lies below. Others are taken to start at 0."""


def weights_for(model: str) -> FusionWeights:
    """Return the weights for an embedding model."""
    return FusionWeights(cosine_floor=COSINE_FLOORS.get(model, 0.0))


def fuse(
    dense: Sequence[IndexHit], lexical: Sequence[IndexHit], strategy: Strategy, weights: FusionWeights
) -> list[tuple[ChunkId, Scores]]:
    """Return chunks with their scores, best first.

    The lexical score is divided by the best hit of the set, and so is the cosine above its floor. Both raw scores are kept.
    """
    cosines = {hit.chunk_id: hit.score for hit in dense}
    bm25 = {hit.chunk_id: hit.score for hit in lexical}
    near = _over_best({chunk: max(0.0, score - weights.cosine_floor) for chunk, score in cosines.items()})
    said = _over_best(bm25)
    share = {Strategy.DENSE: 1.0, Strategy.LEXICAL: 0.0, Strategy.HYBRID: weights.dense}[strategy]
    fused = {
        chunk: Scores(share * near.get(chunk, 0.0) + (1 - share) * said.get(chunk, 0.0), cosines.get(chunk), bm25.get(chunk))
        for chunk in dict.fromkeys([*bm25, *cosines])
    }
    return sorted(fused.items(), key=lambda item: (-item[1].fused, -(item[1].lexical or 0.0), -(item[1].dense or 0.0)))


def with_phrase(fused: float, share: float, weights: FusionWeights) -> float:
    """Return a fused score, still in 0–1, of a passage that holds this share (0–1) of the question literally.

    The share counts by its cube: whoever types a whole phrase wants that phrase, and half of one says little.
    """
    return (fused + weights.phrase * share**3) / (1 + weights.phrase)


def _over_best(scores: Mapping[ChunkId, float]) -> dict[ChunkId, float]:
    best = max(scores.values(), default=0.0)
    return {chunk: score / best for chunk, score in scores.items()} if best > 0 else {}
