"""Rows: one unit of work, opened for one workspace, is the only way to them."""

from collections.abc import Collection as Many
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol

from pincite.core.access import ApiToken
from pincite.core.answers import AnswerRecord
from pincite.core.documents import CanonicalText, Chunk, Document, Version
from pincite.core.evidence import Filter, Passage, PassageText
from pincite.core.files import FileState, KnownFile
from pincite.core.ids import ChunkId, CollectionId, DocumentId, MessageId, TokenId, VersionId, WorkspaceId
from pincite.core.ports.collections import CollectionRows
from pincite.core.ports.embeddings import EmbeddingRows
from pincite.core.ports.figures import FigureRows
from pincite.core.ports.keeping import KeepingRows
from pincite.core.ports.metering import UsageRows
from pincite.core.ports.models import Vector
from pincite.core.ports.queue import JobRows
from pincite.core.ports.reading import IngestionRows, ReadPageRows
from pincite.core.ports.receipts import ReceiptRows
from pincite.core.ports.summaries import SummaryRows
from pincite.core.querylog import LoggedQuery


class DocumentRows(Protocol):
    """Documents of the workspace."""

    async def save(self, document: Document) -> None:
        """Insert or update by id. Raises `ConflictError` when (collection, path) belongs to another document."""
        ...

    async def get(self, document_id: DocumentId) -> Document | None:
        """Return one by id."""
        ...

    async def at_path(self, collection_id: CollectionId, path: str) -> Document | None:
        """Return the one at a path."""
        ...

    async def inside(self, document: Document) -> list[Document]:
        """Return by path the documents whose files stand in this one's, on the next level alone."""
        ...

    async def with_bytes(self, hashes: Many[str]) -> list[Document]:
        """Return the documents of all collections that have one of these hashes, by path."""
        ...

    async def list(self, collection_id: CollectionId, *, after_path: str = "", limit: int = 1000) -> list[Document]:
        """Return documents by path, those after `after_path`."""
        ...

    async def matching(self, collection_id: CollectionId, filter: Filter) -> set[DocumentId]:
        """Return the searchable documents (those with a version) that a filter leaves."""
        ...

    async def remove(self, document_id: DocumentId) -> bool:
        """Delete a document, its versions, texts, chunks and vectors, leaving tombstones in the change log. False when unknown.

        Stored answers keep their frozen evidence.
        """
        ...


class FileRows(Protocol):
    """What files looked like when documents of the workspace were made of them."""

    async def remember(self, states: Mapping[DocumentId, FileState]) -> None:
        """Keep the states of documents' files in place of earlier ones. Raises `NotFoundError` for an unknown document."""
        ...

    async def under(self, collection_id: CollectionId, folder: str) -> list[KnownFile]:
        """Return, by path, the documents with a file in a folder: whose file's place, or whose address, begins with `folder`.

        `folder` is an address that ends with a slash.
        """
        ...


class VersionRows(Protocol):
    """Versions and their canonical texts."""

    async def add(self, version: Version, canonical: CanonicalText) -> None:
        """Insert a version with its text. It is a draft until its chunks are published."""
        ...

    async def cut(self, version_id: VersionId, chunking: str) -> None:
        """Keep how the chunks of a version were cut."""
        ...

    async def drop_drafts(self, document_id: DocumentId, *, keep: VersionId | None = None) -> None:
        """Delete the drafts of a document, with their texts and the chunks kept for them, but for one."""
        ...

    async def get(self, version_id: VersionId) -> Version | None:
        """Return one by id, also one that is kept of a removed document."""
        ...

    async def of_document(self, document_id: DocumentId, *, drafts: bool = True) -> list[Version]:
        """Return a document's versions, oldest first; without `drafts`, those that are or were searched."""
        ...

    async def counts(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, int]:
        """Count, of each document, the versions that are or were searched; those without one are left out."""
        ...

    async def canonical(self, version_id: VersionId) -> CanonicalText | None:
        """Return the text of a version."""
        ...

    async def blob_in_use(self, sha256: str) -> bool:
        """Say whether anything that is kept names these bytes, in any workspace."""
        ...


