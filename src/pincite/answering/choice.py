"""The learned part of choosing sentences: small trees over how the likeliest sentences stand to the question and to each other.

`choice.json` is made by `tools/train_choice.py`; `docs/decisions/0036-quotes-beside-gold.md` says what it is made of. Pure.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pincite.answering.forest import Forest
from pincite.answering.selection import Candidate, links_from, nearnesses
from pincite.core.documents import EmbeddingSpec
from pincite.core.ports.models import Vector

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Weights:
    """Names of the features and trees, which hold for one embedding `model`, since cosines of different models don't compare."""

    model: str
    names: Sequence[str]
    start: float
    trees: Sequence[Sequence[Sequence[float]]]

    def logits(self, features: Mapping[str, Floats]) -> Floats:
        """Return how likely each sentence is to be quoted by people, shape (n,)."""
        return self.start + self._forest.sums_of_leaves(np.column_stack([features[name] for name in self.names]))

    @cached_property
    def _forest(self) -> Forest:
        return Forest.of(self.trees)


@cache
def load_weights() -> Weights:
    """Return the weights that come with the package."""
    read = cast(dict[str, Any], json.loads(files("pincite.answering").joinpath("choice.json").read_text(encoding="utf-8")))
    return Weights(**read)


def holds_for(spec: EmbeddingSpec) -> bool:
    """Say whether the weights hold for an embedding model."""
    return spec.name == load_weights().model


def weighed(question: str, found: Sequence[Candidate], asked: Vector, vectors: Sequence[Vector]) -> list[Candidate]:
    """Return the candidates, likeliest by words first, as the trees weigh them, likeliest first.

    `asked` is the vector of the question, `vectors` those of the candidates.
    """
    logits = load_weights().logits(features(question, found, asked, vectors))
    again = [replace(candidate, logit=float(logit)) for candidate, logit in zip(found, logits, strict=True)]
    return sorted(again, key=lambda candidate: -candidate.logit)


def features(question: str, found: Sequence[Candidate], asked: Vector, vectors: Sequence[Vector]) -> dict[str, Floats]:
    """Return what is known of each candidate, likeliest by words first, each feature as an array of shape (n,)."""
    meant = np.asarray(vectors, np.float64)
    cosines = meant @ np.asarray(asked, np.float64)
    likely = np.array([candidate.logit for candidate in found]) + nearnesses(cosines.tolist())
    best = int(likely.argmax())
    return {
        **_by_words(question, found, best),
        **_by_meaning(meant, cosines, best),
        "rank": _ranks(likely),
        "second": np.full(len(found), _second(likely)),
        "source": np.array([float(candidate.n) for candidate in found]),
        "passage cosine": np.array([candidate.passage.scores.dense or 0.0 for candidate in found]),
    }


def _by_words(question: str, found: Sequence[Candidate], best: int) -> dict[str, Floats]:
    covered = np.array([candidate.covered for candidate in found])
    most: Floats = covered.max(axis=0)
    next_: Floats = np.sort(covered, axis=0)[-2] if len(found) > 1 else np.zeros_like(most)
    others: Floats = np.where(covered == most, next_, most)
    return {
        "alone": np.maximum(0, covered - others).sum(axis=1),
        "beyond the best": np.maximum(0, covered - covered[best]).sum(axis=1),
        "shared with the best": np.minimum(covered, covered[best]).sum(axis=1),
        "titled": np.array([candidate.titled for candidate in found]),
        "side by side": np.array([candidate.adjacent for candidate in found]),
        "link": np.array(links_from(found[best], question, found)),
        "rank by words": np.arange(len(found), dtype=float),
    }


def _by_meaning(meant: Floats, cosines: Floats, best: int) -> dict[str, Floats]:
    likeness = meant @ meant.T
    return {
        "cosine": cosines,
        "below the nearest": cosines - cosines.max(),
        "rank by meaning": _ranks(cosines),
        "like the best": likeness[best],
        "like all": likeness.mean(axis=1),
    }


def _ranks(values: Floats) -> Floats:
    """Return the place of each value, 0 for the highest; of equal ones the first comes first."""
    return np.argsort(np.argsort(-values, kind="stable")).astype(float)


def _second(likely: Floats) -> float:
    """Return how far the second stays behind the best."""
    return float(np.sort(likely)[-2] - likely.max()) if len(likely) > 1 else -9.0
