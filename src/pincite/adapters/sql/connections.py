"""Connections to the SQLite file: what each is set to, and plain ones for the hottest reads."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

BUSY_TIMEOUT_S = 30.0

PRAGMAS = (
    "PRAGMA foreign_keys = ON",
    # Each commit reaches the disk, so that an acknowledged document survives a power cut and not only a killed process (for that
    # NORMAL would do). A commit stands for seconds of embedding, so its one fsync costs nothing noticeable.
    "PRAGMA synchronous = FULL",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA cache_size = -8000",
    # A large document leaves a large write-ahead log; it shrinks again at the next checkpoint.
    "PRAGMA journal_size_limit = 67108864",
)


def connect(path: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> sqlite3.Connection:
    """Open a plain connection without implicit transactions, usable from any thread, one at a time."""
    connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False)
    try:
        for pragma in PRAGMAS:
            connection.execute(pragma)
    except BaseException:
        connection.close()
        raise
    return connection


class Readers:
    """Plain connections kept open for reading, lent to one thread at a time. Not to be carried over a fork."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._idle: list[sqlite3.Connection] = []
        self._closed = False

    @contextmanager
    def borrow(self) -> Generator[sqlite3.Connection]:
        """Lend a connection. `list.pop` and `append` are atomic, so no lock is needed."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = connect(self._path)
            connection.execute("PRAGMA query_only = ON")
        try:
            yield connection
        finally:
            if self._closed:
                connection.close()
            else:
                self._idle.append(connection)

    def close(self) -> None:
        """Close them; one that is lent now is closed when it comes back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()
