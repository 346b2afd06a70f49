"""Bringing a mirror up to date with the change log, without ever waiting for another process."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Generic, Protocol, TypeVar
from weakref import WeakKeyDictionary

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

    async def current(self, space: IndexSpace, mirror: Mirror[V]) -> V:
        """Return a view that holds all that was committed when this was called."""
        state = await self._changes.state(space)
        view = mirror.at_hand() or await asyncio.to_thread(partial(mirror.load, overlaid=True))
        if _is_current(view, state):
            return view
        async with self._turn(mirror):
            return await self._catch_up(space, mirror)

    def _turn(self, mirror: Mirror[V]) -> asyncio.Lock:
        turns = self._turns.setdefault(asyncio.get_running_loop(), WeakKeyDictionary())
        return turns.setdefault(mirror, asyncio.Lock())

    async def _catch_up(self, space: IndexSpace, mirror: Mirror[V]) -> V:
        state = await self._changes.state(space)
        restarts = 0
        while restarts <= _RESTARTS:
            view = await asyncio.to_thread(partial(mirror.load, overlaid=False))
            if view.seq > state.head:  # another process read on meanwhile
                state = await self._changes.state(space)
            if _is_current(view, state):
                return view
            base = _base(view, state)
            after = view.seq if base is None else 0
            restarts += after == 0
            changes = await self._changes.read(space, after=after, limit=_BATCH)
            seq = changes[-1].seq if changes else state.head
            if not await asyncio.to_thread(partial(mirror.apply, view, changes, seq=seq, base=base)):
                break
        return await self._laid_over(space, mirror, state)

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
