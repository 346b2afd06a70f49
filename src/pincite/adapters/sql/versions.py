"""Rows of versions and their canonical texts."""

import asyncio
from typing import Any

from sqlalchemy import Row, insert, literal, select, union_all

from pincite.adapters.sql import canonical as codec
from pincite.adapters.sql.tables import canonical_texts, documents, versions
from pincite.adapters.sql.transaction import Transaction
from pincite.core.documents import CanonicalText, Version
from pincite.core.errors import NotFoundError
from pincite.core.ids import DocumentId, VersionId


class SqlVersions:
    """Versions of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, version: Version, canonical: CanonicalText) -> None:
        """Insert a version with its text. Raises `NotFoundError` without its document, `ConflictError` when the id is taken."""
        data = await asyncio.to_thread(codec.encode, canonical)
        await self._tx.lock()
        own = self._tx.workspace_id
        parent = select(documents.c.id).where(documents.c.id == version.document_id, documents.c.workspace_id == own)
        if await self._tx.row(parent) is None:
            raise NotFoundError("There is no such document.")
        await self._tx.write(
            insert(versions).values(
                id=version.id,
                workspace_id=own,
                document_id=version.document_id,
                sha256=version.sha256,
                size_bytes=version.size_bytes,
                content_type=version.content_type,
                parser=version.parser,
                parser_version=version.parser_version,
                created_at=version.created_at,
            )
        )
        await self._tx.write(insert(canonical_texts).values(version_id=version.id, workspace_id=own, data=data))

    async def get(self, version_id: VersionId) -> Version | None:
        """Return one by id."""
        own = versions.c.workspace_id == self._tx.workspace_id
        return _version(await self._tx.row(select(versions).where(own, versions.c.id == version_id)))

    async def canonical(self, version_id: VersionId) -> CanonicalText | None:
        """Return the text of a version."""
        own = canonical_texts.c.workspace_id == self._tx.workspace_id
        row = await self._tx.row(select(canonical_texts.c.data).where(own, canonical_texts.c.version_id == version_id))
        return await asyncio.to_thread(codec.decode, row.data) if row else None

    async def blob_in_use(self, sha256: str) -> bool:
        """Say whether any version, or any document still without one, has these bytes, in any workspace."""
        held = union_all(
            select(literal(1)).where(versions.c.sha256 == sha256), select(literal(1)).where(documents.c.sha256 == sha256)
        )
        return await self._tx.row(held.limit(1)) is not None


def _version(row: Row[Any] | None) -> Version | None:
    if row is None:
        return None
    return Version(
        id=VersionId(row.id),
        document_id=DocumentId(row.document_id),
        sha256=row.sha256,
        size_bytes=row.size_bytes,
        content_type=row.content_type,
        parser=row.parser,
        parser_version=row.parser_version,
        created_at=row.created_at,
    )
