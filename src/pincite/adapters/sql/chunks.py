"""Rows of chunks and vectors, and the switch from one version of a document to the next."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, and_, bindparam, delete, func, literal, select, update

from pincite.adapters.sql import half
from pincite.adapters.sql.batches import batches
from pincite.adapters.sql.changelog import ChangeLog
from pincite.adapters.sql.collections import require_collection
from pincite.adapters.sql.documents import CHUNK_IDS, SqlDocuments
from pincite.adapters.sql.passages import dump_pages, load_headings, load_pages, read_passages, read_texts
from pincite.adapters.sql.tables import chunks, documents, vectors, versions
from pincite.adapters.sql.tables import vectors as table_of_vectors
from pincite.adapters.sql.transaction import Transaction
from pincite.core.documents import Chunk, ChunkType, Document, Stage
from pincite.core.errors import NotFoundError
from pincite.core.evidence import Passage, PassageText
from pincite.core.ids import ChunkId, CollectionId, DocumentId, VersionId
from pincite.core.ports.models import Vector
from pincite.core.vectors import refuse_stray_chunks, refuse_unfit_vectors, vectors_lacking

OWN = chunks.c.workspace_id == bindparam("own")
OF_VERSION = select(chunks).where(OWN, chunks.c.version_id == bindparam("version_id")).order_by(chunks.c.chunk_index)
OF_DOCUMENT = select(chunks).where(OWN, chunks.c.document_id == bindparam("document_id"), chunks.c.seq > 0).order_by(chunks.c.seq)
SUMMARIES = select(chunks.c.id).where(
    OWN, chunks.c.document_id == bindparam("document_id"), chunks.c.chunk_type == ChunkType.SUMMARY.value
)
CHANGED = update(chunks).where(OWN, chunks.c.id == bindparam("chunk_id"))
MODEL = vectors.c.model_id == bindparam("model_id")
# One chunk for each fingerprint: boilerplate may stand in a thousand documents.
ONE_EACH = (
    select(chunks.c.fingerprint, func.min(chunks.c.id).label("chunk_id"))
    .join(vectors, vectors.c.chunk_id == chunks.c.id)
    .where(OWN, MODEL, chunks.c.fingerprint.in_(bindparam("fingerprints", expanding=True)))
    .group_by(chunks.c.fingerprint)
    .subquery("one_each")
)
VECTORS = select(ONE_EACH.c.fingerprint, vectors.c.data).join(ONE_EACH, vectors.c.chunk_id == ONE_EACH.c.chunk_id).where(MODEL)
TWIN = (
    select(versions.c.id)
    .join(documents, and_(documents.c.id == versions.c.document_id, documents.c.version_id == versions.c.id))
    .where(
        versions.c.workspace_id == bindparam("own"),
        versions.c.sha256 == bindparam("sha256"),
        versions.c.parser == bindparam("parser"),
        versions.c.parser_version == bindparam("parser_version"),
        select(literal(1))
        .select_from(chunks.join(vectors, vectors.c.chunk_id == chunks.c.id))
        .where(chunks.c.version_id == versions.c.id, MODEL)
        .exists(),
    )
    .limit(1)
)
GONE = delete(chunks).where(OWN, chunks.c.document_id == bindparam("document_id"))
OF_OTHERS = delete(chunks).where(
    OWN, chunks.c.document_id == bindparam("document_id"), chunks.c.version_id != bindparam("this_version")
)
SOME_GONE = delete(chunks).where(OWN, chunks.c.id.in_(bindparam("chunk_ids", expanding=True)))
KEPT_BESIDE = delete(chunks).where(OWN, chunks.c.document_id == bindparam("document_id"), chunks.c.seq < 0)
LEAST = select(chunks.c.seq).where(OWN, chunks.c.collection_id == bindparam("collection_id")).order_by(chunks.c.seq).limit(1)
ITS_IDS = (
    select(chunks.c.id, chunks.c.seq).where(OWN, chunks.c.version_id == bindparam("version_id")).order_by(chunks.c.chunk_index)
)
LACKING = (
    select(literal(1))
    .select_from(chunks.outerjoin(vectors, and_(vectors.c.chunk_id == chunks.c.id, MODEL)))
    .where(OWN, chunks.c.version_id == bindparam("version_id"), vectors.c.chunk_id.is_(None))
    .limit(1)
)
ITS_VERSION = select(versions.c.id).where(
    versions.c.workspace_id == bindparam("own"),
    versions.c.id == bindparam("version_id"),
    versions.c.document_id == bindparam("document_id"),
)
SEARCHED = (
    update(versions)
    .where(versions.c.workspace_id == bindparam("own"), versions.c.id == bindparam("version"), versions.c.draft)
    .values(draft=False)
)


class SqlChunks:
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
        packed = _packed(vectors, model_id)
        await self._tx.lock()
        await self._check(document, chunks, vectors, model_id, whole=document.stage is Stage.READY)
        await SqlDocuments(self._tx).save(document)
        await self._tx.change(SEARCHED, version=document.version_id)
        kept = {chunk.id for chunk in chunks}
        gone = [chunk_id for chunk_id in await self._clear(document.id) if chunk_id not in kept]
        log = ChangeLog(self._tx, document.collection_id)
        first = await log.take(len(chunks) + len(gone))
        await self._insert(document, chunks, first)
        await self._tx.insert(table_of_vectors, *packed)
        await log.unbury([chunk.id for chunk in chunks])
        # After the new ones: a mirror that stops between the two shows nothing less than before.
        await log.bury(document.id, gone, first=first + len(chunks))

    async def keep(self, document: Document, chunks: Sequence[Chunk], vectors: Mapping[ChunkId, Vector], *, model_id: str) -> None:
        """Keep chunks of a version beside those that are searched. See `ChunkRows.keep`."""
        refuse_stray_chunks(document, chunks, vectors)
        packed = _packed(vectors, model_id)
        await self._tx.lock()
        await self._check(document, chunks, vectors, model_id, whole=False)
        await self._tx.change(KEPT_BESIDE, document_id=document.id)
        least = await self._tx.row(LEAST, collection_id=document.collection_id)
        await self._insert(document, chunks, min(least.seq if least else 0, 0) - len(chunks))
        await self._tx.insert(table_of_vectors, *packed)

    async def switch(self, document: Document, *, model_id: str) -> None:
        """Switch a document over to a version whose chunks are stored. See `ChunkRows.switch`."""
        await self._tx.lock()
        await self._check(document, (), {}, model_id, whole=False)
        if model_id and await self._tx.row(LACKING, version_id=document.version_id, model_id=model_id):
            raise vectors_lacking()
        await SqlDocuments(self._tx).save(document)
        await self._tx.change(SEARCHED, version=document.version_id)
        own = await self._tx.rows(ITS_IDS, version_id=document.version_id)
        found = {row.id for row in own}
        gone = [row.id for row in await self._tx.rows(CHUNK_IDS, document_id=document.id) if row.id not in found]
        await self._tx.change(OF_OTHERS, document_id=document.id, this_version=document.version_id)
        beside = [row.id for row in own if row.seq < 0]
        log = ChangeLog(self._tx, document.collection_id)
        first = await log.take(len(beside) + len(gone))
        numbers = ({"chunk_id": chunk_id, "seq": seq} for seq, chunk_id in enumerate(beside, first))
        await self._tx.change_each(CHANGED, *numbers)
        await log.bury(document.id, gone, first=first + len(beside))

    async def summarise(
        self, document: Document, chunks: Sequence[Chunk], vectors: Mapping[ChunkId, Vector], *, model_id: str
    ) -> None:
        """Add the summaries of a document's version, in place of those that it has. See `ChunkRows.summarise`."""
        refuse_stray_chunks(document, chunks, vectors)
        packed = _packed(vectors, model_id)
        await self._tx.lock()
        await self._check(document, chunks, vectors, model_id, whole=True)
        gone = [row.id for row in await self._tx.rows(SUMMARIES, document_id=document.id)]
        for some in batches(gone):
            await self._tx.change(SOME_GONE, chunk_ids=some)
        log = ChangeLog(self._tx, document.collection_id)
        first = await log.take(len(chunks) + len(gone))
        await self._insert(document, chunks, first)
        await self._tx.insert(table_of_vectors, *packed)
        await log.bury(document.id, gone, first=first + len(chunks))

    async def retitle(self, document: Document) -> None:
        """Save a document's row and give its title to its chunks, which take new numbers of the log. Vectors stay as they are.

        Raises `NotFoundError` for an unknown collection.
        """
        await self._tx.lock()
        await SqlDocuments(self._tx).save(document)
        found = [_chunk(row) for row in await self._tx.rows(OF_DOCUMENT, document_id=document.id)]
        renamed = [replace(chunk, title=document.title) for chunk in found]
        first = await ChangeLog(self._tx, document.collection_id).take(len(renamed))
        rows = (
            {"chunk_id": chunk.id, "title": chunk.title, "fingerprint": chunk.fingerprint, "seq": seq, "vector_seq": 0}
            for seq, chunk in enumerate(renamed, first)
        )
        await self._tx.change_each(CHANGED, *rows)

    async def of_version(self, version_id: VersionId) -> list[Chunk]:
        """Return the chunks of a version in order."""
        return [_chunk(row) for row in await self._tx.rows(OF_VERSION, version_id=version_id)]

    async def vectors(self, fingerprints: Sequence[str], *, model_id: str) -> dict[str, Vector]:
        """Return stored vectors by chunk fingerprint, for those that have one of this model. Each is a float32 buffer."""
        found: dict[str, bytes] = {}
        for some in batches(list(dict.fromkeys(fingerprints))):
            rows = await self._tx.rows(VECTORS, model_id=model_id, fingerprints=some)
            found.update((row.fingerprint, row.data) for row in rows)
        unpacked = half.unpack_all(list(found.values()))
        return {fingerprint: vector for fingerprint, vector in zip(found, unpacked, strict=True) if vector is not None}

    async def of_bytes(self, sha256: str, *, parser: str, parser_version: str, model_id: str) -> list[Chunk]:
        """Return the chunks of a searched version of these bytes as this parser read them, with vectors of this model."""
        found = await self._tx.row(TWIN, sha256=sha256, parser=parser, parser_version=parser_version, model_id=model_id)
        return await self.of_version(VersionId(found.id)) if found else []

    async def texts(self, chunk_ids: Sequence[ChunkId]) -> list[PassageText]:
        """Return the texts of those of which `passages` would return passages."""
        return await read_texts(self._tx, chunk_ids)

    async def passages(self, chunk_ids: Sequence[ChunkId]) -> list[Passage]:
        """Return passages of the chunks of current versions, in the order asked, without the rest."""
        return await read_passages(self._tx, chunk_ids)

    async def begin_anew(self, collection_id: CollectionId) -> None:
        """Have all mirrors of a collection made anew from its rows, whatever they hold."""
        await self._tx.lock()
        log = ChangeLog(self._tx, collection_id)
        # A number that no mirror has read, and behind it a horizon before which none can go on.
        await log.prune(await log.take(1))

    async def prune(self, collection_id: CollectionId, *, through_seq: int) -> int:
        """Forget the tombstones up to `through_seq`; mirrors that stand before it rebuild. Return how many there were."""
        await self._tx.lock()
        return await ChangeLog(self._tx, collection_id).prune(through_seq)

    async def _check(
        self, document: Document, chunks: Sequence[Chunk], vectors: Mapping[ChunkId, Vector], model_id: str, *, whole: bool
    ) -> None:
        collection = await require_collection(self._tx, document.collection_id)
        refuse_unfit_vectors(collection, chunks, vectors, model_id=model_id, whole=whole)
        if await self._tx.row(ITS_VERSION, version_id=document.version_id, document_id=document.id) is None:
            raise NotFoundError("There is no such version of the document.")

    async def _clear(self, document_id: DocumentId) -> list[str]:
        gone = [row.id for row in await self._tx.rows(CHUNK_IDS, document_id=document_id)]
        await self._tx.change(GONE, document_id=document_id)  # those kept beside, too
        return gone

    async def _insert(self, document: Document, new: Sequence[Chunk], first: int) -> None:
        place = {"collection_id": document.collection_id}
        await self._tx.insert(chunks, *(place | _values(chunk, seq) for seq, chunk in enumerate(new, first)))


