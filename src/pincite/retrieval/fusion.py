"""Fuses the two sides of a search into one order. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pincite.core.evidence import Scores, Strategy
from pincite.core.ids import ChunkId
from pincite.core.ports.index import IndexHit


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """How the sides count.

    `dense` is the share of the dense side (0–1; the rest is lexical), `cosine_floor` the cosine that counts as no likeness at
    all, `phrase` what a passage gains that holds the whole question word for word.
    Share and floor were chosen together on SciFact, XQuAD, TAT-QA and HotpotQA: see `docs/decisions/0009-fusion.md`.
    """

    dense: float = 0.4
    cosine_floor: float = 0.0
    phrase: float = 1.0


COSINE_FLOORS = {"intfloat/multilingual-e5-small": 0.75}
"""Models whose cosines are squeezed: hardly any pair of texts lies below. Others are taken to start at 0."""


def weights_for(model: str) -> FusionWeights:
    """Return the weights for an embedding model."""
    return FusionWeights(cosine_floor=COSINE_FLOORS.get(model, 0.0))


def fuse(
    dense: Sequence[IndexHit], lexical: Sequence[IndexHit], strategy: Strategy, *, weights: FusionWeights, depth: int
) -> list[tuple[ChunkId, Scores]]:
    """Return chunks with their scores, best first. Both raw scores are kept.

    Each side is divided by the best hit of its set, the cosine above its floor and squared. A chunk that a full list of
    `depth` hits doesn't name scores there at most as much as its last hit, and is given that; in a shorter list it has none.
    """
    cosines = {hit.chunk_id: hit.score for hit in dense}
    bm25 = {hit.chunk_id: hit.score for hit in lexical}
    near = _over_best({chunk: max(0.0, score - weights.cosine_floor) for chunk, score in cosines.items()})
    said = _over_best(bm25)
    near_rest, said_rest = _of_the_rest(near, depth), _of_the_rest(said, depth)
    share = {Strategy.DENSE: 1.0, Strategy.LEXICAL: 0.0, Strategy.HYBRID: weights.dense}[strategy]
    fused = {
        chunk: share * near.get(chunk, near_rest) ** 2 + (1 - share) * said.get(chunk, said_rest)
        for chunk in dict.fromkeys([*bm25, *cosines])
    }
    order = sorted(fused, key=lambda chunk: (fused[chunk], bm25.get(chunk, 0.0), cosines.get(chunk, 0.0)), reverse=True)
    return [(chunk, Scores(fused[chunk], cosines.get(chunk), bm25.get(chunk))) for chunk in order]


def with_phrase(fused: float, share: float, weights: FusionWeights) -> float:
    """Return a fused score, still in 0–1, of a passage that holds this share (0–1) of the question literally.

    The share counts by its cube: whoever types a whole phrase wants that phrase, and half of one says little.
    """
    return (fused + weights.phrase * share**3) / (1 + weights.phrase)


def _over_best(scores: Mapping[ChunkId, float]) -> dict[ChunkId, float]:
    best = max(scores.values(), default=0.0)
    return {chunk: score / best for chunk, score in scores.items()} if best > 0 else {}


def _of_the_rest(scores: Mapping[ChunkId, float], depth: int) -> float:
    return min(scores.values()) if len(scores) >= depth else 0.0
