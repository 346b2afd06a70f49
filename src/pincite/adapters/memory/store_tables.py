"""The rows of a store in memory, and the transaction that changes them."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pincite.core.access import ApiToken
from pincite.core.answers import AnswerRecord
from pincite.core.documents import CanonicalText, Chunk, Collection, Document, Version
from pincite.core.errors import ConflictError, StoreError
from pincite.core.figures import Figure, PictureDescription
from pincite.core.files import FileState
from pincite.core.ids import ChunkId, CollectionId, DocumentId, FigureId, JobId, MessageId, TokenId, VersionId, WorkspaceId
from pincite.core.ingestions import Ingestion
from pincite.core.jobs import LONGEST_S, Job, JobState
from pincite.core.keeping import Erasure, Hold, RemovedDocument
from pincite.core.ports.models import Vector
from pincite.core.querylog import LoggedQuery
from pincite.core.receipts import Receipt
from pincite.core.summaries import Summary, SummaryRun
from pincite.core.usage import LedgerRow

K = TypeVar("K", bound=str)
V = TypeVar("V")


class Rows(Generic[K, V]):
    """Rows of one kind by id, in the order they were put in. Every access names the workspace that it is for."""

    def __init__(self, rows: dict[K, tuple[WorkspaceId, V]] | None = None) -> None:
        self._rows: dict[K, tuple[WorkspaceId, V]] = rows or {}

    def get(self, workspace_id: WorkspaceId, key: K | None) -> V | None:
        """Return the workspace's row of an id."""
        owner, row = self._rows.get(key, (None, None)) if key is not None else (None, None)
        return row if owner == workspace_id else None

    def all(self, workspace_id: WorkspaceId) -> list[V]:
        """Return the workspace's rows."""
        return [row for owner, row in self._rows.values() if owner == workspace_id]

    def items(self, workspace_id: WorkspaceId) -> Iterator[tuple[K, V]]:
        """Yield the workspace's ids and rows."""
        return ((key, row) for key, (owner, row) in self._rows.items() if owner == workspace_id)

    def everywhere(self) -> list[V]:
        """Return the rows of all workspaces."""
        return [row for _, row in self._rows.values()]

    def put(self, workspace_id: WorkspaceId, key: K, row: V) -> None:
        """Insert or replace a row. Raises `ConflictError` when another workspace has the id."""
        if self._rows.get(key, (workspace_id,))[0] != workspace_id:
            raise ConflictError("This contradicts what is stored: an id or a name is already taken.")
        self._rows[key] = (workspace_id, row)

    def add(self, workspace_id: WorkspaceId, key: K, row: V) -> None:
        """Insert a row. Raises `ConflictError` when the id is taken."""
        if key in self._rows:
            raise ConflictError("This contradicts what is stored: an id or a name is already taken.")
        self._rows[key] = (workspace_id, row)

    def drop(self, workspace_id: WorkspaceId, key: K) -> V | None:
        """Remove and return the workspace's row of an id."""
        row = self.get(workspace_id, key)
        if row is not None:
            del self._rows[key]
        return row

    def drop_where(self, workspace_id: WorkspaceId, unwanted: Callable[[V], bool]) -> int:
        """Remove the workspace's rows that a test picks, and return how many."""
        keys = [key for key, row in self.items(workspace_id) if unwanted(row)]
        for key in keys:
            del self._rows[key]
        return len(keys)

    def copy(self) -> "Rows[K, V]":
        """Return rows that can be changed while these are read."""
        return Rows(dict(self._rows))


@dataclass(frozen=True, slots=True)
class Entry:
    """A chunk's entry in the change log: the chunk with its vectors by model, or (`chunk` is None) its tombstone.

    `vector_seq` is the number at which mirrors of vectors read it, when its vector came later than itself; else 0.
    """

    seq: int
    collection_id: CollectionId
    document_id: DocumentId
    chunk: Chunk | None = None
    vectors: Mapping[str, Vector] = field(default_factory=dict[str, Vector])
    vector_seq: int = 0


@dataclass(frozen=True, slots=True)
class Numbers:
    """Where a collection's log stands, and where it stood when bringing it to its model and to the next one was begun."""

    head: int = 0
    horizon: int = 0
    embedding: int = 0
    next_embedding: int = 0


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job with all that is kept of it. `due_at` is when it may begin, or when its lease ends."""

    job: Job
    number: int = 0
    state: JobState = JobState.QUEUED
    due_at: float = 0.0
    error: str = ""

    def is_due(self, now: float) -> bool:
        """Say whether it can be leased."""
        is_left = self.state is JobState.RUNNING and not self.job.is_last_attempt
        return self.is_over(now) and (self.state is JobState.QUEUED or is_left)

    def is_over(self, now: float) -> bool:
        """Say whether its wait or lease has ended, or was set by a clock that has been put back since."""
        return self.due_at <= now or self.due_at > now + LONGEST_S


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What a reader made of a page of a document's file, or of a picture in it."""

    document_id: DocumentId
    sha256: str
    reader: str
    page: int
    data: bytes

    @property
    def key(self) -> str:
        """Return what it is told by."""
        return repr((self.document_id, self.sha256, self.reader, self.page))


