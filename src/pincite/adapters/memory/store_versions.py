"""Versions and their texts in memory."""

from collections.abc import Sequence
from dataclasses import replace

from pincite.adapters.memory.store_log import drop_version
from pincite.adapters.memory.store_tables import Transaction
from pincite.core.documents import CanonicalText, Version
from pincite.core.errors import NotFoundError
from pincite.core.ids import DocumentId, VersionId


class MemoryVersions:
    """Versions of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, version: Version, canonical: CanonicalText) -> None:
        """Insert a version with its text. Raises `NotFoundError` without its document, `ConflictError` when the id is taken."""
        tables = await self._tx.lock()
        if tables.documents.get(self._tx.workspace_id, version.document_id) is None:
            raise NotFoundError("There is no such document.")
        tables.versions.add(self._tx.workspace_id, version.id, version)
        tables.texts.add(self._tx.workspace_id, version.id, canonical)
        tables.drafts.add(self._tx.workspace_id, version.id, version)

    async def cut(self, version_id: VersionId, chunking: str) -> None:
        """Keep how the chunks of a version were cut."""
        tables = await self._tx.lock()
        if version := tables.versions.get(self._tx.workspace_id, version_id):
            tables.versions.put(self._tx.workspace_id, version_id, replace(version, chunking=chunking))

    async def drop_drafts(self, document_id: DocumentId, *, keep: VersionId | None = None) -> None:
        """Delete the drafts of a document, with their texts and the chunks kept for them, but for one."""
        tables = await self._tx.lock()
        for draft in tables.drafts.all(self._tx.workspace_id):
            if draft.document_id == document_id and draft.id != keep:
                drop_version(tables, self._tx.workspace_id, draft.id)

    async def get(self, version_id: VersionId) -> Version | None:
        """Return one by id, also one that is kept of a removed document."""
        own, tables = self._tx.workspace_id, self._tx.tables
        return tables.versions.get(own, version_id) or tables.removed_versions.get(own, version_id)

    async def of_document(self, document_id: DocumentId, *, drafts: bool = True) -> list[Version]:
        """Return a document's versions, oldest first; without `drafts`, those that are or were searched."""
        own, tables = self._tx.workspace_id, self._tx.tables
        rows = (row for row in tables.versions.all(own) if row.document_id == document_id)
        wanted = (row for row in rows if drafts or tables.drafts.get(own, row.id) is None)
        return sorted(wanted, key=lambda row: (row.created_at, row.id))

    async def counts(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, int]:
        """Count, of each document, the versions that are or were searched; those without one are left out."""
        found = {each: len(await self.of_document(each, drafts=False)) for each in document_ids}
        return {document_id: count for document_id, count in found.items() if count}

    async def canonical(self, version_id: VersionId) -> CanonicalText | None:
        """Return the text of a version."""
        own, tables = self._tx.workspace_id, self._tx.tables
        return tables.texts.get(own, version_id) or tables.removed_texts.get(own, version_id)

    async def blob_in_use(self, sha256: str) -> bool:
        """Say whether anything that is kept names these bytes, in any workspace."""
        tables = self._tx.tables
        naming = (*tables.versions.everywhere(), *tables.documents.everywhere(), *tables.removed_versions.everywhere())
        shown = (*tables.figures.everywhere(), *tables.removed_figures.everywhere())
        return any(row.sha256 == sha256 for row in (*naming, *shown))
