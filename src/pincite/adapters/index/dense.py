"""Nearest chunks by cosine, from mapped files that all processes share."""

import asyncio
from collections.abc import Collection
from functools import partial
from pathlib import Path

from pincite.adapters.index.following import Follower
from pincite.adapters.index.matrix import MatrixView, unit
from pincite.adapters.index.matrix_files import COMPACT_ROWS, SIGN_ROWS, MatrixMirror
from pincite.adapters.index.mirrors import Mirrors
from pincite.adapters.index.threads import SearchThreads
from pincite.core.ids import CollectionId, DocumentId
from pincite.core.ports.changes import ChangeFeed
from pincite.core.ports.index import IndexHit, IndexSpace
from pincite.core.ports.models import Vector


class MappedDenseIndex:
    """A `DenseIndex` in `root/<collection>/dense-<model>`: exact, and from `sign_rows` rows on by way of sign codes."""

    def __init__(
        self,
        root: Path,
        changes: ChangeFeed,
        *,
        threads: SearchThreads | None = None,
        sign_rows: int = SIGN_ROWS,
        compact_rows: int = COMPACT_ROWS,
    ) -> None:
        def open_mirror(folder: Path, space: IndexSpace) -> MatrixMirror:
            return MatrixMirror(folder, dimensions=space.dimensions, sign_rows=sign_rows, compact_rows=compact_rows)

        self._follower: Follower[MatrixView] = Follower(changes)
        self._mirrors = Mirrors(root, "dense", open_mirror)
        self._threads = threads or SearchThreads()

    async def search(
        self, space: IndexSpace, vector: Vector, *, limit: int, documents: Collection[DocumentId] | None = None
    ) -> list[IndexHit]:
        """Return up to `limit` chunks by falling cosine. Raises `ConflictError` for vectors of another size."""
        if space.dimensions:
            unit(vector, space.dimensions)
        view = await self._follower.current(space, self._mirrors.of(space))
        return await self._threads.run(partial(_search, view, vector, limit, documents))

    async def follow(self, space: IndexSpace, *, through: int | None = None) -> None:
        """Catch up now: with all that is committed, or with the log up to a number."""
        await self._follower.follow(space, self._mirrors.of(space), through=through)

    async def retain(self, space: IndexSpace) -> None:
        """Delete the mirrors of the collection for other models. A process that has one open can go on with it."""
        await asyncio.to_thread(self._mirrors.drop_others, space)

    async def discard(self, collection_id: CollectionId) -> bool:
        """Delete the mirrors of a collection. A process that has one open can go on with it. False when one goes on writing it."""
        return await asyncio.to_thread(self._mirrors.drop, collection_id)


def _search(view: MatrixView, vector: Vector, limit: int, documents: Collection[DocumentId] | None) -> list[IndexHit]:
    if not view.dimensions:
        return []
    chosen = None if documents is None else frozenset(documents)
    return view.search(unit(vector, view.dimensions), limit=limit, documents=chosen)
