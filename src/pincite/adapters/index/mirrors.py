"""Mirrors that this process has open."""

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
        self._open: OrderedDict[str, M] = OrderedDict()

    def of(self, space: IndexSpace) -> M:
        """Return the mirror of a space, in `root/<collection>/<kind>-<model>`."""
        name = "/".join((_safe(space.collection_id), "-".join(filter(None, (self._kind, _safe(space.model_id))))))
        mirror = self._open.pop(name, None) or self._make(self._root / name, space)
        self._open[name] = mirror
        if len(self._open) > _OPEN:
            self._open.popitem(last=False)
        return mirror


def _safe(name: str) -> str:
    """Make one plain folder name of an id."""
    return quote(name, safe="").replace(".", "%2E")
