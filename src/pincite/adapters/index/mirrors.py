"""Mirrors that this process has open."""

import shutil
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar
from urllib.parse import quote

from pincite.core.ports.index import IndexSpace

_OPEN = 32

M = TypeVar("M")


class Mirrors(Generic[M]):
    """Open mirrors by folder; beyond 32 the one used least lately is closed."""

    def __init__(self, root: Path, kind: str, make: Callable[[Path, IndexSpace], M]) -> None:
        self._root = root
        self._kind = kind
        self._make = make
        self._open: OrderedDict[Path, M] = OrderedDict()

    def of(self, space: IndexSpace) -> M:
        """Return the mirror of a space, in `root/<collection>/<kind>-<model>`."""
        folder = self._folder(space)
        mirror = self._open.pop(folder, None) or self._make(folder, space)
        self._open[folder] = mirror
        if len(self._open) > _OPEN:
            self._open.popitem(last=False)
        return mirror

    def drop_others(self, space: IndexSpace) -> None:
        """Delete the mirrors of the space's collection for other models than its own. Who has their files open keeps them."""
        kept = self._folder(space)
        for folder in kept.parent.glob(f"{self._kind}-*"):
            if folder != kept:
                self._open.pop(folder, None)
                shutil.rmtree(folder, ignore_errors=True)

    def _folder(self, space: IndexSpace) -> Path:
        return self._root / _safe(space.collection_id) / "-".join(filter(None, (self._kind, _safe(space.model_id))))


def _safe(name: str) -> str:
    """Make one plain folder name of an id."""
    return quote(name, safe="").replace(".", "%2E")
