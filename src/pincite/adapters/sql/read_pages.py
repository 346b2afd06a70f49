"""Rows of pages that OCR has read of documents that aren't ready yet."""

import zlib

from sqlalchemy import bindparam, delete, select

from pincite.adapters.sql.ingestions import IS_THERE
from pincite.adapters.sql.tables import read_pages
from pincite.adapters.sql.transaction import Transaction
from pincite.core.errors import NotFoundError
from pincite.core.ids import DocumentId

OF_DOCUMENT = read_pages.c.workspace_id == bindparam("own"), read_pages.c.document_id == bindparam("document")
OF_READER = read_pages.c.sha256 == bindparam("hash"), read_pages.c.reader == bindparam("read_by")
MANY = select(read_pages.c.page, read_pages.c.data).where(*OF_DOCUMENT, *OF_READER)
ONE = select(read_pages.c.page).where(*OF_DOCUMENT, *OF_READER, read_pages.c.page == bindparam("number"))
DROPPED = delete(read_pages).where(*OF_DOCUMENT)


class SqlReadPages:
    """Pages that were read of documents of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def keep(self, document_id: DocumentId, sha256: str, reader: str, page: int, data: bytes) -> None:
        """Keep what a reader made of a page; see the port. Raises `NotFoundError`."""
        await self._tx.lock()
        if not await self._tx.row(IS_THERE, document=document_id):
            raise NotFoundError("There is no such document.")
        if await self._tx.row(ONE, document=document_id, hash=sha256, read_by=reader, number=page):
            return
        row = {"document_id": document_id, "sha256": sha256, "reader": reader, "page": page, "data": zlib.compress(data)}
        await self._tx.insert(read_pages, row)

    async def of(self, document_id: DocumentId, sha256: str, reader: str) -> dict[int, bytes]:
        """Return what a reader made of pages of these bytes, by page."""
        rows = await self._tx.rows(MANY, document=document_id, hash=sha256, read_by=reader)
        return {row.page: zlib.decompress(row.data) for row in rows}

    async def drop(self, document_id: DocumentId) -> None:
        """Delete all that is kept of a document's pages."""
        await self._tx.change(DROPPED, document=document_id)
