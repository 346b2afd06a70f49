"""Blobs in a folder: `ab/cd…` by hash, each written beside and moved into place, so that none is ever half there."""

import asyncio
import contextlib
import errno
import fcntl
import hashlib
import io
import os
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from pincite.adapters.blobs.scratch import ScratchFolder, sweep
from pincite.core.errors import NotFoundError, StoreError
from pincite.core.ports.blobs import Blob, Part

PIECE_BYTES = 1 << 20
NEW = ".new-"
ABANDONED_S = 24 * 3600.0
"""After this time a file still being written is taken for one that a killed process left."""

_HOLD_ATTEMPTS, _HOLD_PAUSE_S = 500, 0.02


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
        return await asyncio.to_thread(self._put, [data])

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

    async def put_parts(self, path: Path, parts: Iterable[Part]) -> None:
        """Store parts of a file, each as bytes of its own. Raises `StoreError` (`disk_full`, `unavailable`)."""
        await asyncio.to_thread(self._put_parts, path, parts)

    async def all(self) -> AsyncIterator[Blob]:
        """Yield what is stored, by hash: a folder of it at a time."""
        for folder in sorted(await asyncio.to_thread(_entries, self._root)):
            if len(folder.name) == 2 and _is_hex(folder.name):
                for blob in sorted(await asyncio.to_thread(_blobs_in, folder), key=lambda blob: blob.sha256):
                    yield blob

    @contextlib.asynccontextmanager
    async def hold(self) -> AsyncGenerator[None]:
        """Have nothing deleted meanwhile, by whatever process. Raises `StoreError` (`store_busy`, `unavailable`)."""
        with _translated(self._root):
            self._make_root()
            folder = os.open(self._root, os.O_RDONLY)
        try:
            await self._lock_shared(folder)
            yield
        finally:
            os.close(folder)

    async def _lock_shared(self, folder: int) -> None:
        """Wait for deletions that are under way: each takes microseconds, unless its process is stopped."""
        for _ in range(_HOLD_ATTEMPTS):
            try:
                fcntl.flock(folder, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                await asyncio.sleep(_HOLD_PAUSE_S)
            else:
                return
        raise StoreError("Another process has been deleting files for too long. It may be stopped: end it.", code="store_busy")

    @contextlib.asynccontextmanager
    async def scratch(self) -> AsyncGenerator[Path]:
        """Give an empty folder for files on their way. Raises `StoreError` (`disk_full`, `unavailable`)."""
        folder = await asyncio.to_thread(self._make_scratch)
        try:
            yield folder.path
        finally:
            await asyncio.to_thread(folder.drop)

    def _make_scratch(self) -> ScratchFolder:
        with _translated(self._root):
            self._make_root()
            return ScratchFolder(self._root)

    def sweep(self) -> None:
        """Delete the scratch folders of processes that were killed."""
        sweep(self._root, abandoned_s=ABANDONED_S)

    async def delete(self, sha256: str) -> bool:
        """Forget the bytes; no error when they aren't there. False when they stay because somebody holds the blobs."""
        with contextlib.suppress(NotFoundError), _translated(self._root):
            return await asyncio.to_thread(self._delete, self._place(sha256))
        return True

    def _delete(self, place: Path) -> bool:
        if not self._root.is_dir():
            return True
        folder = os.open(self._root, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            place.unlink(missing_ok=True)
        except BlockingIOError:
            return not place.exists()
        finally:
            os.close(folder)
        return True

    def _put_file(self, path: Path) -> Blob:
        with path.open("rb") as source:
            return self._put(_pieces(source))

    def _put_parts(self, path: Path, parts: Iterable[Part]) -> None:
        with path.open("rb") as source:
            for part in parts:
                source.seek(part.start)
                self._put(_pieces(source, part.size_bytes), durable=False)
        os.sync()  # for thousands of small files far quicker than a wait for each

    def _put(self, pieces: Iterable[bytes], *, durable: bool = True) -> Blob:
        with _translated(self._root):
            self._make_root()
            _sweep(self._root)
            descriptor, name = tempfile.mkstemp(prefix=NEW, dir=self._root)
        temporary = Path(name)
        try:
            # Unbuffered, so that closing the file after a failure has nothing left to write and can't fail again.
            with os.fdopen(descriptor, "wb", buffering=0) as target:
                blob = _copy(pieces, target, self._root)
                # What is there is read, since storing a file again mends a blob that a disk or a person damaged.
                is_there = _holds(self._place(blob.sha256), blob)
                with _translated(self._root):
                    os.fsync(target.fileno()) if durable and not is_there else None
            with _translated(self._root):
                if not is_there:
                    self._move(temporary, blob)
                if durable:  # also of what is there: its name may be another process's and still on its way to the disk
                    for folder in (self._place(blob.sha256).parent, self._root):
                        _sync_folder(folder)
        finally:
            temporary.unlink(missing_ok=True)
        return blob

    def _move(self, temporary: Path, blob: Blob) -> None:
        place = self._place(blob.sha256)
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary.replace(place)

    def _make_root(self) -> None:
        if not self._root.is_dir():
            self._root.mkdir(parents=True, exist_ok=True)
            _sync_folder(self._root.parent)

    def _place(self, sha256: str) -> Path:
        if len(sha256) != 64 or not _is_hex(sha256):
            raise NotFoundError("This is not the hash of a stored file.")
        return self._root / sha256[:2] / sha256[2:]


def _pieces(source: BinaryIO, size_bytes: int | None = None) -> Iterator[bytes]:
    """Yield what is left of a file, or so many bytes of it, a megabyte at a time."""
    left = size_bytes
    while piece := source.read(PIECE_BYTES if left is None else min(PIECE_BYTES, left)):
        yield piece
        left = None if left is None else left - len(piece)


def _holds(place: Path, blob: Blob) -> bool:
    """Say whether a file is there and holds just the bytes of a blob. It was made durable before it got its name."""
    try:
        with place.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == blob.sha256
    except OSError:
        return False


def _copy(pieces: Iterable[bytes], target: io.FileIO, root: Path) -> Blob:
    digest, size = hashlib.sha256(), 0
    for piece in pieces:
        digest.update(piece)
        size += len(piece)
        with _translated(root):
            _write(target, piece)
    return Blob(digest.hexdigest(), size)


def _entries(folder: Path) -> list[Path]:
    """List a folder; one that isn't there is empty."""
    return list(folder.iterdir()) if folder.is_dir() else []


def _blobs_in(folder: Path) -> list[Blob]:
    found: list[Blob] = []
    for path in _entries(folder):
        if len(path.name) == 62 and _is_hex(path.name):
            with contextlib.suppress(FileNotFoundError):  # deleted meanwhile
                found.append(Blob(folder.name + path.name, path.stat().st_size))
    return found


def _is_hex(name: str) -> bool:
    return set(name) <= set("0123456789abcdef")


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
