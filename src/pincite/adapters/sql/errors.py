"""SQLite's errors as ours, translated in this one place."""

import shutil
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from pincite.core.errors import ConflictError, PinciteError, StoreError

LEAST_FREE_BYTES = 1 << 20
"""With less room than this, an input/output error is taken for a full disk."""


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Raise `StoreError` or `ConflictError` instead of the driver's errors."""
    try:
        yield
    except PoolTimeout as error:
        raise busy(path) from error
    except (IntegrityError, sqlite3.IntegrityError) as error:
        raise ConflictError("This contradicts what is stored: an id or a name is already taken.") from error
    except DBAPIError as error:
        raise store_error(error.orig, path) from error
    except sqlite3.Error as error:
        raise store_error(error, path) from error


def busy(path: Path) -> StoreError:
    """Return the error of a lock that was not given in time."""
    return StoreError(
        f"Another process has been writing to {path.name} for too long. Try again in a moment. If it stays so, that process is "
        "stopped or hangs: end it; what it had not committed is undone. Searching goes on meanwhile.",
        code="store_busy",
        retryable=True,
    )


def store_error(error: BaseException | None, path: Path) -> PinciteError:
    """Return our form of an error that SQLite raised about a file."""
    code = getattr(error, "sqlite_errorcode", 0)
    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return _disk_full(path)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return busy(path)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StoreError(
                f"{path.name} is damaged or not a Pincite store. "
                "Restore it from a backup, or move it away and add the documents again.",
                code="damaged",
            )
        case sqlite3.SQLITE_IOERR if _room(path) < LEAST_FREE_BYTES:
            return _disk_full(path)
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_IOERR:
            return StoreError(f"{path} can't be read or written: {error}. Check its permissions and its disk.", code="unavailable")
        case _:
            return StoreError(f"The store refused a statement: {error}.")


def _disk_full(path: Path) -> StoreError:
    return StoreError(
        f"The disk that holds {path.name} is full. Free some space and try again; nothing was changed.", code="disk_full"
    )


def _room(path: Path) -> int:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return 0
