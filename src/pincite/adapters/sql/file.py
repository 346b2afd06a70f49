"""The store's file as a whole: consistent copies of it, a look into a copy, and the exchange of one for the other."""

import asyncio
import json
import os
import shutil
import sqlite3
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from pincite.adapters.sql import named_bytes
from pincite.adapters.sql.connections import BUSY_TIMEOUT_S, connect
from pincite.adapters.sql.errors import store_error, translated
from pincite.adapters.sql.schema import REVISIONS, prepare, revision_of
from pincite.core.errors import RefusedInput, StoreError
from pincite.core.ports.upkeep import Inventory

BESIDE = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a database under its name."""

COUNTS = "SELECT (SELECT count(*) FROM collections), (SELECT count(*) FROM documents)"
FOREIGN = "SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view') OR sql LIKE 'CREATE VIRTUAL%'"
PARTIAL = """
    SELECT d.path FROM documents d WHERE d.version_id IS NOT NULL
    AND (d.chunks = 0 OR d.chunks != (SELECT count(*) FROM chunks c WHERE c.version_id = d.version_id)) ORDER BY d.path
"""
PATHS = """
    SELECT sha256, path FROM documents WHERE sha256 IN (SELECT value FROM json_each(?))
    UNION SELECT v.sha256, d.path FROM versions v JOIN documents d ON d.id = v.document_id
    WHERE v.sha256 IN (SELECT value FROM json_each(?))
    UNION SELECT v.sha256, d.path FROM removed_versions v JOIN removed_documents d ON d.id = v.document_id
    WHERE v.sha256 IN (SELECT value FROM json_each(?))
    UNION SELECT f.sha256, d.path FROM figures f JOIN versions v ON v.id = f.version_id JOIN documents d ON d.id = v.document_id
    WHERE f.sha256 IN (SELECT value FROM json_each(?))
    UNION SELECT f.sha256, d.path FROM removed_figures f JOIN removed_versions v ON v.id = f.version_id
    JOIN removed_documents d ON d.id = v.document_id WHERE f.sha256 IN (SELECT value FROM json_each(?)) ORDER BY 2
"""


class SqliteFile:
    """A `StoreFile`."""

    def __init__(self, path: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self.path = path
        self._busy_timeout_s = busy_timeout_s

    @property
    def schemas(self) -> Sequence[str]:
        """Return the schemas that this version reads, oldest first."""
        return REVISIONS

    async def snapshot(self, target: Path) -> None:
        """Write all rows as they are at one moment into an empty file, while others go on writing. Not yet durable there.

        The copy is built row by row, so a damaged store is noticed. Raises `StoreError` (`disk_full` for the target's disk,
        `damaged` for the store).
        """
        await asyncio.to_thread(prepare, self.path)
        with closing(connect(self.path, busy_timeout_s=self._busy_timeout_s)) as connection:
            try:
                await asyncio.to_thread(_vacuum_into, connection, self.path, target)
            except asyncio.CancelledError:
                connection.interrupt()
                raise

    async def inspect(self, file: Path, *, trusted: bool) -> Inventory:
        """Read what a copy holds. Raises `RefusedInput` for one that isn't ours, and unless trusted for one that isn't sound."""
        return await asyncio.to_thread(_inspect, file, trusted)

    async def is_empty(self) -> bool:
        """Say whether nothing would be lost with it: there is no such file, or no collection in it."""
        return await asyncio.to_thread(self._is_empty)

    async def install(self, copy: Path, *, derived: Path) -> None:
        """Put a checked copy (on the same disk) in the place of the store, brought to the newest schema, in one step.

        Raises `StoreError` (`store_in_use`) while another process has the store open; then nothing is changed.
        """
        await asyncio.to_thread(self._install, copy, derived)

    async def faults(self) -> list[str]:
        """Return what is wrong among the rows, a sentence each: a damaged file, missing parents, documents without their chunks."""
        return await asyncio.to_thread(self._faults)

    async def named(self) -> list[str]:
        """Return the hashes of all bytes that rows name, sorted."""
        return await asyncio.to_thread(self._named)

    @asynccontextmanager
    async def unnamed(self, hashes: Sequence[str]) -> AsyncGenerator[list[str]]:
        """Give those of the hashes that no row names. None can come to name them before the block ends.

        Raises `StoreError` (`store_busy`).
        """
        with translated(self.path), closing(connect(self.path, busy_timeout_s=self._busy_timeout_s)) as connection:
            await asyncio.to_thread(connection.execute, "BEGIN IMMEDIATE")
            yield [row[0] for row in connection.execute(named_bytes.UNNAMED, (json.dumps(list(hashes)),))]

    async def note_backup(self, path: Path) -> None:
        """Keep that a backup was written, and where."""
        await asyncio.to_thread(self._note_backup, path)

    async def documents_with(self, hashes: Sequence[str]) -> list[tuple[str, str]]:
        """Return (hash, path of a document) for bytes that documents or their versions name."""
        return await asyncio.to_thread(self._documents_with, hashes)

    def _note_backup(self, path: Path) -> None:
        with translated(self.path), closing(connect(self.path, busy_timeout_s=self._busy_timeout_s)) as connection:
            now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
            connection.execute("INSERT OR REPLACE INTO backups (path, written_at) VALUES (?, ?)", (str(path), now))

    def _faults(self) -> list[str]:
        with translated(self.path), closing(connect(self.path)) as connection:
            found: list[str] = []
            if connection.execute("PRAGMA quick_check(1)").fetchone() != ("ok",):
                found.append("The database is damaged.")
            if broken := connection.execute("PRAGMA foreign_key_check").fetchone():
                found.append(f"Rows of {broken[0]} are without what they belong to.")
            if partial := [row[0] for row in connection.execute(PARTIAL)]:
                found.append(f"{len(partial)} documents are without some of their passages, the first is {partial[0]}.")
            return found

    def _named(self) -> list[str]:
        with translated(self.path), closing(connect(self.path)) as connection:
            return named_bytes.read_all(connection)

    def _is_empty(self) -> bool:
        if not self.path.exists():
            return True
        try:
            with closing(connect(self.path, busy_timeout_s=self._busy_timeout_s)) as connection:
                return connection.execute("SELECT 1 FROM collections").fetchone() is None
        except sqlite3.Error:
            return False

    def _install(self, copy: Path, derived: Path) -> None:
        prepare(copy)
        with closing(connect(copy)) as connection, translated(copy):
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with translated(self.path), self._nobody_else():
            # Without rows to read, or with the old ones locked, nobody can make these again before the new rows are there.
            shutil.rmtree(derived, ignore_errors=True)
            copy.replace(self.path)
            _sync_folder(self.path.parent)

    @contextmanager
    def _nobody_else(self) -> Generator[None]:
        """Hold the store so that nobody can open it, with nothing left beside it that could be taken for the next one's."""
        if not self.path.exists():
            self._clear_beside()
            yield
            return
        connection = sqlite3.connect(self.path, timeout=0, isolation_level=None)
        try:
            if not _lock_out_others(connection):
                self._set_aside()
            else:
                self._clear_beside()
            yield
        finally:
            connection.close()

    def _set_aside(self) -> None:
        """Keep a damaged store under another name: the log beside it belongs to it and would spoil the next one."""
        for name in ("", *BESIDE):
            old = self.path.with_name(self.path.name + name)
            if old.exists():
                old.replace(self.path.with_name(f"{self.path.name}.damaged{name}"))

    def _clear_beside(self) -> None:
        for name in BESIDE:
            self.path.with_name(self.path.name + name).unlink(missing_ok=True)

    def _documents_with(self, hashes: Sequence[str]) -> list[tuple[str, str]]:
        with translated(self.path), closing(connect(self.path)) as connection:
            wanted = json.dumps(list(hashes))
            return [(sha256, path) for sha256, path in connection.execute(PATHS, (wanted,) * PATHS.count("?"))]


