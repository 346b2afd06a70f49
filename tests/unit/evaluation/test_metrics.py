import math

import pytest

from pincite.evaluation.metrics import auc, mean, ndcg, quantile, recall, reciprocal_rank


def test_ndcg_is_one_for_the_ideal_order_and_discounts_by_rank() -> None:
    assert ndcg(["a", "b"], {"a": 1, "b": 1}) == 1
    assert ndcg(["x", "a"], {"a": 1}) == pytest.approx(1 / math.log2(3))
    assert ndcg(["x"] * 10 + ["a"], {"a": 1}) == 0


def test_recall_and_reciprocal_rank_count_relevant_items() -> None:
    assert recall(["a", "x", "b"], {"a": 1, "b": 1, "c": 1}, 2) == pytest.approx(1 / 3)
    assert reciprocal_rank(["x", "a"], {"a": 1}) == 0.5
    assert reciprocal_rank(["x"], {"a": 1}) == 0


def test_auc_counts_pairs_with_ties_as_half() -> None:
    assert auc([3, 2], [1, 0]) == 1
    assert auc([1], [1]) == 0.5
    assert auc([0, 2], [1]) == 0.5
    assert math.isnan(auc([], [1]))


def test_quantile_and_mean_of_nothing_are_zero() -> None:
    assert quantile([], 0.5) == mean([]) == 0
    assert quantile([3, 1, 2], 0.5) == 2
