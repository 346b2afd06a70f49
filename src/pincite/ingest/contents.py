"""Files inside files: each is a document of its own, which comes, changes and goes with the one that holds it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from pincite.core.documents import Collection, Document, Stage, address_inside
from pincite.core.errors import ConflictError, RefusedInput, StoreError
from pincite.core.ids import WorkspaceId
from pincite.core.keeping import held
from pincite.core.ports.blobs import Blob, BlobStore
from pincite.core.ports.metering import Metering
from pincite.core.ports.parsing import ContainedFile, Parser
from pincite.core.ports.store import Store, UnitOfWork
from pincite.core.summaries import SummaryState
from pincite.ingest.arrivals import Arrival, new_document, received
from pincite.ingest.blob_keeping import KEEP_ATTEMPTS, forget
from pincite.ingest.charging import settle
from pincite.ingest.families import MAX_LEVELS, containers_of, contents_of, held_with
from pincite.ingest.overtaking import is_overtaken
from pincite.ingest.queueing import begin, enqueue
from pincite.ingest.summarising import end_summaries

MAX_NAMESAKES = 100


@dataclass(frozen=True, slots=True)
class Contents:
    """Keeps the documents of the files inside documents."""

    store: Store
    blobs: BlobStore
    parser: Parser
    workspace_id: WorkspaceId
    metering: Metering | None = None

    async def keep(self, document: Document, path: Path, *, name: str, count: int) -> None:
        """Take out the files inside a document's file, and keep each as a pending document; remove those no longer there.

        `count` is how many there are. Raises `RefusedInput` (`too_deep`).
        """
        if not count and document.version_id is None:
            return
        async with self.blobs.scratch() as folder:
            files = await self.parser.unpack(path, name=name, into=folder) if count else []
            for _ in range(KEEP_ATTEMPTS):
                blobs = [await self.blobs.put_file(each.file) if each.file else None for each in files]
                gone = await self._claim(document, files, blobs)
                if gone is not None:
                    await forget(self.store, self.blobs, self.workspace_id, gone)
                    return
        raise StoreError("The bytes of the files inside were removed as often as they were stored. Add it again.", retryable=True)

    async def unfinished(self, document: Document) -> list[Document]:
        """Return the documents inside a document that haven't come to their end."""
        async with self.store.open(self.workspace_id) as work:
            return [each for each in await work.documents.inside(document) if each.stage not in (Stage.READY, Stage.FAILED)]

    async def begin(self, document: Document, *, is_queued: bool) -> None:
        """Begin to read the documents inside a document: by the caller, or by whoever takes their jobs."""
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            for each in await work.documents.inside(document):
                if each.stage is Stage.PENDING:
                    await (enqueue if is_queued else begin)(work, self.metering, each)
            await work.commit()

    async def _claim(self, document: Document, files: Sequence[ContainedFile], blobs: Sequence[Blob | None]) -> set[str] | None:
        """Write the rows, and return the hashes of what was there before; None when bytes went away meanwhile."""
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            current = await work.documents.get(document.id)
            collection = await work.collections.get(document.collection_id)
            if current is None or collection is None or is_overtaken(document, current):
                return {blob.sha256 for blob in blobs if blob}
            if files and len(await containers_of(work, document)) + 1 >= MAX_LEVELS:
                raise RefusedInput(f"It stands {MAX_LEVELS} files deep in others: what is in it isn't read.", code="too_deep")
            for blob in blobs:
                if blob and not await self.blobs.has(blob.sha256):
                    return None
            before = {each.source_uri: each for each in await work.documents.inside(document)}
            gone = {each.sha256 for each in before.values()}
            for file, blob in zip(files, blobs, strict=True):
                existing = before.pop(address_inside(document.id, file.name), None)
                await work.documents.save(await _row(work, collection, document, file, blob, existing))
            for each in before.values():
                if await held_with(work, each) is None:
                    gone |= await remove_with_contents(work, self.metering, each)
            await work.commit()
        return {sha256 for sha256 in gone if sha256}


async def _row(
    work: UnitOfWork, collection: Collection, container: Document, file: ContainedFile, blob: Blob | None, existing: Document | None
) -> Document:
    """Return the row of a file inside another: pending, failed when it couldn't be taken out, or as it was with the same bytes."""
    address = address_inside(container.id, file.name)
    arrival = Arrival(f"{container.path}/{file.name}", address, b"")
    row = existing or new_document(collection, arrival, await _free_path(work, collection, arrival.path))
    row = row if existing else replace(row, tags=container.tags)
    if blob:
        return received(row, arrival, blob)
    return replace(row, stage=Stage.FAILED, reason=file.problem, updated_at=datetime.now(UTC))


async def _free_path(work: UnitOfWork, collection: Collection, wanted: str) -> str:
    """Return the wanted path, else the same with a number. Raises `ConflictError` when others have them all."""
    end = PurePosixPath(wanted).suffix
    numbered = (f"{wanted.removesuffix(end)} ({number}){end}" for number in range(2, MAX_NAMESAKES))
    for path in (wanted, *numbered):
        if await work.documents.at_path(collection.id, path) is None:
            return path
    raise ConflictError(f"Other documents have the path “{wanted}”. Remove one, or rename the file.", code="paths_taken")


async def remove_with_contents(work: UnitOfWork, metering: Metering | None, document: Document) -> set[str]:
    """Remove a document and all inside it, but for what is kept as evidence; return the hashes of their bytes.

    Raises `ConflictError` (`held`).
    """
    if on_hold := await held_with(work, document):
        raise held(on_hold.path)
    family = [document, *await contents_of(work, document)]
    await work.keeping.keep([each.id for each in family], removed_at=datetime.now(UTC))
    hashes: set[str] = set()
    for each in reversed(family):
        hashes |= {each.sha256, *(version.sha256 for version in await work.versions.of_document(each.id))}
        await settle(work, metering, each)
        await end_summaries(work, metering, each, SummaryState.OFF)
        hashes |= await work.figures.blobs(each.id)
        await work.documents.remove(each.id)
    return {sha256 for sha256 in hashes if sha256}


async def move_contents(work: UnitOfWork, before: Document, after: Document) -> None:
    """Give all documents inside a document paths under its new one."""
    if before.path == after.path:
        return
    collection = await work.collections.get(before.collection_id)
    for each in await contents_of(work, before):
        if collection and each.path.startswith(f"{before.path}/"):
            path = await _free_path(work, collection, after.path + each.path[len(before.path) :])
            await work.documents.save(replace(each, path=path, updated_at=datetime.now(UTC)))
