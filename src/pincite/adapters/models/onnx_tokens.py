"""What a model folder's tokenizer and graph have to do with each other: tokens in, named inputs out."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from pincite.adapters.models.mapped_arrays import AnyArray
from pincite.adapters.models.onnx_graph import OnnxGraph
from pincite.core.errors import ConfigurationError


def load_tokenizer(file: Path) -> Any:
    """Return a tokenizer that neither pads nor cuts, and takes no text for a special token.

    Raises `ConfigurationError` (`no_tokenizers`) without the package `tokenizers`.
    """
    try:
        tokenizer = import_module("tokenizers").Tokenizer.from_file(str(file))
    except ModuleNotFoundError as error:
        text = "A model from a folder needs the package tokenizers: install pincite[onnx]."
        raise ConfigurationError(text, code="no_tokenizers") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    # A user who writes `[SEP]` means five characters.
    tokenizer.encode_special_tokens = True
    return tokenizer


def inputs_of(graph: OnnxGraph, ids: Sequence[int], type_ids: Sequence[int]) -> dict[str, AnyArray]:
    """Return the inputs that a graph wants for tokens. Raises `ConfigurationError` (`model_graph`) when it wants others."""
    known = {
        "input_ids": ids,
        "attention_mask": [1] * len(ids),
        "token_type_ids": type_ids,
        "position_ids": range(len(ids)),
    }
    if unknown := set(graph.inputs) - set(known):
        text = f"The model's graph wants inputs that aren't known: {', '.join(sorted(unknown))}."
        raise ConfigurationError(text, code="model_graph")
    return {name: np.array([known[name]], kind) for name, kind in graph.inputs.items()}
