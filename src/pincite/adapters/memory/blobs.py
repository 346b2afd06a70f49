"""Blobs in memory, handed out as files when somebody needs one."""

import asyncio
import hashlib
import shutil
import tempfile
import threading
import weakref
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from pincite.core.errors import NotFoundError
from pincite.core.ports.blobs import Blob, Part


class MemoryBlobs:
    """Keeps blobs in a dictionary. Those asked for as a file are also written to a temporary folder, which goes with the object."""

    def __init__(self) -> None:
        self._blobs: dict[str, bytes] = {}
        self._folder: Path | None = None
        self._writing = threading.Lock()
        self._holders = 0

    async def put_file(self, path: Path) -> Blob:
        """Store the bytes of a file."""
        return await self.put_bytes(await asyncio.to_thread(path.read_bytes))

    async def put_bytes(self, data: bytes) -> Blob:
        """Store bytes."""
        sha256 = hashlib.sha256(data).hexdigest()
        self._blobs[sha256] = bytes(data)
        return Blob(sha256, len(data))

    async def has(self, sha256: str) -> bool:
        """Say whether the bytes are there."""
        return sha256 in self._blobs

    async def local_path(self, sha256: str) -> Path:
        """Return a file that holds the bytes, to be read only. Raises `NotFoundError`."""
        data = self._blobs.get(sha256)
        if data is None:
            raise NotFoundError("The bytes of this file are no longer there.")
        return await asyncio.to_thread(self._write, sha256, data)

    async def put_parts(self, path: Path, parts: Iterable[Part]) -> None:
        """Store parts of a file, each as bytes of its own."""
        data = await asyncio.to_thread(path.read_bytes)
        for part in parts:
            await self.put_bytes(data[part.start : part.start + part.size_bytes])

    async def all(self) -> AsyncIterator[Blob]:
        """Yield what is stored, by hash."""
        for sha256, data in sorted(self._blobs.items()):
            yield Blob(sha256, len(data))

    @asynccontextmanager
    async def hold(self) -> AsyncGenerator[None]:
        """Have nothing deleted meanwhile."""
        self._holders += 1
        try:
            yield
        finally:
            self._holders -= 1

    @asynccontextmanager
    async def scratch(self) -> AsyncGenerator[Path]:
        """Give an empty folder for files on their way."""
        with tempfile.TemporaryDirectory(prefix="pincite-scratch-") as folder:
            yield Path(folder)

    async def delete(self, sha256: str) -> bool:
        """Forget the bytes; no error when they aren't there. False when they stay because somebody holds the blobs."""
        if self._holders:
            return False
        if self._blobs.pop(sha256, None) is not None and self._folder:
            (self._folder / sha256).unlink(missing_ok=True)
        return True

    def _write(self, sha256: str, data: bytes) -> Path:
        # Readers of equal bytes come from several threads: none may see a file that is still being written.
        with self._writing:
            if self._folder is None:
                self._folder = Path(tempfile.mkdtemp(prefix="pincite-blobs-"))
                weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            path = self._folder / sha256
            if not path.exists():
                path.write_bytes(data)
            return path
