"""Rows of collections."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, case, func, insert, literal, select

from pincite.adapters.sql.plain import dump, load
from pincite.adapters.sql.tables import collections, documents, workspaces
from pincite.adapters.sql.transaction import Transaction
from pincite.core.documents import Collection, EmbeddingSpec, Stage
from pincite.core.errors import ConflictError, NotFoundError
from pincite.core.evidence import Scope
from pincite.core.ids import CollectionId, WorkspaceId


class SqlCollections:
    """Collections of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, collection: Collection) -> None:
        """Insert. Raises `ConflictError` when the name, or the id, is taken."""
        if collection.workspace_id != self._tx.workspace_id:
            raise ConflictError("A unit of work adds collections to its own workspace alone.")
        await self._tx.lock()
        if await self.named(collection.name):
            raise ConflictError(f"There is already a collection named “{collection.name}”.")
        await ensure_workspace(self._tx)
        await self._tx.write(
            insert(collections).values(
                id=collection.id,
                workspace_id=self._tx.workspace_id,
                name=collection.name,
                embedding=dump(collection.embedding) if collection.embedding else None,
                created_at=collection.created_at,
            )
        )

    async def get(self, collection_id: CollectionId) -> Collection | None:
        """Return one by id."""
        return _collection(await self._tx.row(self._mine().where(collections.c.id == collection_id)))

    async def named(self, name: str) -> Collection | None:
        """Return one by name."""
        return _collection(await self._tx.row(self._mine().where(collections.c.name == name)))

    async def list(self) -> list[Collection]:
        """Return all, by name."""
        rows = await self._tx.rows(self._mine().order_by(collections.c.name))
        return [found for row in rows if (found := _collection(row))]

    async def scope(self, collection_id: CollectionId) -> Scope:
        """Count its documents by stage."""
        ready, failed = Stage.READY.value, Stage.FAILED.value
        rows = await self._tx.rows(
            select(
                func.count(),
                func.coalesce(func.sum(case((documents.c.stage == ready, 1), else_=0)), 0),
                func.coalesce(func.sum(case((documents.c.stage == failed, 1), else_=0)), 0),
                func.coalesce(func.sum(documents.c.pages_unread), 0),
            ).where(documents.c.workspace_id == self._tx.workspace_id, documents.c.collection_id == collection_id)
        )
        total, done, broken, unread = tuple(rows[0])
        return Scope(documents=total, ready=done, in_work=total - done - broken, failed=broken, pages_unread=unread)

    def _mine(self) -> Any:
        return select(collections).where(collections.c.workspace_id == self._tx.workspace_id)


async def ensure_workspace(transaction: Transaction) -> None:
    """Insert the row of the transaction's workspace if it isn't there."""
    own = transaction.workspace_id
    absent = ~select(workspaces.c.id).where(workspaces.c.id == own).exists()
    values = select(literal(own), literal(datetime.now(UTC), workspaces.c.created_at.type)).where(absent)
    await transaction.write(insert(workspaces).from_select(["id", "created_at"], values))


async def require_collection(transaction: Transaction, collection_id: CollectionId) -> Collection:
    """Return a collection of the workspace. Raises `NotFoundError`."""
    found = await SqlCollections(transaction).get(collection_id)
    if found is None:
        raise NotFoundError("There is no such collection.")
    return found


def _collection(row: Row[Any] | None) -> Collection | None:
    if row is None:
        return None
    return Collection(
        id=CollectionId(row.id),
        workspace_id=WorkspaceId(row.workspace_id),
        name=row.name,
        embedding=load(EmbeddingSpec, row.embedding) if row.embedding else None,
        created_at=row.created_at,
    )
