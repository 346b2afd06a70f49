"""Rows of holds, and of what stays of removed documents."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from pincite.core.documents import Document, Version
from pincite.core.ids import CollectionId, DocumentId, MessageId, VersionId
from pincite.core.keeping import Erasure, Hold, RemovedDocument


class KeepingRows(Protocol):
    """What may not be removed from the workspace, and what stays of documents that were.

    A version that is kept of a removed document is read like any other, by its id: `VersionRows.get` and `canonical`.
    """

    async def hold(self, hold: Hold) -> None:
        """Keep a hold, in place of an earlier one of the same document."""
        ...

    async def release(self, document_id: DocumentId) -> bool:
        """End a document's hold. False when there is none."""
        ...

    async def holds(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, Hold]:
        """Return the holds of documents, of those that have one."""
        ...

    async def holds_in(self, collection_id: CollectionId) -> list[Hold]:
        """Return the holds of a collection's documents, the newest first."""
        ...

    async def cited(self, document_id: DocumentId) -> set[VersionId]:
        """Return the versions of a document that answers cite."""
        ...

    async def keep(self, document_ids: Sequence[DocumentId], *, removed_at: datetime) -> None:
        """Keep the rows of documents that are about to be removed, and those of their versions that answers cite, with texts and
        figures.
        """
        ...

    async def removed(self, document_id: DocumentId) -> RemovedDocument | None:
        """Return a removed document by id."""
        ...

    async def removed_from(self, collection_id: CollectionId) -> list[RemovedDocument]:
        """Return what was removed from a collection, the latest first."""
        ...

    async def removed_before(self, moment: datetime, *, limit: int) -> list[RemovedDocument]:
        """Return documents that were removed at a moment or before, and aren't on hold, the earliest first."""
        ...

    async def removed_inside(self, removed: Document) -> list[RemovedDocument]:
        """Return what was removed of the documents whose files stood in this one's, on the next level alone."""
        ...

    async def kept_of(self, document_id: DocumentId) -> list[Version]:
        """Return the versions that are kept of a removed document, oldest first."""
        ...

    async def drop(self, document_ids: Sequence[DocumentId]) -> set[str]:
        """Forget removed documents with the versions and figures that are kept of them; return the hashes of their bytes."""
        ...

    async def resting_on(self, document_ids: Sequence[DocumentId]) -> list[MessageId]:
        """Return the stored answers and logged questions among whose sources some of these documents are, or were."""
        ...

    async def erase(self, new: Sequence[Erasure]) -> None:
        """Keep that documents were erased. One that is known is left as it is."""
        ...

    async def erased(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, Erasure]:
        """Return the erasures of documents, of those that were erased."""
        ...

    async def unfinished(self) -> list[Erasure]:
        """Return the erasures of which something is left to be destroyed."""
        ...

    async def finish(self, document_ids: Sequence[DocumentId], *, finished_at: datetime) -> None:
        """Keep that of erased documents nothing is left; the hashes of their bytes are forgotten."""
        ...


class Scrubber(Protocol):
    """The files of a store, as far as deleted rows can still be read in them."""

    async def scrub(self) -> bool:
        """Leave nothing of deleted rows in the store's files. Takes as long as copying them.

        False when another process kept the log from being emptied. Raises `StoreError` (`disk_full`, `store_busy`).
        """
        ...

    async def copies(self, since: datetime) -> list[str]:
        """Return the files with copies of the store that were written since: backups, and damaged stores that were put aside."""
        ...