def _vacuum_into(connection: sqlite3.Connection, path: Path, target: Path) -> None:
    try:
        connection.execute("VACUUM INTO ?", (str(target),))
    except sqlite3.Error as error:
        full = getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
        raise store_error(error, target if full else path) from error


@contextmanager
def _read_only(file: Path) -> Generator[sqlite3.Connection]:
    connection = sqlite3.connect(f"file:{quote(str(file.resolve()))}?mode=ro", uri=True, isolation_level=None)
    with closing(connection):
        connection.execute("PRAGMA trusted_schema = OFF")
        yield connection


def _inspect(file: Path, trusted: bool) -> Inventory:
    try:
        with _read_only(file) as connection:
            revision = revision_of(connection, file)
            if revision is None:
                raise RefusedInput("The backup holds no store.", code="backup_refused")
            if not trusted:
                _refuse_unsound(connection)
            collections, documents = connection.execute(COUNTS).fetchone()
            return Inventory(revision, collections, documents, tuple(named_bytes.read_all(connection)))
    except sqlite3.Error as error:
        raise RefusedInput("The database in the backup can't be read. Take another backup.", code="backup_refused") from error


def _refuse_unsound(connection: sqlite3.Connection) -> None:
    """Refuse a damaged database, and what no store of ours has: code that would run by itself when rows are changed."""
    if connection.execute(FOREIGN).fetchone():
        raise RefusedInput("The database in the backup holds more than a store's tables.", code="backup_refused")
    if connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        raise RefusedInput("The database in the backup is damaged. Take another backup.", code="backup_refused")
    if connection.execute("PRAGMA foreign_key_check").fetchone():
        raise RefusedInput("Rows are missing from the database in the backup. Take another backup.", code="backup_refused")


def _lock_out_others(connection: sqlite3.Connection) -> bool:
    """Lock a store outright and fold its log into it. False when it is too damaged. Raises `store_in_use`."""
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        match getattr(error, "sqlite_errorcode", 0) & 0xFF:
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                raise StoreError(
                    "Another process has the store open. Stop every pincite process of this PINCITE_HOME, then restore again. "
                    "Nothing was changed.",
                    code="store_in_use",
                ) from error
            case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
                return False
            case _:
                raise
    return True


def _sync_folder(folder: Path) -> None:
    with suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
