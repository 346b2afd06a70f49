"""Repositories over the rows in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pincite.adapters.memory.store_tables import Entry, Numbers, Tables, Transaction
from pincite.core.answers import AnswerRecord
from pincite.core.documents import CanonicalText, Chunk, Collection, Document, Stage, Version
from pincite.core.errors import ConflictError, NotFoundError
from pincite.core.evidence import Filter, Passage, PassageText, Scope
from pincite.core.ids import ChunkId, CollectionId, DocumentId, MessageId, VersionId
from pincite.core.ports import changes
from pincite.core.ports.models import Vector
from pincite.core.vectors import pack_float16, refuse_stray_chunks, refuse_unfit_vectors, unpack_float16


class MemoryCollections:
    """Collections of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, collection: Collection) -> None:
        """Insert. Raises `ConflictError` when the name, or the id, is taken."""
        own = self._tx.workspace_id
        if collection.workspace_id != own:
            raise ConflictError("A unit of work adds collections to its own workspace alone.")
        tables = await self._tx.lock()
        if await self.named(collection.name):
            raise ConflictError(f"There is already a collection named “{collection.name}”.")
        tables.collections.add(own, collection.id, collection)
        tables.numbers.add(own, collection.id, Numbers())

    async def get(self, collection_id: CollectionId) -> Collection | None:
        """Return one by id."""
        return self._tx.tables.collections.get(self._tx.workspace_id, collection_id)

    async def named(self, name: str) -> Collection | None:
        """Return one by name."""
        return next((row for row in await self.list() if row.name == name), None)

    async def list(self) -> list[Collection]:
        """Return all, by name."""
        return sorted(self._tx.tables.collections.all(self._tx.workspace_id), key=lambda row: row.name)

    async def scope(self, collection_id: CollectionId) -> Scope:
        """Count its documents by stage."""
        rows = [row for row in self._tx.tables.documents.all(self._tx.workspace_id) if row.collection_id == collection_id]
        ready = sum(row.stage is Stage.READY for row in rows)
        failed = sum(row.stage is Stage.FAILED for row in rows)
        unread = sum(row.pages_unread for row in rows)
        return Scope(documents=len(rows), ready=ready, in_work=len(rows) - ready - failed, failed=failed, pages_unread=unread)


class MemoryDocuments:
    """Documents of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def save(self, document: Document) -> None:
        """Insert or update by id. Raises `ConflictError` when (collection, path) belongs to another document."""
        own = self._tx.workspace_id
        tables = await self._tx.lock()
        if tables.collections.get(own, document.collection_id) is None:
            raise NotFoundError("There is no such collection.")
        holder = await self.at_path(document.collection_id, document.path)
        if holder is not None and holder.id != document.id:
            raise ConflictError(f"The path “{document.path}” belongs to another document of the collection.")
        before = tables.documents.get(own, document.id)
        if before is not None and before.collection_id != document.collection_id:
            raise ConflictError("A document can't move to another collection.")
        tables.documents.put(own, document.id, document)

    async def get(self, document_id: DocumentId) -> Document | None:
        """Return one by id."""
        return self._tx.tables.documents.get(self._tx.workspace_id, document_id)

    async def at_path(self, collection_id: CollectionId, path: str) -> Document | None:
        """Return the one at a path."""
        return next((row for row in self._of(collection_id) if row.path == path), None)

    async def inside(self, document: Document) -> list[Document]:
        """Return by path the documents whose files stand in this one's."""
        inner = (row for row in self._of(document.collection_id) if row.container_id == document.id)
        return sorted(inner, key=lambda row: row.path)

    async def list(self, collection_id: CollectionId, *, after_path: str = "", limit: int = 1000) -> list[Document]:
        """Return up to `limit` documents by path, those after `after_path`."""
        rows = sorted((row for row in self._of(collection_id) if row.path > after_path), key=lambda row: row.path)
        return rows[:limit]

    async def matching(self, collection_id: CollectionId, filter: Filter) -> set[DocumentId]:
        """Return the searchable documents (those with a version) that a filter leaves."""
        return {row.id for row in self._of(collection_id) if row.version_id is not None and _passes(row, filter)}

    async def remove(self, document_id: DocumentId) -> bool:
        """Delete a document and all that is made of it, leaving tombstones. False when unknown."""
        tables = await self._tx.lock()
        document = tables.documents.drop(self._tx.workspace_id, document_id)
        if document is None:
            return False
        tables.ingestions.drop(self._tx.workspace_id, document_id)
        tables.files.drop(self._tx.workspace_id, document_id)
        for version in tables.versions.all(self._tx.workspace_id):
            if version.document_id == document_id:
                tables.versions.drop(self._tx.workspace_id, version.id)
                tables.texts.drop(self._tx.workspace_id, version.id)
        _bury(self._tx, tables, [entry for entry in _entries(self._tx, tables) if entry.document_id == document_id])
        return True

    def _of(self, collection_id: CollectionId) -> "list[Document]":
        return [row for row in self._tx.tables.documents.all(self._tx.workspace_id) if row.collection_id == collection_id]


