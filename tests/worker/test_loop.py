"""Workers: jobs are done, tried again where that can help, and given back by one that is stopped."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from pincite.adapters.memory.store import MemoryStore
from pincite.core.errors import PinciteError, RefusedInput, UpstreamError
from pincite.core.ids import WorkspaceId, new_id
from pincite.core.jobs import MAX_ATTEMPTS, Job, JobKind, JobState, NewJob, OutrankedCheck
from pincite.worker import loop
from pincite.worker.loop import Worker

OURS = WorkspaceId(new_id())


@dataclass
class Recording:
    """A handler that keeps what was asked of it and does what it is told."""

    work: Callable[[Job], None] = lambda job: None
    ran: list[str] = field(default_factory=list[str])
    reopened: list[str] = field(default_factory=list[str])
    given_up: list[str] = field(default_factory=list[str])
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    blocks: bool = False
    priority: int | None = None

    async def run(self, job: Job, is_outranked: OutrankedCheck) -> int | None:
        self.ran.append(job.key)
        self.begun.set()
        if self.blocks:
            await asyncio.Event().wait()
        self.work(job)
        return self.priority

    async def reopen(self, job: Job) -> None:
        self.reopened.append(job.key)

    async def give_up(self, job: Job, error: PinciteError | None) -> None:
        self.given_up.append(job.key)


async def enqueued(store: MemoryStore, *keys: str) -> None:
    async with store.open(OURS) as work:
        for key in keys:
            await work.jobs.enqueue(NewJob(JobKind.INGEST, key))
        await work.commit()


async def state(store: MemoryStore, key: str) -> JobState | None:
    async with store.open(OURS) as work:
        return await work.jobs.state(JobKind.INGEST, key)


def worker(store: MemoryStore, handler: Recording, **options: float) -> Worker:
    return Worker(store.queue, {JobKind.INGEST: handler}, **options)  # type: ignore[arg-type]  # tests name parts freely


def failing(error: Exception) -> Callable[[Job], None]:
    def work(job: Job) -> None:
        raise error

    return work


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "FIRST_WAIT_S", 0.0)


async def test_what_is_due_is_done() -> None:
    store, handler = MemoryStore(), Recording()
    await enqueued(store, "a", "b")
    assert await worker(store, handler).work_off() == 2
    assert handler.ran == ["a", "b"]
    assert await state(store, "a") is JobState.DONE


@pytest.mark.parametrize("error", [UpstreamError("x", retryable=True), ValueError("a fault of ours")])
async def test_what_may_succeed_later_is_tried_again(error: Exception) -> None:
    store, handler = MemoryStore(), Recording(failing(error))
    await enqueued(store, "a")
    await worker(store, handler).work_off()
    assert handler.ran == ["a"] * MAX_ATTEMPTS
    assert handler.reopened == ["a"] * (MAX_ATTEMPTS - 1)
    assert handler.given_up == ["a"]


@pytest.mark.parametrize("error", [RefusedInput("x"), UpstreamError("x")])
async def test_what_can_not_succeed_is_not_tried_again(error: PinciteError) -> None:
    store, handler = MemoryStore(), Recording(failing(error))
    await enqueued(store, "a")
    await worker(store, handler).work_off()
    assert (handler.ran, handler.reopened, handler.given_up) == (["a"], [], ["a"])


async def test_a_stopped_worker_gives_its_job_back() -> None:
    store, handler = MemoryStore(), Recording(blocks=True)
    await enqueued(store, "a")
    running = asyncio.create_task(worker(store, handler).run())
    await handler.begun.wait()
    running.cancel()
    await asyncio.wait({running})
    assert handler.reopened == ["a"]
    assert await state(store, "a") is JobState.QUEUED
    job = await store.queue.lease([JobKind.INGEST], for_s=60)
    assert job is not None
    assert job.attempt == 1


async def test_a_worker_that_loses_a_job_to_another_goes_on_with_the_next() -> None:
    store, handler = MemoryStore(), Recording(blocks=True)
    await enqueued(store, "a")
    doing = worker(store, handler, lease_s=0.0, poll_s=0.0)  # its lease is over as soon as it has it
    running = asyncio.create_task(doing.run())
    await handler.begun.wait()
    taken = await store.queue.lease([JobKind.INGEST], for_s=60)
    assert taken is not None
    handler.blocks, handler.begun = False, asyncio.Event()
    await enqueued(store, "b")
    await handler.begun.wait()
    running.cancel()
    await asyncio.wait({running})
    assert await store.queue.finish(taken)
    assert handler.reopened == []


async def test_a_worker_that_is_woken_looks_at_once() -> None:
    store, handler = MemoryStore(), Recording()
    doing = worker(store, handler, poll_s=3600)
    running = asyncio.create_task(doing.run())
    await asyncio.sleep(0)
    await enqueued(store, "a")
    doing.wake()
    await asyncio.wait_for(handler.begun.wait(), 5)
    running.cancel()
    await asyncio.wait({running})


async def test_jobs_of_workers_that_died_each_time_are_given_up() -> None:
    store, handler = MemoryStore(), Recording()
    await enqueued(store, "a")
    for _ in range(MAX_ATTEMPTS):
        await store.queue.lease([JobKind.INGEST], for_s=-1)
    running = asyncio.create_task(worker(store, handler).run())
    for _ in range(100):
        await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait({running})
    assert (handler.given_up, handler.ran) == (["a"], [])


async def test_a_job_that_is_cancelled_stops_its_work_and_the_worker_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "LOOK_S", 0.001)
    store, handler = MemoryStore(), Recording(blocks=True)
    await enqueued(store, "a")
    running = asyncio.create_task(worker(store, handler, poll_s=0.001).run())
    await handler.begun.wait()
    handler.blocks = False
    handler.begun.clear()
    async with store.open(OURS) as work:
        await work.jobs.cancel(JobKind.INGEST, "a")
        await work.jobs.enqueue(NewJob(JobKind.INGEST, "b"))
        await work.commit()
    await asyncio.wait_for(handler.begun.wait(), 5)
    running.cancel()
    await asyncio.wait({running})
    assert (handler.ran, handler.reopened, handler.given_up) == (["a", "b"], [], [])
    assert await state(store, "a") is JobState.CANCELLED


async def test_a_job_that_gives_way_is_continued_later(caplog: pytest.LogCaptureFixture) -> None:
    store, handler = MemoryStore(), Recording()
    await enqueued(store, "a", "b")
    handler.priority = 7

    def work(job: Job) -> None:
        handler.priority = None if len(handler.ran) > 1 else 7

    handler.work = work
    assert await worker(store, handler).work_off() == 2
    assert handler.ran == ["a", "b", "a"]
    assert (handler.reopened, handler.given_up) == ([], [])
    assert await state(store, "a") is JobState.DONE


@dataclass
class Meeting(Recording):
    """A handler whose jobs end only when as many are under way at once as are to meet. The first puts another into the queue."""

    store: MemoryStore = field(default_factory=MemoryStore)
    barrier: asyncio.Barrier = field(default_factory=lambda: asyncio.Barrier(2))

    async def run(self, job: Job, is_outranked: OutrankedCheck) -> int | None:
        self.ran.append(job.key)
        if job.key == "container":
            await enqueued(self.store, "inside 1", "inside 2")
        elif job.key.startswith("inside"):
            async with asyncio.timeout(10):
                await self.barrier.wait()
        return None


async def test_all_slots_work_off_what_is_due_and_what_comes_of_it() -> None:
    store = MemoryStore()
    handler = Meeting(store=store)
    await enqueued(store, "container")
    assert await worker(store, handler, slots=2, poll_s=0.001).work_off() == 3
    assert sorted(handler.ran) == ["container", "inside 1", "inside 2"]
