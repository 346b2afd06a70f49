"""What was read since the file last changed, so that a search asks nothing twice."""

import sqlite3
from collections.abc import Awaitable, Callable, Hashable
from pathlib import Path
from typing import Any, TypeVar

from pincite.adapters.sql.connections import connect
from pincite.adapters.sql.errors import translated

T = TypeVar("T")
_MOST = 1_000
"""Values kept; with more, all are forgotten."""


class Memory:
    """Values by key, forgotten as soon as any connection of any process has committed, or when their stamp changes.

    Serves one event loop.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._watching: sqlite3.Connection | None = None
        self._version = -1
        self._known: dict[Hashable, Any] = {}
        self._stamped: dict[Hashable, tuple[Hashable, Any]] = {}

    async def of(self, key: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """Return what `read` returned since the last commit, else read. Raises `StoreError`."""
        version = self._look()
        if key in self._known:
            return self._known[key]
        found = await read()
        if version == self._version:  # else somebody looked meanwhile and found a change: this may be from before it
            self._known[key] = found
        return found

    async def at(self, stamp: Hashable, key: Hashable, read: Callable[[], Awaitable[T]]) -> T:
        """Return what `read` returned for this stamp, whatever was committed since, else read.

        The stamp is from before the reading, so a change meanwhile costs another reading and never leaves an old value.
        """
        kept = self._stamped.get(key)
        if kept is not None and kept[0] == stamp:
            return kept[1]
        found = await read()
        if len(self._stamped) >= _MOST:
            self._stamped.clear()
        self._stamped[key] = (stamp, found)
        return found

    def close(self) -> None:
        """Close the connection that watches."""
        watching, self._watching = self._watching, None
        if watching:
            watching.close()

    def _look(self) -> int:
        """Forget everything if the file has changed. Takes microseconds, so it runs where it is called.

        The number is one connection's own and counts what others commit, so that connection never writes.
        """
        with translated(self._path):
            if self._watching is None:
                self._watching, self._version = connect(self._path), -1
            [version] = self._watching.execute("PRAGMA data_version").fetchone()
        if version != self._version or len(self._known) >= _MOST:
            self._version = version
            self._known.clear()
        return version
