"""Removes whole collections."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import NotFoundError, StoreError
from pincite.core.ids import WorkspaceId
from pincite.core.jobs import JobKind
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.index import DenseIndex, LexicalIndex
from pincite.core.ports.store import Store, UnitOfWork
from pincite.ingest.queueing import attempt_key

FORGET_BATCH = 100
"""Files deleted under one lock of the store."""


@dataclass(frozen=True)
class CollectionRemoval:
    """Removes a collection with all that is made of it and kept for it."""

    store: Store
    blobs: BlobStore
    dense: DenseIndex
    lexical: LexicalIndex

    async def remove(self, collection: Collection) -> None:
        """Make a collection and its documents unfindable at once: delete their rows, then bytes that nothing else has.

        What is being read of it ends within a second. Answers that cite it keep their quotes. Raises `NotFoundError`.
        """
        async with self.store.open(collection.workspace_id) as work:
            await work.lock()
            await _cancel_readings(work, collection)
            hashes = await work.collections.blobs(collection.id)
            if not await work.collections.remove(collection.id):
                raise NotFoundError("There is no such collection.", code="collection")
            await work.commit()
        # The collection is gone, and not to be looked for again because bytes couldn't be deleted right away.
        with suppress(StoreError):
            await self._forget(collection.workspace_id, sorted(hashes))
        # Searches that were under way may have written their mirrors until now.
        for index in (self.dense, self.lexical):
            await index.discard(collection.id)

    async def _forget(self, workspace_id: WorkspaceId, hashes: Sequence[str]) -> None:
        """Delete bytes that nothing has any more, under the store's lock: no row can come to name them meanwhile."""
        for first in range(0, len(hashes), FORGET_BATCH):
            async with self.store.open(workspace_id) as work:
                await work.lock()
                for sha256 in hashes[first : first + FORGET_BATCH]:
                    if not await work.versions.blob_in_use(sha256):
                        await self.blobs.delete(sha256)


async def _cancel_readings(work: UnitOfWork, collection: Collection) -> None:
    batch: list[Document] = []
    while batch := await work.documents.list(collection.id, after_path=batch[-1].path if batch else ""):
        unread = [each.id for each in batch if each.stage not in (Stage.READY, Stage.FAILED)]
        for ingestion in (await work.ingestions.of(unread)).values():
            await work.jobs.cancel(JobKind.INGEST, attempt_key(ingestion.document_id, ingestion.attempt))
