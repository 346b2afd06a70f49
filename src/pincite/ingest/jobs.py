"""What a worker does with a job to read a document."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pincite.core.documents import Collection, Document, Reason, Stage
from pincite.core.errors import ConflictError, NotFoundError, PinciteError
from pincite.core.ids import DocumentId, WorkspaceId
from pincite.core.ingestions import Ingestion
from pincite.core.jobs import Job, JobKind, OutrankedCheck
from pincite.core.ports.models import EmbeddingModel
from pincite.core.ports.store import Store
from pincite.ingest.charging import attempt_key, settle
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.overtaking import CANCELLED, is_cancelled
from pincite.ingest.queueing import enqueue
from pincite.ingest.turns import JobTurn

GAVE_UP = Reason("gave_up", "Reading the file was tried three times and never came to an end. Look at the file, or try again.")


@dataclass(frozen=True)
class IngestJobs:
    """What a worker does with a job to read a document, in the job's workspace: a worker serves all of them.

    What counts is what the store says when it runs. Documents are tried again and cancelled in the workspace of the `ingestor`.
    """

    store: Store
    ingestor: Ingestor
    embedding_of: Callable[[Collection], EmbeddingModel | None]

    @property
    def workspace_id(self) -> WorkspaceId:
        """Return the workspace whose documents it works on."""
        return self.ingestor.workspace_id

    def within(self, workspace_id: WorkspaceId) -> "IngestJobs":
        """Return the same for another workspace."""
        return replace(self, ingestor=replace(self.ingestor, workspace_id=workspace_id))

    async def run(self, job: Job, is_outranked: OutrankedCheck) -> int | None:
        """Read the document, unless it is gone, ready, or a later attempt was begun. Raises what `Ingestor.process` raises.

        Returns the priority with which it is to be continued, when others go before its vectors, or before its next pages of OCR.
        """
        return await self.within(job.workspace_id)._run(job, JobTurn(job, is_outranked))

    async def _run(self, job: Job, turn: JobTurn) -> int | None:
        found = await self._current(job)
        if found is None:
            return None
        document, collection, _ = found
        done = await self.ingestor.process(document, self.embedding_of(collection), is_queued=True, gives_way=turn)
        return turn.priority if done.stage not in (Stage.READY, Stage.FAILED) else None

    async def retry(self, document_id: DocumentId) -> Document:
        """Enqueue one more attempt to read a document that failed, or whose pictures a model hasn't described yet.

        Raises `NotFoundError`, `ConflictError` (`not_failed`).
        """
        has_left = await self._has_pictures_left(document_id)
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            document = await work.documents.get(document_id)
            if document is None:
                raise NotFoundError("There is no such document.", code="document")
            if document.stage is not Stage.FAILED and not (document.stage is Stage.READY and has_left):
                raise ConflictError(_not_failed(document), code="not_failed")
            document = replace(document, stage=Stage.PENDING, reason=None, updated_at=datetime.now(UTC))
            await work.documents.save(document)
            await enqueue(work, self.ingestor.metering, document)
            await work.commit()
        return document

    async def _has_pictures_left(self, document_id: DocumentId) -> bool:
        async with self.store.open(self.workspace_id) as work:
            document = await work.documents.get(document_id)
        return bool(document) and await self.ingestor.illustrator.has_left(document.version_id)

    async def cancel(self, document_id: DocumentId) -> Document:
        """End the attempt to read a document: at once where it waits, and within a second where a worker is at it.

        What is stored of it by then is taken up by the next attempt. Raises `NotFoundError`, `ConflictError` (`not_in_work`).
        """
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            document = await work.documents.get(document_id)
            if document is None:
                raise NotFoundError("There is no such document.", code="document")
            if document.stage in (Stage.READY, Stage.FAILED):
                raise ConflictError(f"{document.path} is not being read: it is {document.stage.value}.", code="not_in_work")
            document = replace(document, stage=Stage.FAILED, reason=CANCELLED, updated_at=datetime.now(UTC))
            await work.documents.save(document)
            if ingestion := (await work.ingestions.of([document_id])).get(document_id):
                await work.jobs.cancel(JobKind.INGEST, attempt_key(document_id, ingestion.attempt))
                await work.ingestions.report(replace(ingestion, stage=Stage.FAILED))
                await settle(work, self.ingestor.metering, document)
            await work.commit()
        return document

    async def reopen(self, job: Job) -> None:
        """Put a document back to where its next try finds it: a try that was broken off isn't its failure."""
        await self.within(job.workspace_id)._settle(job, Stage.PENDING, None)

    async def give_up(self, job: Job, error: PinciteError | None) -> None:
        """Let a document fail; one that has failed keeps its reason. Without an error, its workers died in every attempt."""
        reason = Reason(error.code, error.message) if error else GAVE_UP
        await self.within(job.workspace_id)._settle(job, Stage.FAILED, reason)

    async def _current(self, job: Job) -> tuple[Document, Collection, Ingestion] | None:
        document_id = DocumentId(str(job.payload["document_id"]))
        async with self.store.open(self.workspace_id) as work:
            document = await work.documents.get(document_id)
            ingestion = (await work.ingestions.of([document_id])).get(document_id)
            collection = await work.collections.get(document.collection_id) if document else None
        if document is None or collection is None or ingestion is None or ingestion.attempt != job.payload["attempt"]:
            return None
        return None if document.stage is Stage.READY or is_cancelled(document) else (document, collection, ingestion)

    async def _settle(self, job: Job, stage: Stage, reason: Reason | None) -> None:
        found = await self._current(job)
        if found is None:
            return
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            document = await work.documents.get(found[0].id)
            if document is None or document.sha256 != found[0].sha256:
                return
            if not _is_settled(document, stage):
                document = replace(document, stage=stage, reason=reason, updated_at=datetime.now(UTC))
                await work.documents.save(document)
                await work.ingestions.report(replace(found[2], stage=stage, done=0, total=0))
            if stage is Stage.FAILED:
                await settle(work, self.ingestor.metering, document)
            await work.commit()


def _not_failed(document: Document) -> str:
    if document.stage is Stage.READY:
        return f"{document.path} is ready: there is nothing to try again. To have it read anew, remove it and add the file again."
    return f"{document.path} is being read, or waits for it: there is nothing to try again yet. Its stage shows how far it is."


def _is_settled(document: Document, stage: Stage) -> bool:
    """Say whether a document is past being put to a stage: it is ready, or has failed already, with a reason of its own."""
    return document.stage is Stage.READY or is_cancelled(document) or (document.stage is Stage.FAILED and stage is Stage.FAILED)
