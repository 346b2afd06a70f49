"""Pages that OCR has read of documents that aren't ready yet, in memory."""

from dataclasses import dataclass

from pincite.adapters.memory.store_tables import ReadPage, Transaction
from pincite.core.errors import NotFoundError
from pincite.core.ids import DocumentId


@dataclass(frozen=True, slots=True)
class MemoryReadPages:
    """Pages that were read of documents of the transaction's workspace."""

    transaction: Transaction

    async def keep(self, document_id: DocumentId, sha256: str, reader: str, page: int, data: bytes) -> None:
        """Keep what a reader made of a page; see the port. Raises `NotFoundError`."""
        own, tables = self.transaction.workspace_id, await self.transaction.lock()
        if tables.documents.get(own, document_id) is None:
            raise NotFoundError("There is no such document.")
        row = ReadPage(document_id, sha256, reader, page, data)
        if tables.read_pages.get(own, row.key) is None:
            tables.read_pages.put(own, row.key, row)

    async def of(self, document_id: DocumentId, sha256: str, reader: str) -> dict[int, bytes]:
        """Return what a reader made of pages of these bytes, by page."""
        rows = self.transaction.tables.read_pages.all(self.transaction.workspace_id)
        wanted = (document_id, sha256, reader)
        return {row.page: row.data for row in rows if (row.document_id, row.sha256, row.reader) == wanted}

    async def drop(self, document_id: DocumentId) -> None:
        """Delete all that is kept of a document's pages."""
        tables = await self.transaction.lock()
        tables.read_pages.drop_where(self.transaction.workspace_id, lambda row: row.document_id == document_id)
