"""Takes files in: their bytes and rows are durable before anything is read of them."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import PinciteError, StoreError
from pincite.core.files import FileState
from pincite.core.ids import WorkspaceId
from pincite.core.ports.blobs import Blob, BlobStore
from pincite.core.ports.metering import Metering
from pincite.core.ports.store import Store
from pincite.ingest.arrivals import Arrival, new_document, place, received
from pincite.ingest.blob_keeping import KEEP_ATTEMPTS, forget
from pincite.ingest.file_states import read_unchanged
from pincite.ingest.queueing import begin, enqueue


@dataclass(frozen=True, slots=True)
class Receiver:
    """Receives documents of a workspace. `reads_as` is the fingerprint of how files are read."""

    store: Store
    blobs: BlobStore
    workspace_id: WorkspaceId
    metering: Metering | None = None
    reads_as: str = ""

    async def receive(self, collection: Collection, arrival: Arrival, *, free_paths: Sequence[str] = ()) -> Document:
        """Store the bytes and the document row; see `Ingestor.receive`."""
        for _ in range(KEEP_ATTEMPTS):
            blob, state = await self._keep(arrival)
            try:
                return await self._claim(collection, arrival, blob, state, free_paths)
            except _BytesGone:
                continue
            except PinciteError:
                # No row came to name the bytes: the path is taken, or the collection was removed meanwhile.
                with suppress(StoreError):
                    await forget(self.store, self.blobs, self.workspace_id, {blob.sha256})
                raise
        raise StoreError("The bytes of the file were removed as often as they were stored. Add it again.", retryable=True)

    async def _keep(self, arrival: Arrival) -> tuple[Blob, FileState | None]:
        if isinstance(arrival.content, bytes):
            return await self.blobs.put_bytes(arrival.content), None
        if not arrival.place:
            return await self.blobs.put_file(arrival.content), None
        return await read_unchanged(self.blobs.put_file, arrival.content, arrival.place)

    async def _claim(
        self, collection: Collection, arrival: Arrival, blob: Blob, state: FileState | None, free_paths: Sequence[str]
    ) -> Document:
        async with self.store.open(self.workspace_id) as work:
            # From here on no other process takes the path, and none finds the bytes unused and deletes them.
            await work.lock()
            path, existing = await place(work, collection, arrival, free_paths)
            if not await self.blobs.has(blob.sha256):
                raise _BytesGone
            document = received(existing or new_document(collection, arrival, path), arrival, blob, reads_as=self.reads_as)
            if document != existing:
                await work.documents.save(document)
            gone: set[str] = set()
            if existing and existing.sha256 != blob.sha256:
                gone = {existing.sha256} | await work.figures.blobs(existing.id)
                await work.versions.drop_drafts(existing.id)
                await work.read_pages.drop(existing.id)
            if state:
                await work.files.remember({document.id: state})
            if document.stage is Stage.PENDING:
                await (enqueue if arrival.is_queued else begin)(work, self.metering, document)
            await work.commit()
        if gone:
            await forget(self.store, self.blobs, self.workspace_id, gone)
        return document


class _BytesGone(Exception):
    """Somebody's removal deleted the bytes between our storing them and our naming them."""
