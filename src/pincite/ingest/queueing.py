"""Attempts to read documents, as jobs."""

from pincite.core.documents import Document, Ingestion
from pincite.core.ids import DocumentId
from pincite.core.jobs import JobKind, NewJob
from pincite.core.ports.store import UnitOfWork

LARGE_BYTES = 5_000_000
"""Files from this size on wait until no small one is due: a book must not keep a letter waiting."""


def attempt_key(document_id: DocumentId, attempt: int) -> str:
    """Return the key of an attempt: of its job, and of what is charged for it."""
    return f"document:{document_id}:attempt:{attempt}"


async def enqueue(work: UnitOfWork, document: Document) -> Ingestion:
    """Begin the next attempt to read a document, to be done by whoever takes its job."""
    ingestion = await work.ingestions.begin(document.id)
    payload: dict[str, str | int] = {"document_id": document.id, "attempt": ingestion.attempt}
    priority = int(document.size_bytes >= LARGE_BYTES)
    await work.jobs.enqueue(NewJob(JobKind.INGEST, attempt_key(document.id, ingestion.attempt), payload, priority))
    return ingestion
