"""Numbers and tombstones of a collection's change log."""

from collections.abc import Sequence

from sqlalchemy import bindparam, delete, func, select, update

from pincite.adapters.sql.batches import batches
from pincite.adapters.sql.tables import collections, tombstones
from pincite.adapters.sql.transaction import Transaction
from pincite.core.ids import CollectionId, DocumentId
from pincite.core.ports import changes

MINE = collections.c.workspace_id == bindparam("own"), collections.c.id == bindparam("collection_id")
OWN = tombstones.c.workspace_id == bindparam("own")
TAKEN = (
    update(collections).where(*MINE).values(head_seq=collections.c.head_seq + bindparam("count")).returning(collections.c.head_seq)
)
MOVED = (
    update(collections)
    .where(*MINE, collections.c.log_horizon < bindparam("through_seq"), collections.c.head_seq >= bindparam("through_seq"))
    .values(log_horizon=bindparam("through_seq"))
)
FORGOTTEN = delete(tombstones).where(
    OWN, tombstones.c.collection_id == bindparam("collection_id"), tombstones.c.seq <= bindparam("through_seq")
)
UNBURIED = delete(tombstones).where(OWN, tombstones.c.chunk_id.in_(bindparam("chunk_ids", expanding=True)))
COUNTED = select(func.count()).where(OWN, tombstones.c.collection_id == bindparam("collection_id"))
NEWEST_TO_FORGET = (
    select(tombstones.c.seq)
    .where(OWN, tombstones.c.collection_id == bindparam("collection_id"))
    .order_by(tombstones.c.seq.desc())
    .offset(bindparam("kept"))
    .limit(1)
)


class ChangeLog:
    """Appends to the log of one collection, inside the transaction of the change."""

    def __init__(self, transaction: Transaction, collection_id: CollectionId) -> None:
        self._tx = transaction
        self._collection_id = collection_id

    async def take(self, count: int) -> int:
        """Reserve `count` numbers and return the first. The collection's row stays locked until the commit, so that no number
        appears late behind one already read.
        """
        result = await self._tx.change(TAKEN, collection_id=self._collection_id, count=count)
        return int(result.scalar_one()) - count + 1

    async def bury(self, document_id: DocumentId, chunk_ids: Sequence[str], *, first: int) -> None:
        """Leave tombstones for chunks of a document, numbered from `first`."""
        place = {"collection_id": self._collection_id, "document_id": document_id}
        rows = [place | {"chunk_id": chunk_id, "seq": seq} for seq, chunk_id in enumerate(chunk_ids, first)]
        await self._tx.insert(tombstones, *rows)
        await self._forget_the_oldest()

    async def _forget_the_oldest(self) -> None:
        [(count,)] = await self._tx.rows(COUNTED, collection_id=self._collection_id)
        if count > changes.MOST_TOMBSTONES:
            row = await self._tx.row(NEWEST_TO_FORGET, collection_id=self._collection_id, kept=changes.MOST_TOMBSTONES // 2)
            await self.prune(row.seq if row else 0)

    async def unbury(self, chunk_ids: Sequence[str]) -> None:
        """Take back tombstones of chunks that are published again."""
        for some in batches(chunk_ids):
            await self._tx.change(UNBURIED, chunk_ids=some)

    async def prune(self, through_seq: int) -> int:
        """Drop tombstones numbered up to `through_seq` and move the horizon there. Return how many."""
        place = {"collection_id": self._collection_id, "through_seq": through_seq}
        moved = await self._tx.change(MOVED, **place)
        return (await self._tx.change(FORGOTTEN, **place)).rowcount if moved.rowcount else 0
