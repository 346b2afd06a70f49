"""Folders for files on their way. They go with the process that made them: what a killed one leaves, the next one deletes."""

import fcntl
import os
import shutil
import time
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

SCRATCH = ".scratch-"
_MAKING = f"{SCRATCH}new-"


class ScratchFolder:
    """An empty folder below `root`, which is kept as long as its process lives and nobody drops it. Raises `OSError`."""

    def __init__(self, root: Path) -> None:
        making = Path(mkdtemp(prefix=_MAKING, dir=root))
        self._held = os.open(making, os.O_RDONLY)
        # It gets the name by which others look for leftovers only when its lock says that somebody is at it.
        fcntl.flock(self._held, fcntl.LOCK_EX)
        self.path = making.rename(root / making.name.replace(_MAKING, SCRATCH, 1))

    def drop(self) -> None:
        """Delete it with all in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._held)


def sweep(root: Path, *, abandoned_s: float) -> None:
    """Delete what killed processes left below a folder; what was being made when one was killed, after a while."""
    for path in root.glob(f"{SCRATCH}*"):
        # Another process may be sweeping too.
        with suppress(OSError):
            if not path.name.startswith(_MAKING):
                _delete_abandoned(path)
            elif path.stat().st_mtime < time.time() - abandoned_s:
                shutil.rmtree(path, ignore_errors=True)


def _delete_abandoned(path: Path) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
    finally:
        os.close(folder)
