"""Rows of versions and their canonical texts."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, bindparam, delete, func, literal, select, union_all, update

from pincite.adapters.sql import canonical as codec
from pincite.adapters.sql import named_bytes
from pincite.adapters.sql.batches import batches
from pincite.adapters.sql.tables import canonical_texts, documents, removed_versions, versions
from pincite.adapters.sql.transaction import Transaction
from pincite.core.documents import CanonicalText, Version
from pincite.core.errors import NotFoundError
from pincite.core.ids import DocumentId, VersionId

OWN, OWN_REMOVED = versions.c.workspace_id == bindparam("own"), removed_versions.c.workspace_id == bindparam("own")
KEPT = [column for column in removed_versions.c if column.name in versions.c]
BY_ID = union_all(
    select(*(versions.c[column.name] for column in KEPT)).where(OWN, versions.c.id == bindparam("version_id")),
    select(*KEPT).where(OWN_REMOVED, removed_versions.c.id == bindparam("version_id")),
)
OF_DOCUMENT = (
    select(versions)
    .where(versions.c.workspace_id == bindparam("own"), versions.c.document_id == bindparam("document_id"))
    .order_by(versions.c.created_at, versions.c.id)
)
SEARCHED = OF_DOCUMENT.where(~versions.c.draft)
COUNTED = (
    select(versions.c.document_id, func.count().label("versions"))
    .where(OWN, ~versions.c.draft, versions.c.document_id.in_(bindparam("document_ids", expanding=True)))
    .group_by(versions.c.document_id)
)
TEXT = union_all(
    select(canonical_texts.c.data).where(
        canonical_texts.c.workspace_id == bindparam("own"), canonical_texts.c.version_id == bindparam("version_id")
    ),
    select(removed_versions.c.data).where(OWN_REMOVED, removed_versions.c.id == bindparam("version_id")),
)
PARENT = select(documents.c.id).where(documents.c.workspace_id == bindparam("own"), documents.c.id == bindparam("document_id"))
# The one question that is asked of all workspaces: equal bytes are kept once for all of them.
HELD = union_all(*(select(literal(1)).where(column == bindparam("sha256")) for column in named_bytes.COLUMNS)).limit(1)


CUT = (
    update(versions)
    .where(versions.c.workspace_id == bindparam("own"), versions.c.id == bindparam("version"))
    .values(chunking=bindparam("how"))
)
# Their texts and chunks follow by foreign key.
DROPPED = delete(versions).where(
    versions.c.workspace_id == bindparam("own"),
    versions.c.document_id == bindparam("document_id"),
    versions.c.draft,
    versions.c.id != bindparam("kept"),
)


class SqlVersions:
    """Versions of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, version: Version, canonical: CanonicalText) -> None:
        """Insert a version with its text. Raises `NotFoundError` without its document, `ConflictError` when the id is taken."""
        data = await asyncio.to_thread(codec.encode, canonical)
        await self._tx.lock()
        if await self._tx.row(PARENT, document_id=version.document_id) is None:
            raise NotFoundError("There is no such document.")
        row = {
            "id": version.id,
            "document_id": version.document_id,
            "sha256": version.sha256,
            "size_bytes": version.size_bytes,
            "content_type": version.content_type,
            "parser": version.parser,
            "parser_version": version.parser_version,
            "created_at": version.created_at,
            "draft": True,
            "read_as": version.read_as,
            "title": version.title,
            "pages_unread": version.pages_unread,
            "warnings": json.dumps(version.warnings),
            "meta": json.dumps(dict(version.meta)),
            "doc_date": version.doc_date,
            "contained": version.contained,
            "chunking": version.chunking,
        }
        await self._tx.insert(versions, row)
        await self._tx.insert(canonical_texts, {"version_id": version.id, "data": data})

    async def cut(self, version_id: VersionId, chunking: str) -> None:
        """Keep how the chunks of a version were cut."""
        await self._tx.change(CUT, version=version_id, how=chunking)

    async def drop_drafts(self, document_id: DocumentId, *, keep: VersionId | None = None) -> None:
        """Delete the drafts of a document, with their texts and the chunks kept for them, but for one."""
        await self._tx.change(DROPPED, document_id=document_id, kept=keep or "")

    async def get(self, version_id: VersionId) -> Version | None:
        """Return one by id, also one that is kept of a removed document."""
        row = await self._tx.row(BY_ID, version_id=version_id)
        return version_of(row) if row else None

    async def of_document(self, document_id: DocumentId, *, drafts: bool = True) -> list[Version]:
        """Return a document's versions, oldest first; without `drafts`, those that are or were searched."""
        wanted = OF_DOCUMENT if drafts else SEARCHED
        return [version_of(row) for row in await self._tx.rows(wanted, document_id=document_id)]

    async def counts(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, int]:
        """Count, of each document, the versions that are or were searched; those without one are left out."""
        found: dict[DocumentId, int] = {}
        for some in batches(document_ids):
            rows = await self._tx.rows(COUNTED, document_ids=some)
            found.update((DocumentId(row.document_id), row.versions) for row in rows)
        return found

    async def canonical(self, version_id: VersionId) -> CanonicalText | None:
        """Return the text of a version."""
        row = await self._tx.row(TEXT, version_id=version_id)
        return await asyncio.to_thread(codec.decode, row.data) if row else None

    async def blob_in_use(self, sha256: str) -> bool:
        """Say whether anything that is kept names these bytes, in any workspace."""
        return await self._tx.row(HELD, sha256=sha256) is not None


def version_of(row: Row[Any]) -> Version:
    """Return the version that a row of `versions`, or of those kept of removed documents, holds."""
    return Version(
        id=VersionId(row.id),
        document_id=DocumentId(row.document_id),
        sha256=row.sha256,
        size_bytes=row.size_bytes,
        content_type=row.content_type,
        parser=row.parser,
        parser_version=row.parser_version,
        created_at=row.created_at,
        read_as=row.read_as,
        title=row.title,
        pages_unread=row.pages_unread,
        warnings=tuple(json.loads(row.warnings)),
        meta=json.loads(row.meta),
        doc_date=row.doc_date,
        contained=row.contained,
        chunking=row.chunking,
    )
