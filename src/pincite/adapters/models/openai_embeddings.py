"""Embeddings of any server that speaks the OpenAI protocol."""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from pincite.adapters.models.openai_embeddings_endpoint import (
    DEFAULT_OPTIONS,
    EmbeddingEndpoint,
    EndpointOptions,
    embedding_fault,
)
from pincite.adapters.models.openai_embeddings_reply import wrong_vectors
from pincite.adapters.models.openai_errors import ProviderFault, timed_out
from pincite.core.documents import EmbeddingSpec
from pincite.core.ports.models import Vector

MOST_TEXTS = 2048
MOST_TOKENS = 150_000
"""OpenAI takes 2,048 texts and 300,000 tokens a request; half of that, as our count is an estimate."""

WINDOW_TOKENS = 8_000
SHORTEST_CUT_CHARACTERS = 500
BLANK = " "
"""Sent for an empty text, which the protocol refuses."""

TOO_LARGE = frozenset({"provider_too_large", "provider_refused"})
"""Codes of 413, and of 400 and 422, with which servers refuse a request that is too large, too."""


class OpenAIEmbedding:
    """An `EmbeddingModel` behind an embeddings endpoint.

    With `dimensions` the provider is asked for vectors of that size; without, the model's own size is learnt from the first reply.
    Vectors of another size are refused from then on. The vocabulary isn't known, so tokens are estimated, and a text is cut
    where the estimate reaches `window_tokens`; one that the provider still refuses is halved until it passes.
    `options` are those of `EmbeddingEndpoint`.
    """

    def __init__(
        self,
        model: str,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        dimensions: int | None = None,
        window_tokens: int = WINDOW_TOKENS,
        query_prefix: str = "",
        passage_prefix: str = "",
        options: EndpointOptions = DEFAULT_OPTIONS,
    ) -> None:
        self._endpoint = EmbeddingEndpoint(model, api_key, base_url, options=options)
        self._question_timeout_s = options.question_timeout_s
        self._asked_dimensions = dimensions
        self._most_texts = MOST_TEXTS
        self._spec = EmbeddingSpec(model, "served", dimensions or 0, window_tokens, query_prefix, passage_prefix)

    @property
    def spec(self) -> EmbeddingSpec:
        """Return what a collection freezes.

        Where the size isn't known yet, this makes one request and waits for it. Raises as `embed_passages` then.
        """
        if not self._spec.dimensions:
            self._learn(self._endpoint.probe_dimensions())
        return self._spec

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. Raises `UpstreamError`, and `ConfigurationError` without a key."""
        vectors: list[Vector] = []
        waiting = [self._cut(self._spec.passage_prefix + text) for text in texts]
        while waiting:
            batch = waiting[: self._batch_size(waiting)]
            vectors += await self._embed(batch)
            waiting = waiting[len(batch) :]
        return vectors

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question. Raises as `embed_queries`."""
        [vector] = await self.embed_queries([text])
        return vector

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of several wordings of one question, in order, in one request.

        Raises as `embed_passages`, and when it takes longer than somebody waits.
        """
        try:
            async with asyncio.timeout(self._question_timeout_s):
                return await self._embed([self._cut(self._spec.query_prefix + text) for text in texts])
        except TimeoutError:
            raise embedding_fault(timed_out()) from None

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return an estimate for each text, rather too high than too low for prose."""
        return [estimated_tokens(text) for text in texts]

    async def aclose(self) -> None:
        """Close the connections to the provider."""
        await self._endpoint.aclose()

    async def _embed(self, batch: list[str]) -> list[Vector]:
        """Embed a batch; one that is refused as too large is divided, and a single text cut in half."""
        try:
            vectors = await self._endpoint.embed(
                batch, dimensions=self._spec.dimensions, shorten=self._asked_dimensions is not None
            )
            self._learn(len(vectors[0]))
            return vectors
        except ProviderFault as fault:
            if fault.code not in TOO_LARGE or (len(batch) == 1 and len(batch[0]) < SHORTEST_CUT_CHARACTERS):
                raise
        if len(batch) == 1:
            # It was this text that was too large, not the number of texts.
            self._most_texts = MOST_TEXTS
            return await self._embed([batch[0][: len(batch[0]) // 2]])
        self._most_texts = half = len(batch) // 2
        return await self._embed(batch[:half]) + await self._embed(batch[half:])

    def _learn(self, dimensions: int) -> None:
        if not self._spec.dimensions:
            self._spec = replace(self._spec, dimensions=dimensions)
        elif self._spec.dimensions != dimensions:
            raise wrong_vectors("changed the size of its vectors")

    def _batch_size(self, texts: Sequence[str]) -> int:
        tokens = 0
        for size, text in enumerate(texts[: self._most_texts]):
            tokens += estimated_tokens(text)
            if tokens > MOST_TOKENS and size:
                return size
        return min(len(texts), self._most_texts)

    def _cut(self, text: str) -> str:
        # A character is a quarter of a token at least. Half of a surrogate pair can't be sent.
        text = text[: 4 * self._spec.window_tokens].encode(errors="replace").decode()
        if estimated_tokens(text) > self._spec.window_tokens:
            text = text[
                : bisect_right(range(len(text)), self._spec.window_tokens, key=lambda end: estimated_tokens(text[:end])) - 1
            ]
        return text or BLANK


def estimated_tokens(text: str) -> int:
    """Guess the tokens of a text without the vocabulary: four ASCII characters make one, and so do two bytes of others."""
    size_bytes = len(text.encode(errors="replace"))
    other_bytes = size_bytes - len(text.encode("ascii", "ignore"))
    return -(-(size_bytes + other_bytes) // 4)
