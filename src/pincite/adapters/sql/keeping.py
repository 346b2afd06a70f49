"""Rows of holds, and of what stays of removed documents."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, Row, bindparam, delete, insert, literal, select, update

from pincite.adapters.sql.batches import batches
from pincite.adapters.sql.columns import UtcDateTime
from pincite.adapters.sql.files import AFTER_SLASH
from pincite.adapters.sql.tables import (
    canonical_texts,
    documents,
    erasures,
    evidence,
    figures,
    holds,
    removed_documents,
    removed_figures,
    removed_versions,
    source_documents,
    versions,
)
from pincite.adapters.sql.transaction import Transaction
from pincite.adapters.sql.versions import version_of
from pincite.core.documents import Document, Stage, Version, address_inside
from pincite.core.ids import CollectionId, DocumentId, MessageId, VersionId
from pincite.core.keeping import Erasure, Hold, RemovedDocument, removed

OWN = holds.c.workspace_id == bindparam("own")
SOME: BindParameter[Any] = bindparam("document_ids", expanding=True)
HELD = select(holds).where(OWN, holds.c.document_id.in_(SOME))
HELD_IN = select(holds).where(OWN, holds.c.collection_id == bindparam("collection_id")).order_by(holds.c.held_at.desc())
RELEASED = delete(holds).where(OWN, holds.c.document_id.in_(SOME))

REMOVED = removed_documents.c.workspace_id == bindparam("own")
BY_ID = select(removed_documents).where(REMOVED, removed_documents.c.id == bindparam("document_id"))
FROM = (
    select(removed_documents)
    .where(REMOVED, removed_documents.c.collection_id == bindparam("collection_id"))
    .order_by(removed_documents.c.removed_at.desc(), removed_documents.c.id)
)
BEFORE = (
    select(removed_documents)
    .where(
        REMOVED,
        removed_documents.c.removed_at <= bindparam("moment"),
        ~select(literal(1)).select_from(holds).where(holds.c.document_id == removed_documents.c.id).exists(),
    )
    .order_by(removed_documents.c.removed_at)
    .limit(bindparam("count"))
)
OF_REMOVED = (removed_versions.c.workspace_id == bindparam("own"), removed_versions.c.document_id.in_(SOME))
HASHES = (
    select(removed_versions.c.sha256)
    .where(*OF_REMOVED)
    .union(
        select(removed_figures.c.sha256)
        .join(removed_versions, removed_versions.c.id == removed_figures.c.version_id)
        .where(*OF_REMOVED)
    )
)
# Versions with their texts and figures follow by foreign key.
DROPPED = delete(removed_documents).where(REMOVED, removed_documents.c.id.in_(SOME))

CITED = (
    select(evidence.c.version_id)
    .where(evidence.c.workspace_id == bindparam("own"), evidence.c.document_id == bindparam("document_id"))
    .distinct()
)
DOCUMENT_COLUMNS = [column.name for column in removed_documents.c if column.name in documents.c]
KEEP_DOCUMENTS = insert(removed_documents).from_select(
    [*DOCUMENT_COLUMNS, "removed_at"],
    select(*(documents.c[name] for name in DOCUMENT_COLUMNS), bindparam("removed_at", type_=UtcDateTime)).where(
        documents.c.workspace_id == bindparam("own"), documents.c.id.in_(SOME)
    ),
)
VERSION_COLUMNS = [column.name for column in removed_versions.c if column.name in versions.c]
IS_CITED = (
    select(literal(1))
    .select_from(evidence)
    .where(evidence.c.workspace_id == bindparam("own"), evidence.c.version_id == versions.c.id)
    .exists()
)
KEEP_VERSIONS = insert(removed_versions).from_select(
    [*VERSION_COLUMNS, "data"],
    select(*(versions.c[name] for name in VERSION_COLUMNS), canonical_texts.c.data)
    .join(canonical_texts, canonical_texts.c.version_id == versions.c.id)
    .where(versions.c.workspace_id == bindparam("own"), versions.c.document_id.in_(SOME), IS_CITED),
)
KEEP_FIGURES = insert(removed_figures).from_select(
    [column.name for column in figures.c],
    select(figures).join(removed_versions, removed_versions.c.id == figures.c.version_id).where(*OF_REMOVED),
)
INSIDE = (
    select(removed_documents)
    .where(
        REMOVED,
        removed_documents.c.collection_id == bindparam("collection_id"),
        removed_documents.c.source_uri >= bindparam("address"),
        removed_documents.c.source_uri < bindparam("beyond"),
    )
    .order_by(removed_documents.c.path)
)
KEPT_OF = (
    select(removed_versions)
    .where(removed_versions.c.workspace_id == bindparam("own"), removed_versions.c.document_id == bindparam("document_id"))
    .order_by(removed_versions.c.created_at, removed_versions.c.id)
)
RESTING = (
    select(source_documents.c.message_id)
    .where(source_documents.c.workspace_id == bindparam("own"), source_documents.c.document_id.in_(SOME))
    .distinct()
)
IS_ERASED = erasures.c.workspace_id == bindparam("own")
ERASED = select(erasures).where(IS_ERASED, erasures.c.document_id.in_(SOME))
UNFINISHED = select(erasures).where(IS_ERASED, erasures.c.finished_at.is_(None))
FINISHED = update(erasures).where(IS_ERASED, erasures.c.document_id.in_(SOME)).values(finished_at=bindparam("at"), hashes="[]")


class SqlKeeping:
    """What may not be removed from the transaction's workspace, and what stays of documents that were."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def hold(self, hold: Hold) -> None:
        """Keep a hold, in place of an earlier one of the same document."""
        await self._tx.change(RELEASED, document_ids=[hold.document_id])
        place = {"document_id": hold.document_id, "collection_id": hold.collection_id}
        await self._tx.insert(holds, place | {"held_at": hold.held_at, "reason": hold.reason})

    async def release(self, document_id: DocumentId) -> bool:
        """End a document's hold. False when there is none."""
        return (await self._tx.change(RELEASED, document_ids=[document_id])).rowcount > 0

    async def holds(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, Hold]:
        """Return the holds of documents, of those that have one."""
        found = [row for some in batches(document_ids) for row in await self._tx.rows(HELD, document_ids=some)]
        return {hold.document_id: hold for hold in map(_hold, found)}

    async def holds_in(self, collection_id: CollectionId) -> list[Hold]:
        """Return the holds of a collection's documents, the newest first."""
        return [_hold(row) for row in await self._tx.rows(HELD_IN, collection_id=collection_id)]

    async def cited(self, document_id: DocumentId) -> set[VersionId]:
        """Return the versions of a document that answers cite."""
        return {VersionId(row.version_id) for row in await self._tx.rows(CITED, document_id=document_id)}

    async def keep(self, document_ids: Sequence[DocumentId], *, removed_at: datetime) -> None:
        """Keep the rows of documents that are about to be removed, and those of their versions that answers cite, with texts and
        figures.
        """
        for some in batches(document_ids):
            await self._tx.change(KEEP_DOCUMENTS, document_ids=some, removed_at=removed_at)
            await self._tx.change(KEEP_VERSIONS, document_ids=some)
            await self._tx.change(KEEP_FIGURES, document_ids=some)

    async def removed(self, document_id: DocumentId) -> RemovedDocument | None:
        """Return a removed document by id."""
        row = await self._tx.row(BY_ID, document_id=document_id)
        return _removed(row) if row else None

    async def removed_from(self, collection_id: CollectionId) -> list[RemovedDocument]:
        """Return what was removed from a collection, the latest first."""
        return [_removed(row) for row in await self._tx.rows(FROM, collection_id=collection_id)]

    async def removed_before(self, moment: datetime, *, limit: int) -> list[RemovedDocument]:
        """Return documents that were removed at a moment or before, and aren't on hold, the earliest first."""
        return [_removed(row) for row in await self._tx.rows(BEFORE, moment=moment, count=limit)]

    async def removed_inside(self, removed: Document) -> list[RemovedDocument]:
        """Return what was removed of the documents whose files stood in this one's, on the next level alone."""
        address = address_inside(removed.id, "")
        beyond = address[:-1] + AFTER_SLASH
        rows = await self._tx.rows(INSIDE, collection_id=removed.collection_id, address=address, beyond=beyond)
        return [_removed(row) for row in rows]

    async def kept_of(self, document_id: DocumentId) -> list[Version]:
        """Return the versions that are kept of a removed document, oldest first."""
        return [version_of(row) for row in await self._tx.rows(KEPT_OF, document_id=document_id)]

    async def drop(self, document_ids: Sequence[DocumentId]) -> set[str]:
        """Forget removed documents with the versions and figures that are kept of them; return the hashes of their bytes."""
        hashes: set[str] = set()
        for some in batches(document_ids):
            hashes.update(row.sha256 for row in await self._tx.rows(HASHES, document_ids=some))
            await self._tx.change(DROPPED, document_ids=some)
        return hashes

    async def resting_on(self, document_ids: Sequence[DocumentId]) -> list[MessageId]:
        """Return the stored answers and logged questions among whose sources some of these documents are, or were."""
        found = [row.message_id for some in batches(document_ids) for row in await self._tx.rows(RESTING, document_ids=some)]
        return [MessageId(each) for each in dict.fromkeys(found)]

    async def erase(self, new: Sequence[Erasure]) -> None:
        """Keep that documents were erased. One that is known is left as it is."""
        known = await self.erased([each.document_id for each in new])
        rows = [
            {
                "document_id": each.document_id,
                "collection_id": each.collection_id,
                "erased_at": each.erased_at,
                "finished_at": each.finished_at,
                "hashes": json.dumps(each.hashes),
            }
            for each in new
            if each.document_id not in known
        ]
        await self._tx.insert(erasures, *rows)

    async def erased(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, Erasure]:
        """Return the erasures of documents, of those that were erased."""
        rows = [row for some in batches(document_ids) for row in await self._tx.rows(ERASED, document_ids=some)]
        return {each.document_id: each for each in map(_erasure, rows)}

    async def unfinished(self) -> list[Erasure]:
        """Return the erasures of which something is left to be destroyed."""
        return [_erasure(row) for row in await self._tx.rows(UNFINISHED)]

    async def finish(self, document_ids: Sequence[DocumentId], *, finished_at: datetime) -> None:
        """Keep that of erased documents nothing is left; the hashes of their bytes are forgotten."""
        for some in batches(document_ids):
            await self._tx.change(FINISHED, document_ids=some, at=finished_at)


def _erasure(row: Row[Any]) -> Erasure:
    return Erasure(
        DocumentId(row.document_id),
        CollectionId(row.collection_id),
        row.erased_at,
        tuple(json.loads(row.hashes)),
        row.finished_at,
    )


def _hold(row: Row[Any]) -> Hold:
    return Hold(DocumentId(row.document_id), CollectionId(row.collection_id), row.held_at, row.reason)


def _removed(row: Row[Any]) -> RemovedDocument:
    document = Document(
        id=DocumentId(row.id),
        collection_id=CollectionId(row.collection_id),
        path=row.path,
        title=row.title,
        content_type=row.content_type,
        source_uri=row.source_uri,
        stage=Stage.FAILED,
        created_at=row.created_at,
        updated_at=row.updated_at,
        sha256=row.sha256,
        size_bytes=row.size_bytes,
        pages=row.pages,
    )
    return removed(document, row.removed_at)
