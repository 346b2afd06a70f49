"""Charges attempts to read documents for what they embedded: each of them once, whatever becomes of it."""

from pincite.core.documents import Document
from pincite.core.ids import DocumentId
from pincite.core.ports.metering import Metering
from pincite.core.ports.store import UnitOfWork
from pincite.core.usage import Usage, UsageKind


def attempt_key(document_id: DocumentId, attempt: int) -> str:
    """Return the key of an attempt: of its job, and of what is charged for it."""
    return f"document:{document_id}:attempt:{attempt}"


async def settle(work: UnitOfWork, metering: Metering | None, document: Document) -> None:
    """Post what the last attempt to read a document embedded. Once it is posted, nothing changes it."""
    ingestion = (await work.ingestions.of([document.id])).get(document.id) if metering else None
    if metering is None or ingestion is None:
        return
    collection = await work.collections.get(document.collection_id)
    model = collection.embedding.name if collection and collection.embedding else ""
    reference = attempt_key(document.id, ingestion.attempt)
    await metering.charge(work.usage, Usage(UsageKind.EMBEDDING, reference, model, ingestion.embedded_tokens))


def summaries_key(document_id: DocumentId, attempt: int) -> str:
    """Return the key of an attempt to summarise a document: of its job, and of what is charged for it."""
    return f"document:{document_id}:summaries:{attempt}"


async def settle_summaries(work: UnitOfWork, metering: Metering | None, document: Document) -> None:
    """Post what the last attempt to summarise a document took of both models. Once it is posted, nothing changes it."""
    run = (await work.summaries.runs([document.id])).get(document.id) if metering else None
    if metering is None or run is None or not run.model:
        return
    reference = summaries_key(document.id, run.attempt)
    await metering.charge(work.usage, Usage(UsageKind.SUMMARY, reference, run.model, run.input_tokens, run.output_tokens))
    collection = await work.collections.get(document.collection_id)
    if run.embedded_tokens and collection and collection.embedding:
        model = collection.embedding.name
        await metering.charge(work.usage, Usage(UsageKind.EMBEDDING, reference, model, run.embedded_tokens))
