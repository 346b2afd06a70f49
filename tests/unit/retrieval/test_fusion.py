from pincite.core.evidence import Strategy
from pincite.core.ids import ChunkId
from pincite.core.ports.index import IndexHit
from pincite.retrieval.fusion import FusionWeights, fuse

WEIGHTS = FusionWeights(dense=0.5, cosine_floor=0.5)


def hits(**scores: float) -> list[IndexHit]:
    return [IndexHit(ChunkId(name), score) for name, score in scores.items()]


def test_both_sides_are_divided_by_their_best_and_weighed() -> None:
    ranked = dict(fuse(hits(a=0.9, b=0.7), hits(b=10, c=5), Strategy.HYBRID, WEIGHTS))
    assert ranked[ChunkId("a")].fused == 0.5
    assert round(ranked[ChunkId("b")].fused, 6) == 0.75
    assert ranked[ChunkId("c")].fused == 0.25


def test_raw_scores_are_kept_and_a_side_that_is_silent_is_none() -> None:
    ranked = dict(fuse(hits(a=0.9), hits(b=10), Strategy.HYBRID, WEIGHTS))
    assert (ranked[ChunkId("a")].dense, ranked[ChunkId("a")].lexical) == (0.9, None)
    assert (ranked[ChunkId("b")].dense, ranked[ChunkId("b")].lexical) == (None, 10)


def test_one_sided_strategies_keep_the_order_of_their_side() -> None:
    dense, lexical = hits(a=0.9, b=0.8), hits(b=3, a=2)
    assert [chunk for chunk, _ in fuse(dense, [], Strategy.DENSE, WEIGHTS)] == ["a", "b"]
    assert [chunk for chunk, _ in fuse([], lexical, Strategy.LEXICAL, WEIGHTS)] == ["b", "a"]


def test_cosines_below_the_floor_count_as_none_and_nothing_found_is_nothing() -> None:
    assert dict(fuse(hits(a=0.4), [], Strategy.DENSE, WEIGHTS))[ChunkId("a")].fused == 0
    assert fuse([], [], Strategy.HYBRID, WEIGHTS) == []
