"""How likely what was found answers a question: a calibrated figure, before any model is asked.

`answerable.json` is made by `tools/train_answerable.py`; `docs/decisions/0035-abstention.md` says what it is made of.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, cast

from pincite.answering.cues import is_request
from pincite.answering.forest import squashed
from pincite.answering.segments import language_of
from pincite.answering.selection import Candidate, candidates
from pincite.answering.sources import group_sources
from pincite.core.evidence import Passage, Retrieval, Signals
from pincite.core.ports.models import EmbeddingModel
from pincite.language.detect import detect

LEAST = 0.15
"""The default of `PINCITE_ANSWERABLE_LEAST`."""
ASKED_FROM = 1 / 3
"""The share of it from which on a model is asked that can decline itself."""
LITERAL_ENOUGH = 0.8
"""Share of a question that a passage must hold word for word for that alone to be evidence."""
PASSAGES = 6
"""The passages that are looked at closely, however many were asked for."""
SENTENCES = 4
"""The likeliest sentences that are compared by meaning: each takes some milliseconds."""
SATURATION = 2.2
"""What a word adds to BM25 at most, by its idf."""


@dataclass(frozen=True, slots=True)
class Line:
    """A logistic regression: names of features, their means and scales, weights, bias."""

    names: Sequence[str]
    mean: Sequence[float]
    scale: Sequence[float]
    weights: Sequence[float]
    bias: float

    def probability(self, features: Mapping[str, float]) -> float:
        """Return the probability; a feature that isn't known counts as its mean."""
        inputs = zip(self.names, self.mean, self.scale, self.weights, strict=True)
        value = self.bias + sum((features.get(name, mean) - mean) / scale * weight for name, mean, scale, weight in inputs)
        return squashed(value)


@dataclass(frozen=True, slots=True)
class Weights:
    """Lines for questions in the language of what was found, for those in another one, and for search by words alone.

    The first two hold for one embedding `model`, since cosines of different models don't compare.
    """

    model: str
    same_language: Line
    across_languages: Line
    words: Line


@cache
def load_weights() -> Weights:
    """Return the weights that come with the package."""
    read = cast(dict[str, Any], json.loads(files("pincite.answering").joinpath("answerable.json").read_text(encoding="utf-8")))
    lines = {name: Line(**line) for name, line in read["lines"].items()}
    return Weights(read["model"], **lines)


@dataclass(frozen=True)
class Answerability:
    """Tells how likely passages answer a question. `embedding` is the model that they were found with, None for words alone.

    Below `least` no model should be asked.
    """

    embedding: EmbeddingModel | None = None
    least: float = LEAST
    requests: bool = False
    """Whether the model can do something with texts, so that it is asked to whatever the probability: it is one of answers."""

    def is_enough(self, probability: float | None, question: str) -> bool:
        """Say whether a model should be asked; where nothing can be told it should."""
        return probability is None or probability >= self.least or (self.requests and is_request(question))

    async def of(self, question: str, retrieval: Retrieval) -> float | None:
        """Return the probability that the passages answer the question. Raises `UpstreamError` from embedding.

        None when it can't be told: without signals, as of a retriever of one's own, or by an embedding model that wasn't measured.
        """
        signals = retrieval.signals
        if signals is None or (signals.dense_top is not None and not self._is_measured()):
            return None
        if not retrieval.passages:
            return 0.0
        line = _line(question, retrieval)
        features = await self.features(question, retrieval)
        literal = signals.literal if signals.literal >= LITERAL_ENOUGH else 0.0
        return round(max(line.probability(features), literal), 4)

    async def features(self, question: str, retrieval: Retrieval) -> dict[str, float]:
        """Return what is known of a search; `signals` must be there."""
        signals = retrieval.signals or Signals()
        passages = [passage for passage in retrieval.passages if passage.text.strip()][:PASSAGES]
        likeliest = candidates(question, group_sources(passages))
        features = of_words(signals) | {"coverage": max((candidate.coverage for candidate in likeliest), default=0.0)}
        if signals.dense_top is None:
            return features
        features |= _of_meaning(signals)
        if signals.dense_next is None:  # in so small a collection nothing stands out
            features.pop("bm25_margin", None)
        cosine = await self._nearest(question, likeliest[:SENTENCES])
        return features if cosine is None else features | {"sentence_cosine": cosine}

    def _is_measured(self) -> bool:
        return self.embedding is not None and self.embedding.spec.name == load_weights().model

    async def _nearest(self, question: str, likeliest: Sequence[Candidate]) -> float | None:
        """Return the cosine of the question to the nearest of the likeliest sentences."""
        if self.embedding is None or not likeliest:
            return None
        vectors = await self.embedding.embed_passages([candidate.segment.text for candidate in likeliest])
        asked = await self.embedding.embed_query(question)
        return max(sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in vectors)


WORDS_ALONE = Answerability()
"""For a retriever of one's own: it tells something only of a search by words alone."""


def of_words(signals: Signals) -> dict[str, float]:
    """Return what the search by words tells; nothing where there was none."""
    if signals.idf_mass <= 0:
        return {}
    top = signals.lexical_top or 0.0
    found = {"bm25_share": min(1.0, top / (signals.idf_mass * SATURATION))}
    if top and signals.lexical_next is not None:
        found["bm25_margin"] = 1 - signals.lexical_next / top
    return found


def _of_meaning(signals: Signals) -> dict[str, float]:
    top = signals.dense_top or 0.0
    return {"cosine": top} | ({} if signals.dense_next is None else {"cosine_margin": top - signals.dense_next})


def _line(question: str, retrieval: Retrieval) -> Line:
    weights = load_weights()
    if retrieval.signals is None or retrieval.signals.dense_top is None:
        return weights.words
    return weights.across_languages if is_across(question, retrieval.passages[:PASSAGES]) else weights.same_language


def is_across(question: str, passages: Sequence[Passage]) -> bool:
    """Say whether a question is in another language than all passages; not where a language isn't known."""
    asked = detect(question)
    return bool(asked) and all(language_of(passage) not in ("", asked) for passage in passages)
