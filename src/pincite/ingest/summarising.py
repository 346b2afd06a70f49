"""Summarises documents after they are ready: cluster by cluster, each kept as soon as it is written, found when all are."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace

from pincite.core.documents import Collection, Document, Reason
from pincite.core.errors import ConflictError, ModelChangedError, NotFoundError, PinciteError, StoreError
from pincite.core.ids import CollectionId, DocumentId, WorkspaceId
from pincite.core.jobs import JobKind, NewJob
from pincite.core.ports.metering import Metering
from pincite.core.ports.models import EmbeddingModel
from pincite.core.ports.store import Store, UnitOfWork
from pincite.core.ports.summaries import Summariser
from pincite.core.summaries import OPEN, SummaryRun, SummaryState
from pincite.ingest.charging import settle_summaries, summaries_key
from pincite.ingest.queueing import OPEN as OPEN_JOBS
from pincite.ingest.summary_tree import Ours, OvertakenError, SummaryTree
from pincite.ingest.turns import GivesWay, never

PRIORITY = 20
"""Behind everything else that jobs do: summaries are a help, and documents are found without."""
MODELS = 3
"""Embedding models that a collection may come to while one document is summarised."""

AGAIN = (SummaryState.FAILED, SummaryState.CANCELLED)

SummaryListener = Callable[[Document, SummaryRun], None]


def unheard(document: Document, run: SummaryRun) -> None:
    """Listen to nothing."""


async def begin_summaries(work: UnitOfWork, metering: Metering | None, document: Document, *, is_queued: bool) -> SummaryRun | None:
    """Begin to summarise a document's version, if its collection wants that: by the caller, or by whoever takes the job."""
    collection = await work.collections.get(document.collection_id)
    if collection is None or not collection.summaries or document.version_id is None:
        return None
    # Whoever was at the last attempt is overtaken by this one, and may have ended without a word.
    await end_summaries(work, metering, document, None)
    run = await work.summaries.begin(document.id, document.version_id)
    if is_queued:
        payload: dict[str, str | int] = {"document_id": document.id, "attempt": run.attempt}
        await work.jobs.enqueue(NewJob(JobKind.SUMMARISE, summaries_key(document.id, run.attempt), payload, PRIORITY))
    return run


async def end_summaries(
    work: UnitOfWork, metering: Metering | None, document: Document, state: SummaryState | None, reason: Reason | None = None
) -> SummaryRun | None:
    """End the attempt to summarise a document where it stands, and charge it. Returns it; None when nothing was under way."""
    run = (await work.summaries.runs([document.id])).get(document.id)
    if run is None or run.state not in OPEN:
        return None
    if state is not None:
        run = replace(run, state=state, reason=reason)
        await work.summaries.report(run)
    await work.jobs.cancel(JobKind.SUMMARISE, summaries_key(document.id, run.attempt))
    await settle_summaries(work, metering, document)
    return run


