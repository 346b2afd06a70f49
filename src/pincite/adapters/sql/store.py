"""The embedded store: one SQLite file that any number of processes read and write."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from pincite.adapters.sql.answers import SqlAnswers
from pincite.adapters.sql.chunks import SqlChunks
from pincite.adapters.sql.collections import SqlCollections
from pincite.adapters.sql.connections import BUSY_TIMEOUT_S
from pincite.adapters.sql.documents import SqlDocuments
from pincite.adapters.sql.driver import OneTripConnection, open_connection
from pincite.adapters.sql.embeddings import SqlEmbeddings
from pincite.adapters.sql.feed import SqliteFeed
from pincite.adapters.sql.figures import SqlFigures
from pincite.adapters.sql.files import SqlFiles
from pincite.adapters.sql.ingestions import SqlIngestions
from pincite.adapters.sql.jobs import SqlJobs, SqlQueue
from pincite.adapters.sql.keeping import SqlKeeping
from pincite.adapters.sql.query_logs import SqlQueryLogs
from pincite.adapters.sql.read_pages import SqlReadPages
from pincite.adapters.sql.receipts import SqlReceipts
from pincite.adapters.sql.remembering import Memory
from pincite.adapters.sql.schema import prepare
from pincite.adapters.sql.summaries import SqlSummaries
from pincite.adapters.sql.tokens import SqlCredentials, SqlTokens
from pincite.adapters.sql.transaction import Database, Transaction
from pincite.adapters.sql.usage import SqlUsage
from pincite.adapters.sql.versions import SqlVersions
from pincite.core.errors import StoreError
from pincite.core.ids import WorkspaceId


def open_store(path: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> "SqlStore":
    """Open the store in a file, creating or upgrading it first. Blocks meanwhile; no event loop is needed.

    An up-to-date file costs about a millisecond. `busy_timeout_s` is how long a writer waits for another process.
    Raises `StoreError`: `newer_schema` (nothing is changed), `damaged`, `disk_full`, `store_busy`, `unavailable`.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path.parent} can't be created: {error.strerror}.", code="unavailable") from error
    prepare(path)
    feed = SqliteFeed(path)
    return SqlStore(Database(_engine(path, busy_timeout_s), path, busy_timeout_s, feed.readers, Memory(path)), feed)


@dataclass(frozen=True, slots=True)
class SqlUnitOfWork:
    """One transaction. What isn't committed is rolled back when the block ends."""

    transaction: Transaction
    collections: SqlCollections
    documents: SqlDocuments
    files: SqlFiles
    versions: SqlVersions
    figures: SqlFigures
    chunks: SqlChunks
    embeddings: SqlEmbeddings
    answers: SqlAnswers
    tokens: SqlTokens
    ingestions: SqlIngestions
    read_pages: SqlReadPages
    jobs: SqlJobs
    query_logs: SqlQueryLogs
    keeping: SqlKeeping
    usage: SqlUsage
    receipts: SqlReceipts
    summaries: SqlSummaries

    @property
    def workspace_id(self) -> WorkspaceId:
        """Return the workspace that every row read or written belongs to."""
        return self.transaction.workspace_id

    async def lock(self) -> None:
        """Become the only writer now: what is read from here on can't change before the commit. Raises `store_busy`."""
        await self.transaction.lock()

    async def commit(self) -> None:
        """Make the work durable. Raises `StoreError` (`disk_full`, `store_busy`)."""
        await self.transaction.commit()


class SqlStore:
    """Opens units of work. One store serves one event loop; open it after a fork, never before."""

    def __init__(self, database: Database, changes: SqliteFeed) -> None:
        self._database = database
        self._changes = changes

    @property
    def database(self) -> Database:
        """Return the engine and the file, for maintenance."""
        return self._database

    @property
    def changes(self) -> SqliteFeed:
        """Return the change log's reader; it is closed with the store."""
        return self._changes

    @property
    def credentials(self) -> SqlCredentials:
        """Return what recognises callers, of any workspace."""
        return SqlCredentials(self._database)

    @property
    def queue(self) -> SqlQueue:
        """Return the queue from which workers take jobs, of any workspace."""
        return SqlQueue(self._database)

    @asynccontextmanager
    async def open(self, workspace_id: WorkspaceId) -> AsyncGenerator[SqlUnitOfWork]:
        """Open a unit of work for one workspace.

        Until its first write it sees whatever is committed at each read and locks nothing; from then on it is the only writer.
        """
        transaction = Transaction(self._database, workspace_id)
        try:
            yield SqlUnitOfWork(
                transaction,
                SqlCollections(transaction),
                SqlDocuments(transaction),
                SqlFiles(transaction),
                SqlVersions(transaction),
                SqlFigures(transaction),
                SqlChunks(transaction),
                SqlEmbeddings(transaction),
                SqlAnswers(transaction),
                SqlTokens(transaction),
                SqlIngestions(transaction),
                SqlReadPages(transaction),
                SqlJobs(transaction),
                SqlQueryLogs(transaction),
                SqlKeeping(transaction),
                SqlUsage(transaction),
                SqlReceipts(transaction),
                SqlSummaries(transaction),
            )
        finally:
            await transaction.close()

    async def close(self) -> None:
        """Release connections; the last process to do so folds the write-ahead log into the file."""
        self._changes.close()
        self._database.memory.close()
        await self._database.engine.dispose()


def _engine(path: Path, busy_timeout_s: float) -> AsyncEngine:
    async def connected() -> OneTripConnection:
        return await open_connection(path, busy_timeout_s=busy_timeout_s)

    return create_async_engine(
        URL.create("sqlite+aiosqlite", database=str(path)),
        async_creator=connected,
        pool_size=5,
        max_overflow=45,
        pool_timeout=busy_timeout_s,
    )
