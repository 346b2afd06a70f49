"""Rows of jobs: enqueued inside units of work, leased by workers of any workspace."""

import json
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Executable, Float, Row, bindparam, case, func, or_, select, update
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from pincite.adapters.sql.collections import ensure_workspace
from pincite.adapters.sql.tables import jobs, workspaces
from pincite.adapters.sql.transaction import Database, Transaction
from pincite.core.ids import JobId, WorkspaceId, new_id
from pincite.core.jobs import LONGEST_S, MAX_ATTEMPTS, Job, JobInfo, JobKind, JobState, NewJob


class DatabaseTime(FunctionElement[float]):
    """Seconds since 1970 by the clock of the database."""

    type = Float()
    inherit_cache = True


@compiles(DatabaseTime, "sqlite")
def _on_sqlite(element: DatabaseTime, compiler: SQLCompiler, **options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(DatabaseTime, "postgresql")
def _on_postgresql(element: DatabaseTime, compiler: SQLCompiler, **options: Any) -> str:
    return "extract(epoch from clock_timestamp())::double precision"


EVERYBODYS = WorkspaceId("")
"""What stands for the workspace where a statement asks for none."""
NOW = DatabaseTime()
KNOWN = select(jobs.c.state).where(
    jobs.c.workspace_id == bindparam("own"), jobs.c.kind == bindparam("kind"), jobs.c.key == bindparam("key")
)
TAKEN = select(jobs.c.id).where(jobs.c.kind == bindparam("kind"), jobs.c.key == bindparam("key"))
WANTED = jobs.c.kind.in_(bindparam("kinds", expanding=True))
IS_OVER = (jobs.c.due_at <= NOW) | (jobs.c.due_at > NOW + LONGEST_S)
LEFT = jobs.c.state == JobState.RUNNING.value
"""Of jobs that are due: their workers died."""
IS_DUE = IS_OVER & or_(jobs.c.state == JobState.QUEUED.value, LEFT & (jobs.c.attempt < MAX_ATTEMPTS))
NEXT = (
    select(jobs.c.id)
    .join(workspaces, workspaces.c.id == jobs.c.workspace_id)
    .where(WANTED, IS_DUE)
    .order_by(~LEFT, workspaces.c.turn, jobs.c.priority, jobs.c.due_at, jobs.c.created_at, jobs.c.id)
    .limit(1)
    .with_for_update(skip_locked=True, of=jobs)
    .scalar_subquery()
)
LAST_TURN = workspaces.alias("others")
SERVED = (
    update(workspaces)
    .where(workspaces.c.id == bindparam("served"))
    .values(turn=select(func.max(LAST_TURN.c.turn) + 1).scalar_subquery())
)
LEASE = (
    update(jobs)
    .where(jobs.c.id == NEXT)
    .values(state=JobState.RUNNING.value, attempt=jobs.c.attempt + 1, lease=bindparam("new_lease"), due_at=NOW + bindparam("for_s"))
    .returning(*jobs.c)
)
MINE = (jobs.c.id == bindparam("job_id"), jobs.c.lease == bindparam("held"), jobs.c.state == JobState.RUNNING.value)
EXTEND = update(jobs).where(*MINE).values(due_at=NOW + bindparam("for_s"))
FINISH = update(jobs).where(*MINE).values(state=JobState.DONE.value)
GIVE_BACK = (
    update(jobs)
    .where(*MINE)
    .values(
        state=case((jobs.c.attempt >= MAX_ATTEMPTS, JobState.FAILED.value), else_=JobState.QUEUED.value),
        due_at=NOW + bindparam("for_s"),
        error=bindparam("said"),
    )
)
RELEASE = update(jobs).where(*MINE).values(state=JobState.QUEUED.value, attempt=jobs.c.attempt - 1, due_at=NOW, error="stopped")
GIVE_WAY = (
    update(jobs)
    .where(*MINE)
    .values(state=JobState.QUEUED.value, attempt=jobs.c.attempt - 1, due_at=NOW, priority=bindparam("new_priority"), error="")
)
BETTER = (jobs.c.workspace_id == bindparam("own")) & (jobs.c.priority < bindparam("priority"))
# Its own lease may be over, too, where extending it came late.
ANOTHER = jobs.c.id != bindparam("job_id")
OUTRANKING = (WANTED, IS_DUE, ANOTHER, BETTER | LEFT)
OTHERS = (WANTED, IS_DUE, ANOTHER, BETTER | LEFT | (jobs.c.workspace_id != bindparam("own")))
ABANDONED = (WANTED, jobs.c.state == JobState.RUNNING.value, IS_OVER, jobs.c.attempt >= MAX_ATTEMPTS)
TAKE_OVER = update(jobs).where(*ABANDONED).values(lease=bindparam("new_lease"), due_at=NOW + bindparam("for_s")).returning(*jobs.c)


HELD = select(jobs.c.id).where(*MINE)
CANCEL = (
    update(jobs)
    .where(
        jobs.c.workspace_id == bindparam("own"),
        jobs.c.kind == bindparam("of_kind"),
        jobs.c.key == bindparam("of_key"),
        jobs.c.state.in_([JobState.QUEUED.value, JobState.RUNNING.value]),
    )
    .values(state=JobState.CANCELLED.value, lease="")
)
LISTED = (
    select(jobs)
    .where(jobs.c.workspace_id == bindparam("own"), jobs.c.state.in_(bindparam("states", expanding=True)))
    .order_by(jobs.c.created_at.desc(), jobs.c.id.desc())
    .limit(bindparam("count"))
)


class SqlJobs:
    """Jobs of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def enqueue(self, job: NewJob) -> bool:
        """Insert a job. False, and nothing changed, for a (kind, key) that is known."""
        await self._tx.lock()
        if await self._tx.row(TAKEN, kind=job.kind.value, key=job.key):
            return False
        await ensure_workspace(self._tx)
        row = {
            "id": new_id(),
            "kind": job.kind.value,
            "key": job.key,
            "payload": json.dumps(dict(job.payload)),
            "state": JobState.QUEUED.value,
            "priority": job.priority,
            "attempt": 0,
            "lease": "",
            "due_at": 0.0,
            "error": "",
            "created_at": datetime.now(UTC),
        }
        await self._tx.insert(jobs, row)
        return True

    async def state(self, kind: JobKind, key: str) -> JobState | None:
        """Return where a job stands, None for an unknown one."""
        row = await self._tx.row(KNOWN, kind=kind.value, key=key)
        return JobState(row.state) if row else None

    async def cancel(self, kind: JobKind, key: str) -> bool:
        """Let a job be done by nobody. False for one that isn't queued or running."""
        return (await self._tx.change(CANCEL, of_kind=kind.value, of_key=key)).rowcount > 0

    async def list(self, states: Collection[JobState], *, limit: int = 100) -> list[JobInfo]:
        """Return jobs in some states, newest first."""
        rows = await self._tx.rows(LISTED, states=[state.value for state in states], count=limit)
        return [_info(row) for row in rows]


class SqlQueue:
    """A `Queue` over the jobs of all workspaces."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def lease(self, kinds: Collection[JobKind], *, for_s: float) -> Job | None:
        """Return the next job that is due, or that a worker let go of by dying; None when there is none."""
        if not await self._is_any(kinds, WANTED, IS_DUE):
            return None
        async with self._transaction() as transaction:
            found = (await transaction.change(LEASE, kinds=_names(kinds), new_lease=new_id(), for_s=for_s)).first()
            if found:
                await transaction.change(SERVED, served=found.workspace_id)
            await transaction.commit()
        return _job(found) if found else None

    async def extend(self, job: Job, *, for_s: float) -> bool:
        """Keep a job for longer. False when it isn't the caller's any more."""
        return await self._held(EXTEND, job, for_s=for_s)

    async def holds(self, job: Job) -> bool:
        """Say whether a job is still the caller's. Looks without a lock."""
        async with self._transaction() as transaction:
            return await transaction.row(HELD, job_id=job.id, held=job.lease) is not None

    async def finish(self, job: Job) -> bool:
        """Mark a job as done. False when it isn't the caller's any more."""
        return await self._held(FINISH, job)

    async def give_back(self, job: Job, *, error: str, after_s: float = 0.0) -> bool:
        """Let a job be tried again after a while; after the last attempt it has failed."""
        return await self._held(GIVE_BACK, job, said=error, for_s=after_s)

    async def release(self, job: Job) -> bool:
        """Let go of a job that isn't done because its worker is stopped: the attempt doesn't count."""
        return await self._held(RELEASE, job)

    async def give_way(self, job: Job, *, priority: int) -> bool:
        """Put a job that isn't done behind others, to be continued later: the attempt doesn't count."""
        return await self._held(GIVE_WAY, job, new_priority=priority)

    async def is_outranked(self, job: Job, kinds: Collection[JobKind], *, priority: int, by_others: bool) -> bool:
        """Say whether a job waits that would go before this one. Looks without a lock."""
        wanted = select(jobs.c.id).where(*(OTHERS if by_others else OUTRANKING)).limit(1)
        async with self._transaction(job.workspace_id) as transaction:
            return await transaction.row(wanted, kinds=_names(kinds), job_id=job.id, priority=priority) is not None

    async def abandoned(self, kinds: Collection[JobKind], *, for_s: float) -> Sequence[Job]:
        """Return the jobs whose workers died in their last attempt, as the caller's for a while."""
        if not await self._is_any(kinds, *ABANDONED):
            return []
        return [_job(row) for row in await self._changed(TAKE_OVER, kinds=_names(kinds), new_lease=new_id(), for_s=for_s)]

    async def _is_any(self, kinds: Collection[JobKind], *wanted: ColumnElement[bool]) -> bool:
        """Look without a lock: an idle worker must not keep writers waiting."""
        async with self._transaction() as transaction:
            return await transaction.row(select(jobs.c.id).where(*wanted).limit(1), kinds=_names(kinds)) is not None

    async def _held(self, statement: Executable, job: Job, **values: Any) -> bool:
        async with self._transaction() as transaction:
            changed = await transaction.change(statement, job_id=job.id, held=job.lease, **values)
            await transaction.commit()
        return changed.rowcount > 0

    async def _changed(self, statement: Executable, **values: Any) -> Sequence[Row[Any]]:
        async with self._transaction() as transaction:
            rows = (await transaction.change(statement, **values)).all()
            await transaction.commit()
        return rows

    @asynccontextmanager
    async def _transaction(self, workspace_id: WorkspaceId = EVERYBODYS) -> AsyncGenerator[Transaction]:
        transaction = Transaction(self._database, workspace_id)
        try:
            yield transaction
        finally:
            await transaction.close()


def _names(kinds: Collection[JobKind]) -> list[str]:
    return [kind.value for kind in kinds]


def _info(row: Row[Any]) -> JobInfo:
    payload = json.loads(row.payload)
    return JobInfo(JobId(row.id), JobKind(row.kind), row.key, payload, JobState(row.state), row.attempt, row.error)


def _job(row: Row[Any]) -> Job:
    return Job(
        id=JobId(row.id),
        workspace_id=WorkspaceId(row.workspace_id),
        kind=JobKind(row.kind),
        key=row.key,
        payload=json.loads(row.payload),
        attempt=row.attempt,
        lease=row.lease,
        priority=row.priority,
    )
