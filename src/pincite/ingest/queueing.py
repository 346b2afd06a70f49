"""Attempts to read documents: begun by whoever reads at once, or enqueued as jobs."""

from pincite.core.documents import Document
from pincite.core.ingestions import Ingestion
from pincite.core.jobs import JobKind, JobState, NewJob
from pincite.core.ports.metering import Metering
from pincite.core.ports.store import UnitOfWork
from pincite.ingest.charging import attempt_key, settle

LARGE_BYTES = 5_000_000
"""Files from this size on wait until no small one is due: a book must not keep a letter waiting."""

OPEN = (JobState.QUEUED, JobState.RUNNING)


async def enqueue(work: UnitOfWork, metering: Metering | None, document: Document) -> Ingestion:
    """Begin the next attempt to read a document, to be done by whoever takes its job."""
    ingestion = await _begin(work, metering, document)
    payload: dict[str, str | int] = {"document_id": document.id, "attempt": ingestion.attempt}
    priority = int(document.size_bytes >= LARGE_BYTES)
    await work.jobs.enqueue(NewJob(JobKind.INGEST, attempt_key(document.id, ingestion.attempt), payload, priority))
    return ingestion


async def begin(work: UnitOfWork, metering: Metering | None, document: Document) -> Ingestion:
    """Begin the next attempt to read a document, to be done by the caller; one that a job waits for or does is shared with it."""
    last = (await work.ingestions.of([document.id])).get(document.id)
    if last and await work.jobs.state(JobKind.INGEST, attempt_key(document.id, last.attempt)) in OPEN:
        return last
    return await _begin(work, metering, document)


async def _begin(work: UnitOfWork, metering: Metering | None, document: Document) -> Ingestion:
    # Whoever was at the last attempt is overtaken by this one, and may have ended without a word.
    await settle(work, metering, document)
    return await work.ingestions.begin(document.id)
