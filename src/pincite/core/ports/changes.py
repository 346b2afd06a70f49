"""The change log that index mirrors follow."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pincite.core.ids import ChunkId, DocumentId
from pincite.core.ports.index import IndexSpace
from pincite.core.ports.models import Vector

MOST_TOMBSTONES = 20_000
"""Beyond so many in a collection a store forgets the older half: a mirror that is further behind is quicker built anew."""


@dataclass(frozen=True, slots=True)
class LogState:
    """Newest number of the log, and its horizon: a mirror that stands before `horizon` must rebuild from 0."""

    head: int
    horizon: int


@dataclass(frozen=True, slots=True)
class Change:
    """A chunk that appeared, or (with `deleted`) a tombstone, which carries only its ids.

    `vector` is None when the space names no model or the chunk has none of that model.
    """

    seq: int
    chunk_id: ChunkId
    document_id: DocumentId
    deleted: bool = False
    title: str = ""
    heading_path: tuple[str, ...] = ()
    text: str = ""
    lang: str = ""
    vector: Vector | None = None


class ChangeFeed(Protocol):
    """Reads a collection's log. Numbers rise in the order of commits; none appears late behind one already read."""

    async def state(self, space: IndexSpace) -> LogState:
        """Return where the log stands, for the mirrors of this space: those of a model are begun again when the collection is
        brought to the model, and so have a horizon of their own.

        Raises `ModelChangedError` (retryable) for a model that the collection neither has nor is being brought to.
        """
        ...

    async def read(self, space: IndexSpace, *, after: int, limit: int) -> Sequence[Change]:
        """Return up to `limit` changes with `seq > after`, rising.

        A chunk that is gone appears only as its tombstone, so a mirror that starts at 0 needs no history. One whose vector was
        filled later appears, in a space with a model, only at the number that filling took.
        """
        ...