class ChunkRows(Protocol):
    """Chunks, their vectors and the change log."""

    async def publish(
        self, document: Document, chunks: Sequence[Chunk], vectors: Mapping[ChunkId, Vector], *, model_id: str
    ) -> None:
        """Switch a document over to a version in one step: save the document row, insert chunks and vectors, append them to the
        change log, and leave tombstones for all other chunks of the document. Vectors are stored as float16.

        Chunks of a document that isn't ready may lack their vector: they are found by words, and `EmbeddingRows.fill` brings it.
        Raises `ModelChangedError` unless `model_id` is that of the model which the collection has now ("" for words alone);
        `ValueError` when a chunk of a ready document lacks its vector.
        """
        ...

    async def keep(self, document: Document, chunks: Sequence[Chunk], vectors: Mapping[ChunkId, Vector], *, model_id: str) -> None:
        """Keep chunks of a version beside those that are searched, in place of others kept for the document. Nobody finds them.

        `document.version_id` names their version; the row isn't saved. Raises what `publish` raises, but for lacking vectors.
        """
        ...

    async def switch(self, document: Document, *, model_id: str) -> None:
        """Do what `publish` does with the chunks that are stored for the document's version.

        Raises `NotFoundError` for a version that isn't there, `ModelChangedError` for another model, and (retryable) when a chunk
        lacks its vector.
        """
        ...

    async def summarise(
        self, document: Document, chunks: Sequence[Chunk], vectors: Mapping[ChunkId, Vector], *, model_id: str
    ) -> None:
        """Add the summaries of a document's version to the chunks that are searched, in place of those that it has.

        The row isn't saved. Raises what `publish` raises for a ready document.
        """
        ...

    async def retitle(self, document: Document) -> None:
        """Save a document's row and give its title to its chunks, which take new numbers of the log. Vectors stay as they are."""
        ...

    async def of_version(self, version_id: VersionId) -> list[Chunk]:
        """Return the chunks of a version in order."""
        ...

    async def vectors(self, fingerprints: Sequence[str], *, model_id: str) -> dict[str, Vector]:
        """Return stored vectors of the workspace by chunk fingerprint, for those that have one of this model."""
        ...

    async def of_bytes(self, sha256: str, *, parser: str, parser_version: str, model_id: str) -> list[Chunk]:
        """Return the chunks, in order, of a searched version of these bytes as this parser read them, with vectors of this model.

        Of several such versions in the workspace it is one; without any, an empty list.
        """
        ...

    async def texts(self, chunk_ids: Sequence[ChunkId]) -> list[PassageText]:
        """Return the texts of those of which `passages` would return passages, in the same order, for less."""
        ...

    async def passages(self, chunk_ids: Sequence[ChunkId]) -> list[Passage]:
        """Return passages of the chunks that belong to their document's current version, in the order asked, without the rest."""
        ...

    async def begin_anew(self, collection_id: CollectionId) -> None:
        """Have all mirrors of a collection made anew from its rows, whatever they hold."""
        ...

    async def prune(self, collection_id: CollectionId, *, through_seq: int) -> int:
        """Forget the tombstones numbered up to `through_seq` and move the log's horizon there; return how many there were.

        Mirrors that stand before the horizon rebuild. A number beyond the head, or behind the horizon, changes nothing.
        """
        ...


class AnswerRows(Protocol):
    """Stored answers with their frozen evidence."""

    async def add(self, record: AnswerRecord) -> None:
        """Insert an answer."""
        ...

    async def get(self, message_id: MessageId) -> AnswerRecord | None:
        """Return one by id, exactly as it was given."""
        ...

    async def rewrite(self, record: AnswerRecord) -> None:
        """Put a record in the place of the one with its id and as many quotes: for what was erased."""
        ...

    async def citing(self, collection_id: CollectionId, *, after: MessageId | None = None, limit: int = 500) -> Sequence[MessageId]:
        """Return the answers that cite documents of a collection, by id, which is by age: those after one."""
        ...


class TokenRows(Protocol):
    """API tokens of the workspace."""

    async def add(self, token: ApiToken) -> None:
        """Insert. Raises `ConflictError` when the id is taken."""
        ...

    async def add_first(self, token: ApiToken) -> bool:
        """Insert when the workspace has no token yet. False, and nothing changed, when it has one."""
        ...

    async def list(self) -> list[ApiToken]:
        """Return all, oldest first."""
        ...

    async def remove(self, token_id: TokenId) -> bool:
        """Delete one. False when unknown."""
        ...


class QueryLogRows(Protocol):
    """The log of questions of the workspace."""

    async def add(self, queries: Sequence[LoggedQuery]) -> None:
        """Insert questions. One whose message is logged already is left as it is."""
        ...

    async def list(self, *, limit: int = 100, before: datetime | None = None) -> list[LoggedQuery]:
        """Return questions, newest first, those asked before an instant."""
        ...

    async def of(self, message_ids: Sequence[MessageId]) -> Sequence[LoggedQuery]:
        """Return the questions with these ids, of those that are logged."""
        ...

    async def rewrite(self, query: LoggedQuery) -> None:
        """Put other words in the place of a logged question's own and of what was received: for what was erased."""
        ...


class UnitOfWork(Protocol):
    """One transaction. What isn't committed is rolled back when the block ends."""

    @property
    def workspace_id(self) -> WorkspaceId:
        """Return the workspace that every row read or written belongs to."""
        ...

    @property
    def collections(self) -> CollectionRows: ...

    @property
    def documents(self) -> DocumentRows: ...

    @property
    def files(self) -> FileRows: ...

    @property
    def versions(self) -> VersionRows: ...

    @property
    def figures(self) -> FigureRows: ...

    @property
    def chunks(self) -> ChunkRows: ...

    @property
    def embeddings(self) -> EmbeddingRows: ...

    @property
    def answers(self) -> AnswerRows: ...

    @property
    def tokens(self) -> TokenRows: ...

    @property
    def ingestions(self) -> IngestionRows: ...

    @property
    def read_pages(self) -> ReadPageRows: ...

    @property
    def jobs(self) -> JobRows: ...

    @property
    def query_logs(self) -> QueryLogRows: ...

    @property
    def keeping(self) -> KeepingRows: ...

    @property
    def usage(self) -> UsageRows: ...

    @property
    def receipts(self) -> ReceiptRows: ...

    @property
    def summaries(self) -> SummaryRows: ...

    async def lock(self) -> None:
        """Become the only writer now, as the first write would: what is read from here on can't change before the commit.

        For whoever decides on what they read. Raises `StoreError` (`store_busy`).
        """
        ...

    async def commit(self) -> None:
        """Make the work durable. Raises `StoreError` (`disk_full`, `store_busy`)."""
        ...


class Store(Protocol):
    """Opens units of work. Any number of processes may use one store."""

    def open(self, workspace_id: WorkspaceId) -> AbstractAsyncContextManager[UnitOfWork]:
        """Open a unit of work for one workspace.

        Until its first write it sees whatever is committed at each read and locks nothing. The first write makes it the only
        writer, waiting for others (`StoreError`, `store_busy`); what it reads from then on can't change before its commit.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...
