"""Collections as rows: names, settings, counts."""

from typing import Protocol

from pincite.core.documents import Collection
from pincite.core.evidence import Scope
from pincite.core.ids import CollectionId
from pincite.core.policies import Policy


class CollectionRows(Protocol):
    """Collections of the workspace."""

    async def add(self, collection: Collection) -> None:
        """Insert. Raises `ConflictError` when the name is taken."""
        ...

    async def get(self, collection_id: CollectionId) -> Collection | None:
        """Return one by id."""
        ...

    async def named(self, name: str) -> Collection | None:
        """Return one by name."""
        ...

    async def list(self) -> list[Collection]:
        """Return all, by name."""
        ...

    async def scope(self, collection_id: CollectionId) -> Scope:
        """Count its documents by state."""
        ...

    async def rename(self, collection_id: CollectionId, name: str) -> Collection:
        """Give one another name, and return it. Raises `NotFoundError`, and `ConflictError` when another one has the name."""
        ...

    async def summarise(self, collection_id: CollectionId, summaries: bool) -> Collection:
        """Say whether one's documents are summarised, and return it. Raises `NotFoundError`."""
        ...

    async def use_policy(self, collection_id: CollectionId, policy: Policy) -> Collection:
        """Say what is done with claims that one's documents don't support, and return it. Raises `NotFoundError`."""
        ...

    async def blobs(self, collection_id: CollectionId) -> set[str]:
        """Return the hashes of the bytes of its documents and their figures, in all their versions."""
        ...

    async def remove(self, collection_id: CollectionId) -> bool:
        """Delete one with its log and all of its documents. False when unknown. Stored answers keep their frozen evidence."""
        ...
