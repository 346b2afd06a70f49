"""Puts documents on hold, and ends what is kept of removed ones when its time is over."""

import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pincite.core.documents import Document
from pincite.core.errors import ConflictError, NotFoundError, PinciteError, StoreError
from pincite.core.ids import DocumentId, WorkspaceId
from pincite.core.keeping import Hold
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.store import Store, UnitOfWork
from pincite.ingest.blob_keeping import forget

PURGED_AT_ONCE = 500

_log = logging.getLogger("pincite.keeping")


@dataclass(frozen=True)
class Keeper:
    """Says which documents of a workspace may not go, and how long what answers cite of those that went is kept."""

    store: Store
    blobs: BlobStore
    workspace_id: WorkspaceId
    retention: timedelta

    async def hold(self, document_id: DocumentId, *, reason: str = "") -> Hold:
        """Put a document, or what is kept of a removed one, on hold. A later hold takes the place of the one before.

        Raises `NotFoundError`.
        """
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            found = await _known(work, document_id)
            hold = Hold(found.id, found.collection_id, datetime.now(UTC), reason)
            await work.keeping.hold(hold)
            await work.commit()
        return hold

    async def release(self, document_id: DocumentId) -> None:
        """End a hold. Raises `NotFoundError`, and `ConflictError` (`not_held`) when there is none."""
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            found = await _known(work, document_id)
            if not await work.keeping.release(document_id):
                raise ConflictError(f"{found.path} is not on hold.", code="not_held")
            await work.commit()

    async def purge(self) -> int:
        """Delete what is kept of documents that were removed longer ago than the retention time; return how many these were."""
        moment, purged = datetime.now(UTC) - self.retention, 0
        while True:
            async with self.store.open(self.workspace_id) as work:
                over = await work.keeping.removed_before(moment, limit=PURGED_AT_ONCE)
                if not over:
                    return purged
                await work.lock()
                # Read again under the lock: somebody may have put one on hold meanwhile.
                over = await work.keeping.removed_before(moment, limit=PURGED_AT_ONCE)
                hashes = await work.keeping.drop([each.document.id for each in over])
                await work.commit()
            with suppress(StoreError):
                await forget(self.store, self.blobs, self.workspace_id, hashes)
            purged += len(over)

    async def try_to_purge(self) -> None:
        """Purge, and leave it to the next time where that fails."""
        try:
            await self.purge()
        except PinciteError as error:
            _log.warning("What is kept of removed documents could not be looked through: %s", error.message)


async def _known(work: UnitOfWork, document_id: DocumentId) -> Document:
    """Return a document, also a removed one of which something is kept. Raises `NotFoundError`."""
    document = await work.documents.get(document_id)
    removed = await work.keeping.removed(document_id)
    if found := document or (removed.document if removed else None):
        return found
    raise NotFoundError("There is no such document.", code="document")
