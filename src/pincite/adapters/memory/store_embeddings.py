"""Vectors of a second model in memory, and the switch to it."""

from collections.abc import Mapping
from dataclasses import replace

from pincite.adapters.memory.store_log import halved, take_number
from pincite.adapters.memory.store_tables import Entry, Tables, Transaction
from pincite.core.documents import Collection, EmbeddingSpec
from pincite.core.errors import NotFoundError
from pincite.core.ids import ChunkId, CollectionId
from pincite.core.ports.embeddings import Lacking
from pincite.core.ports.models import Vector
from pincite.core.vectors import is_of, refuse_other_sizes, refuse_unprepared


class MemoryEmbeddings:
    """The models of the collections of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def prepare(self, collection_id: CollectionId, spec: EmbeddingSpec | None) -> None:
        """Let vectors of a second model be stored; None, and the collection's own, end it. Raises `NotFoundError`."""
        tables, collection = await self._locked(collection_id)
        wanted = None if spec is None or is_of(collection.embedding, spec.model_id) else spec
        if wanted is not None and is_of(collection.next_embedding, wanted.model_id):
            return
        seq = take_number(self._tx, tables, collection_id) if wanted else 0
        self._put(tables, replace(collection, next_embedding=wanted), next_embedding=seq)

    async def lacking(self, collection_id: CollectionId, *, model_id: str) -> Lacking:
        """Count the chunks without a vector of a model."""
        found = [entry.chunk.token_count for entry in self._without(collection_id, model_id) if entry.chunk]
        return Lacking(len(found), sum(found), max(found, default=0))

    async def fill(self, collection_id: CollectionId, vectors: Mapping[ChunkId, Vector], *, model_id: str) -> None:
        """Store vectors of the prepared model, or of the collection's own. See `EmbeddingRows.fill`."""
        tables, collection = await self._locked(collection_id)
        refuse_other_sizes(collection, refuse_unprepared(collection, model_id), vectors.values())
        own, is_own = self._tx.workspace_id, is_of(collection.embedding, model_id)
        for rows in (tables.log, tables.kept):
            for entry in rows.all(own):
                chunk = entry.chunk
                if chunk and entry.collection_id == collection_id and chunk.id in vectors and model_id not in entry.vectors:
                    is_read = is_own and rows is tables.log
                    seq = take_number(self._tx, tables, collection_id) if is_read else entry.vector_seq
                    more = {**entry.vectors, model_id: halved(vectors[chunk.id])}
                    rows.put(own, chunk.id, replace(entry, vectors=more, vector_seq=seq))

    async def switch(self, collection_id: CollectionId, spec: EmbeddingSpec | None) -> bool:
        """Make the prepared model, or (None) words alone, what the collection has from now on. See `EmbeddingRows.switch`."""
        tables, collection = await self._locked(collection_id)
        if spec is not None and is_of(collection.embedding, spec.model_id):
            return True
        if spec is not None:
            refuse_unprepared(collection, spec.model_id)
            if self._without(collection_id, spec.model_id):
                return False
        seq = self._tx.numbers(collection_id).next_embedding if spec else 0
        self._put(tables, replace(collection, embedding=spec, next_embedding=None), embedding=seq, next_embedding=0)
        return True

    async def forget(self, collection_id: CollectionId, *, limit: int) -> int:
        """Delete up to `limit` vectors of models that the collection neither has nor is being brought to; return how many."""
        tables, collection = await self._locked(collection_id)
        kept = {spec.model_id for spec in (collection.embedding, collection.next_embedding) if spec}
        spare = [(entry, model_id) for entry in self._entries(collection_id) for model_id in entry.vectors if model_id not in kept]
        for entry, model_id in spare[:limit]:
            if entry.chunk and (current := tables.log.get(self._tx.workspace_id, entry.chunk.id)):
                fewer = {name: vector for name, vector in current.vectors.items() if name != model_id}
                tables.log.put(self._tx.workspace_id, entry.chunk.id, replace(current, vectors=fewer))
        return len(spare[:limit])

    async def _locked(self, collection_id: CollectionId) -> tuple[Tables, Collection]:
        tables = await self._tx.lock()
        collection = tables.collections.get(self._tx.workspace_id, collection_id)
        if collection is None:
            raise NotFoundError("There is no such collection.", code="collection")
        return tables, collection

    def _put(self, tables: Tables, collection: Collection, **numbers: int) -> None:
        own = self._tx.workspace_id
        tables.collections.put(own, collection.id, collection)
        tables.numbers.put(own, collection.id, replace(self._tx.numbers(collection.id), **numbers))

    def _entries(self, collection_id: CollectionId) -> list[Entry]:
        found = self._tx.tables.log.all(self._tx.workspace_id)
        return [entry for entry in found if entry.collection_id == collection_id and entry.chunk]

    def _without(self, collection_id: CollectionId, model_id: str) -> list[Entry]:
        return [entry for entry in self._entries(collection_id) if model_id not in entry.vectors]
