"""The version of the file's schema: checked at every open by one cheap query, upgraded by Alembic only when it is behind."""

import sqlite3
import time
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pincite.adapters.sql.connections import BUSY_TIMEOUT_S, connect
from pincite.adapters.sql.errors import busy, translated
from pincite.core.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy import Connection

REVISIONS = (
    "0001",
    "0002",
    "0003",
    "0004",
    "0005",
    "0006",
    "0007",
    "0008",
    "0009",
    "0010",
    "0011",
    "0012",
    "0013",
    "0014",
    "0015",
    "0016",
    "0017",
    "0018",
    "0019",
    "0020",
    "0021",
    "0022",
    "0023",
)
"""Every revision of `migrations/versions`, oldest first. Kept here so that learning that nothing is to do needs no Alembic."""

MIGRATIONS = Path(__file__).parent / "migrations"
_ALEMBIC = Lock()
"""Alembic's operations act on the connection that was named last in this process, whichever thread named it."""


def prepare(path: Path) -> None:
    """Create the file or bring it to the newest schema; any number of processes may do so at once.

    Raises `StoreError`: `newer_schema` (nothing is changed), `damaged`, `disk_full`, `store_busy`, `unavailable`.
    """
    with translated(path):
        connection = connect(path)
        try:
            if revision_of(connection, path) != REVISIONS[-1]:
                _use_wal(connection, path)
                _upgrade(connection, path)
            elif connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):  # as in a copy that SQLite made
                _use_wal(connection, path)
        finally:
            connection.close()


def revision_of(connection: sqlite3.Connection, path: Path) -> str | None:
    """Return the file's revision, None for one without tables. Raises `StoreError` for one that isn't ours to change."""
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    if not tables:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone() if "alembic_version" in tables else None
    if row is None:
        raise StoreError(f"{path.name} is a database, but not a Pincite store. Choose another PINCITE_HOME.", code="damaged")
    if row[0] not in REVISIONS:
        raise StoreError(
            f"{path.name} was written by a newer version of Pincite (schema {row[0]}; this version knows {REVISIONS[-1]}). "
            "Upgrade Pincite, or choose another PINCITE_HOME. Nothing was changed.",
            code="newer_schema",
        )
    return row[0]


def _use_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Switch to the write-ahead log. SQLite doesn't wait when two processes do this at once, so we do."""
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            if time.monotonic() > deadline:
                raise busy(path) from error
            time.sleep(0.01)
        else:
            return


def _upgrade(connection: sqlite3.Connection, path: Path) -> None:
    """Run the migrations in one transaction: a process killed meanwhile leaves the old schema."""
    from sqlalchemy import create_engine
    from sqlalchemy.pool import StaticPool

    # Batch mode rebuilds tables by dropping them, which would cascade; inside a transaction this pragma has no effect.
    connection.execute("PRAGMA foreign_keys = OFF")
    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    with engine.connect() as wrapped:
        wrapped.exec_driver_sql("BEGIN IMMEDIATE")
        # Another process may have been first.
        if revision_of(connection, path) != REVISIONS[-1]:
            _run_alembic(wrapped)
            _check_foreign_keys(connection)
        wrapped.commit()


def _run_alembic(connection: "Connection") -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    with _ALEMBIC:
        command.upgrade(config, REVISIONS[-1])


def _check_foreign_keys(connection: sqlite3.Connection) -> None:
    broken = connection.execute("PRAGMA foreign_key_check").fetchone()
    if broken:
        raise StoreError(f"The upgrade would leave rows of {broken[0]} without their parent. Nothing was changed.", code="damaged")
