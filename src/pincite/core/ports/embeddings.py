"""Vectors of another embedding model, stored beside those that a collection is searched with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pincite.core.documents import EmbeddingSpec
from pincite.core.ids import ChunkId, CollectionId
from pincite.core.ports.models import Vector


@dataclass(frozen=True, slots=True)
class Lacking:
    """Chunks of a collection that have no vector of some model: how many, and the sum and the largest of their token counts."""

    chunks: int = 0
    tokens: int = 0
    longest_tokens: int = 0


class EmbeddingRows(Protocol):
    """Bringing a collection to another embedding model, beside the one that it goes on being searched with."""

    async def prepare(self, collection_id: CollectionId, spec: EmbeddingSpec | None) -> None:
        """Let vectors of a second model be stored. The same model again changes nothing; None, and the collection's own, end it.

        Another model takes the place of the one that was prepared before. Raises `NotFoundError`.
        """
        ...

    async def lacking(self, collection_id: CollectionId, *, model_id: str) -> Lacking:
        """Count the chunks without a vector of a model."""
        ...

    async def fill(self, collection_id: CollectionId, vectors: Mapping[ChunkId, Vector], *, model_id: str) -> None:
        """Store vectors of the prepared model, or of the collection's own, which appear in its log anew. A chunk that has one keeps
        it; those of chunks that are gone are dropped.

        Raises `NotFoundError`; `ModelChangedError` when another model is prepared; `ConflictError` for vectors of another size.
        """
        ...

    async def switch(self, collection_id: CollectionId, spec: EmbeddingSpec | None) -> bool:
        """Make the prepared model, or (None) words alone, what the collection has from now on. What was prepared is so no more.

        False, and nothing is changed, while a chunk lacks its vector. True, too, when the collection has the model already.
        Raises `NotFoundError`; `ModelChangedError` when another model is prepared.
        """
        ...

    async def forget(self, collection_id: CollectionId, *, limit: int) -> int:
        """Delete up to `limit` vectors of models that the collection neither has nor is being brought to; return how many."""
        ...
