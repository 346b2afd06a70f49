"""The learned part of the verifier: small trees and a line over what a reader would compare. Pure.

`verifier.json` is made by `tools/train_verifier.py`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, cast

import numpy as np

from pincite.answering.forest import Forest, squashed


@dataclass(frozen=True)
class Weights:
    """Names of the features; per feature mean, scale and weight of the line, with its bias; trees as `Forest` reads them."""

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
        by_trees = squashed(self.start + float(self._forest.sums_of_leaves(values[None])[0]))
        by_line = squashed(self.bias + float(((values - self.mean) / self.scale) @ np.asarray(self.line)))
        return self.share * by_line + (1 - self.share) * by_trees

    @cached_property
    def _forest(self) -> Forest:
        return Forest.of(self.trees)


@cache
def load_weights() -> Weights:
    """Return the weights that come with the package."""
    read = cast(dict[str, Any], json.loads(files("pincite.answering").joinpath("verifier.json").read_text(encoding="utf-8")))
    return Weights(**read)
