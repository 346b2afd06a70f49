"""What the system says of a file, by which one that didn't change is told without reading it."""

import hashlib
import os
import time
from asyncio import to_thread
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from pincite.core.files import FileState
from pincite.core.ports.blobs import Blob

SETTLED_NS = 3_000_000_000
"""How old a file's last change must be for its stamp to tell the next one: clocks of file systems go by steps of up to 2 s."""

READS = 3
"""How often a file that changes while it is read is read again."""

PIECE_BYTES = 1 << 20


def state_of(found: os.stat_result, place: str, *, now_ns: int) -> FileState:
    """Return the state of a file from what the system says of it. Its bytes are still unknown.

    The stamp holds the time of the last change of the file's entry (ctime), which no program can set back, beside its size and
    the time of its bytes. Device numbers are left out: they change when a disk is mounted again.
    """
    stamp = f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
    # A time set to the future says nothing. Where a file system keeps no time of the entry, that of the bytes must do.
    newest = max(found.st_ctime_ns, found.st_mtime_ns if found.st_mtime_ns <= now_ns else 0)
    return FileState(place, stamp, str(found.st_ino), settled=now_ns - newest > SETTLED_NS)


def look(file: Path, place: str) -> FileState:
    """Return the state of a file as it is now. Raises `OSError`."""
    now_ns = time.time_ns()
    return state_of(os.stat(file), place, now_ns=now_ns)


async def read_unchanged(put: Callable[[Path], Awaitable[Blob]], file: Path, place: str) -> tuple[Blob, FileState]:
    """Store a file's bytes, and return them with the state that they belong to.

    A file that changes meanwhile is read again. One that changes at every reading counts as it was read last; its state is that
    of before, so that the next look at it sees a change. Raises `OSError`.
    """
    reads = 0
    while True:
        before = await to_thread(look, file, place)
        blob = await put(file)
        after = await to_thread(look, file, place)
        reads += 1
        if before.stamp == after.stamp or reads == READS:
            return blob, replace(before, sha256=blob.sha256)


def hash_of(file: Path) -> str:
    """Return the SHA-256 of a file's bytes in hex. Raises `OSError`."""
    digest = hashlib.sha256()
    with file.open("rb") as source:
        while piece := source.read(PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()
