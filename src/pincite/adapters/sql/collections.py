"""Rows of collections."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, bindparam, case, delete, func, select, union, update
from sqlalchemy import insert as insert_into

from pincite.adapters.sql.columns import UtcDateTime
from pincite.adapters.sql.plain import dump, load
from pincite.adapters.sql.tables import ID, collections, documents, figures, versions, workspaces
from pincite.adapters.sql.transaction import Transaction
from pincite.core.documents import Collection, EmbeddingSpec, Stage
from pincite.core.errors import ConflictError, NotFoundError, name_taken
from pincite.core.evidence import Scope
from pincite.core.ids import CollectionId, WorkspaceId
from pincite.core.policies import Policy

MINE = select(collections).where(collections.c.workspace_id == bindparam("own"))
BY_ID = MINE.where(collections.c.id == bindparam("collection_id"))
BY_NAME = MINE.where(collections.c.name == bindparam("name"))
BY_ORDER = MINE.order_by(collections.c.name)
SCOPE = select(
    func.count(),
    func.coalesce(func.sum(case((documents.c.stage == Stage.READY.value, 1), else_=0)), 0),
    func.coalesce(func.sum(case((documents.c.stage == Stage.FAILED.value, 1), else_=0)), 0),
    func.coalesce(func.sum(documents.c.pages_unread), 0),
    func.count(documents.c.version_id),
).where(documents.c.workspace_id == bindparam("own"), documents.c.collection_id == bindparam("collection_id"))
RENAMED = (
    update(collections)
    .where(collections.c.workspace_id == bindparam("own"), collections.c.id == bindparam("renamed_id"))
    .values(name=bindparam("new_name"))
)
RULED = (
    update(collections)
    .where(collections.c.workspace_id == bindparam("own"), collections.c.id == bindparam("ruled_id"))
    .values(policy=bindparam("new_policy"))
)
SUMMARISED = (
    update(collections)
    .where(collections.c.workspace_id == bindparam("own"), collections.c.id == bindparam("changed_id"))
    .values(summaries=bindparam("are_wanted"))
)
GONE = delete(collections).where(collections.c.workspace_id == bindparam("own"), collections.c.id == bindparam("removed_id"))
HERE = (documents.c.workspace_id == bindparam("own")) & (documents.c.collection_id == bindparam("collection_id"))
BLOBS = union(
    select(documents.c.sha256).where(HERE),
    select(versions.c.sha256).join(documents, versions.c.document_id == documents.c.id).where(HERE),
    select(figures.c.sha256)
    .join(versions, figures.c.version_id == versions.c.id)
    .join(documents, versions.c.document_id == documents.c.id)
    .where(HERE),
)
DOCUMENTS_SEQ = select(collections.c.documents_seq).where(
    collections.c.workspace_id == bindparam("own"), collections.c.id == bindparam("collection_id")
)
NEW_WORKSPACE = insert_into(workspaces).from_select(
    ["id", "created_at"],
    select(bindparam("own", type_=ID), bindparam("now", type_=UtcDateTime)).where(
        ~select(workspaces.c.id).where(workspaces.c.id == bindparam("own")).exists()
    ),
)


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
            raise name_taken(collection.name)
        await ensure_workspace(self._tx)
        row = {
            "id": collection.id,
            "name": collection.name,
            "embedding": dump(collection.embedding) if collection.embedding else None,
            "created_at": collection.created_at,
            "summaries": collection.summaries,
            "policy": collection.policy.value,
        }
        await self._tx.insert(collections, row)

    async def get(self, collection_id: CollectionId) -> Collection | None:
        """Return one by id."""

        async def read() -> Collection | None:
            return _collection(await self._tx.row(BY_ID, collection_id=collection_id))

        return await self._tx.remembered(("collection", collection_id), read)

    async def named(self, name: str) -> Collection | None:
        """Return one by name."""
        return _collection(await self._tx.row(BY_NAME, name=name))

    async def list(self) -> list[Collection]:
        """Return all, by name."""
        return [found for row in await self._tx.rows(BY_ORDER) if (found := _collection(row))]

    async def scope(self, collection_id: CollectionId) -> Scope:
        """Count its documents by stage."""

        async def read() -> Scope:
            [counts] = await self._tx.rows(SCOPE, collection_id=collection_id)
            total, ready, failed, unread, searchable = tuple(counts)
            return Scope(total, ready, total - ready - failed, failed, pages_unread=unread, searchable=searchable)

        async def read_seq() -> int:
            row = await self._tx.row(DOCUMENTS_SEQ, collection_id=collection_id)
            return row.documents_seq if row else 0

        # Every question commits its line in the log, and counting is much work: only a change of documents makes it anew.
        seq = await self._tx.remembered(("documents_seq", collection_id), read_seq)
        return await self._tx.remembered_at(seq, ("scope", collection_id), read)

    async def rename(self, collection_id: CollectionId, name: str) -> Collection:
        """Give one another name, and return it. Raises `NotFoundError`, and `ConflictError` when another one has the name."""
        await self._tx.lock()
        found = await require_collection(self._tx, collection_id)
        holder = await self.named(name)
        if holder and holder.id != collection_id:
            raise name_taken(name)
        await self._tx.change(RENAMED, renamed_id=collection_id, new_name=name)
        return replace(found, name=name)

    async def summarise(self, collection_id: CollectionId, summaries: bool) -> Collection:
        """Say whether one's documents are summarised, and return it. Raises `NotFoundError`."""
        await self._tx.lock()
        found = await require_collection(self._tx, collection_id)
        await self._tx.change(SUMMARISED, changed_id=collection_id, are_wanted=summaries)
        return replace(found, summaries=summaries)

    async def use_policy(self, collection_id: CollectionId, policy: Policy) -> Collection:
        """Say what is done with claims that one's documents don't support, and return it. Raises `NotFoundError`."""
        await self._tx.lock()
        found = await require_collection(self._tx, collection_id)
        await self._tx.change(RULED, ruled_id=collection_id, new_policy=policy.value)
        return replace(found, policy=policy)

    async def blobs(self, collection_id: CollectionId) -> set[str]:
        """Return the hashes of the bytes of its documents and their figures, in all their versions."""
        return {row.sha256 for row in await self._tx.rows(BLOBS, collection_id=collection_id) if row.sha256}

    async def remove(self, collection_id: CollectionId) -> bool:
        """Delete one with its log and all of its documents. False when unknown."""
        # All that is made of it follows by foreign key.
        return (await self._tx.change(GONE, removed_id=collection_id)).rowcount > 0


async def ensure_workspace(transaction: Transaction) -> None:
    """Insert the row of the transaction's workspace if it isn't there."""
    await transaction.change(NEW_WORKSPACE, now=datetime.now(UTC))


async def require_collection(transaction: Transaction, collection_id: CollectionId) -> Collection:
    """Return a collection of the workspace. Raises `NotFoundError`."""
    found = await SqlCollections(transaction).get(collection_id)
    if found is None:
        raise NotFoundError("There is no such collection.", code="collection")
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
        next_embedding=load(EmbeddingSpec, row.next_embedding) if row.next_embedding else None,
        summaries=row.summaries,
        policy=Policy(row.policy),
    )
