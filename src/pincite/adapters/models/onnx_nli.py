"""A judge of claims from a folder: any entailment model as `model.onnx` with its `tokenizer.json` and `config.json`."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from pincite.adapters.models.mapped_arrays import Floats
from pincite.adapters.models.onnx_folder_config import read_folder
from pincite.adapters.models.onnx_graph import OnnxGraph
from pincite.adapters.models.onnx_tokens import inputs_of, load_tokenizer
from pincite.core.answers import Verdict
from pincite.core.errors import ConfigurationError
from pincite.core.ports.judging import Ruling
from pincite.language.detect import detect
from pincite.language.sentences import sentence_spans

REVISION = "nli/1"
"""To be raised with what is put to the model, and with how its numbers are read."""
RUN_SENTENCES = 3
"""A premise is at most so many adjacent sentences."""
MOST_PREMISES = 24
"""So many runs of sentences are put to the model: those that share most words with the claim."""
EVEN = 0.5
"""From this probability on an entailment or a contradiction counts. It is the model's own, not calibrated."""

_WORD = re.compile(r"\w+")


class OnnxNliJudge:
    """A `Judge` that reads no instructions: nothing in a text can talk it into anything.

    `supported` where a run of sentences entails the claim, `contradicted` where one contradicts it and none entails it, else
    `not_found`. Raises `ConfigurationError` (`model_folder`, `model_graph`, `no_tokenizers`) for a folder without such a model.
    """

    def __init__(self, folder: Path) -> None:
        config = read_folder(folder)
        self._name = f"{config.name}@{config.revision}"
        self._entails, self._contradicts = _places(folder)
        self._tokenizer = load_tokenizer(config.tokenizer)
        self._tokenizer.enable_truncation(config.window_tokens)
        self._graph = OnnxGraph(config.graph)
        self._output = "logits" if "logits" in self._graph.outputs else self._graph.outputs[0]
        if self._probabilities("", "").size <= max(self._entails, self._contradicts or 0):
            raise _unfit(folder, "its graph gives fewer numbers than its config.json has labels")

    @property
    def name(self) -> str:
        """Return the folder's name and a hash of what is in it."""
        return self._name

    @property
    def version(self) -> str:
        """Return what changes with the way it is asked."""
        return REVISION

    async def rule(self, claim: str, texts: Sequence[str], *, question: str = "") -> Ruling:
        """Judge a claim by the sentences of texts; no question is needed for that."""
        return await asyncio.to_thread(self._rule, claim, texts)

    def _rule(self, claim: str, texts: Sequence[str]) -> Ruling:
        found = [(premise, self._probabilities(premise, claim)) for premise in premises(claim, texts)]
        if not found:
            return Ruling(Verdict.NOT_FOUND)
        premise, numbers = max(found, key=lambda item: item[1][self._entails])
        if numbers[self._entails] >= EVEN:
            return Ruling(Verdict.SUPPORTED, premise)
        if self._contradicts is not None:
            at = self._contradicts
            premise, numbers = max(found, key=lambda item: item[1][at])
            if numbers[at] >= EVEN:
                return Ruling(Verdict.CONTRADICTED, premise)
        return Ruling(Verdict.NOT_FOUND)

    def _probabilities(self, premise: str, claim: str) -> Floats:
        # Half of a surrogate pair is no UTF-8, which the tokenizer wants.
        pair = [text.encode(errors="replace").decode() for text in (premise, claim)]
        encoding = self._tokenizer.encode(*pair)
        inputs = inputs_of(self._graph, encoding.ids or [0], encoding.type_ids or [0])
        logits = self._graph.run(inputs, output=self._output)[0]
        powers = np.exp(logits - logits.max())
        return powers / powers.sum()


def premises(claim: str, texts: Sequence[str]) -> list[str]:
    """Return the runs of sentences that share most words with a claim, word for word as they stand in the texts."""
    wanted = _words(claim)
    every = {run: len(wanted & _words(run)) / (1 + len(_words(run))) ** 0.5 for text in texts for run in _runs(text)}
    return sorted(every, key=lambda run: -every[run])[:MOST_PREMISES]


def _runs(text: str) -> Iterator[str]:
    spans = sentence_spans(text, detect(text))
    for size in range(1, RUN_SENTENCES + 1):
        for first in range(len(spans) - size + 1):
            yield text[spans[first][0] : spans[first + size - 1][1]]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def _places(folder: Path) -> tuple[int, int | None]:
    """Return where a model's outputs tell entailment and contradiction; None where it doesn't tell the second."""
    labels = _labels(folder)
    entails = [at for at, label in labels.items() if label.startswith("entail")]
    contradicts = [at for at, label in labels.items() if label.startswith("contradict")]
    if len(entails) != 1 or len(contradicts) > 1:
        raise _unfit(folder, "the labels in its config.json (`id2label`) aren't those of an entailment model")
    return entails[0], contradicts[0] if contradicts else None


def _labels(folder: Path) -> dict[int, str]:
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        labels = cast("Mapping[str, Any]", config["id2label"])
        return {int(at): str(label).lower() for at, label in labels.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise _unfit(folder, "it has no config.json with `id2label`") from None


def _unfit(folder: Path, cause: str) -> ConfigurationError:
    return ConfigurationError(f"The model folder {folder} can't judge claims: {cause}.", code="model_folder")
