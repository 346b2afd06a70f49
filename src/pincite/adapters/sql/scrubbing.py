"""Leaves nothing of deleted rows in the store's files, where SQLite keeps what it deletes until other rows take its place."""

import asyncio
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from pincite.adapters.sql.connections import BUSY_TIMEOUT_S, connect
from pincite.adapters.sql.errors import translated

WRITTEN = "SELECT path FROM backups WHERE written_at >= ? ORDER BY written_at"
_TRIES = 20
_WAIT_S = 0.25


class SqliteScrubber:
    """A `Scrubber`."""

    def __init__(self, path: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s

    async def scrub(self) -> bool:
        """Leave nothing of deleted rows in the store's files. Others may read meanwhile, and write before and after.

        Deleting with `secure_delete` would do for a row, but not for what earlier moves of rows within a page left in it, and
        not for what was deleted without: so the whole file is written anew, and its log emptied.
        """
        return await asyncio.to_thread(self._scrub)

    async def copies(self, since: datetime) -> list[str]:
        """Return the files with copies of the store that were written since: backups, and damaged stores put aside."""
        return await asyncio.to_thread(self._copies, since)

    def _scrub(self) -> bool:
        with translated(self._path), closing(connect(self._path, busy_timeout_s=self._busy_timeout_s)) as connection:
            # A whole store may be more than fits into memory.
            connection.execute("PRAGMA temp_store = FILE")
            connection.execute("VACUUM")
            return _is_log_empty(connection)

    def _copies(self, since: datetime) -> list[str]:
        with translated(self._path), closing(connect(self._path)) as connection:
            stored = since.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
            written = [str(row[0]) for row in connection.execute(WRITTEN, (stored,))]
        aside = sorted(self._path.parent.glob(f"{self._path.name}.damaged*"))
        return [*written, *(str(path) for path in aside if path.stat().st_mtime >= since.timestamp())]


def _is_log_empty(connection: sqlite3.Connection) -> bool:
    """Bring the log into the file and cut it to nothing, as soon as nobody reads from it any more."""
    for _ in range(_TRIES):
        (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not is_busy:
            return True
        time.sleep(_WAIT_S)
    return False
