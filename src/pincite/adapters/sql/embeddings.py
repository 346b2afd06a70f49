"""Vectors of a second model, stored beside those that a collection is searched with, and the switch to it."""

from collections.abc import Mapping, Sequence

from sqlalchemy import and_, bindparam, delete, func, literal, select, tuple_, update

from pincite.adapters.sql import half
from pincite.adapters.sql.batches import batches
from pincite.adapters.sql.changelog import ChangeLog
from pincite.adapters.sql.collections import require_collection
from pincite.adapters.sql.plain import dump
from pincite.adapters.sql.tables import chunks, collections, vectors
from pincite.adapters.sql.transaction import Transaction
from pincite.core.documents import EmbeddingSpec
from pincite.core.ids import ChunkId, CollectionId
from pincite.core.ports.embeddings import Lacking
from pincite.core.ports.models import Vector
from pincite.core.vectors import is_of, refuse_other_sizes, refuse_unprepared

OWN = chunks.c.workspace_id == bindparam("own"), chunks.c.collection_id == bindparam("collection_id")
IN_LOG = chunks.c.seq > 0
WITHOUT = chunks.outerjoin(vectors, and_(vectors.c.chunk_id == chunks.c.id, vectors.c.model_id == bindparam("model_id")))
NONE = vectors.c.chunk_id.is_(None)
COUNTED = func.count(), func.coalesce(func.sum(chunks.c.token_count), 0), func.coalesce(func.max(chunks.c.token_count), 0)
LACKING = select(*COUNTED).select_from(WITHOUT).where(*OWN, NONE, IN_LOG)
ONE_LACKING = select(literal(1)).select_from(WITHOUT).where(*OWN, NONE, IN_LOG).limit(1)
THOSE_LACKING = (
    select(chunks.c.id, chunks.c.seq)
    .select_from(WITHOUT)
    .where(*OWN, NONE, chunks.c.id.in_(bindparam("chunk_ids", expanding=True)))
)
SPARE = (
    select(vectors.c.chunk_id, vectors.c.model_id)
    .join(chunks, chunks.c.id == vectors.c.chunk_id)
    .where(*OWN, vectors.c.model_id.not_in(bindparam("kept", expanding=True)))
    .limit(bindparam("count"))
)
RENUMBERED = update(chunks).where(chunks.c.workspace_id == bindparam("own"), chunks.c.id == bindparam("chunk_id"))
FORGOTTEN = delete(vectors).where(tuple_(vectors.c.chunk_id, vectors.c.model_id).in_(SPARE))

MINE = update(collections).where(collections.c.workspace_id == bindparam("own"), collections.c.id == bindparam("this_collection"))
PREPARED = MINE.values(next_embedding=bindparam("spec"), next_embedding_seq=bindparam("seq"))
SWITCHED = MINE.values(
    embedding=collections.c.next_embedding,
    embedding_seq=collections.c.next_embedding_seq,
    next_embedding=None,
    next_embedding_seq=0,
)


class SqlEmbeddings:
    """The models of the collections of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def prepare(self, collection_id: CollectionId, spec: EmbeddingSpec | None) -> None:
        """Let vectors of a second model be stored; None, and the collection's own, end it. Raises `NotFoundError`."""
        await self._tx.lock()
        collection = await require_collection(self._tx, collection_id)
        wanted = None if spec is None or is_of(collection.embedding, spec.model_id) else spec
        if wanted is None:
            await self._tx.change(PREPARED, this_collection=collection_id, spec=None, seq=0)
        elif not is_of(collection.next_embedding, wanted.model_id):
            seq = await ChangeLog(self._tx, collection_id).take(1)
            await self._tx.change(PREPARED, this_collection=collection_id, spec=dump(wanted), seq=seq)

    async def lacking(self, collection_id: CollectionId, *, model_id: str) -> Lacking:
        """Count the chunks without a vector of a model."""
        [counts] = await self._tx.rows(LACKING, collection_id=collection_id, model_id=model_id)
        return Lacking(*counts)

    async def fill(self, collection_id: CollectionId, vectors: Mapping[ChunkId, Vector], *, model_id: str) -> None:
        """Store vectors of the prepared model, or of the collection's own. See `EmbeddingRows.fill`."""
        await self._tx.lock()
        collection = await require_collection(self._tx, collection_id)
        refuse_other_sizes(collection, refuse_unprepared(collection, model_id), vectors.values())
        for some in batches(list(vectors)):
            rows = await self._tx.rows(THOSE_LACKING, collection_id=collection_id, model_id=model_id, chunk_ids=some)
            await self._insert({row.id: vectors[row.id] for row in rows}, model_id)
            if is_of(collection.embedding, model_id):
                await self._renumber(collection_id, [row.id for row in rows if row.seq > 0])

    async def switch(self, collection_id: CollectionId, spec: EmbeddingSpec | None) -> bool:
        """Make the prepared model, or (None) words alone, what the collection has from now on. See `EmbeddingRows.switch`."""
        await self._tx.lock()
        collection = await require_collection(self._tx, collection_id)
        if spec is None:
            await self._tx.change(PREPARED, this_collection=collection_id, spec=None, seq=0)
        elif is_of(collection.embedding, spec.model_id):
            return True
        else:
            refuse_unprepared(collection, spec.model_id)
            if await self._tx.row(ONE_LACKING, collection_id=collection_id, model_id=spec.model_id):
                return False
        await self._tx.change(SWITCHED, this_collection=collection_id)
        return True

    async def forget(self, collection_id: CollectionId, *, limit: int) -> int:
        """Delete up to `limit` vectors of models that the collection neither has nor is being brought to; return how many."""
        await self._tx.lock()
        collection = await require_collection(self._tx, collection_id)
        kept = [spec.model_id for spec in (collection.embedding, collection.next_embedding) if spec]
        return (await self._tx.change(FORGOTTEN, collection_id=collection_id, kept=kept, count=limit)).rowcount

    async def _renumber(self, collection_id: CollectionId, chunk_ids: Sequence[str]) -> None:
        """Let mirrors of vectors read chunks again. Those of words have nothing to learn."""
        if chunk_ids:
            first = await ChangeLog(self._tx, collection_id).take(len(chunk_ids))
            rows = ({"chunk_id": chunk_id, "vector_seq": seq} for seq, chunk_id in enumerate(chunk_ids, first))
            await self._tx.change_each(RENUMBERED, *rows)

    async def _insert(self, found: Mapping[ChunkId, Vector], model_id: str) -> None:
        rows = [{"chunk_id": chunk_id, "model_id": model_id, "data": half.pack(vector)} for chunk_id, vector in found.items()]
        await self._tx.insert(vectors, *rows)
