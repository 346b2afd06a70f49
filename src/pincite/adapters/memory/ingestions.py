"""Attempts to read documents, in memory."""

from collections.abc import Sequence
from dataclasses import replace

from pincite.adapters.memory.store_tables import Transaction
from pincite.core.errors import NotFoundError
from pincite.core.ids import DocumentId
from pincite.core.ingestions import Ingestion


class MemoryIngestions:
    """Attempts to read documents of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def begin(self, document_id: DocumentId) -> Ingestion:
        """Return the next attempt, from 1. Raises `NotFoundError` for an unknown document."""
        tables = await self._tx.lock()
        if tables.documents.get(self._tx.workspace_id, document_id) is None:
            raise NotFoundError("There is no such document.")
        last = tables.ingestions.get(self._tx.workspace_id, document_id)
        begun = Ingestion(document_id, last.attempt + 1 if last else 1)
        tables.ingestions.put(self._tx.workspace_id, document_id, begun)
        return begun

    async def report(self, ingestion: Ingestion) -> None:
        """Keep how far an attempt is, and its timings. Changes nothing once a later one was begun."""
        tables = await self._tx.lock()
        last = tables.ingestions.get(self._tx.workspace_id, ingestion.document_id)
        if last and last.attempt == ingestion.attempt:
            kept = replace(ingestion, embedded_tokens=last.embedded_tokens)
            tables.ingestions.put(self._tx.workspace_id, ingestion.document_id, kept)

    async def count_tokens(self, document_id: DocumentId, tokens: int) -> None:
        """Add to the `embedded_tokens` of a document's last attempt."""
        tables = await self._tx.lock()
        if last := tables.ingestions.get(self._tx.workspace_id, document_id):
            counted = replace(last, embedded_tokens=last.embedded_tokens + tokens)
            tables.ingestions.put(self._tx.workspace_id, document_id, counted)

    async def of(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, Ingestion]:
        """Return the last attempts of documents, of those that have one."""
        rows = {each: self._tx.tables.ingestions.get(self._tx.workspace_id, each) for each in document_ids}
        return {key: row for key, row in rows.items() if row}
