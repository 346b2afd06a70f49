"""Holds, and what stays of removed documents, in memory."""

from collections.abc import Sequence
from datetime import datetime

from pincite.adapters.memory.store_tables import Transaction
from pincite.core.ids import CollectionId, DocumentId, VersionId
from pincite.core.keeping import Hold, RemovedDocument, removed


class MemoryKeeping:
    """What may not be removed from the transaction's workspace, and what stays of documents that were."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def hold(self, hold: Hold) -> None:
        """Keep a hold, in place of an earlier one of the same document."""
        (await self._tx.lock()).holds.put(self._tx.workspace_id, hold.document_id, hold)

    async def release(self, document_id: DocumentId) -> bool:
        """End a document's hold. False when there is none."""
        return (await self._tx.lock()).holds.drop(self._tx.workspace_id, document_id) is not None

    async def holds(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, Hold]:
        """Return the holds of documents, of those that have one."""
        rows = {each: self._tx.tables.holds.get(self._tx.workspace_id, each) for each in document_ids}
        return {key: row for key, row in rows.items() if row}

    async def holds_in(self, collection_id: CollectionId) -> list[Hold]:
        """Return the holds of a collection's documents, the newest first."""
        rows = [row for row in self._tx.tables.holds.all(self._tx.workspace_id) if row.collection_id == collection_id]
        return sorted(rows, key=lambda row: row.held_at, reverse=True)

    async def cited(self, document_id: DocumentId) -> set[VersionId]:
        """Return the versions of a document that answers cite."""
        quotes = (quote for answer in self._tx.tables.answers.all(self._tx.workspace_id) for quote in answer.evidence)
        return {quote.version_id for quote in quotes if quote.document_id == document_id}

    async def keep(self, document_ids: Sequence[DocumentId], *, removed_at: datetime) -> None:
        """Keep the rows of documents that are about to be removed, and those of their versions and texts that answers cite."""
        own, tables = self._tx.workspace_id, await self._tx.lock()
        cited = {quote.version_id for answer in tables.answers.all(own) for quote in answer.evidence}
        for document_id in document_ids:
            if document := tables.documents.get(own, document_id):
                tables.removed.add(own, document_id, removed(document, removed_at))
        for version in tables.versions.all(own):
            text = tables.texts.get(own, version.id)
            if version.document_id in document_ids and version.id in cited and text:
                tables.removed_versions.add(own, version.id, version)
                tables.removed_texts.add(own, version.id, text)

    async def removed(self, document_id: DocumentId) -> RemovedDocument | None:
        """Return a removed document by id."""
        return self._tx.tables.removed.get(self._tx.workspace_id, document_id)

    async def removed_from(self, collection_id: CollectionId) -> list[RemovedDocument]:
        """Return what was removed from a collection, the latest first."""
        rows = [row for row in self._all() if row.document.collection_id == collection_id]
        return sorted(sorted(rows, key=lambda row: row.document.id), key=lambda row: row.removed_at, reverse=True)

    async def removed_before(self, moment: datetime, *, limit: int) -> list[RemovedDocument]:
        """Return documents that were removed at a moment or before, and aren't on hold, the earliest first."""
        held = {hold.document_id for hold in self._tx.tables.holds.all(self._tx.workspace_id)}
        rows = [row for row in self._all() if row.removed_at <= moment and row.document.id not in held]
        return sorted(rows, key=lambda row: row.removed_at)[:limit]

    async def drop(self, document_ids: Sequence[DocumentId]) -> set[str]:
        """Forget removed documents with the versions that are kept of them; return the hashes of their bytes."""
        own, tables = self._tx.workspace_id, await self._tx.lock()
        gone = [version for version in tables.removed_versions.all(own) if version.document_id in document_ids]
        for version in gone:
            tables.removed_versions.drop(own, version.id)
            tables.removed_texts.drop(own, version.id)
        for document_id in document_ids:
            tables.removed.drop(own, document_id)
        return {version.sha256 for version in gone}

    def _all(self) -> list[RemovedDocument]:
        return self._tx.tables.removed.all(self._tx.workspace_id)
