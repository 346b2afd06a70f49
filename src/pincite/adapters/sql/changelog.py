"""Numbers and tombstones of a collection's change log."""

from collections.abc import Sequence

from sqlalchemy import bindparam, delete, insert, update

from pincite.adapters.sql.tables import collections, tombstones
from pincite.adapters.sql.transaction import Transaction
from pincite.core.ids import CollectionId, DocumentId


class ChangeLog:
    """Appends to the log of one collection, inside the transaction of the change."""

    def __init__(self, transaction: Transaction, collection_id: CollectionId) -> None:
        self._tx = transaction
        self._collection_id = collection_id

    async def take(self, count: int) -> int:
        """Reserve `count` numbers and return the first. The collection's row stays locked until the commit, so that no number
        appears late behind one already read.
        """
        result = await self._tx.write(
            update(collections)
            .where(collections.c.id == self._collection_id, collections.c.workspace_id == self._tx.workspace_id)
            .values(head_seq=collections.c.head_seq + count)
            .returning(collections.c.head_seq)
        )
        return int(result.scalar_one()) - count + 1

    async def bury(self, document_id: DocumentId, chunk_ids: Sequence[str]) -> None:
        """Leave tombstones for chunks of a document."""
        if not chunk_ids:
            return
        first = await self.take(len(chunk_ids))
        await self._tx.write(
            insert(tombstones),
            [
                {
                    "chunk_id": chunk_id,
                    "workspace_id": self._tx.workspace_id,
                    "collection_id": self._collection_id,
                    "document_id": document_id,
                    "seq": seq,
                }
                for seq, chunk_id in enumerate(chunk_ids, first)
            ],
        )

    async def unbury(self, chunk_ids: Sequence[str]) -> None:
        """Take back tombstones of chunks that are published again."""
        own = tombstones.c.workspace_id == self._tx.workspace_id
        statement = delete(tombstones).where(own, tombstones.c.chunk_id == bindparam("returning"))
        await self._tx.write(statement, [{"returning": chunk_id} for chunk_id in chunk_ids])

    async def prune(self, through_seq: int) -> int:
        """Drop tombstones numbered up to `through_seq` and move the horizon there. Return how many."""
        mine = collections.c.id == self._collection_id, collections.c.workspace_id == self._tx.workspace_id
        moved = await self._tx.write(
            update(collections)
            .where(*mine, collections.c.log_horizon < through_seq, collections.c.head_seq >= through_seq)
            .values(log_horizon=through_seq)
        )
        if not moved.rowcount:
            return 0
        gone = await self._tx.write(
            delete(tombstones).where(
                tombstones.c.workspace_id == self._tx.workspace_id,
                tombstones.c.collection_id == self._collection_id,
                tombstones.c.seq <= through_seq,
            )
        )
        return gone.rowcount
