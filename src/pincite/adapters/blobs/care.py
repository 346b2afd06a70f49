"""A close look at the folder of blobs."""

import asyncio
import hashlib
import time
from pathlib import Path

from pincite.adapters.blobs.disk import NEW, PIECE_BYTES
from pincite.adapters.blobs.scratch import SCRATCH


class DiskBlobCare:
    """A `BlobCare` of the folder of `DiskBlobs`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def digest(self, sha256: str) -> str:
        """Return the SHA-256 of what is kept under a hash, "" when it can't be read."""
        return await self.digest_of(self._place(sha256))

    async def digest_of(self, path: Path) -> str:
        """Return the SHA-256 of any file, "" when it can't be read."""
        return await asyncio.to_thread(_digest, path)

    async def age_s(self, sha256: str) -> float:
        """Return how long ago bytes were stored, 0 when they aren't there."""
        try:
            return time.time() - self._place(sha256).stat().st_mtime
        except OSError:
            return 0.0

    async def leftovers(self, *, older_s: float) -> list[Path]:
        """Return files that were being written so long ago that whoever wrote them must be dead."""
        return await asyncio.to_thread(lambda: [path for path in self._root.glob(f"{NEW}*") if _is_older(path, older_s)])

    async def strangers(self) -> list[Path]:
        """Return what lies among the blobs and is none."""
        return await asyncio.to_thread(self._strangers)

    def _strangers(self) -> list[Path]:
        found: list[Path] = []
        for path in sorted(self._root.iterdir()) if self._root.is_dir() else ():
            if path.is_dir() and _is_hex(path.name, 2):
                found += sorted(each for each in path.iterdir() if not _is_hex(each.name, 62) or not each.is_file())
            elif not path.name.startswith((NEW, SCRATCH)):
                found.append(path)
        return found

    def _place(self, sha256: str) -> Path:
        return self._root / sha256[:2] / sha256[2:]


def _is_hex(name: str, length: int) -> bool:
    return len(name) == length and set(name) <= set("0123456789abcdef")


def _is_older(path: Path, older_s: float) -> bool:
    try:
        return path.stat().st_mtime < time.time() - older_s
    except OSError:
        return False


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                digest.update(piece)
    except OSError:
        return ""
    return digest.hexdigest()
