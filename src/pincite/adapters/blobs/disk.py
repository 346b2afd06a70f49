"""Blobs in a folder: `ab/cd…` by hash, each written beside and moved into place, so that none is ever half there."""

import asyncio
import contextlib
import errno
import hashlib
import io
import os
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import BinaryIO

from pincite.core.errors import NotFoundError, StoreError
from pincite.core.ports.blobs import Blob

PIECE_BYTES = 1 << 20
NEW = ".new-"
ABANDONED_S = 24 * 3600.0
"""After this time a file still being written is taken for one that a killed process left."""


class DiskBlobs:
    """Keeps blobs under a folder, which is created when first needed. Any number of processes may share it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def put_file(self, path: Path) -> Blob:
        """Store the bytes of a file, hashed while they are copied, a megabyte at a time.

        Raises `StoreError` (`disk_full`, `unavailable`), and the `OSError` of a file that can't be read.
        """
        return await asyncio.to_thread(self._put_file, path)

    async def put_bytes(self, data: bytes) -> Blob:
        """Store bytes. Raises `StoreError` (`disk_full`, `unavailable`)."""
        return await asyncio.to_thread(self._put, io.BytesIO(data))

    async def has(self, sha256: str) -> bool:
        """Say whether the bytes are there."""
        try:
            return await asyncio.to_thread(self._place(sha256).is_file)
        except NotFoundError:
            return False

    async def local_path(self, sha256: str) -> Path:
        """Return a file that holds the bytes, to be read only. Raises `NotFoundError`."""
        if not await self.has(sha256):
            raise NotFoundError("The bytes of this file are no longer there.")
        return self._place(sha256)

    async def delete(self, sha256: str) -> None:
        """Forget the bytes; no error when they aren't there."""
        with contextlib.suppress(NotFoundError), _translated(self._root):
            await asyncio.to_thread(self._place(sha256).unlink, missing_ok=True)

    def _put_file(self, path: Path) -> Blob:
        with path.open("rb") as source:
            return self._put(source)

    def _put(self, source: BinaryIO) -> Blob:
        with _translated(self._root):
            self._make_root()
            _sweep(self._root)
            descriptor, name = tempfile.mkstemp(prefix=NEW, dir=self._root)
        temporary = Path(name)
        try:
            # Unbuffered, so that closing the file after a failure has nothing left to write and can't fail again.
            with os.fdopen(descriptor, "wb", buffering=0) as target:
                blob = _copy(source, target, self._root)
            with _translated(self._root):
                self._move(temporary, blob)
        finally:
            temporary.unlink(missing_ok=True)
        return blob

    def _move(self, temporary: Path, blob: Blob) -> None:
        # Also over equal bytes that should be there: storing a file again mends a blob that a disk or a person damaged.
        place = self._place(blob.sha256)
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary.replace(place)
        for folder in (place.parent, self._root):
            _sync_folder(folder)

    def _make_root(self) -> None:
        if not self._root.is_dir():
            self._root.mkdir(parents=True, exist_ok=True)
            _sync_folder(self._root.parent)

    def _place(self, sha256: str) -> Path:
        if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
            raise NotFoundError("This is not the hash of a stored file.")
        return self._root / sha256[:2] / sha256[2:]


def _copy(source: BinaryIO, target: io.FileIO, root: Path) -> Blob:
    digest, size = hashlib.sha256(), 0
    while piece := source.read(PIECE_BYTES):
        digest.update(piece)
        size += len(piece)
        with _translated(root):
            _write(target, piece)
    with _translated(root):
        os.fsync(target.fileno())
    return Blob(digest.hexdigest(), size)


def _write(target: io.FileIO, piece: bytes) -> None:
    rest = memoryview(piece)
    while rest:
        rest = rest[target.write(rest) :]


def _sweep(root: Path) -> None:
    for path in root.glob(f"{NEW}*"):
        # Another process may be sweeping too.
        with contextlib.suppress(FileNotFoundError):
            if path.stat().st_mtime < time.time() - ABANDONED_S:
                path.unlink()


def _sync_folder(folder: Path) -> None:
    """Make a new name durable, where the system lets a folder be opened."""
    with contextlib.suppress(PermissionError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def _translated(root: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreError(
                f"The disk that holds {root.name} is full. Free some space and try again; nothing was changed.", code="disk_full"
            ) from error
        raise StoreError(
            f"{root} can't be written: {error.strerror}. Check its permissions and its disk.", code="unavailable"
        ) from error
