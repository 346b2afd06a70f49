"""One connection and its transaction, which becomes a writing one at the first write.

Reads before the first write see what is committed at that moment (read committed, as in PostgreSQL); no lock is held between
them. The first write takes SQLite's write lock outright, so a unit of work that reads and then writes never fails because of what
another process wrote in between, and one that only reads never waits for a writer.
"""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import CursorResult, Executable, Row, Table, insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from pincite.adapters.sql.connections import Readers
from pincite.adapters.sql.errors import busy, translated
from pincite.adapters.sql.remembering import Memory
from pincite.core.errors import StoreError
from pincite.core.ids import WorkspaceId

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Database:
    """What all transactions of one store share. Writers of one process queue here: SQLite's own waiting isn't fair."""

    engine: AsyncEngine
    path: Path
    busy_timeout_s: float
    readers: Readers
    memory: Memory
    writer: asyncio.Lock = field(default_factory=asyncio.Lock)


class Transaction:
    """Runs statements of one workspace. Errors are `StoreError` and `ConflictError`."""

    def __init__(self, database: Database, workspace_id: WorkspaceId) -> None:
        self.workspace_id = workspace_id
        self._database = database
        self._connection: AsyncConnection | None = None
        self._writing = False
        self._failure: StoreError | None = None

    async def rows(self, statement: Executable, **parameters: Any) -> Sequence[Row[Any]]:
        """Return all rows of a query. The parameter `own` is always the transaction's workspace."""
        return (await self._run(statement, {"own": self.workspace_id, **parameters})).all()

    async def row(self, statement: Executable, **parameters: Any) -> Row[Any] | None:
        """Return the first row of a query, if any."""
        found = await self.rows(statement, **parameters)
        return found[0] if found else None

    async def plain_rows(self, statement: str, parameters: Sequence[Any]) -> Sequence[Sequence[Any]]:
        """Return all rows of a hand-written query with `?` for its parameters. For the hottest reads: nothing stands between."""
        if not self._writing:
            return await asyncio.to_thread(self._read, statement, parameters)
        with translated(self._database.path):
            return (await (await self._connected()).exec_driver_sql(statement, tuple(parameters))).all()

    async def remembered(self, key: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """Return what `read` returned since anybody's last commit, else read. A writing transaction always reads."""
        return await (read() if self._writing else self._database.memory.of((self.workspace_id, key), read))

    async def remembered_at(self, stamp: Hashable, key: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """Return what `read` returned for this stamp, else read. A writing transaction always reads."""
        return await (read() if self._writing else self._database.memory.at(stamp, (self.workspace_id, key), read))

    async def change(self, statement: Executable, **parameters: Any) -> CursorResult[Any]:
        """Run an update or a delete. The parameter `own` is always the transaction's workspace."""
        await self.lock()
        return await self._run(statement, {"own": self.workspace_id, **parameters})

    async def change_each(self, statement: Executable, *rows: Mapping[str, Any]) -> None:
        """Run an update once for each row of parameters, in one trip; none is no error."""
        if rows:
            await self.lock()
            await self._run(statement, [{"own": self.workspace_id, **row} for row in rows])

    async def insert(self, table: Table, *rows: Mapping[str, Any]) -> None:
        """Insert rows, as the transaction's workspace's; none is no error."""
        if not rows:
            return
        await self.lock()
        owner = {"workspace_id": self.workspace_id} if "workspace_id" in table.c else {}
        await self._run(insert(table), [{**row, **owner} for row in rows])

    async def lock(self) -> None:
        """Become a writing transaction: what is read from now on can't change before the commit. Raises `store_busy`."""
        if self._writing:
            return
        # The connection comes first: a writer must never wait for one that a queued writer holds.
        with translated(self._database.path):
            connection = await self._connected()
        await self._queue()
        try:
            with translated(self._database.path):
                if connection.dialect.name == "sqlite":
                    await connection.exec_driver_sql("BEGIN IMMEDIATE")
        except BaseException:
            self._release()
            raise

    async def commit(self) -> None:
        """Make the changes durable and let the next writer in."""
        if self._connection is None:
            return
        if self._failure:
            raise self._failure
        with translated(self._database.path):
            await self._connection.commit()
        self._release()

    async def close(self) -> None:
        """Undo what isn't committed and give the connection back, even while the task is being cancelled."""
        connection, self._connection = self._connection, None
        try:
            if connection is not None:
                with translated(self._database.path):
                    await asyncio.shield(asyncio.ensure_future(connection.close()))
        finally:
            self._release()

    def _read(self, statement: str, parameters: Sequence[Any]) -> Sequence[Sequence[Any]]:
        with translated(self._database.path), self._database.readers.borrow() as connection:
            return connection.execute(statement, parameters).fetchall()

    async def _run(self, statement: Executable, parameters: Any) -> CursorResult[Any]:
        if self._failure:
            raise self._failure
        try:
            with translated(self._database.path):
                return await (await self._connected()).execute(statement, parameters)
        except StoreError as error:
            # SQLite may have rolled everything back, and what came next would be committed alone.
            self._failure = error if self._writing else None
            raise

    async def _connected(self) -> AsyncConnection:
        if self._connection is None:
            self._connection = await self._database.engine.connect()
        return self._connection

    async def _queue(self) -> None:
        try:
            async with asyncio.timeout(self._database.busy_timeout_s):
                await self._database.writer.acquire()
        except TimeoutError as error:
            raise busy(self._database.path) from error
        self._writing = True

    def _release(self) -> None:
        if self._writing:
            self._writing = False
            self._database.writer.release()
