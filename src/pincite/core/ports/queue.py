"""The queue that workers take jobs from. Jobs are put into it by units of work (`work.jobs`), together with what they are about."""

from collections.abc import Collection, Sequence
from typing import Protocol

from pincite.core.jobs import Job, JobInfo, JobKind, JobState, NewJob


class Queue(Protocol):
    """Hands each job to one worker at a time, of all workspaces. Time is the database's, so clocks of machines may differ.

    No lease and no wait is longer than `LONGEST_S`.
    """

    async def lease(self, kinds: Collection[JobKind], *, for_s: float) -> Job | None:
        """Return the next job that is due, or that a worker let go of by dying; None when there is none. Raises `StoreError`.

        What a dead worker had goes first: somebody has waited for the length of a lease already. Else workspaces take turns: it is
        one of the workspace that was served longest ago, and of its jobs the one of lowest priority.
        """
        ...

    async def extend(self, job: Job, *, for_s: float) -> bool:
        """Keep a job for longer. False when it isn't the caller's any more: then stop."""
        ...

    async def holds(self, job: Job) -> bool:
        """Say whether a job is still the caller's. Looks without a lock."""
        ...

    async def finish(self, job: Job) -> bool:
        """Mark a job as done. False when it isn't the caller's any more."""
        ...

    async def give_back(self, job: Job, *, error: str, after_s: float = 0.0) -> bool:
        """Let a job be tried again after a while; after the last attempt it has failed. False when it's the caller's no more."""
        ...

    async def release(self, job: Job) -> bool:
        """Let go of a job that isn't done because its worker is stopped: the attempt doesn't count. False as with `finish`."""
        ...

    async def give_way(self, job: Job, *, priority: int) -> bool:
        """Put a job that isn't done behind others, to be continued later: the attempt doesn't count. False as with `finish`."""
        ...

    async def is_outranked(self, job: Job, kinds: Collection[JobKind], *, priority: int, by_others: bool) -> bool:
        """Say whether a job waits that would go before this one if it had a priority: of its workspace and a lower one, one whose
        worker died, or (`by_others`) any of another workspace. Looks without a lock.
        """
        ...

    async def abandoned(self, kinds: Collection[JobKind], *, for_s: float) -> Sequence[Job]:
        """Return the jobs whose workers died in their last attempt, as the caller's for a while.

        They are to be told as failed where that shows, and then given back. Whoever dies in between leaves them to the next.
        """
        ...


class JobRows(Protocol):
    """Jobs of the workspace, as those see them who have work to be done."""

    async def enqueue(self, job: NewJob) -> bool:
        """Insert a job, to be begun once this unit of work is committed. False, and nothing changed, for a known (kind, key)."""
        ...

    async def state(self, kind: JobKind, key: str) -> JobState | None:
        """Return where a job stands, None for an unknown one."""
        ...

    async def cancel(self, kind: JobKind, key: str) -> bool:
        """Let a job be done by nobody: one that runs is its worker's no more. False for one that isn't queued or running."""
        ...

    async def list(self, states: Collection[JobState], *, limit: int = 100) -> list[JobInfo]:
        """Return jobs in some states, newest first."""
        ...
