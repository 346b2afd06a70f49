"""An embedding model from a folder: any `model.onnx` with its `tokenizer.json`."""

from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pincite.adapters.models.mapped_arrays import Floats
from pincite.adapters.models.onnx_folder_config import Pooling, read_folder
from pincite.adapters.models.onnx_graph import OnnxGraph
from pincite.adapters.models.onnx_tokens import inputs_of, load_tokenizer
from pincite.adapters.models.text_threads import TextThreads
from pincite.core.documents import EmbeddingSpec
from pincite.core.errors import UpstreamError
from pincite.core.ports.models import Vector

POOLED_OUTPUTS = ("sentence_embedding", "embedding", "text_embeds", "pooled")
TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")


class OnnxFolderEmbedding:
    """An `EmbeddingModel`. One text a run, without padding.

    Pooling, window and prefixes are the folder's own. Raises `ConfigurationError` (`model_folder`) for a folder that lacks a part,
    and (`no_tokenizers`) without the package `tokenizers`.
    """

    def __init__(self, folder: Path, *, workers: int = 2) -> None:
        config = read_folder(folder)
        self._config = config
        self._tokenizer = load_tokenizer(config.tokenizer)
        self._room_tokens = max(0, config.window_tokens - self._tokenizer.num_special_tokens_to_add(False))
        self._graph = OnnxGraph(config.graph)
        self._output = _output(self._graph.outputs)
        self._spec = EmbeddingSpec(
            name=config.name,
            revision=config.revision,
            dimensions=len(self._embed("")),
            window_tokens=config.window_tokens,
            query_prefix=config.query_prefix,
            passage_prefix=config.passage_prefix,
        )
        self._threads = TextThreads(self._embed, workers=workers)

    @property
    def spec(self) -> EmbeddingSpec:
        """Return what a collection freezes."""
        return self._spec

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order."""
        return await self._threads.passages([self._spec.passage_prefix + text for text in texts])

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question."""
        return await self._threads.question(self._spec.query_prefix + text)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of several wordings of one question, in order."""
        return [await self.embed_query(text) for text in texts]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the exact number of tokens of each text."""
        return [len(self._encode(text).ids) for text in texts]

    def _encode(self, text: str) -> Any:
        # Half of a surrogate pair is no UTF-8, which the tokenizer wants.
        cased = text.lower() if self._config.lower_case else text
        return self._tokenizer.encode(cased.encode(errors="replace").decode(), add_special_tokens=False)

    def _embed(self, text: str) -> Vector:
        encoding = self._encode(text)
        encoding.truncate(self._room_tokens)
        encoding = self._tokenizer.post_process(encoding)
        # A tokenizer without special tokens makes nothing of an empty text, and a graph can't run on nothing.
        ids = encoding.ids or [0]
        found = self._graph.run(inputs_of(self._graph, ids, encoding.type_ids or [0]), output=self._output)[0]
        return _unit(found if found.ndim == 1 else _pooled(found, self._config.pooling))


def _output(outputs: Sequence[str]) -> str:
    return next((name for name in (*POOLED_OUTPUTS, *TOKEN_OUTPUTS) if name in outputs), outputs[0])


def _pooled(tokens: Floats, pooling: Pooling) -> Floats:
    """Make one vector of those of all tokens, `(tokens, dimensions)`."""
    match pooling:
        case Pooling.MEAN:
            return tokens.mean(axis=0)
        case Pooling.MAX:
            return tokens.max(axis=0)
        case Pooling.CLS:
            return tokens[0]
        case Pooling.LAST:
            return tokens[-1]


def _unit(vector: Floats) -> Vector:
    length = np.linalg.norm(vector)
    if not np.isfinite(length):
        raise UpstreamError("The embedding model's graph computes numbers that aren't finite.", code="model_bad_vectors")
    if length == 0:
        # No direction at all: with a fixed one the text can still be found by words.
        vector, length = np.eye(1, len(vector), dtype=np.float32)[0], np.float32(1)
    return array("f", (vector / length).astype(np.float32).tobytes())
