"""What lies in a home beside the database and the blobs."""

import asyncio
import shutil
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from pincite.core.ids import CollectionId


class DiskHomeCare:
    """A `HomeCare`. `staging` begins the names of a restore's folders, `index` and `database` are names in the home."""

    def __init__(self, home: Path, *, staging: str, index: str, database: str) -> None:
        self._home = home
        self._staging = staging
        self._index = home / index
        self._database = home / database

    async def leftovers(self, *, older_s: float) -> list[Path]:
        """Return what a killed restore left."""
        before = time.time() - older_s
        return [path for path in sorted(self._home.glob(f"{self._staging}*")) if path.lstat().st_mtime < before]

    async def orphans(self, collections: Collection[CollectionId]) -> list[Path]:
        """Return index folders of collections that aren't among these."""
        if not self._index.is_dir():
            return []
        return [path for path in sorted(self._index.iterdir()) if path.is_dir() and path.name not in collections]

    async def set_aside(self) -> list[Path]:
        """Return damaged databases that a restore kept."""
        return sorted(self._home.glob(f"{self._database.name}.damaged*"))

    async def remove(self, paths: Sequence[Path]) -> int:
        """Delete files and folders; return how many are gone."""
        return await asyncio.to_thread(lambda: sum(_is_removed(path) for path in paths))

    async def free_bytes(self) -> int:
        """Return how much room the disk has."""
        return shutil.disk_usage(self._home).free

    async def store_bytes(self) -> int:
        """Return how long the database is, with its log."""
        size = 0
        for path in (self._database, self._database.with_name(f"{self._database.name}-wal")):
            with suppress(OSError):
                size += path.stat().st_size
        return size


def _is_removed(path: Path) -> bool:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
    return not path.exists()
