"""Rows of documents."""

import json
from collections.abc import Collection
from typing import Any

from sqlalchemy import Row, bindparam, delete, select, update

from pincite.adapters.sql.changelog import ChangeLog
from pincite.adapters.sql.collections import require_collection
from pincite.adapters.sql.files import AFTER_SLASH
from pincite.adapters.sql.matching import read_matching
from pincite.adapters.sql.tables import chunks, collections, documents
from pincite.adapters.sql.transaction import Transaction
from pincite.core.documents import Document, Reason, Stage, address_inside
from pincite.core.errors import ConflictError
from pincite.core.evidence import Filter
from pincite.core.ids import CollectionId, DocumentId, VersionId

HASHES_PER_STATEMENT = 1000

OWN, THIS = documents.c.workspace_id == bindparam("own"), documents.c.id == bindparam("document_id")
HERE = documents.c.collection_id == bindparam("in_collection")
BY_ID = select(documents).where(OWN, THIS)
BY_PATH = select(documents).where(OWN, HERE, documents.c.path == bindparam("path"))
BY_ORDER = (
    select(documents)
    .where(OWN, HERE, documents.c.path > bindparam("after_path"))
    .order_by(documents.c.path)
    .limit(bindparam("count"))
)
INSIDE = (
    select(documents)
    .where(OWN, HERE, documents.c.source_uri >= bindparam("address"), documents.c.source_uri < bindparam("beyond"))
    .order_by(documents.c.path)
)
WITH_BYTES = (
    select(documents)
    .where(OWN, documents.c.sha256.in_(bindparam("hashes", expanding=True)))
    .order_by(documents.c.path, documents.c.id)
)
CHANGED = update(documents).where(OWN, THIS, HERE)
NUMBERED = (
    update(collections)
    .where(collections.c.workspace_id == bindparam("own"), collections.c.id == bindparam("collection_id"))
    .values(documents_seq=collections.c.documents_seq + 1)
)
GONE = delete(documents).where(OWN, THIS)
CHUNK_IDS = (
    select(chunks.c.id)
    .where(chunks.c.workspace_id == bindparam("own"), chunks.c.document_id == bindparam("document_id"), chunks.c.seq > 0)
    .order_by(chunks.c.seq)
)


class SqlDocuments:
    """Documents of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def save(self, document: Document) -> None:
        """Insert or update by id. Raises `ConflictError` when (collection, path) belongs to another document."""
        await self._tx.lock()
        holder = await self.at_path(document.collection_id, document.path)
        if holder is not None and holder.id != document.id:
            raise ConflictError(f"The path “{document.path}” belongs to another document of the collection.")
        values = _values(document)
        changed = await self._tx.change(CHANGED, document_id=document.id, in_collection=document.collection_id, **values)
        if not changed.rowcount:
            await require_collection(self._tx, document.collection_id)
            await self._tx.insert(documents, {"id": document.id, "collection_id": document.collection_id, **values})
        await self._tx.change(NUMBERED, collection_id=document.collection_id)

    async def get(self, document_id: DocumentId) -> Document | None:
        """Return one by id."""
        return _document(await self._tx.row(BY_ID, document_id=document_id))

    async def at_path(self, collection_id: CollectionId, path: str) -> Document | None:
        """Return the one at a path."""
        return _document(await self._tx.row(BY_PATH, in_collection=collection_id, path=path))

    async def inside(self, document: Document) -> list[Document]:
        """Return by path the documents whose files stand in this one's."""
        address = address_inside(document.id, "")
        rows = await self._tx.rows(INSIDE, in_collection=document.collection_id, address=address, beyond=address[:-1] + AFTER_SLASH)
        return [found for row in rows if (found := _document(row))]

    async def with_bytes(self, hashes: Collection[str]) -> list[Document]:
        """Return the documents of all collections that have one of these hashes, by path."""
        wanted = sorted(hashes)
        batches = [wanted[at : at + HASHES_PER_STATEMENT] for at in range(0, len(wanted), HASHES_PER_STATEMENT)]
        rows = [row for some in batches for row in await self._tx.rows(WITH_BYTES, hashes=some)]
        return sorted((found for row in rows if (found := _document(row))), key=lambda each: (each.path, each.id))

    async def list(self, collection_id: CollectionId, *, after_path: str = "", limit: int = 1000) -> list[Document]:
        """Return up to `limit` documents by path, those after `after_path`."""
        rows = await self._tx.rows(BY_ORDER, in_collection=collection_id, after_path=after_path, count=limit)
        return [found for row in rows if (found := _document(row))]

    async def matching(self, collection_id: CollectionId, filter: Filter) -> set[DocumentId]:
        """Return the searchable documents (those with a version) that a filter leaves."""
        return await read_matching(self._tx, collection_id, filter)

    async def remove(self, document_id: DocumentId) -> bool:
        """Delete a document and all that is made of it, leaving tombstones. False when unknown."""
        await self._tx.lock()
        document = await self.get(document_id)
        if document is None:
            return False
        gone = [row.id for row in await self._tx.rows(CHUNK_IDS, document_id=document_id)]
        log = ChangeLog(self._tx, document.collection_id)
        await log.bury(document_id, gone, first=await log.take(len(gone)))
        # Versions, texts, chunks and vectors follow by foreign key.
        await self._tx.change(GONE, document_id=document_id)
        await self._tx.change(NUMBERED, collection_id=document.collection_id)
        return True


def _values(document: Document) -> dict[str, Any]:
    reason = document.reason
    return {
        "path": document.path,
        "title": document.title,
        "content_type": document.content_type,
        "source_uri": document.source_uri,
        "stage": document.stage.value,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
        "version_id": document.version_id,
        "reason_code": reason.code if reason else None,
        "reason_message": reason.message if reason else None,
        "sha256": document.sha256,
        "size_bytes": document.size_bytes,
        "pages": document.pages,
        "pages_unread": document.pages_unread,
        "pages_ocr": document.pages_ocr,
        "warnings": json.dumps(document.warnings),
        "chunks": document.chunks,
        "locale": document.locale,
        "doc_date": document.doc_date,
        "tags": json.dumps(document.tags),
        "meta": json.dumps(dict(document.meta)),
        "refused_by": document.refused_by,
    }


def _document(row: Row[Any] | None) -> Document | None:
    if row is None:
        return None
    return Document(
        id=DocumentId(row.id),
        collection_id=CollectionId(row.collection_id),
        path=row.path,
        title=row.title,
        content_type=row.content_type,
        source_uri=row.source_uri,
        stage=Stage(row.stage),
        created_at=row.created_at,
        updated_at=row.updated_at,
        version_id=VersionId(row.version_id) if row.version_id else None,
        reason=Reason(row.reason_code, row.reason_message) if row.reason_code is not None else None,
        sha256=row.sha256,
        size_bytes=row.size_bytes,
        pages=row.pages,
        pages_unread=row.pages_unread,
        pages_ocr=row.pages_ocr,
        warnings=tuple(json.loads(row.warnings)),
        chunks=row.chunks,
        locale=row.locale,
        doc_date=row.doc_date,
        tags=tuple(json.loads(row.tags)),
        meta=json.loads(row.meta),
        refused_by=row.refused_by,
    )
