"""Jobs in memory."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from pincite.adapters.memory.store_tables import JobRow, Shared, Transaction
from pincite.core.ids import JobId, new_id
from pincite.core.jobs import MAX_ATTEMPTS, Job, JobInfo, JobKind, JobState, NewJob


class MemoryJobs:
    """Jobs of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def enqueue(self, job: NewJob) -> bool:
        """Insert a job. False, and nothing changed, for a (kind, key) that is known."""
        tables = await self._tx.lock()
        if any((row.job.kind, row.job.key) == (job.kind, job.key) for row in tables.jobs.everywhere()):
            return False
        made = Job(JobId(new_id()), self._tx.workspace_id, job.kind, job.key, dict(job.payload), 0, "", job.priority)
        tables.jobs.add(self._tx.workspace_id, made.id, JobRow(made, number=len(tables.jobs.everywhere())))
        return True

    async def state(self, kind: JobKind, key: str) -> JobState | None:
        """Return where a job stands, None for an unknown one."""
        rows = self._tx.tables.jobs.all(self._tx.workspace_id)
        return next((row.state for row in rows if (row.job.kind, row.job.key) == (kind, key)), None)

    async def cancel(self, kind: JobKind, key: str) -> bool:
        """Let a job be done by nobody. False for one that isn't queued or running."""
        tables = await self._tx.lock()
        for row in tables.jobs.all(self._tx.workspace_id):
            if (row.job.kind, row.job.key) == (kind, key) and row.state in (JobState.QUEUED, JobState.RUNNING):
                cancelled = replace(row, state=JobState.CANCELLED, job=replace(row.job, lease=""))
                tables.jobs.put(self._tx.workspace_id, row.job.id, cancelled)
                return True
        return False

    async def list(self, states: Collection[JobState], *, limit: int = 100) -> list[JobInfo]:
        """Return jobs in some states, newest first."""
        rows = sorted(self._tx.tables.jobs.all(self._tx.workspace_id), key=lambda row: -row.number)
        return [_info(row) for row in rows if row.state in states][:limit]


def _info(row: JobRow) -> JobInfo:
    job = row.job
    return JobInfo(job.id, job.kind, job.key, job.payload, row.state, job.attempt, row.error)


class MemoryQueue:
    """A `Queue` over the jobs of all workspaces. `now` gives the seconds that count."""

    def __init__(self, shared: Shared, *, now: Callable[[], float] = time.time) -> None:
        self._shared = shared
        self._now = now

    async def lease(self, kinds: Collection[JobKind], *, for_s: float) -> Job | None:
        """Return the next job that is due, or that a worker let go of by dying; None when there is none."""
        due = [row for row in self._rows(kinds) if row.is_due(self._now())]
        if not due:
            return None
        row = min(due, key=self._rank)
        job = replace(row.job, attempt=row.job.attempt + 1, lease=new_id())
        await self._put(replace(row, job=job, state=JobState.RUNNING, due_at=self._now() + for_s), is_served=True)
        return job

    async def extend(self, job: Job, *, for_s: float) -> bool:
        """Keep a job for longer. False when it isn't the caller's any more."""
        return await self._change(job, due_at=self._now() + for_s)

    async def holds(self, job: Job) -> bool:
        """Say whether a job is still the caller's."""
        rows = (row for row in self._rows([job.kind]) if row.job.id == job.id)
        return any(row.state is JobState.RUNNING and row.job.lease == job.lease for row in rows)

    async def finish(self, job: Job) -> bool:
        """Mark a job as done. False when it isn't the caller's any more."""
        return await self._change(job, state=JobState.DONE)

    async def give_back(self, job: Job, *, error: str, after_s: float = 0.0) -> bool:
        """Let a job be tried again after a while; after the last attempt it has failed."""
        state = JobState.FAILED if job.attempt >= MAX_ATTEMPTS else JobState.QUEUED
        return await self._change(job, state=state, due_at=self._now() + after_s, error=error)

    async def release(self, job: Job) -> bool:
        """Let go of a job that isn't done because its worker is stopped: the attempt doesn't count."""
        uncounted = replace(job, attempt=job.attempt - 1)
        return await self._change(job, job=uncounted, state=JobState.QUEUED, due_at=self._now(), error="stopped")

    async def give_way(self, job: Job, *, priority: int) -> bool:
        """Put a job that isn't done behind others, to be continued later: the attempt doesn't count."""
        behind = replace(job, attempt=job.attempt - 1, priority=priority)
        return await self._change(job, job=behind, state=JobState.QUEUED, due_at=self._now(), error="")

    async def is_outranked(self, job: Job, kinds: Collection[JobKind], *, priority: int, by_others: bool) -> bool:
        """Say whether a job waits that would go before this one."""
        due = [row for row in self._rows(kinds) if row.is_due(self._now()) and row.job.id != job.id]
        own = any(row.job.workspace_id == job.workspace_id and row.job.priority < priority for row in due)
        is_left = any(row.state is JobState.RUNNING for row in due)
        return own or is_left or (by_others and any(row.job.workspace_id != job.workspace_id for row in due))

    async def abandoned(self, kinds: Collection[JobKind], *, for_s: float) -> Sequence[Job]:
        """Return the jobs whose workers died in their last attempt, as the caller's for a while."""
        now = self._now()
        left = [
            replace(row, job=replace(row.job, lease=new_id()), due_at=now + for_s)
            for row in self._rows(kinds)
            if row.state is JobState.RUNNING and row.is_over(now) and row.job.is_last_attempt
        ]
        for row in left:
            await self._put(row)
        return [row.job for row in left]

    def _rows(self, kinds: Collection[JobKind]) -> list[JobRow]:
        return [row for row in self._shared.tables.jobs.everywhere() if row.job.kind in kinds]

    async def _change(self, held: Job, /, **values: object) -> bool:
        row = next((row for row in self._rows([held.kind]) if row.job.id == held.id), None)
        if row is None or row.state is not JobState.RUNNING or row.job.lease != held.lease:
            return False
        await self._put(replace(row, **values))  # type: ignore[arg-type]  # the callers above name fields of the row
        return True

    def _rank(self, row: JobRow) -> tuple[bool, int, int, float, int]:
        workspace_id = row.job.workspace_id
        turn = self._shared.tables.turns.get(workspace_id, workspace_id) or 0
        return row.state is not JobState.RUNNING, turn, row.job.priority, row.due_at, row.number

    async def _put(self, row: JobRow, *, is_served: bool = False) -> None:
        workspace_id = row.job.workspace_id
        transaction = Transaction(self._shared, workspace_id)
        try:
            tables = await transaction.lock()
            tables.jobs.put(workspace_id, row.job.id, row)
            if is_served:
                tables.turns.put(workspace_id, workspace_id, max(tables.turns.everywhere(), default=0) + 1)
            transaction.commit()
        finally:
            transaction.close()