@dataclass(frozen=True)
class Summaries:
    """Makes the summaries of a workspace's documents. What fails leaves the document as it is, with the reason beside it."""

    store: Store
    summariser: Summariser
    embedding_of: Callable[[Collection], EmbeddingModel | None]
    workspace_id: WorkspaceId
    metering: Metering | None = None

    async def switch(self, collection_id: CollectionId, wanted: bool, *, is_queued: bool) -> Collection:
        """Have the documents of a collection summarised from now on, those that are there too, or take all summaries away.

        With `is_queued` workers make them, else `make_waiting`. Raises `NotFoundError`.
        """
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            before = await work.collections.get(collection_id)
            collection = await work.collections.summarise(collection_id, wanted)
            if before != collection:
                await self._switch_all(work, collection, is_queued)
            await work.commit()
        return collection

    async def _switch_all(self, work: UnitOfWork, collection: Collection, is_queued: bool) -> None:
        batch: list[Document] = []
        while batch := await work.documents.list(collection.id, after_path=batch[-1].path if batch else ""):
            for document in batch:
                if collection.summaries:
                    await begin_summaries(work, self.metering, document, is_queued=is_queued)
                else:
                    await self._unwant(work, collection, document)

    async def _unwant(self, work: UnitOfWork, collection: Collection, document: Document) -> None:
        await end_summaries(work, self.metering, document, SummaryState.OFF)
        if run := (await work.summaries.runs([document.id])).get(document.id):
            await work.summaries.report(replace(run, state=SummaryState.OFF, reason=None))
            await work.summaries.keep(document.id, [])
            if document.version_id:
                await work.chunks.summarise(document, [], {}, model_id=collection.model_id)

    async def begin_failed(self, collection: Collection) -> None:
        """Begin again, by the caller, to summarise the documents of a collection whose summaries failed or were cancelled."""
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            batch: list[Document] = []
            while batch := await work.documents.list(collection.id, after_path=batch[-1].path if batch else ""):
                runs = await work.summaries.runs([each.id for each in batch])
                for document in batch:
                    if document.id in runs and runs[document.id].state in AGAIN:
                        await begin_summaries(work, self.metering, document, is_queued=False)
            await work.commit()

    async def make_waiting(self, collection: Collection, on_progress: SummaryListener = unheard) -> list[SummaryRun]:
        """Make the summaries of a collection that wait and that no job waits for; return the attempts, ended.

        Raises `StoreError`.
        """
        async with self.store.open(self.workspace_id) as work:
            runs = await work.summaries.open_runs(collection.id)
            keys = [summaries_key(run.document_id, run.attempt) for run in runs]
            states = [await work.jobs.state(JobKind.SUMMARISE, key) for key in keys]
        mine = [run for run, state in zip(runs, states, strict=True) if state not in OPEN_JOBS]
        ended: list[SummaryRun | None] = []
        for run in mine:
            try:
                ended.append(await self.make(run.document_id, run.attempt, on_progress=on_progress))
            except StoreError:
                raise
            except PinciteError as error:
                ended.append(await self.give_up(run.document_id, run.attempt, Reason(error.code, error.message), on_progress))
        return [run for run in ended if run]

    async def make(
        self, document_id: DocumentId, attempt: int, *, gives_way: GivesWay = never, on_progress: SummaryListener = unheard
    ) -> SummaryRun | None:
        """Make the summaries of a document in an attempt; None when it is over, or not the last any more.

        What is kept of an earlier try, or of the same passages elsewhere, isn't written again. Raises `UpstreamError` and what
        else stops it, and `GaveWayError`.
        """
        for turn in range(MODELS):
            try:
                return await self._make(document_id, attempt, gives_way, on_progress)
            except OvertakenError:
                return None
            except ModelChangedError:
                if turn == MODELS - 1:
                    raise
        raise AssertionError

    async def _make(
        self, document_id: DocumentId, attempt: int, gives_way: GivesWay, on_progress: SummaryListener
    ) -> SummaryRun | None:
        async with self._ours(document_id, attempt) as ours:
            embedding = self.embedding_of(ours.collection)
            chunks = [each for each in await ours.work.chunks.of_version(ours.run.version_id) if not each.generated]
            vectors = await ours.work.chunks.vectors([each.fingerprint for each in chunks], model_id=ours.collection.model_id)
            await ours.work.summaries.report(replace(ours.run, state=SummaryState.RUNNING, model=self.summariser.name))
            await ours.work.commit()
        if embedding and any(each.fingerprint not in vectors for each in chunks):
            raise ModelChangedError("Vectors of the document are gone: its collection came to another model.", retryable=True)

        def tell(run: SummaryRun) -> None:
            on_progress(ours.document, run)

        tree = SummaryTree(lambda: self._ours(document_id, attempt), self.summariser, embedding, gives_way, tell, ours.run.ms)
        await tree.grow(chunks, vectors)
        return await self._publish(document_id, attempt, tree)

    async def _publish(self, document_id: DocumentId, attempt: int, tree: SummaryTree) -> SummaryRun:
        async with self._ours(document_id, attempt) as ours:
            document, work = ours.document, ours.work
            chunks = [replace(each, title=document.title) for each in tree.chunks]
            await work.chunks.summarise(document, chunks, tree.vectors, model_id=ours.collection.model_id)
            own = {each.key for each in await work.summaries.of_document(document_id)}
            await work.summaries.put(document_id, [each for key, each in tree.summaries.items() if key not in own])
            await work.summaries.keep(document_id, list(tree.summaries))
            total = len(chunks)
            run = replace(ours.run, state=SummaryState.READY, done=total, total=total, ms=tree.ms, model=self.summariser.name)
            await work.summaries.report(run)
            await settle_summaries(work, self.metering, document)
            await work.commit()
        tree.tell(run)
        return run

    @asynccontextmanager
    async def _ours(self, document_id: DocumentId, attempt: int) -> AsyncGenerator[Ours]:
        """Open a unit of work in which nobody else changes the attempt. Raises `OvertakenError` when it isn't ours any more."""
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            document, run = await work.documents.get(document_id), (await work.summaries.runs([document_id])).get(document_id)
            collection = await work.collections.get(document.collection_id) if document else None
            if document is None or collection is None or run is None or not _is_wanted(collection, document, run, attempt):
                raise OvertakenError
            yield Ours(work, collection, document, run)

    async def put_back(self, document_id: DocumentId, attempt: int) -> None:
        """Let an attempt wait again that was broken off."""
        with suppress(OvertakenError):
            async with self._ours(document_id, attempt) as ours:
                await ours.work.summaries.report(replace(ours.run, state=SummaryState.WAITING))
                await ours.work.commit()

    async def give_up(
        self, document_id: DocumentId, attempt: int, reason: Reason, on_progress: SummaryListener = unheard
    ) -> SummaryRun | None:
        """Let an attempt fail. The document stays as it is; what is kept of its summaries is taken up by the next attempt."""
        with suppress(OvertakenError):
            async with self._ours(document_id, attempt) as ours:
                run = await end_summaries(ours.work, self.metering, ours.document, SummaryState.FAILED, reason)
                await ours.work.commit()
            if run:
                on_progress(ours.document, run)
            return run
        return None

    async def retry(self, document_id: DocumentId) -> Document:
        """Enqueue one more attempt to summarise a document. Raises `NotFoundError`, `ConflictError` (`not_failed`)."""
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            document, run = await _with_run(work, document_id)
            if run is None or run.state not in AGAIN:
                raise ConflictError(
                    f"The summaries of {document.path} didn't fail: there is nothing to try again.", code="not_failed"
                )
            await begin_summaries(work, self.metering, document, is_queued=True)
            await work.commit()
        return document

    async def cancel(self, document_id: DocumentId) -> Document:
        """Stop summarising a document. Raises `NotFoundError`, `ConflictError` (`not_in_work`)."""
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            document, _ = await _with_run(work, document_id)
            if await end_summaries(work, self.metering, document, SummaryState.CANCELLED) is None:
                raise ConflictError(f"{document.path} is not being summarised.", code="not_in_work")
            await work.commit()
        return document


async def _with_run(work: UnitOfWork, document_id: DocumentId) -> tuple[Document, SummaryRun | None]:
    document = await work.documents.get(document_id)
    if document is None:
        raise NotFoundError("There is no such document.", code="document")
    return document, (await work.summaries.runs([document_id])).get(document_id)


def _is_wanted(collection: Collection, document: Document, run: SummaryRun, attempt: int) -> bool:
    return collection.summaries and run.attempt == attempt and run.state in OPEN and run.version_id == document.version_id
