"""Repositories over the rows in memory: collections, documents, answers."""

from collections.abc import Collection as Many
from dataclasses import replace

from pincite.adapters.memory.store_log import bury, drop_version, entries
from pincite.adapters.memory.store_tables import Numbers, Transaction
from pincite.core.answers import AnswerRecord
from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import ConflictError, NotFoundError, name_taken
from pincite.core.evidence import Filter, Scope
from pincite.core.ids import CollectionId, DocumentId, MessageId
from pincite.core.policies import Policy
from pincite.core.redacting import collections_of


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
            raise name_taken(collection.name)
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
        searchable = sum(row.version_id is not None for row in rows)
        return Scope(len(rows), ready, len(rows) - ready - failed, failed, pages_unread=unread, searchable=searchable)

    async def rename(self, collection_id: CollectionId, name: str) -> Collection:
        """Give one another name, and return it. Raises `NotFoundError`, and `ConflictError` when another one has the name."""
        tables = await self._tx.lock()
        found, holder = await self.get(collection_id), await self.named(name)
        if found is None:
            raise NotFoundError("There is no such collection.", code="collection")
        if holder and holder.id != collection_id:
            raise name_taken(name)
        renamed = replace(found, name=name)
        tables.collections.put(self._tx.workspace_id, collection_id, renamed)
        return renamed

    async def summarise(self, collection_id: CollectionId, summaries: bool) -> Collection:
        """Say whether one's documents are summarised, and return it. Raises `NotFoundError`."""
        tables, found = await self._tx.lock(), await self.get(collection_id)
        if found is None:
            raise NotFoundError("There is no such collection.", code="collection")
        changed = replace(found, summaries=summaries)
        tables.collections.put(self._tx.workspace_id, collection_id, changed)
        return changed

    async def use_policy(self, collection_id: CollectionId, policy: Policy) -> Collection:
        """Say what is done with claims that one's documents don't support, and return it. Raises `NotFoundError`."""
        tables, found = await self._tx.lock(), await self.get(collection_id)
        if found is None:
            raise NotFoundError("There is no such collection.", code="collection")
        changed = replace(found, policy=policy)
        tables.collections.put(self._tx.workspace_id, collection_id, changed)
        return changed

    async def blobs(self, collection_id: CollectionId) -> set[str]:
        """Return the hashes of the bytes of its documents and their figures, in all their versions."""
        own, tables = self._tx.workspace_id, self._tx.tables
        mine = {row.id: row.sha256 for row in tables.documents.all(own) if row.collection_id == collection_id}
        of_versions = {version.sha256 for version in tables.versions.all(own) if version.document_id in mine}
        ids = {version.id for version in tables.versions.all(own) if version.document_id in mine}
        of_figures = {figure.sha256 for figure in tables.figures.all(own) if figure.version_id in ids}
        return {sha256 for sha256 in {*mine.values(), *of_versions, *of_figures} if sha256}

    async def remove(self, collection_id: CollectionId) -> bool:
        """Delete one with its log and all of its documents. False when unknown."""
        own, tables = self._tx.workspace_id, await self._tx.lock()
        if tables.collections.get(own, collection_id) is None:
            return False
        rows = MemoryDocuments(self._tx)
        for document in [row for row in tables.documents.all(own) if row.collection_id == collection_id]:
            await rows.remove(document.id)
        tables.log.drop_where(own, lambda entry: entry.collection_id == collection_id)
        tables.numbers.drop(own, collection_id)
        tables.collections.drop(own, collection_id)
        return True


class MemoryDocuments:
    """Documents of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def save(self, document: Document) -> None:
        """Insert or update by id. Raises `ConflictError` when (collection, path) belongs to another document."""
        own = self._tx.workspace_id
        tables = await self._tx.lock()
        if tables.collections.get(own, document.collection_id) is None:
            raise NotFoundError("There is no such collection.", code="collection")
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

    async def with_bytes(self, hashes: Many[str]) -> "list[Document]":
        """Return the documents of all collections that have one of these hashes, by path."""
        rows = [row for row in self._tx.tables.documents.all(self._tx.workspace_id) if row.sha256 in hashes]
        return sorted(rows, key=lambda row: (row.path, row.id))

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
        tables.read_pages.drop_where(self._tx.workspace_id, lambda row: row.document_id == document_id)
        tables.summary_runs.drop(self._tx.workspace_id, document_id)
        tables.summaries.drop_where(self._tx.workspace_id, lambda row: row[0] == document_id)
        tables.files.drop(self._tx.workspace_id, document_id)
        for version in tables.versions.all(self._tx.workspace_id):
            if version.document_id == document_id:
                drop_version(tables, self._tx.workspace_id, version.id)
        tables.kept.drop_where(self._tx.workspace_id, lambda entry: entry.document_id == document_id)
        bury(self._tx, tables, [entry for entry in entries(self._tx, tables) if entry.document_id == document_id])
        return True

    def _of(self, collection_id: CollectionId) -> "list[Document]":
        return [row for row in self._tx.tables.documents.all(self._tx.workspace_id) if row.collection_id == collection_id]


class MemoryAnswers:
    """Answers of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, record: AnswerRecord) -> None:
        """Insert an answer with its evidence. Raises `ConflictError` when the id is taken."""
        (await self._tx.lock()).answers.add(self._tx.workspace_id, record.answer.message_id, record)

    async def rewrite(self, record: AnswerRecord) -> None:
        """Put a record in the place of the one with its id and as many quotes: for what was erased."""
        (await self._tx.lock()).answers.put(self._tx.workspace_id, record.answer.message_id, record)

    async def get(self, message_id: MessageId) -> AnswerRecord | None:
        """Return one by id, exactly as it was given."""
        return self._tx.tables.answers.get(self._tx.workspace_id, message_id)

    async def citing(self, collection_id: CollectionId, *, after: MessageId | None = None, limit: int = 500) -> list[MessageId]:
        """Return the answers that cite documents of a collection, by id, which is by age: those after one."""
        found = [key for key, record in self._tx.tables.answers.items(self._tx.workspace_id) if _cites(record, collection_id)]
        return sorted(key for key in found if key > (after or ""))[:limit]


def _cites(record: AnswerRecord, collection_id: CollectionId) -> bool:
    homes = collections_of(record)
    return any(homes.get(quote.document_id) == collection_id for quote in record.evidence)


def _passes(document: Document, filter: Filter) -> bool:
    prefix = filter.path_prefix
    folder = prefix if prefix.endswith("/") else f"{prefix}/"
    return (
        (not filter.document_ids or document.id in filter.document_ids)
        and (not filter.content_types or document.content_type in filter.content_types)
        and (not filter.tags or not set(filter.tags).isdisjoint(document.tags))
        and (not prefix or document.path.startswith(folder) or (document.path == prefix and prefix != folder))
    )
