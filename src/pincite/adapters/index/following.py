"""Bringing a mirror up to date with the change log, without ever waiting for another process."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

from pincite.core.errors import ModelChangedError
from pincite.core.ports.changes import Change, ChangeFeed, LogState
from pincite.core.ports.index import IndexSpace

_BATCH = 2_000
"""Changes applied under one lock."""
_RESTARTS = 2
"""How often one search begins a mirror again, should what it writes not be there when it looks."""


class View(Protocol):
    """What a mirror shows at one moment: the log up to `seq`, read from the start when the horizon stood at `base`."""

    @property
    def seq(self) -> int:
        """Return the last number of the log that is in it."""
        ...

    @property
    def base(self) -> int:
        """Return the horizon when its reading began."""
        ...


V = TypeVar("V", bound=View)


class Mirror(Protocol[V]):
    """One collection's files. Its methods run in threads, several at once."""

    def at_hand(self) -> V | None:
        """Return what `load(overlaid=True)` returned last, None if somebody published since. Takes microseconds."""
        ...

    def load(self, *, overlaid: bool) -> V:
        """Return what is published, with `overlaid` what this process laid over it last.

        An empty view (`seq` 0) when nothing is published, or it is damaged or of another format.
        """
        ...

    def apply(self, view: V, changes: Sequence[Change], *, seq: int, base: int | None) -> bool:
        """Apply changes to what `view` shows and publish it up to `seq`; with `base`, begin again from nothing.

        Does nothing when somebody published meanwhile. False when the lock or the disk isn't to be had.
        """
        ...

    def overlay(self, view: V, changes: Sequence[Change], *, seq: int, base: int | None) -> V:
        """Return `view` with changes laid over in memory; with `base`, the changes alone."""
        ...


class Follower(Generic[V]):
    """Keeps mirrors up to date from one change log.

    Searches of one event loop take turns at catching up. Between processes nobody waits: who can't have the lock reads the
    missing part of the log into memory.
    """

    def __init__(self, changes: ChangeFeed) -> None:
        self._changes = changes
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, WeakKeyDictionary[Mirror[V], asyncio.Lock]] = WeakKeyDictionary()
        self._right: WeakKeyDictionary[Mirror[V], V] = WeakKeyDictionary()

    async def current(self, space: IndexSpace, mirror: Mirror[V]) -> V:
        """Return a view that holds all that was committed when this was called.

        When the collection has come to another embedding model since the search began, the view is the last that was right for
        the old one. Raises `ModelChangedError` (retryable) when this process has none.
        """
        try:
            view = self._right[mirror] = await self._current(space, mirror)
        except ModelChangedError:
            if mirror not in self._right:
                raise
            view = self._right[mirror]
        return view

    async def _current(self, space: IndexSpace, mirror: Mirror[V]) -> V:
        state = await self._changes.state(space)
        view = mirror.at_hand() or await asyncio.to_thread(partial(mirror.load, overlaid=True))
        if _is_current(view, state):
            return view
        async with self._turn(mirror):
            view, now = await self._apply(space, mirror, state.head)
            if _base(view, now) is not None or view.seq < min(state.head, now.head):
                view = await self._laid_over(space, mirror, now)
        await self._changes.state(space)  # vectors of a model that is given up may have gone while they were read
        return view

    async def follow(self, space: IndexSpace, mirror: Mirror[V], *, through: int | None = None) -> None:
        """Publish what is missing, up to a number of the log or all that was committed when this was called.

        Where another process has the lock, it is left to that one.
        """
        target = (await self._changes.state(space)).head if through is None else through
        async with self._turn(mirror):
            await self._apply(space, mirror, target)

    def _turn(self, mirror: Mirror[V]) -> asyncio.Lock:
        turns = self._turns.setdefault(asyncio.get_running_loop(), WeakKeyDictionary())
        return turns.setdefault(mirror, asyncio.Lock())

    async def _apply(self, space: IndexSpace, mirror: Mirror[V], target: int) -> tuple[V, LogState]:
        """Apply one batch after the other, each under a lock of its own, until what is published holds the log up to `target`.

        Ends before that where the lock or the disk isn't to be had. Return what is published then, and where the log stands.
        """
        restarts = 0
        applied = True
        while True:
            view = await asyncio.to_thread(partial(mirror.load, overlaid=False))
            state = await self._changes.state(space)
            base, goal = _base(view, state), min(target, state.head)
            after = view.seq if base is None else 0
            restarts += after == 0
            if not applied or restarts > _RESTARTS or (base is None and after >= goal):
                return view, state
            page = await self._changes.read(space, after=after, limit=_BATCH)
            changes = [change for change in page if change.seq <= goal]
            seq = changes[-1].seq if changes else goal
            applied = await asyncio.to_thread(partial(mirror.apply, view, changes, seq=seq, base=base))

    async def _laid_over(self, space: IndexSpace, mirror: Mirror[V], state: LogState) -> V:
        view = await asyncio.to_thread(partial(mirror.load, overlaid=True))
        if _is_current(view, state):
            return view
        base = _base(view, state)
        seq = view.seq if base is None else 0
        changes: list[Change] = []
        while seq < state.head:
            page = await self._changes.read(space, after=seq, limit=_BATCH)
            changes += page
            seq = page[-1].seq if page else state.head
        return await asyncio.to_thread(partial(mirror.overlay, view, changes, seq=seq, base=base))


def _is_current(view: View, state: LogState) -> bool:
    return view.seq == state.head and _base(view, state) is None


def _base(view: View, state: LogState) -> int | None:
    """Return the horizon to begin again under, None when the view can be continued.

    It can't when the log is shorter than what was read of it (another store was put in its place), or when tombstones that it
    hasn't read are forgotten. Those forgotten before its reading began concern chunks that it never saw.
    """
    behind = state.horizon > max(view.seq, view.base)
    return state.horizon if behind or view.seq > state.head else None
