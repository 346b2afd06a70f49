"""Search over a collection's chunks: by vector and by words."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from pincite.core.ids import ChunkId, CollectionId, DocumentId, WorkspaceId
from pincite.core.ports.models import Vector


@dataclass(frozen=True, slots=True)
class IndexSpace:
    """Which mirror: one collection of one workspace, and for the dense side one model."""

    workspace_id: WorkspaceId
    collection_id: CollectionId
    model_id: str = ""
    dimensions: int = 0


@dataclass(frozen=True, slots=True)
class IndexHit:
    """A chunk and its raw score: cosine or BM25."""

    chunk_id: ChunkId
    score: float


@dataclass(frozen=True, slots=True)
class LexicalResult:
    """Hits by words, and the idf mass of the question: the sum of idf over its distinct words that aren't stop words."""

    hits: tuple[IndexHit, ...]
    idf_mass: float


class DenseIndex(Protocol):
    """Nearest chunks by cosine. A search first catches up with the change log; it never waits for another process."""

    async def search(
        self, space: IndexSpace, vector: Vector, *, limit: int, documents: Collection[DocumentId] | None = None
    ) -> list[IndexHit]:
        """Return up to `limit` chunks by falling cosine, only of `documents` when given (an empty one finds nothing).

        A search that is under way while the collection comes to another embedding model finds what it would have found before.
        Raises `ModelChangedError` (retryable) where that can't be had any more; `ConflictError` for a vector of another size.
        """
        ...

    async def follow(self, space: IndexSpace, *, through: int | None = None) -> None:
        """Catch up now, so that the next search needn't: with all that is committed, or with the log up to a number."""
        ...

    async def retain(self, space: IndexSpace) -> None:
        """Delete what is kept for other models than that of the space; for words alone (""), what is kept for any."""
        ...

    async def discard(self, collection_id: CollectionId) -> bool:
        """Delete what is kept for a collection. False when another process goes on writing some of it."""
        ...


class LexicalIndex(Protocol):
    """Best chunks by BM25 over title, headings and text. A search first catches up with the change log."""

    async def search(
        self, space: IndexSpace, text: str, *, limit: int, documents: Collection[DocumentId] | None = None
    ) -> LexicalResult:
        """Return up to `limit` chunks by falling BM25, only of `documents` when given (an empty one finds nothing)."""
        ...

    async def follow(self, space: IndexSpace) -> None:
        """Catch up now with all that is committed, so that the next search needn't."""
        ...

    async def discard(self, collection_id: CollectionId) -> bool:
        """Delete what is kept for a collection. False when another process goes on writing some of it."""
        ...
