"""Removes whole collections."""

from contextlib import suppress
from dataclasses import dataclass

from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import NotFoundError, StoreError
from pincite.core.jobs import JobKind
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.index import DenseIndex, LexicalIndex
from pincite.core.ports.store import Store, UnitOfWork
from pincite.ingest.blob_keeping import forget
from pincite.ingest.queueing import attempt_key


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
            await forget(self.store, self.blobs, collection.workspace_id, hashes)
        # Searches that were under way may have written their mirrors until now.
        for index in (self.dense, self.lexical):
            await index.discard(collection.id)


async def _cancel_readings(work: UnitOfWork, collection: Collection) -> None:
    batch: list[Document] = []
    while batch := await work.documents.list(collection.id, after_path=batch[-1].path if batch else ""):
        unread = [each.id for each in batch if each.stage not in (Stage.READY, Stage.FAILED)]
        for ingestion in (await work.ingestions.of(unread)).values():
            await work.jobs.cancel(JobKind.INGEST, attempt_key(ingestion.document_id, ingestion.attempt))
