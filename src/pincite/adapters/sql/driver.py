"""An aiosqlite connection whose statements take one trip to its thread, where SQLAlchemy's way with the stock one takes four.

SQLAlchemy asks a cursor to open, execute, fetch and close, each of them a change of threads and back, which costs several times
the statement itself. Here opening and closing cost nothing, and executing brings all rows along.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import aiosqlite

from pincite.adapters.sql.connections import connect


class OneTripConnection(aiosqlite.Connection):
    """A connection set up by `connect`. Its thread doesn't keep a program alive that forgets to close it."""

    def __init__(self, path: Path, *, busy_timeout_s: float) -> None:
        super().__init__(partial(connect, path, busy_timeout_s=busy_timeout_s), iter_chunk_size=64)
        self._thread.daemon = True

    def cursor(self) -> "OneTripCursor":  # pyright: ignore[reportIncompatibleMethodOverride] (SQLAlchemy alone calls it)
        """Return a cursor that fetches as it executes."""
        return OneTripCursor(self)

    async def run(self, work: Callable[[sqlite3.Connection], sqlite3.Cursor]) -> tuple[sqlite3.Cursor, list[Any]]:
        """Run something on the connection's thread and return its cursor with all of its rows."""
        return await self._execute(_with_rows, work, self._conn)  # pyright: ignore[reportUnknownMemberType] (not annotated there)


async def open_connection(path: Path, *, busy_timeout_s: float) -> OneTripConnection:
    """Open a connection; a caller that is cancelled meanwhile leaves none behind."""
    connection = OneTripConnection(path, busy_timeout_s=busy_timeout_s)
    opening = asyncio.ensure_future(_opened(connection))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        await (await opening).close()
        raise


async def _opened(connection: OneTripConnection) -> OneTripConnection:
    await connection
    return connection


class OneTripCursor:
    """What SQLAlchemy's adapter asks of an asynchronous cursor."""

    def __init__(self, connection: OneTripConnection) -> None:
        self._connection = connection
        self._cursor: sqlite3.Cursor | None = None
        self._rows: list[Any] = []

    async def __aenter__(self) -> "OneTripCursor":
        return self

    @property
    def description(self) -> Any:
        """Describe the columns; None when the statement returned none."""
        return self._cursor.description if self._cursor else None

    @property
    def rowcount(self) -> int:
        """Count the rows changed; -1 when that is not known."""
        return self._cursor.rowcount if self._cursor else -1

    @property
    def lastrowid(self) -> int | None:
        """Return the row id of the last row inserted."""
        return self._cursor.lastrowid if self._cursor else None

    async def execute(self, statement: str, parameters: Sequence[Any] = ()) -> None:
        """Run a statement and fetch its rows."""
        self._cursor, self._rows = await self._connection.run(lambda database: database.execute(statement, parameters))

    async def executemany(self, statement: str, parameters: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each row of parameters."""
        self._cursor, self._rows = await self._connection.run(lambda database: database.executemany(statement, parameters))

    async def fetchall(self) -> list[Any]:
        """Return the rows that came with the statement."""
        rows, self._rows = self._rows, []
        return rows

    async def close(self) -> None:
        """Do nothing: a cursor whose rows are all fetched holds no lock."""


def _with_rows(
    work: Callable[[sqlite3.Connection], sqlite3.Cursor], database: sqlite3.Connection
) -> tuple[sqlite3.Cursor, list[Any]]:
    cursor = work(database)
    return cursor, cursor.fetchall() if cursor.description else []
