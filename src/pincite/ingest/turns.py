"""Whose turn it is: a document whose words are found lets others be read before its vectors are made."""

import time
from typing import Protocol

from pincite.core.jobs import Job, OutrankedCheck

SLICE_S = 5.0
"""Seconds that a document is embedded before it lets one of another workspace go on, if beginning didn't take longer."""
VECTORS = 10
"""Added to a job's priority when only vectors are missing: reading others comes first."""


class GivesWay(Protocol):
    """Says, between two batches, whether a document is to be put aside. It has been stored by then, as far as it is."""

    async def __call__(self) -> bool:
        """Say whether others go first."""
        ...


class Turn(Protocol):
    """Says the same while a document is being read, too: between two pages of OCR. Not all of it `is_read` by then."""

    async def __call__(self, *, is_read: bool = True) -> bool:
        """Say whether others go first."""
        ...


class GaveWayError(Exception):
    """The document was put aside, as far as it is."""


async def never(*, is_read: bool = True) -> bool:
    """Give way to nobody."""
    return False


async def always(*, is_read: bool = True) -> bool:
    """Give way as soon as what is there is found."""
    return is_read


class JobTurn:
    """The turn of a job. It gives way at once where reading was all it did; between pages and between batches of vectors only when
    it has gone on for as long as taking it up again takes, so that one that is often put aside comes to its end, too.
    """

    def __init__(self, job: Job, is_outranked: OutrankedCheck) -> None:
        self._job = job
        self._is_outranked = is_outranked
        self._began = time.monotonic()
        self._ready: float | None = None
        self._is_read = False

    @property
    def priority(self) -> int:
        """Return the priority with which the job is continued."""
        return self._job.priority if self._job.priority >= VECTORS else self._job.priority + VECTORS

    async def __call__(self, *, is_read: bool = True) -> bool:
        """Say whether others go first."""
        now = time.monotonic()
        is_begun, self._ready = self._ready is not None, self._ready or now
        has_just_been_read, self._is_read = is_read and not self._is_read, is_read
        if has_just_been_read and self._job.priority < VECTORS:
            return await self._is_outranked(priority=self.priority, by_others=True)
        spent, setup = now - self._ready, self._ready - self._began
        if not is_begun or spent < setup:
            return False
        return await self._is_outranked(priority=self.priority, by_others=spent >= max(SLICE_S, 4 * setup))
