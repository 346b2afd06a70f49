"""A close look at published mirrors: each file against its checksum, each row against the database."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from pincite.adapters.index.following import Follower, Mirror, View
from pincite.adapters.index.matrix import MatrixView
from pincite.adapters.index.matrix_comparing import MatrixComparison
from pincite.adapters.index.matrix_files import MatrixMirror
from pincite.adapters.index.mirrors import Mirrors, Sized
from pincite.adapters.index.word_comparing import WordComparison
from pincite.adapters.index.word_files import WordMirror
from pincite.adapters.index.word_view import WordView
from pincite.core.ids import ChunkId
from pincite.core.ports.care import Counted
from pincite.core.ports.changes import Change, ChangeFeed
from pincite.core.ports.index import IndexSpace

_PAGE = 2_000


class Comparison(Protocol):
    """One view of a mirror, compared with what the log says page by page. Runs in threads."""

    @property
    def damaged(self) -> list[str]:
        """Return the names of its files that aren't as they were published."""
        ...

    def compare(self, changes: Sequence[Change]) -> None:
        """Look at some of the rows that the view says it holds."""
        ...

    def faults(self, unsure: set[ChunkId]) -> list[str]:
        """Return what was found, a sentence each, without what concerns chunks that changed since."""
        ...


class Published(Sized, Protocol):
    """A mirror whose published state can be taken back."""

    def withdraw(self) -> bool:
        """Publish nothing any more. False when somebody holds the lock."""
        ...


V = TypeVar("V", bound=View)
M = TypeVar("M", bound=Published)


class IndexCare(Generic[V, M]):
    """A `MirrorCare` over the mirrors of one kind. Looks through mirrors of its own, so that nothing open is relied on."""

    def __init__(
        self,
        changes: ChangeFeed,
        mirrors: Mirrors[M],
        load: Callable[[M], tuple[Mirror[V], V | None, bool]],
        comparison: Callable[[M, V], Comparison],
        *,
        of_words: bool,
    ) -> None:
        self._changes = changes
        self._mirrors = mirrors
        self._load = load
        self._comparison = comparison
        self._of_words = of_words

    async def faults(self, space: IndexSpace, counted: Counted) -> list[str]:
        """Say where the published mirror differs from the rows that it says it holds, a sentence each. Changes nothing."""
        own = self._own(space)
        if own is None:
            return []
        mirror = self._mirrors.of(own)
        _, view, is_published = await asyncio.to_thread(partial(self._load, mirror))
        if not is_published:
            return []  # the next search makes it
        if view is None:
            return ["It can't be read."]
        state = await self._changes.state(own)
        if state.horizon > max(view.seq, view.base) or view.seq > state.head:
            return []  # too far behind to be used: the next search makes it anew
        found = await asyncio.to_thread(partial(self._comparison, mirror, view))
        if found.damaged:
            return [f"Files have changed: {', '.join(found.damaged)}."]
        unsure: set[ChunkId] = set()
        async for page in self._pages(own):
            counted(page[-1].seq, state.head)
            unsure |= {change.chunk_id for change in page if change.seq > view.seq}
            held = [change for change in page if change.seq <= view.seq and not change.deleted]
            await asyncio.to_thread(partial(found.compare, held))
        return await asyncio.to_thread(partial(found.faults, unsure))

    async def rebuild(self, space: IndexSpace) -> bool:
        """Make the mirror anew. False when another process is writing it."""
        own = self._own(space)
        if own is None:
            return True
        mirror = self._mirrors.of(own)
        if not await asyncio.to_thread(mirror.withdraw):
            return False
        followed, _, _ = await asyncio.to_thread(partial(self._load, mirror))
        await Follower[V](self._changes).follow(own, followed)
        return True

    def _own(self, space: IndexSpace) -> IndexSpace | None:
        """Return the space under which the mirror of this kind is kept, None when there is none."""
        if self._of_words:
            return IndexSpace(space.workspace_id, space.collection_id)
        return space if space.model_id else None

    async def _pages(self, space: IndexSpace) -> AsyncGenerator[Sequence[Change]]:
        after = 0
        while page := await self._changes.read(space, after=after, limit=_PAGE):
            yield page
            after = page[-1].seq


def vector_care(root: Path, changes: ChangeFeed) -> IndexCare[MatrixView, MatrixMirror]:
    """Build what looks after the mirrors of `MappedDenseIndex`."""

    def load(mirror: MatrixMirror) -> tuple[Mirror[MatrixView], MatrixView | None, bool]:
        view = mirror.load(overlaid=False)
        return mirror, (view if view.state.generation else None), view.stamp is not None

    def opened(folder: Path, space: IndexSpace) -> MatrixMirror:
        return MatrixMirror(folder, dimensions=space.dimensions)

    return IndexCare(changes, Mirrors(root, "dense", opened), load, MatrixComparison, of_words=False)


def word_care(root: Path, changes: ChangeFeed) -> IndexCare[WordView, WordMirror]:
    """Build what looks after the mirrors of `TantivyIndex`."""

    def load(mirror: WordMirror) -> tuple[Mirror[WordView], WordView | None, bool]:
        view = mirror.load(overlaid=False)
        return mirror, (view if view.searcher else None), view.stamp is not None

    return IndexCare(changes, Mirrors(root, "lexical", lambda folder, _: WordMirror(folder)), load, WordComparison, of_words=True)
