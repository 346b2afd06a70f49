"""A store in memory: the whole unit of work with its rollback, and the change log beside it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pincite.adapters.memory.ingestions import MemoryIngestions
from pincite.adapters.memory.jobs import MemoryJobs, MemoryQueue
from pincite.adapters.memory.keeping import MemoryKeeping
from pincite.adapters.memory.query_logs import MemoryQueryLogs
from pincite.adapters.memory.read_pages import MemoryReadPages
from pincite.adapters.memory.receipts import MemoryReceipts
from pincite.adapters.memory.store_chunks import MemoryChunks
from pincite.adapters.memory.store_embeddings import MemoryEmbeddings
from pincite.adapters.memory.store_figures import MemoryFigures
from pincite.adapters.memory.store_files import MemoryFiles
from pincite.adapters.memory.store_rows import MemoryAnswers, MemoryCollections, MemoryDocuments
from pincite.adapters.memory.store_tables import Entry, Shared, Transaction
from pincite.adapters.memory.store_versions import MemoryVersions
from pincite.adapters.memory.summaries import MemorySummaries
from pincite.adapters.memory.tokens import MemoryCredentials, MemoryTokens
from pincite.adapters.memory.usage import MemoryUsage
from pincite.core.ids import ChunkId, WorkspaceId
from pincite.core.ports.changes import Change, LogState
from pincite.core.ports.index import IndexSpace
from pincite.core.vectors import Embedded, log_of


@dataclass(frozen=True, slots=True)
class MemoryUnitOfWork:
    """One transaction. What isn't committed is rolled back when the block ends."""

    transaction: Transaction
    collections: MemoryCollections
    documents: MemoryDocuments
    files: MemoryFiles
    versions: MemoryVersions
    figures: MemoryFigures
    chunks: MemoryChunks
    embeddings: MemoryEmbeddings
    answers: MemoryAnswers
    tokens: MemoryTokens
    ingestions: MemoryIngestions
    read_pages: MemoryReadPages
    jobs: MemoryJobs
    query_logs: MemoryQueryLogs
    keeping: MemoryKeeping
    usage: MemoryUsage
    receipts: MemoryReceipts
    summaries: MemorySummaries

    @property
    def workspace_id(self) -> WorkspaceId:
        """Return the workspace that every row read or written belongs to."""
        return self.transaction.workspace_id

    async def lock(self) -> None:
        """Become the only writer now: what is read from here on can't change before the commit. Raises `store_busy`."""
        await self.transaction.lock()

    async def commit(self) -> None:
        """Let everybody see the work."""
        self.transaction.commit()


class MemoryFeed:
    """Reads the change log of a store in memory."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    async def state(self, space: IndexSpace) -> LogState:
        """Return where the log stands; both 0 for an unknown collection.

        Raises `ModelChangedError` (retryable) for a model that the collection neither has nor is being brought to.
        """
        tables = self._shared.tables
        collection = tables.collections.get(space.workspace_id, space.collection_id)
        numbers = tables.numbers.get(space.workspace_id, space.collection_id)
        if collection is None or numbers is None:
            return LogState(0, 0)
        pairs = (collection.embedding, numbers.embedding), (collection.next_embedding, numbers.next_embedding)
        models = [Embedded(spec.model_id, seq) for spec, seq in pairs if spec]
        return log_of(space, LogState(numbers.head, numbers.horizon), models)

    async def read(self, space: IndexSpace, *, after: int, limit: int) -> Sequence[Change]:
        """Return up to `limit` changes with `seq > after`, rising."""
        entries = self._shared.tables.log.items(space.workspace_id)
        mine = (
            (entry.vector_seq or entry.seq if space.model_id else entry.seq, chunk_id, entry)
            for chunk_id, entry in entries
            if entry.collection_id == space.collection_id
        )
        newer = sorted((found for found in mine if found[0] > after), key=lambda found: found[0])
        return [_change(seq, chunk_id, entry, space.model_id) for seq, chunk_id, entry in newer[:limit]]


class MemoryStore:
    """Opens units of work over rows in memory. Nothing is kept when the object goes; vectors are rounded to half precision."""

    def __init__(self, *, busy_timeout_s: float = 30.0) -> None:
        self._shared = Shared(busy_timeout_s)
        self._changes = MemoryFeed(self._shared)

    @property
    def changes(self) -> MemoryFeed:
        """Return the change log's reader."""
        return self._changes

    @property
    def credentials(self) -> MemoryCredentials:
        """Return what recognises callers, of any workspace."""
        return MemoryCredentials(self._shared)

    @property
    def queue(self) -> MemoryQueue:
        """Return the queue from which workers take jobs, of any workspace."""
        return MemoryQueue(self._shared)

    @asynccontextmanager
    async def open(self, workspace_id: WorkspaceId) -> AsyncGenerator[MemoryUnitOfWork]:
        """Open a unit of work for one workspace.

        Until its first write it sees whatever is committed at each read and locks nothing; from then on it is the only writer.
        """
        transaction = Transaction(self._shared, workspace_id)
        try:
            yield MemoryUnitOfWork(
                transaction,
                MemoryCollections(transaction),
                MemoryDocuments(transaction),
                MemoryFiles(transaction),
                MemoryVersions(transaction),
                MemoryFigures(transaction),
                MemoryChunks(transaction),
                MemoryEmbeddings(transaction),
                MemoryAnswers(transaction),
                MemoryTokens(transaction),
                MemoryIngestions(transaction),
                MemoryReadPages(transaction),
                MemoryJobs(transaction),
                MemoryQueryLogs(transaction),
                MemoryKeeping(transaction),
                MemoryUsage(transaction),
                MemoryReceipts(transaction),
                MemorySummaries(transaction),
            )
        finally:
            transaction.close()

    async def close(self) -> None:
        """Do nothing: there is nothing to release."""


def _change(seq: int, chunk_id: ChunkId, entry: Entry, model_id: str) -> Change:
    chunk = entry.chunk
    if chunk is None:
        return Change(seq, chunk_id, entry.document_id, deleted=True)
    vector = entry.vectors.get(model_id) if model_id else None
    return Change(seq, chunk_id, entry.document_id, False, chunk.title, chunk.heading_path, chunk.text, chunk.lang, vector)
