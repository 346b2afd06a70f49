"""The learned part of the verifier: small trees and a line over what a reader would compare. Pure.

`verifier.json` is made by `tools/train_verifier.py`.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Weights:
    """Names of the features; per feature mean, scale and weight of the line, with its bias; trees as lists of nodes.

    A node is `[feature, threshold, left, right]`, to the left where the feature is at most the threshold; a leaf is `[value]`.
    """

    names: Sequence[str]
    mean: Sequence[float]
    scale: Sequence[float]
    line: Sequence[float]
    bias: float
    share: float
    """The line's share of a claim's figure; the rest is the trees'."""
    start: float
    trees: Sequence[Sequence[Sequence[float]]]
    supported: float
    """From here on a claim is called supported: where precision is .90 on the development sets."""

    def probability(self, features: Mapping[str, float]) -> float:
        """Return how likely a claim with these features is to be supported."""
        values = np.array([features.get(name, 0.0) for name in self.names])
        by_trees = squashed(self.start + self._forest.sum_of_leaves(values))
        by_line = squashed(self.bias + float(((values - self.mean) / self.scale) @ np.asarray(self.line)))
        return self.share * by_line + (1 - self.share) * by_trees

    @cached_property
    def _forest(self) -> "_Forest":
        return _Forest.of(self.trees)


@dataclass(frozen=True)
class _Forest:
    """All nodes of all trees in a row: per node the feature, its threshold and where to go on; a leaf goes on to itself."""

    roots: NDArray[np.intp]
    features: NDArray[np.intp]
    thresholds: NDArray[np.float64]
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, trees: Sequence[Sequence[Sequence[float]]]) -> "_Forest":
        roots = np.cumsum([0, *(len(tree) for tree in trees)])[:-1]
        nodes = [
            (*node[:2], root + node[2], root + node[3], 0.0) if len(node) > 1 else (0, 0.0, root + at, root + at, node[0])
            for root, tree in zip(roots, trees, strict=True)
            for at, node in enumerate(tree)
        ]
        features, thresholds, left, right, values = zip(*nodes, strict=True)
        return cls(
            roots,
            np.array(features, np.intp),
            np.array(thresholds),
            np.array(left, np.intp),
            np.array(right, np.intp),
            np.array(values),
        )

    def sum_of_leaves(self, values: NDArray[np.float64]) -> float:
        """Walk down all trees at once; to the left where a feature is at most the threshold."""
        at = self.roots
        below = np.where(values[self.features] <= self.thresholds, self.left, self.right)
        while not np.array_equal(next_ := below[at], at):
            at = next_
        return float(self.values[at].sum())


def squashed(value: float) -> float:
    """Return the logistic function of a value."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))


@cache
def load_weights() -> Weights:
    """Return the weights that come with the package."""
    read = cast(dict[str, Any], json.loads(files("pincite.answering").joinpath("verifier.json").read_text(encoding="utf-8")))
    return Weights(**read)
