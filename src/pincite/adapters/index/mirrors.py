"""Mirrors that this process has open."""

import shutil
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Generic, Protocol, TypeVar
from urllib.parse import quote

from pincite.adapters.index.publication import Publication
from pincite.core.ids import CollectionId
from pincite.core.ports.index import IndexSpace

_OPEN = 32
_OPEN_BYTES = 4_000_000_000
_LOCK_TRIES = 40
_LOCK_WAIT_S = 0.05


class Sized(Protocol):
    """A mirror that knows how much it has open."""

    @property
    def size_bytes(self) -> int:
        """Return the size of its open files."""
        ...


M = TypeVar("M", bound=Sized)


class Mirrors(Generic[M]):
    """Open mirrors by folder. Those used least lately are closed when there are more than `most`, or more than `most_bytes` in all.

    The one in use stays, however large. Who searches a mirror that is closed meanwhile has its files until the search is done.
    """

    def __init__(
        self,
        root: Path,
        kind: str,
        make: Callable[[Path, IndexSpace], M],
        *,
        most: int = _OPEN,
        most_bytes: int = _OPEN_BYTES,
    ) -> None:
        self._root = root
        self._kind = kind
        self._make = make
        self._most = most
        self._most_bytes = most_bytes
        self._open: OrderedDict[Path, M] = OrderedDict()

    def of(self, space: IndexSpace) -> M:
        """Return the mirror of a space, in `root/<collection>/<kind>-<model>`."""
        folder = self._folder(space)
        mirror = self._open.pop(folder, None) or self._make(folder, space)
        self._open[folder] = mirror
        while len(self._open) > 1 and self._are_too_many():
            self._open.popitem(last=False)
        return mirror

    def _are_too_many(self) -> bool:
        return len(self._open) > self._most or sum(mirror.size_bytes for mirror in self._open.values()) > self._most_bytes

    def drop_others(self, space: IndexSpace) -> None:
        """Delete the mirrors of the space's collection for other models than its own. Who has their files open keeps them."""
        kept = self._folder(space)
        for folder in kept.parent.glob(f"{self._kind}-*"):
            if folder != kept:
                self._open.pop(folder, None)
                shutil.rmtree(folder, ignore_errors=True)

    def drop(self, collection_id: CollectionId) -> bool:
        """Delete all mirrors of a collection, once nobody writes them. Who has their files open keeps them.

        False when somebody goes on writing one.
        """
        home = self._root / _safe(collection_id)
        folders = [*home.glob(self._kind), *home.glob(f"{self._kind}-*")]
        for folder in folders:
            self._open.pop(folder, None)
        are_gone = [_delete_unwritten(folder) for folder in folders]
        with suppress(OSError):  # not there, or mirrors of another kind are in it
            home.rmdir()
        return all(are_gone)

    def _folder(self, space: IndexSpace) -> Path:
        return self._root / _safe(space.collection_id) / "-".join(filter(None, (self._kind, _safe(space.model_id))))


def _delete_unwritten(folder: Path) -> bool:
    """Delete a mirror's folder under its lock. One that somebody goes on writing is left, and the check of strays finds it."""
    for _ in range(_LOCK_TRIES):
        with Publication(folder).try_lock() as held:
            if held:
                shutil.rmtree(folder, ignore_errors=True)
                return not any(folder.glob("*"))
        time.sleep(_LOCK_WAIT_S)
    return False


def _safe(name: str) -> str:
    """Make one plain folder name of an id."""
    return quote(name, safe="").replace(".", "%2E")