@dataclass(frozen=True, slots=True)
class Tables:
    """All rows of a store. `log` stands in the order of its numbers; `kept` are chunks beside those that are searched.

    `drafts` are those of the versions that never were searched.
    """

    collections: Rows[CollectionId, Collection] = field(default_factory=Rows[CollectionId, Collection])
    documents: Rows[DocumentId, Document] = field(default_factory=Rows[DocumentId, Document])
    files: Rows[DocumentId, FileState] = field(default_factory=Rows[DocumentId, FileState])
    versions: Rows[VersionId, Version] = field(default_factory=Rows[VersionId, Version])
    texts: Rows[VersionId, CanonicalText] = field(default_factory=Rows[VersionId, CanonicalText])
    figures: Rows[FigureId, Figure] = field(default_factory=Rows[FigureId, Figure])
    descriptions: Rows[str, PictureDescription] = field(default_factory=Rows[str, PictureDescription])
    drafts: Rows[VersionId, Version] = field(default_factory=Rows[VersionId, Version])
    log: Rows[ChunkId, Entry] = field(default_factory=Rows[ChunkId, Entry])
    kept: Rows[ChunkId, Entry] = field(default_factory=Rows[ChunkId, Entry])
    numbers: Rows[CollectionId, Numbers] = field(default_factory=Rows[CollectionId, Numbers])
    answers: Rows[MessageId, AnswerRecord] = field(default_factory=Rows[MessageId, AnswerRecord])
    tokens: Rows[TokenId, ApiToken] = field(default_factory=Rows[TokenId, ApiToken])
    ingestions: Rows[DocumentId, Ingestion] = field(default_factory=Rows[DocumentId, Ingestion])
    jobs: Rows[JobId, JobRow] = field(default_factory=Rows[JobId, JobRow])
    turns: Rows[WorkspaceId, int] = field(default_factory=Rows[WorkspaceId, int])
    query_logs: Rows[MessageId, LoggedQuery] = field(default_factory=Rows[MessageId, LoggedQuery])
    holds: Rows[DocumentId, Hold] = field(default_factory=Rows[DocumentId, Hold])
    removed: Rows[DocumentId, RemovedDocument] = field(default_factory=Rows[DocumentId, RemovedDocument])
    removed_versions: Rows[VersionId, Version] = field(default_factory=Rows[VersionId, Version])
    removed_texts: Rows[VersionId, CanonicalText] = field(default_factory=Rows[VersionId, CanonicalText])
    removed_figures: Rows[FigureId, Figure] = field(default_factory=Rows[FigureId, Figure])
    usage: Rows[str, LedgerRow] = field(default_factory=Rows[str, LedgerRow])
    erasures: Rows[DocumentId, Erasure] = field(default_factory=Rows[DocumentId, Erasure])
    receipts: Rows[MessageId, Receipt] = field(default_factory=Rows[MessageId, Receipt])
    summaries: Rows[str, tuple[DocumentId, Summary]] = field(default_factory=Rows[str, tuple[DocumentId, Summary]])
    summary_runs: Rows[DocumentId, SummaryRun] = field(default_factory=Rows[DocumentId, SummaryRun])
    read_pages: Rows[str, ReadPage] = field(default_factory=Rows[str, ReadPage])

    def copy(self) -> "Tables":
        """Return tables that can be changed while these are read. The rows themselves are immutable."""
        return Tables(
            self.collections.copy(),
            self.documents.copy(),
            self.files.copy(),
            self.versions.copy(),
            self.texts.copy(),
            self.figures.copy(),
            self.descriptions.copy(),
            self.drafts.copy(),
            self.log.copy(),
            self.kept.copy(),
            self.numbers.copy(),
            self.answers.copy(),
            self.tokens.copy(),
            self.ingestions.copy(),
            self.jobs.copy(),
            self.turns.copy(),
            self.query_logs.copy(),
            self.holds.copy(),
            self.removed.copy(),
            self.removed_versions.copy(),
            self.removed_texts.copy(),
            self.removed_figures.copy(),
            self.usage.copy(),
            self.erasures.copy(),
            self.receipts.copy(),
            self.summaries.copy(),
            self.summary_runs.copy(),
            self.read_pages.copy(),
        )


@dataclass(slots=True)
class Shared:
    """What all transactions of one store share: the committed rows, and the lock of the one writer."""

    busy_timeout_s: float
    tables: Tables = field(default_factory=Tables)
    writer: asyncio.Lock = field(default_factory=asyncio.Lock)


class Transaction:
    """Reads what is committed; from its first write on it is the only writer and works on a copy."""

    def __init__(self, shared: Shared, workspace_id: WorkspaceId) -> None:
        self.workspace_id = workspace_id
        self._shared = shared
        self._changed: Tables | None = None

    @property
    def tables(self) -> Tables:
        """Return the rows as this transaction sees them."""
        return self._changed or self._shared.tables

    async def lock(self) -> Tables:
        """Become the writer and return rows that may be changed. Raises `StoreError` (`store_busy`)."""
        if self._changed is None:
            try:
                async with asyncio.timeout(self._shared.busy_timeout_s):
                    await self._shared.writer.acquire()
            except TimeoutError as error:
                raise StoreError("Another unit of work is still writing.", code="store_busy", retryable=True) from error
            self._changed = self._shared.tables.copy()
        return self._changed

    def numbers(self, collection_id: CollectionId) -> Numbers:
        """Return the numbers of a collection as this transaction sees them."""
        return self.tables.numbers.get(self.workspace_id, collection_id) or Numbers()

    def commit(self) -> None:
        """Let everybody see the changes."""
        if self._changed is not None:
            self._shared.tables = self._changed
        self.close()

    def close(self) -> None:
        """Drop what isn't committed and let the next writer in."""
        if self._changed is not None:
            self._changed = None
            self._shared.writer.release()
