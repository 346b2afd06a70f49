"""Takes jobs from the queue, keeps their leases while they are done, and decides what becomes of those that fail."""

import asyncio
import logging
import random
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Protocol

from pincite.core.errors import PinciteError, StoreError
from pincite.core.jobs import Job, JobKind, OutrankedCheck
from pincite.core.ports.queue import Queue

LEASE_S = 30.0
"""A dead worker's job is another's after this: under the 45 s in which it must be."""
POLL_S = 1.0
FIRST_WAIT_S = 5.0
"""Wait before a job that failed by no fault of its own is tried again; doubled each time."""
STORE_WAIT_S = 5.0
LOOK_S = 0.5
"""Seconds between two looks whether a job was cancelled."""

_log = logging.getLogger("pincite.worker")


class Handler(Protocol):
    """Does the jobs of one kind. Acts on what is true when it runs, so that running twice does no harm."""

    async def run(self, job: Job, is_outranked: OutrankedCheck) -> int | None:
        """Do the job. Raises a retryable `PinciteError` when trying again can help.

        One that gives way to others, which `is_outranked` tells of, returns the priority with which it is to be continued.
        """
        ...

    async def reopen(self, job: Job) -> None:
        """Prepare for the next try, after one that was broken off."""
        ...

    async def give_up(self, job: Job, error: PinciteError | None) -> None:
        """Say where it shows that the job failed for good, unless it does already. Without an error, every try was broken off."""
        ...


@dataclass
class Worker:
    """Does jobs until it is stopped, `slots` at once. `wake` ends its wait when a job was just enqueued beside it."""

    queue: Queue
    handlers: Mapping[JobKind, Handler]
    slots: int = 1
    lease_s: float = LEASE_S
    poll_s: float = POLL_S
    _called: asyncio.Event = field(default_factory=asyncio.Event)
    _busy: int = 0

    def wake(self) -> None:
        """Look for jobs now."""
        self._called.set()

    async def run(self) -> None:
        """Do jobs until cancelled. Jobs under way are then given back, for any worker to begin anew."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self.slots):
                group.create_task(self._work())
            group.create_task(self._sweep())

    async def work_off(self) -> int:
        """Do what is due, and what comes of it, and return how many jobs there were; one that gave way counts when it is done."""
        await self._give_up_abandoned()
        try:
            async with asyncio.TaskGroup() as group:
                slots = [group.create_task(self._work_off_in_slot()) for _ in range(self.slots)]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return sum(slot.result() for slot in slots)

    async def _work_off_in_slot(self) -> int:
        done = 0
        while (has_ended := await self._next()) is not None or self._busy:
            done += bool(has_ended)
            if has_ended is None:  # what others are at may put more into the queue, such as the files inside a file
                await asyncio.sleep(self.poll_s)
        return done

    async def _work(self) -> None:
        while True:
            try:
                is_idle = await self._next() is None
            except StoreError as error:
                _log.warning("The queue can't be used: %s", error.message)
                await asyncio.sleep(STORE_WAIT_S)
                continue
            if is_idle:
                self._called.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(self.poll_s):
                        await self._called.wait()

    async def _sweep(self) -> None:
        """Give up, now and then, the jobs whose workers died in their last attempt."""
        while True:
            try:
                await self._give_up_abandoned()
            except StoreError as error:
                _log.warning("The queue can't be used: %s", error.message)
            await asyncio.sleep(self.lease_s / 2)

    async def _give_up_abandoned(self) -> None:
        for job in await self.queue.abandoned(list(self.handlers), for_s=self.lease_s):
            _log.warning("Job %s was begun %d times and never came to an end", job.key, job.attempt)
            # Told where it shows before the queue forgets it: who is killed in between leaves it to be told again.
            await self.handlers[job.kind].give_up(job, None)
            await self.queue.give_back(job, error="abandoned")

    async def _next(self) -> bool | None:
        """Do the next job; say whether its try has ended, or it gave way. None when there is none."""
        job = await self.queue.lease(list(self.handlers), for_s=self.lease_s)
        if job is None:
            return None
        self._busy += 1
        try:
            return await self._do(job)
        finally:
            self._busy -= 1

    async def _do(self, job: Job) -> bool:
        handler = self.handlers[job.kind]
        work = asyncio.create_task(handler.run(job, partial(self._is_outranked, job)))
        beating = asyncio.create_task(self._keep(job, work))
        try:
            priority = await work
            if priority is not None:
                await self.queue.give_way(job, priority=priority)
                return False
            await self.queue.finish(job)
        except asyncio.CancelledError:
            if not _is_cancelled():  # the lease was lost, and the job is another worker's: this one goes on with the next
                return True
            await self._put_back(job, work)
            raise
        except PinciteError as error:
            await self._failed(job, handler, error)
        except Exception:  # noqa: BLE001 - the door: a fault in one job must not end the worker
            _log.exception("Job %s failed", job.key)
            await self._failed(job, handler, None)
        finally:
            beating.cancel()
        return True

    async def _is_outranked(self, job: Job, *, priority: int, by_others: bool) -> bool:
        return await self.queue.is_outranked(job, list(self.handlers), priority=priority, by_others=by_others)

    async def _keep(self, job: Job, work: asyncio.Task[int | None]) -> None:
        """Extend the lease; once it is lost, because another worker has the job or somebody cancelled it, this one stops."""
        looks_per_lease = max(1, round(self.lease_s / 3 / LOOK_S))
        for look in count(1):
            await asyncio.sleep(min(LOOK_S, self.lease_s / 3))
            with suppress(StoreError):
                is_held = self.queue.extend(job, for_s=self.lease_s) if look % looks_per_lease == 0 else self.queue.holds(job)
                if not await is_held:
                    work.cancel()
                    return

    async def _put_back(self, job: Job, work: asyncio.Task[int | None]) -> None:
        """Let a job go that was broken off by the end of this process. The attempt doesn't count."""
        work.cancel()
        await asyncio.wait({work})
        with suppress(StoreError):
            if await self.queue.release(job):
                await self.handlers[job.kind].reopen(job)

    async def _failed(self, job: Job, handler: Handler, error: PinciteError | None) -> None:
        """Try again what may succeed then; of what failed for good, say so where it shows."""
        code = error.code if error else "internal"
        if job.is_last_attempt or (error is not None and not error.retryable):
            await handler.give_up(job, error)
            await self.queue.finish(job)
            _log.warning("Job %s failed: %s", job.key, code)
            return
        if await self.queue.give_back(job, error=code, after_s=_wait_s(job)):
            await handler.reopen(job)


def _wait_s(job: Job) -> float:
    """Return how long a job waits after a failure: longer each time, and not all that failed at once by the same."""
    return FIRST_WAIT_S * 2 ** (job.attempt - 1) * random.uniform(0.75, 1.25)


def _is_cancelled() -> bool:
    """Say whether the task that asks is being cancelled itself, and not only what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
