"""Best chunks by BM25, from tantivy snapshots that all processes share."""

import asyncio
from collections.abc import Collection
from functools import partial
from pathlib import Path

from pincite.adapters.index.following import Follower
from pincite.adapters.index.mirrors import Mirrors
from pincite.adapters.index.threads import SearchThreads
from pincite.adapters.index.word_files import WordMirror
from pincite.adapters.index.word_view import WordView
from pincite.core.ids import CollectionId, DocumentId
from pincite.core.ports.changes import ChangeFeed
from pincite.core.ports.index import IndexSpace, LexicalResult


class TantivyIndex:
    """A `LexicalIndex` in `root/<collection>/lexical`."""

    def __init__(self, root: Path, changes: ChangeFeed, *, threads: SearchThreads | None = None) -> None:
        self._follower: Follower[WordView] = Follower(changes)
        self._mirrors = Mirrors(root, "lexical", lambda folder, _: WordMirror(folder))
        self._threads = threads or SearchThreads()

    async def search(
        self, space: IndexSpace, text: str, *, limit: int, documents: Collection[DocumentId] | None = None
    ) -> LexicalResult:
        """Return up to `limit` chunks by falling BM25, and the idf mass of the question."""
        space = _of_words(space)
        mirror = self._mirrors.of(space)
        view = await self._follower.current(space, mirror)
        try:
            return await self._threads.run(partial(view.search, text, limit=limit, documents=documents))
        except ValueError:  # tantivy's for anything; here files that opened well and can't be read
            mirror.distrust(view)
        view = await self._follower.current(space, mirror)
        return await self._threads.run(partial(view.search, text, limit=limit, documents=documents))

    async def follow(self, space: IndexSpace) -> None:
        """Catch up now with all that is committed."""
        space = _of_words(space)
        await self._follower.follow(space, self._mirrors.of(space))

    async def discard(self, collection_id: CollectionId) -> bool:
        """Delete the mirror of a collection. A process that has it open can go on with it. False when one goes on writing it."""
        return await asyncio.to_thread(self._mirrors.drop, collection_id)


def _of_words(space: IndexSpace) -> IndexSpace:
    """Return the space without its model: there is one mirror, whichever model the dense side uses."""
    return IndexSpace(space.workspace_id, space.collection_id)
