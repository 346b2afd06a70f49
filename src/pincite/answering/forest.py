"""Small trees of decisions, all walked at once. Pure.

They are fitted by gradient boosting when weights are made; here they are only read.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Forest:
    """All nodes of all trees in a row: per node the feature, its threshold and where to go on; a leaf goes on to itself."""

    roots: NDArray[np.intp]
    features: NDArray[np.intp]
    thresholds: NDArray[np.float64]
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, trees: Sequence[Sequence[Sequence[float]]]) -> "Forest":
        """Read trees as lists of nodes.

        A node is `[feature, threshold, left, right]`, to the left where the feature is at most the threshold; a leaf is `[value]`.
        """
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

    def sums_of_leaves(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each row of features, shape (n, features), the sum of the leaves that it comes to, shape (n,)."""
        at = np.tile(self.roots, (len(rows), 1))
        below = np.where(rows[:, self.features] <= self.thresholds, self.left, self.right)
        while not np.array_equal(next_ := np.take_along_axis(below, at, axis=1), at):
            at = next_
        return self.values[at].sum(axis=1)


def squashed(value: float) -> float:
    """Return the logistic function of a value."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))
