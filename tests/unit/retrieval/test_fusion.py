from pincite.core.evidence import Scores, Strategy
from pincite.core.ids import ChunkId
from pincite.core.ports.index import IndexHit
from pincite.retrieval.fusion import FusionWeights, fuse

WEIGHTS = FusionWeights(dense=0.5, cosine_floor=0.5)


def hits(**scores: float) -> list[IndexHit]:
    return [IndexHit(ChunkId(name), score) for name, score in scores.items()]


def fused(
    dense: list[IndexHit], lexical: list[IndexHit], strategy: Strategy = Strategy.HYBRID, depth: int = 100
) -> list[tuple[ChunkId, Scores]]:
    return fuse(dense, lexical, strategy, weights=WEIGHTS, depth=depth)


def test_both_sides_are_divided_by_their_best_and_weighed() -> None:
    ranked = dict(fused(hits(a=0.9, b=0.7), hits(b=10, c=5)))
    assert ranked[ChunkId("a")].fused == 0.5
    assert round(ranked[ChunkId("b")].fused, 6) == 0.5 * 0.25 + 0.5
    assert ranked[ChunkId("c")].fused == 0.25


def test_a_chunk_that_a_full_list_doesnt_name_scores_like_its_last_hit() -> None:
    ranked = dict(fused(hits(a=0.9, b=0.7), hits(c=10), depth=2))
    assert round(ranked[ChunkId("c")].fused, 6) == 0.5 + 0.5 * 0.25
    assert ranked[ChunkId("a")].fused == 0.5


def test_raw_scores_are_kept_and_a_side_that_is_silent_is_none() -> None:
    ranked = dict(fused(hits(a=0.9), hits(b=10)))
    assert (ranked[ChunkId("a")].dense, ranked[ChunkId("a")].lexical) == (0.9, None)
    assert (ranked[ChunkId("b")].dense, ranked[ChunkId("b")].lexical) == (None, 10)


def test_one_sided_strategies_keep_the_order_of_their_side() -> None:
    dense, lexical = hits(a=0.9, b=0.8), hits(b=3, a=2)
    assert [chunk for chunk, _ in fused(dense, [], Strategy.DENSE)] == ["a", "b"]
    assert [chunk for chunk, _ in fused([], lexical, Strategy.LEXICAL)] == ["b", "a"]


def test_cosines_below_the_floor_count_as_none_and_nothing_found_is_nothing() -> None:
    assert dict(fused(hits(a=0.4), [], Strategy.DENSE))[ChunkId("a")].fused == 0
    assert fused([], []) == []
