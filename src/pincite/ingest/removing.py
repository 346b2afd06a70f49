"""Removes whole collections."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import NotFoundError, StoreError
from pincite.core.jobs import JobKind
from pincite.core.keeping import held
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.index import DenseIndex, LexicalIndex
from pincite.core.ports.metering import Metering
from pincite.core.ports.store import Store, UnitOfWork
from pincite.core.summaries import SummaryState
from pincite.ingest.blob_keeping import forget
from pincite.ingest.charging import attempt_key, settle
from pincite.ingest.summarising import end_summaries


@dataclass(frozen=True)
class CollectionRemoval:
    """Removes a collection with all that is made of it and kept for it."""

    store: Store
    blobs: BlobStore
    dense: DenseIndex
    lexical: LexicalIndex
    metering: Metering | None = None

    async def remove(self, collection: Collection) -> None:
        """Make a collection and its documents unfindable at once: delete their rows, then bytes that nothing else has.

        What is being read of it ends within a second. What answers cite of it is kept as evidence. Raises `NotFoundError`, and
        `ConflictError` (`held`) when one of its documents is on hold.
        """
        async with self.store.open(collection.workspace_id) as work:
            await work.lock()
            await _refuse_held(work, collection)
            await _take_leave(work, collection, self.metering)
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


async def _refuse_held(work: UnitOfWork, collection: Collection) -> None:
    for hold in await work.keeping.holds_in(collection.id):
        if document := await work.documents.get(hold.document_id):
            raise held(document.path)


async def _take_leave(work: UnitOfWork, collection: Collection, metering: Metering | None) -> None:
    """Keep what is cited of its documents, and let nobody go on reading them."""
    now = datetime.now(UTC)
    batch: list[Document] = []
    while batch := await work.documents.list(collection.id, after_path=batch[-1].path if batch else ""):
        await work.keeping.keep([each.id for each in batch], removed_at=now)
        summarised = await work.summaries.runs([each.id for each in batch])
        for each in (each for each in batch if each.id in summarised):
            await end_summaries(work, metering, each, SummaryState.OFF)
        unread = [each for each in batch if each.stage not in (Stage.READY, Stage.FAILED)]
        ingestions = await work.ingestions.of([each.id for each in unread])
        for each in unread:
            await settle(work, metering, each)
            if ingestion := ingestions.get(each.id):
                await work.jobs.cancel(JobKind.INGEST, attempt_key(each.id, ingestion.attempt))
