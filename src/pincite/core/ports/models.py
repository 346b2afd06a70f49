"""Chat and embedding models."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol, TypeAlias

from pincite.core.documents import EmbeddingSpec
from pincite.core.messages import ChatMessage, ModelUsage

Vector: TypeAlias = Sequence[float]
"""One embedding, L2-normalised. Our adapters give `array('f')`, whose buffer numpy reads without a copy."""


class ChatModel(Protocol):
    """A model that answers messages with text."""

    @property
    def name(self) -> str:
        """Return the name that is shown and logged."""
        ...

    async def invoke(self, messages: Sequence[ChatMessage]) -> str:
        """Return the whole reply. Raises `UpstreamError`."""
        ...

    def stream(self, messages: Sequence[ChatMessage]) -> AsyncIterator[str | ModelUsage]:
        """Yield non-empty pieces of the reply, and at most one `ModelUsage`. Raises `UpstreamError`.

        Closing the iterator early (`aclose`) stops the provider.
        """
        ...


class WordSense(Protocol):
    """What single words mean, as far as tables tell: no model runs."""

    def likeness(self, left: str, right: str) -> float:
        """Return how near two words or short phrases are in meaning: 1 for the same, about 0 for any two."""
        ...

    def rarity(self, text: str) -> float:
        """Return how rare a word or short phrase is: minus the natural logarithm of its probability."""
        ...


class EmbeddingModel(Protocol):
    """A model that turns text into vectors. Over-long input is cut at the window, never refused."""

    @property
    def spec(self) -> EmbeddingSpec:
        """Return what a collection freezes."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector of `spec.dimensions` per text, in order, prefix added. Raises `UpstreamError`."""
        ...

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, prefix added. Raises `UpstreamError`."""
        ...

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of several wordings of one question, in order, in one call of a provider."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the tokens of each text without prefix and special tokens, by the model's own tokenizer where it is known."""
        ...