class MemoryVersions:
    """Versions of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, version: Version, canonical: CanonicalText) -> None:
        """Insert a version with its text. Raises `NotFoundError` without its document, `ConflictError` when the id is taken."""
        tables = await self._tx.lock()
        if tables.documents.get(self._tx.workspace_id, version.document_id) is None:
            raise NotFoundError("There is no such document.")
        tables.versions.add(self._tx.workspace_id, version.id, version)
        tables.texts.add(self._tx.workspace_id, version.id, canonical)

    async def get(self, version_id: VersionId) -> Version | None:
        """Return one by id."""
        return self._tx.tables.versions.get(self._tx.workspace_id, version_id)

    async def of_document(self, document_id: DocumentId) -> list[Version]:
        """Return a document's versions, oldest first."""
        rows = (row for row in self._tx.tables.versions.all(self._tx.workspace_id) if row.document_id == document_id)
        return sorted(rows, key=lambda row: (row.created_at, row.id))

    async def canonical(self, version_id: VersionId) -> CanonicalText | None:
        """Return the text of a version."""
        return self._tx.tables.texts.get(self._tx.workspace_id, version_id)

    async def blob_in_use(self, sha256: str) -> bool:
        """Say whether any version, or any document still without one, has these bytes, in any workspace."""
        tables = self._tx.tables
        return any(row.sha256 == sha256 for row in (*tables.versions.everywhere(), *tables.documents.everywhere()))


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
        own = self._tx.workspace_id
        tables = await self._tx.lock()
        version = tables.versions.get(own, document.version_id)
        if version is None or version.document_id != document.id:
            raise NotFoundError("There is no such version of the document.")
        await MemoryDocuments(self._tx).save(document)
        if collection := tables.collections.get(own, document.collection_id):
            refuse_unfit_vectors(collection, chunks, vectors, model_id=model_id)
        gone = [entry for entry in _entries(self._tx, tables) if entry.document_id == document.id]
        kept = {chunk.id for chunk in chunks}
        for chunk in chunks:
            kept_vectors = {model_id: halved(vectors[chunk.id])} if chunk.id in vectors else dict[str, Vector]()
            _append(self._tx, tables, Entry(0, document.collection_id, document.id, chunk, kept_vectors), chunk.id)
        _bury(self._tx, tables, [entry for entry in gone if entry.chunk and entry.chunk.id not in kept])

    async def retitle(self, document: Document) -> None:
        """Save a document's row and give its title to its chunks, which take new numbers of the log. See `ChunkRows.retitle`."""
        tables = await self._tx.lock()
        await MemoryDocuments(self._tx).save(document)
        for entry in _entries(self._tx, tables):
            if entry.chunk and entry.document_id == document.id:
                _append(self._tx, tables, replace(entry, chunk=replace(entry.chunk, title=document.title)), entry.chunk.id)

    async def of_version(self, version_id: VersionId) -> list[Chunk]:
        """Return the chunks of a version in order."""
        found = [entry.chunk for entry in _entries(self._tx, self._tx.tables) if entry.chunk]
        return sorted((chunk for chunk in found if chunk.version_id == version_id), key=lambda chunk: chunk.chunk_index)

    async def vectors(self, fingerprints: Sequence[str], *, model_id: str) -> dict[str, Vector]:
        """Return stored vectors by chunk fingerprint, for those that have one of this model."""
        wanted = set(fingerprints)
        return {
            entry.chunk.fingerprint: entry.vectors[model_id]
            for entry in _entries(self._tx, self._tx.tables)
            if entry.chunk and model_id in entry.vectors and entry.chunk.fingerprint in wanted
        }

    async def of_bytes(self, sha256: str, *, parser: str, parser_version: str, model_id: str) -> list[Chunk]:
        """Return the chunks of a searched version of these bytes as this parser read them, with vectors of this model."""
        wanted = (sha256, parser, parser_version)
        twins = [v for v in self._tx.tables.versions.all(self._tx.workspace_id) if (v.sha256, v.parser, v.parser_version) == wanted]
        embedded = {
            entry.chunk.version_id for entry in _entries(self._tx, self._tx.tables) if entry.chunk and model_id in entry.vectors
        }
        found = [twin.id for twin in twins if twin.id in embedded]
        return await self.of_version(found[0]) if found else []

    async def passages(self, chunk_ids: Sequence[ChunkId]) -> list[Passage]:
        """Return passages of the chunks of current versions, in the order asked, without the rest."""
        return [passage for chunk_id in chunk_ids if (passage := self._passage(chunk_id))]

    async def texts(self, chunk_ids: Sequence[ChunkId]) -> list[PassageText]:
        """Return the texts of those of which `passages` would return passages."""
        return [
            PassageText(found.chunk_id, found.version_id, found.chunk_index, found.title, found.heading_path, found.text)
            for found in await self.passages(chunk_ids)
        ]

    async def prune(self, collection_id: CollectionId, *, through_seq: int) -> int:
        """Forget the tombstones up to `through_seq`; mirrors that stand before it rebuild. Return how many there were."""
        return _prune(self._tx, await self._tx.lock(), collection_id, through_seq)

    def _passage(self, chunk_id: ChunkId) -> Passage | None:
        entry = self._tx.tables.log.get(self._tx.workspace_id, chunk_id)
        document = self._tx.tables.documents.get(self._tx.workspace_id, entry.document_id) if entry else None
        if entry is None or entry.chunk is None or document is None or document.version_id != entry.chunk.version_id:
            return None
        return _passage(document, entry.chunk)


