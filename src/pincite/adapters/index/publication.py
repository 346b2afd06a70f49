"""A folder whose published state is named by one small file, replaced atomically."""

import fcntl
import json
import os
import shutil
import zlib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias, cast
from uuid import uuid4

Stamp: TypeAlias = tuple[int, int, int]
"""Inode, size and time of the state file: another one means that somebody published."""


class Publication:
    """The state file, the lock and the generations (folders of data files) of one mirror."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "state.json"

    def stamp(self) -> Stamp | None:
        """Return the mark of the published state, None when there is none."""
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns

    def read(self) -> Mapping[str, Any] | None:
        """Return the published state, None when it is missing or isn't as it was written."""
        try:
            found = json.loads(self._file.read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        if not isinstance(found, dict):
            return None
        state = cast("dict[str, Any]", found)
        return state if state.pop("check", None) == _check_of(state) else None

    def write(self, state: Mapping[str, Any]) -> None:
        """Publish a state. What it names must be on disk already."""
        draft = self._file.with_suffix(".new")
        with draft.open("w") as file:
            json.dump({**state, "check": _check_of(state)}, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._file)
        sync_folder(self._folder)

    @contextmanager
    def try_lock(self) -> Generator[bool, None, None]:
        """Hold the lock if nobody else does; say whether it is held. Never waits."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "lock").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            yield True  # closing the file gives the lock back

    def withdraw(self) -> bool:
        """Publish nothing any more, so that the mirror is made anew. False when somebody holds the lock."""
        with self.try_lock() as held:
            if held:
                self._file.unlink(missing_ok=True)
            return held

    def generation(self, name: str) -> Path:
        """Return the folder of a generation."""
        return self._folder / name

    def new_generation(self) -> Path:
        """Make an empty folder beside the published one."""
        path = self._folder / f"generation-{uuid4().hex[:12]}"
        path.mkdir()
        return path

    def remove_other_generations(self, keep: str) -> None:
        """Delete the folders that aren't published. Who has their files open keeps them."""
        for path in self._folder.glob("generation-*"):
            if path.name != keep:
                shutil.rmtree(path, ignore_errors=True)


def _check_of(state: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(state, sort_keys=True).encode())


def sync_folder(folder: Path) -> None:
    """Make names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
