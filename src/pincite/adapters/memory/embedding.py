"""An embedding model made of word hashes: no weights, the same in every process, and texts that share words are near."""

import hashlib
import re
from array import array
from collections.abc import Sequence
from math import sqrt

from pincite.core.documents import EmbeddingSpec
from pincite.core.ports.models import Vector

WORD = re.compile(r"\w+")
WINDOW_TOKENS = 512


class HashEmbedding:
    """An `EmbeddingModel` for tests: a bag of words by feature hashing (Weinberger et al. 2009, arXiv:0902.2206)."""

    def __init__(self, dimensions: int = 64) -> None:
        self._spec = EmbeddingSpec("hash", "1", dimensions, WINDOW_TOKENS)

    @property
    def spec(self) -> EmbeddingSpec:
        """Return what a collection freezes."""
        return self._spec

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order."""
        return [self._embed(text) for text in texts]

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question."""
        return self._embed(text)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of several wordings of one question, in order."""
        return [self._embed(text) for text in texts]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of words of each text."""
        return [len(WORD.findall(text)) for text in texts]

    def _embed(self, text: str) -> Vector:
        counts = [0.0] * self._spec.dimensions
        for word in WORD.findall(text.casefold())[:WINDOW_TOKENS] or [""]:
            place, sign = self._place(word)
            counts[place] += sign
        length = sqrt(sum(count * count for count in counts))
        if length == 0.0:
            # Words that cancel each other out to nothing: any fixed direction will do.
            counts[0] = length = 1.0
        return array("f", [count / length for count in counts])

    def _place(self, word: str) -> tuple[int, float]:
        digest = int.from_bytes(hashlib.blake2b(word.encode(errors="surrogatepass"), digest_size=8).digest(), "big")
        return (digest >> 1) % self._spec.dimensions, 1.0 if digest & 1 else -1.0
