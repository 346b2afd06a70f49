"""Chunks and their vectors in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pincite.adapters.memory.store_log import append, bury, entries, halved, prune, stored, take_number
from pincite.adapters.memory.store_rows import MemoryDocuments
from pincite.adapters.memory.store_tables import Entry, Tables, Transaction
from pincite.core.documents import Chunk, ChunkType, Document, Stage
from pincite.core.errors import NotFoundError
from pincite.core.evidence import Passage, PassageText
from pincite.core.ids import ChunkId, CollectionId, VersionId
from pincite.core.pictures import picture_url
from pincite.core.ports.models import Vector
from pincite.core.vectors import refuse_stray_chunks, refuse_unfit_vectors, vectors_lacking


class MemoryChunks:
    """Chunks of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def publish(
        self, document: Document, chunks: Sequence[Chunk], vectors: Mapping[ChunkId, Vector], *, model_id: str
    ) -> None:
        """Switch a document over to a version in one step. See `ChunkRows.publish`.

        Raises `NotFoundError` for an unknown collection or version, `ModelChangedError` for vectors of another model than the
        collection has now, `ConflictError` for another size.
        """
        refuse_stray_chunks(document, chunks, vectors)
        tables = await self._tx.lock()
        await MemoryDocuments(self._tx).save(document)
        self._check(tables, document, chunks, vectors, model_id, whole=document.stage is Stage.READY)
        tables.drafts.drop(self._tx.workspace_id, document.version_id or VersionId(""))
        gone = [entry for entry in entries(self._tx, tables) if entry.document_id == document.id]
        kept = {chunk.id for chunk in chunks}
        for chunk in chunks:
            append(self._tx, tables, _entry(document, chunk, vectors, model_id), chunk.id)
        self._drop_kept(tables, document)
        bury(self._tx, tables, [entry for entry in gone if entry.chunk and entry.chunk.id not in kept])

    async def keep(self, document: Document, chunks: Sequence[Chunk], vectors: Mapping[ChunkId, Vector], *, model_id: str) -> None:
        """Keep chunks of a version beside those that are searched. See `ChunkRows.keep`."""
        refuse_stray_chunks(document, chunks, vectors)
        tables = await self._tx.lock()
        self._check(tables, document, chunks, vectors, model_id, whole=False)
        self._drop_kept(tables, document)
        for chunk in chunks:
            tables.kept.add(self._tx.workspace_id, chunk.id, _entry(document, chunk, vectors, model_id))

    async def switch(self, document: Document, *, model_id: str) -> None:
        """Switch a document over to a version whose chunks are stored. See `ChunkRows.switch`."""
        tables = await self._tx.lock()
        self._check(tables, document, (), {}, model_id, whole=False)
        own = [each for each in stored(self._tx, tables) if each.chunk and each.chunk.version_id == document.version_id]
        if model_id and any(model_id not in entry.vectors for entry in own):
            raise vectors_lacking()
        await MemoryDocuments(self._tx).save(document)
        tables.drafts.drop(self._tx.workspace_id, document.version_id or VersionId(""))
        gone = [
            entry
            for entry in entries(self._tx, tables)
            if entry.document_id == document.id and entry.chunk and entry.chunk.version_id != document.version_id
        ]
        for entry in sorted(own, key=lambda entry: entry.chunk.chunk_index if entry.chunk else 0):
            if entry.chunk and tables.kept.get(self._tx.workspace_id, entry.chunk.id):
                append(self._tx, tables, entry, entry.chunk.id)
        self._drop_kept(tables, document)
        bury(self._tx, tables, gone)

    async def summarise(
        self, document: Document, chunks: Sequence[Chunk], vectors: Mapping[ChunkId, Vector], *, model_id: str
    ) -> None:
        """Add the summaries of a document's version, in place of those that it has. See `ChunkRows.summarise`."""
        refuse_stray_chunks(document, chunks, vectors)
        tables = await self._tx.lock()
        self._check(tables, document, chunks, vectors, model_id, whole=True)
        mine = [each for each in entries(self._tx, tables) if each.document_id == document.id]
        gone = [each for each in mine if each.chunk and each.chunk.chunk_type is ChunkType.SUMMARY]
        for chunk in chunks:
            append(self._tx, tables, _entry(document, chunk, vectors, model_id), chunk.id)
        bury(self._tx, tables, gone)

    async def retitle(self, document: Document) -> None:
        """Save a document's row and give its title to its chunks, which take new numbers of the log. See `ChunkRows.retitle`."""
        tables = await self._tx.lock()
        await MemoryDocuments(self._tx).save(document)
        for entry in entries(self._tx, tables):
            if entry.chunk and entry.document_id == document.id:
                append(self._tx, tables, replace(entry, chunk=replace(entry.chunk, title=document.title)), entry.chunk.id)

    async def of_version(self, version_id: VersionId) -> list[Chunk]:
        """Return the chunks of a version in order."""
        found = [entry.chunk for entry in stored(self._tx, self._tx.tables) if entry.chunk]
        return sorted((chunk for chunk in found if chunk.version_id == version_id), key=lambda chunk: chunk.chunk_index)

    async def vectors(self, fingerprints: Sequence[str], *, model_id: str) -> dict[str, Vector]:
        """Return stored vectors by chunk fingerprint, for those that have one of this model."""
        wanted = set(fingerprints)
        return {
            entry.chunk.fingerprint: entry.vectors[model_id]
            for entry in stored(self._tx, self._tx.tables)
            if entry.chunk and model_id in entry.vectors and entry.chunk.fingerprint in wanted
        }

    async def of_bytes(self, sha256: str, *, parser: str, parser_version: str, model_id: str) -> list[Chunk]:
        """Return the chunks of a searched version of these bytes as this parser read them, with vectors of this model."""
        wanted = (sha256, parser, parser_version)
        twins = [v for v in self._tx.tables.versions.all(self._tx.workspace_id) if (v.sha256, v.parser, v.parser_version) == wanted]
        embedded = {
            entry.chunk.version_id for entry in stored(self._tx, self._tx.tables) if entry.chunk and model_id in entry.vectors
        }
        found = [twin.id for twin in twins if twin.id in embedded]
        return await self.of_version(found[0]) if found else []

    async def passages(self, chunk_ids: Sequence[ChunkId]) -> list[Passage]:
        """Return passages of the chunks of current versions, in the order asked, without the rest."""
        return [passage for chunk_id in chunk_ids if (passage := self._passage(chunk_id))]

    async def texts(self, chunk_ids: Sequence[ChunkId]) -> list[PassageText]:
        """Return the texts of those of which `passages` would return passages."""
        return [found for chunk_id in chunk_ids if (found := self._text(chunk_id))]

    async def begin_anew(self, collection_id: CollectionId) -> None:
        """Have all mirrors of a collection made anew from its rows, whatever they hold."""
        tables = await self._tx.lock()
        prune(self._tx, tables, collection_id, take_number(self._tx, tables, collection_id))

    async def prune(self, collection_id: CollectionId, *, through_seq: int) -> int:
        """Forget the tombstones up to `through_seq`; mirrors that stand before it rebuild. Return how many there were."""
        return prune(self._tx, await self._tx.lock(), collection_id, through_seq)

    def _check(
        self,
        tables: Tables,
        document: Document,
        chunks: Sequence[Chunk],
        vectors: Mapping[ChunkId, Vector],
        model_id: str,
        *,
        whole: bool,
    ) -> None:
        version = tables.versions.get(self._tx.workspace_id, document.version_id)
        if version is None or version.document_id != document.id:
            raise NotFoundError("There is no such version of the document.")
        if collection := tables.collections.get(self._tx.workspace_id, document.collection_id):
            refuse_unfit_vectors(collection, chunks, vectors, model_id=model_id, whole=whole)

    def _drop_kept(self, tables: Tables, document: Document) -> None:
        tables.kept.drop_where(self._tx.workspace_id, lambda entry: entry.document_id == document.id)

    def _text(self, chunk_id: ChunkId) -> PassageText | None:
        found = self._confirmed(chunk_id)
        if found is None:
            return None
        document, chunk = found
        place = chunk.version_id, chunk.chunk_index, document.title, chunk.heading_path
        return PassageText(chunk.id, *place, chunk.text, chunk.generated, chunk.members)

    def _passage(self, chunk_id: ChunkId) -> Passage | None:
        found = self._confirmed(chunk_id)
        return _passage(*found) if found else None

    def _confirmed(self, chunk_id: ChunkId) -> tuple[Document, Chunk] | None:
        """Return a chunk with its document, if it is of the document's current version."""
        entry = self._tx.tables.log.get(self._tx.workspace_id, chunk_id)
        document = self._tx.tables.documents.get(self._tx.workspace_id, entry.document_id) if entry else None
        if entry is None or entry.chunk is None or document is None or document.version_id != entry.chunk.version_id:
            return None
        return document, entry.chunk


def _entry(document: Document, chunk: Chunk, vectors: Mapping[ChunkId, Vector], model_id: str) -> Entry:
    own = {model_id: halved(vectors[chunk.id])} if chunk.id in vectors else dict[str, Vector]()
    return Entry(0, document.collection_id, document.id, chunk, own)


def _passage(document: Document, chunk: Chunk) -> Passage:
    return Passage(
        text=chunk.text,
        document_id=document.id,
        title=document.title,
        path=document.path,
        chunk_id=chunk.id,
        version_id=chunk.version_id,
        collection_id=document.collection_id,
        chunk_index=chunk.chunk_index,
        start=chunk.start,
        end=chunk.end,
        content_type=document.content_type,
        pages=chunk.pages,
        heading_path=chunk.heading_path,
        chunk_type=chunk.chunk_type,
        generated=chunk.generated,
        image_url=picture_url(document.id, chunk.version_id, chunk.figure_id, chunk.pages),
        lang=chunk.lang,
        metadata={**document.meta, "source_uri": document.source_uri},
    )
