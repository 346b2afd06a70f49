"""The learned part of verdicts: trees and a line make one figure."""

import math

import pytest

from pincite.answering.weights import Weights, load_weights

LEAF_ALONE = [[0.25]]
TWO_LEVELS = [[0, 0.5, 1, 2], [-1.0], [1, 2.0, 3, 4], [0.5], [2.0]]


def weights(share: float) -> Weights:
    return Weights(
        names=["held", "missing"],
        mean=[0.5, 1.0],
        scale=[0.5, 2.0],
        line=[1.0, -2.0],
        bias=0.1,
        share=share,
        start=0.3,
        trees=[TWO_LEVELS, LEAF_ALONE],
        supported=0.8,
    )


def squashed(value: float) -> float:
    return 1 / (1 + math.exp(-value))


@pytest.mark.parametrize(
    ("held", "missing", "leaf"),
    [(0.5, 9.0, -1.0), (0.4, 0.0, -1.0), (0.6, 2.0, 0.5), (0.6, 2.1, 2.0)],
)
def test_a_tree_goes_left_where_a_feature_is_at_most_the_threshold(held: float, missing: float, leaf: float) -> None:
    found = weights(share=0.0).probability({"held": held, "missing": missing})
    assert found == pytest.approx(squashed(0.3 + leaf + 0.25))


def test_the_line_has_its_share() -> None:
    found = weights(share=1.0).probability({"held": 1.0, "missing": 3.0})
    assert found == pytest.approx(squashed(0.1 + 1.0 - 2.0))


def test_a_feature_that_isnt_given_is_nought() -> None:
    found = weights(share=0.5)
    assert found.probability({}) == found.probability({"held": 0.0, "missing": 0.0})


def test_the_weights_of_the_package_give_a_share_of_one() -> None:
    found = load_weights()
    assert 0 < found.probability({}) < 1
    assert len(found.names) == len(found.mean) == len(found.scale) == len(found.line)