class MemoryAnswers:
    """Answers of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, record: AnswerRecord) -> None:
        """Insert an answer with its evidence. Raises `ConflictError` when the id is taken."""
        (await self._tx.lock()).answers.add(self._tx.workspace_id, record.answer.message_id, record)

    async def get(self, message_id: MessageId) -> AnswerRecord | None:
        """Return one by id, exactly as it was given."""
        return self._tx.tables.answers.get(self._tx.workspace_id, message_id)


def _passes(document: Document, filter: Filter) -> bool:
    prefix = filter.path_prefix
    folder = prefix if prefix.endswith("/") else f"{prefix}/"
    return (
        (not filter.document_ids or document.id in filter.document_ids)
        and (not filter.content_types or document.content_type in filter.content_types)
        and (not filter.tags or not set(filter.tags).isdisjoint(document.tags))
        and (not prefix or document.path.startswith(folder) or (document.path == prefix and prefix != folder))
    )


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
        lang=chunk.lang,
        metadata={**document.meta, "source_uri": document.source_uri},
    )


def _entries(transaction: Transaction, tables: Tables) -> list[Entry]:
    return tables.log.all(transaction.workspace_id)


def _bury(transaction: Transaction, tables: Tables, entries: Sequence[Entry]) -> None:
    for entry in entries:
        if entry.chunk:
            _append(transaction, tables, Entry(0, entry.collection_id, entry.document_id), entry.chunk.id)
    for collection_id in {entry.collection_id for entry in entries}:
        rows = tables.log.all(transaction.workspace_id)
        buried = sorted(row.seq for row in rows if row.chunk is None and row.collection_id == collection_id)
        if len(buried) > changes.MOST_TOMBSTONES:
            _prune(transaction, tables, collection_id, buried[-changes.MOST_TOMBSTONES // 2 - 1])


def _prune(transaction: Transaction, tables: Tables, collection_id: CollectionId, through_seq: int) -> int:
    own, numbers = transaction.workspace_id, transaction.numbers(collection_id)
    if not numbers.horizon < through_seq <= numbers.head:
        return 0
    tables.numbers.put(own, collection_id, replace(numbers, horizon=through_seq))
    return tables.log.drop_where(
        own, lambda entry: entry.chunk is None and entry.collection_id == collection_id and entry.seq <= through_seq
    )


def _append(transaction: Transaction, tables: Tables, entry: Entry, chunk_id: ChunkId) -> None:
    """Give an entry the next number and put it at the end of the log, in place of an earlier one of the same chunk."""
    own = transaction.workspace_id
    tables.log.drop(own, chunk_id)
    tables.log.add(own, chunk_id, replace(entry, seq=take_number(transaction, tables, entry.collection_id)))


def take_number(transaction: Transaction, tables: Tables, collection_id: CollectionId) -> int:
    """Reserve the next number of a collection's log."""
    numbers = transaction.numbers(collection_id)
    tables.numbers.put(transaction.workspace_id, collection_id, replace(numbers, head=numbers.head + 1))
    return numbers.head + 1


def halved(vector: Vector) -> Vector:
    """Return a vector as a store gives it back."""
    return unpack_float16(pack_float16(vector))