def _packed(vectors: Mapping[ChunkId, Vector], model_id: str) -> list[dict[str, Any]]:
    return [{"chunk_id": id_, "model_id": model_id, "data": half.pack(vector)} for id_, vector in vectors.items()]


def _values(chunk: Chunk, seq: int) -> dict[str, Any]:
    return {
        "id": chunk.id,
        "document_id": chunk.document_id,
        "version_id": chunk.version_id,
        "seq": seq,
        "chunk_index": chunk.chunk_index,
        "title": chunk.title,
        "heading_path": json.dumps(chunk.heading_path),
        "text": chunk.text,
        "start_char": chunk.start,
        "end_char": chunk.end,
        "token_count": chunk.token_count,
        "pages": dump_pages(chunk.pages),
        "lang": chunk.lang,
        "chunk_type": chunk.chunk_type.value,
        "generated": chunk.generated,
        "figure_id": chunk.figure_id,
        "members": json.dumps(chunk.members),
        "fingerprint": chunk.fingerprint,
    }


def _chunk(row: Row[Any]) -> Chunk:
    return Chunk(
        id=ChunkId(row.id),
        document_id=DocumentId(row.document_id),
        version_id=VersionId(row.version_id),
        chunk_index=row.chunk_index,
        title=row.title,
        heading_path=load_headings(row.heading_path),
        text=row.text,
        start=row.start_char,
        end=row.end_char,
        token_count=row.token_count,
        pages=load_pages(row.pages),
        lang=row.lang,
        chunk_type=ChunkType(row.chunk_type),
        generated=row.generated,
        figure_id=row.figure_id,
        members=tuple(json.loads(row.members)),
    )
