"""Holds, and what stays of removed documents, in memory."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from pincite.adapters.memory.store_tables import Transaction
from pincite.core.documents import Document, Version
from pincite.core.ids import CollectionId, DocumentId, MessageId, VersionId
from pincite.core.keeping import Erasure, Hold, RemovedDocument, removed
from pincite.core.redacting import rests_on


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
        """Keep the rows of documents that are about to be removed, and those of their versions that answers cite, with texts and
        figures.
        """
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
        for figure in tables.figures.all(own):
            if tables.removed_versions.get(own, figure.version_id):
                tables.removed_figures.add(own, figure.id, figure)

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

    async def removed_inside(self, removed: Document) -> list[RemovedDocument]:
        """Return what was removed of the documents whose files stood in this one's, on the next level alone."""
        return sorted((row for row in self._all() if row.document.container_id == removed.id), key=lambda row: row.document.path)

    async def kept_of(self, document_id: DocumentId) -> list[Version]:
        """Return the versions that are kept of a removed document, oldest first."""
        rows = [row for row in self._tx.tables.removed_versions.all(self._tx.workspace_id) if row.document_id == document_id]
        return sorted(rows, key=lambda row: (row.created_at, row.id))

    async def drop(self, document_ids: Sequence[DocumentId]) -> set[str]:
        """Forget removed documents with the versions and figures that are kept of them; return the hashes of their bytes."""
        own, tables = self._tx.workspace_id, await self._tx.lock()
        gone = [version for version in tables.removed_versions.all(own) if version.document_id in document_ids]
        gone_ids = {version.id for version in gone}
        shown = [figure for figure in tables.removed_figures.all(own) if figure.version_id in gone_ids]
        for figure in shown:
            tables.removed_figures.drop(own, figure.id)
        for version in gone:
            tables.removed_versions.drop(own, version.id)
            tables.removed_texts.drop(own, version.id)
        for document_id in document_ids:
            tables.removed.drop(own, document_id)
        return {each.sha256 for each in (*gone, *shown)}

    async def resting_on(self, document_ids: Sequence[DocumentId]) -> list[MessageId]:
        """Return the stored answers and logged questions among whose sources some of these documents are, or were."""
        own, tables, wanted = self._tx.workspace_id, self._tx.tables, set(document_ids)
        answers = [key for key, record in tables.answers.items(own) if wanted & set(rests_on(record))]
        queries = [row.message_id for row in tables.query_logs.all(own) if wanted & set(row.document_ids)]
        return list(dict.fromkeys([*answers, *queries]))

    async def erase(self, new: Sequence[Erasure]) -> None:
        """Keep that documents were erased. One that is known is left as it is."""
        own, tables = self._tx.workspace_id, await self._tx.lock()
        for each in new:
            if tables.erasures.get(own, each.document_id) is None:
                tables.erasures.add(own, each.document_id, each)

    async def erased(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, Erasure]:
        """Return the erasures of documents, of those that were erased."""
        rows = {each: self._tx.tables.erasures.get(self._tx.workspace_id, each) for each in document_ids}
        return {key: row for key, row in rows.items() if row}

    async def unfinished(self) -> list[Erasure]:
        """Return the erasures of which something is left to be destroyed."""
        return [row for row in self._tx.tables.erasures.all(self._tx.workspace_id) if row.finished_at is None]

    async def finish(self, document_ids: Sequence[DocumentId], *, finished_at: datetime) -> None:
        """Keep that of erased documents nothing is left; the hashes of their bytes are forgotten."""
        own, tables = self._tx.workspace_id, await self._tx.lock()
        for document_id in document_ids:
            if known := tables.erasures.get(own, document_id):
                tables.erasures.put(own, document_id, replace(known, hashes=(), finished_at=finished_at))

    def _all(self) -> list[RemovedDocument]:
        return self._tx.tables.removed.all(self._tx.workspace_id)


class MemoryScrubber:
    """A `Scrubber` of a store that has no files."""

    async def scrub(self) -> bool:
        """Do nothing: there are none."""
        return True

    async def copies(self, since: datetime) -> list[str]:
        """Return nothing: there are none."""
        return []
