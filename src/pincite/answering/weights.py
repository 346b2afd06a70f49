"""The learned part of the verifier: small trees and a line over what a reader would compare. Pure.

`verifier.json` is made by `tools/train_verifier.py`.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, cast


@dataclass(frozen=True, slots=True)
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
        values = [features.get(name, 0.0) for name in self.names]
        by_trees = _squashed(self.start + sum(_leaf(tree, values) for tree in self.trees))
        inputs = zip(values, self.mean, self.scale, self.line, strict=True)
        by_line = _squashed(self.bias + sum((value - mean) / scale * weight for value, mean, scale, weight in inputs))
        return self.share * by_line + (1 - self.share) * by_trees


def _leaf(tree: Sequence[Sequence[float]], values: Sequence[float]) -> float:
    node = tree[0]
    while len(node) > 1:
        feature, threshold, left, right = node
        node = tree[int(left if values[int(feature)] <= threshold else right)]
    return node[0]


def _squashed(value: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, value))))


@cache
def load_weights() -> Weights:
    """Return the weights that come with the package."""
    read = cast(dict[str, Any], json.loads(files("pincite.answering").joinpath("verifier.json").read_text(encoding="utf-8")))
    return Weights(**read)
