"""Jobs are enqueued with what they are about, done by one worker at a time, and never lost by one that dies."""

import asyncio

import pytest

from pincite.adapters.memory.store import MemoryStore
from pincite.adapters.sql.store import SqlStore
from pincite.core.ids import WorkspaceId, new_id
from pincite.core.jobs import LONGEST_S, MAX_ATTEMPTS, Job, JobKind, JobState, NewJob

OURS, THEIRS = WorkspaceId(new_id()), WorkspaceId(new_id())
AnyStore = MemoryStore | SqlStore
KINDS = [JobKind.INGEST]
LONG_S, OVER_S = 60.0, -1.0
"""A lease that lasts, and one that has ended when it begins, as of a worker that died."""


async def enqueue(store: AnyStore, *keys: str, workspace: WorkspaceId = OURS, priority: int = 0) -> list[bool]:
    async with store.open(workspace) as work:
        jobs = [NewJob(JobKind.INGEST, key, {"document_id": key, "attempt": 1}, priority) for key in keys]
        done = [await work.jobs.enqueue(job) for job in jobs]
        await work.commit()
    return done


async def state(store: AnyStore, key: str, workspace: WorkspaceId = OURS) -> JobState | None:
    async with store.open(workspace) as work:
        return await work.jobs.state(JobKind.INGEST, key)


async def leased(store: AnyStore, *, for_s: float = LONG_S) -> Job:
    job = await store.queue.lease(KINDS, for_s=for_s)
    assert job
    return job


async def test_a_job_is_done_once_and_then_never_again(store: AnyStore) -> None:
    assert await enqueue(store, "a") == [True]
    job = await leased(store)
    assert (job.workspace_id, job.key, job.payload, job.attempt) == (OURS, "a", {"document_id": "a", "attempt": 1}, 1)
    assert await state(store, "a") is JobState.RUNNING
    assert await store.queue.lease(KINDS, for_s=LONG_S) is None
    assert await store.queue.finish(job)
    assert await state(store, "a") is JobState.DONE
    assert await enqueue(store, "a") == [False]
    assert await store.queue.lease(KINDS, for_s=LONG_S) is None


async def test_equal_keys_are_one_job_whoever_enqueues_them(store: AnyStore) -> None:
    assert await enqueue(store, "a", "a", "b") == [True, False, True]
    assert await enqueue(store, "a", workspace=THEIRS) == [False]
    assert await state(store, "a", THEIRS) is None


async def test_a_job_is_there_when_what_it_is_about_is_committed_and_not_before(store: AnyStore) -> None:
    async with store.open(OURS) as work:
        await work.jobs.enqueue(NewJob(JobKind.INGEST, "a"))
    assert await store.queue.lease(KINDS, for_s=LONG_S) is None
    assert await state(store, "a") is None


async def test_a_job_goes_to_one_of_many_workers(store: AnyStore) -> None:
    await enqueue(store, *(str(n) for n in range(10)))
    jobs = await asyncio.gather(*(store.queue.lease(KINDS, for_s=LONG_S) for _ in range(12)))
    assert sorted(job.key for job in jobs if job) == [str(n) for n in range(10)]


async def test_the_lowest_priority_goes_first_and_then_the_first_that_came(store: AnyStore) -> None:
    await enqueue(store, "large", priority=5)
    await enqueue(store, "b")
    await enqueue(store, "c")
    assert [(await leased(store)).key for _ in range(3)] == ["b", "c", "large"]


async def test_what_a_dead_worker_had_is_taken_over_until_its_attempts_are_used_up(store: AnyStore) -> None:
    await enqueue(store, "a")
    jobs = [await leased(store, for_s=OVER_S) for _ in range(MAX_ATTEMPTS)]
    assert [job.attempt for job in jobs] == [1, 2, 3]
    assert await store.queue.lease(KINDS, for_s=LONG_S) is None
    (left,) = await store.queue.abandoned(KINDS, for_s=LONG_S)
    assert (left.key, left.attempt) == ("a", MAX_ATTEMPTS)
    assert await store.queue.abandoned(KINDS, for_s=LONG_S) == []
    assert not await store.queue.finish(jobs[-1])
    assert await store.queue.give_back(left, error="abandoned")
    assert await state(store, "a") is JobState.FAILED


async def test_who_dies_while_giving_up_leaves_that_to_the_next(store: AnyStore) -> None:
    await enqueue(store, "a")
    for _ in range(MAX_ATTEMPTS):
        await leased(store, for_s=OVER_S)
    (left,) = await store.queue.abandoned(KINDS, for_s=OVER_S)
    (again,) = await store.queue.abandoned(KINDS, for_s=LONG_S)
    assert not await store.queue.give_back(left, error="abandoned")
    assert await store.queue.give_back(again, error="abandoned")
    assert await state(store, "a") is JobState.FAILED


async def test_an_attempt_that_is_let_go_of_does_not_count(store: AnyStore) -> None:
    await enqueue(store, "a")
    for _ in range(MAX_ATTEMPTS + 2):
        job = await leased(store)
        assert job.attempt == 1
        assert await store.queue.release(job)
        assert not await store.queue.release(job)
    await store.queue.give_back(await leased(store), error="x")
    second = await leased(store)
    assert second.attempt == 2
    assert await store.queue.release(second)
    assert (await leased(store)).attempt == 2


async def test_a_clock_that_is_put_back_keeps_no_job_from_being_done(store: AnyStore) -> None:
    """What was set by the clock before stands ahead of all that is set now."""
    await enqueue(store, "waits", "runs")
    waiting = await leased(store)
    assert await store.queue.give_back(waiting, error="x", after_s=LONGEST_S * 2)
    await leased(store, for_s=LONGEST_S * 2)
    assert [(await leased(store)).attempt for _ in range(2)] == [2, 2]


async def test_the_longest_wait_is_waited(store: AnyStore) -> None:
    await enqueue(store, "a")
    assert await store.queue.give_back(await leased(store), error="x", after_s=LONGEST_S)
    assert await store.queue.lease(KINDS, for_s=LONG_S) is None


async def test_a_worker_that_lost_its_job_can_do_nothing_to_it(store: AnyStore) -> None:
    await enqueue(store, "a")
    lost = await leased(store, for_s=OVER_S)
    job = await leased(store)
    assert not await store.queue.extend(lost, for_s=LONG_S)
    assert not await store.queue.finish(lost)
    assert not await store.queue.give_back(lost, error="x")
    assert await store.queue.extend(job, for_s=LONG_S)
    assert await store.queue.finish(job)
    assert not await store.queue.finish(job)


async def test_an_extended_lease_keeps_others_away(store: AnyStore) -> None:
    await enqueue(store, "a")
    job = await leased(store, for_s=OVER_S)
    assert await store.queue.extend(job, for_s=LONG_S)
    assert await store.queue.lease(KINDS, for_s=LONG_S) is None


async def test_a_job_that_is_given_back_is_tried_again_and_fails_after_the_last_attempt(store: AnyStore) -> None:
    await enqueue(store, "a")
    for attempt in range(1, MAX_ATTEMPTS + 1):
        job = await leased(store)
        assert job.is_last_attempt is (attempt == MAX_ATTEMPTS)
        assert await store.queue.give_back(job, error="provider_unavailable")
    assert await state(store, "a") is JobState.FAILED
    assert await store.queue.lease(KINDS, for_s=LONG_S) is None


async def test_a_job_that_is_given_back_for_later_waits(store: AnyStore) -> None:
    await enqueue(store, "a")
    assert await store.queue.give_back(await leased(store), error="x", after_s=LONG_S)
    assert await store.queue.lease(KINDS, for_s=LONG_S) is None
    assert await state(store, "a") is JobState.QUEUED


@pytest.mark.parametrize("runs", [False, True], ids=["queued", "running"])
async def test_a_cancelled_job_is_nobody_s_and_is_not_done(store: AnyStore, runs: bool) -> None:
    await enqueue(store, "a")
    job = await leased(store) if runs else None
    async with store.open(THEIRS) as work:
        assert not await work.jobs.cancel(JobKind.INGEST, "a")
    async with store.open(OURS) as work:
        assert await work.jobs.cancel(JobKind.INGEST, "a")
        await work.commit()
    if job:
        assert not await store.queue.holds(job)
        assert not await store.queue.extend(job, for_s=LONG_S)
        assert not await store.queue.finish(job)
    assert await store.queue.lease(KINDS, for_s=LONG_S) is None
    assert await state(store, "a") is JobState.CANCELLED
    async with store.open(OURS) as work:
        assert not await work.jobs.cancel(JobKind.INGEST, "a")


async def test_a_job_is_held_until_it_is_done_or_another_s(store: AnyStore) -> None:
    await enqueue(store, "a")
    lost = await leased(store, for_s=OVER_S)
    assert await store.queue.holds(lost)
    job = await leased(store)
    assert (await store.queue.holds(lost), await store.queue.holds(job)) == (False, True)
    await store.queue.finish(job)
    assert not await store.queue.holds(job)


async def test_jobs_are_listed_by_state_newest_first_and_only_one_s_own(store: AnyStore) -> None:
    await enqueue(store, "a", "b", "c")
    await enqueue(store, "x", workspace=THEIRS)
    await store.queue.finish(await leased(store))
    async with store.open(OURS) as work:
        waiting = await work.jobs.list([JobState.QUEUED, JobState.RUNNING])
        assert [(each.key, each.state, each.attempt) for each in waiting] == [("c", JobState.QUEUED, 0), ("b", JobState.QUEUED, 0)]
        assert [each.key for each in await work.jobs.list(list(JobState), limit=2)] == ["c", "b"]
        assert [each.key for each in await work.jobs.list([JobState.DONE])] == ["a"]


async def test_workspaces_take_turns_whatever_one_of_them_has_waiting(store: AnyStore) -> None:
    await enqueue(store, "a", "b", "c")
    await enqueue(store, "x", "y", workspace=THEIRS)
    assert [(await leased(store)).key for _ in range(5)] == ["a", "x", "b", "y", "c"]


async def test_a_workspace_that_comes_late_is_served_next(store: AnyStore) -> None:
    await enqueue(store, "a", "b", "c", "d")
    assert [(await leased(store)).key for _ in range(2)] == ["a", "b"]
    await enqueue(store, "x", workspace=THEIRS, priority=99)
    assert [(await leased(store)).key for _ in range(3)] == ["x", "c", "d"]


async def test_a_job_that_gives_way_goes_behind_others_and_its_attempt_does_not_count(store: AnyStore) -> None:
    await enqueue(store, "a", "b")
    first = await leased(store)
    assert await store.queue.give_way(first, priority=10)
    assert not await store.queue.holds(first)
    assert not await store.queue.give_way(first, priority=10)
    second, again = await leased(store), await leased(store)
    assert (second.key, again.key, again.attempt, again.priority) == ("b", "a", 1, 10)


async def test_a_job_is_outranked_by_what_would_go_before_it(store: AnyStore) -> None:
    await enqueue(store, "a", priority=5)
    job = await leased(store)

    async def outranked() -> tuple[bool, bool]:
        return (
            await store.queue.is_outranked(job, KINDS, priority=5, by_others=False),
            await store.queue.is_outranked(job, KINDS, priority=5, by_others=True),
        )

    assert await outranked() == (False, False)
    await enqueue(store, "same", priority=5)
    assert await store.queue.is_outranked(job, KINDS, priority=6, by_others=False)
    assert await outranked() == (False, False)
    await enqueue(store, "x", workspace=THEIRS, priority=9)
    assert await outranked() == (False, True)
    await enqueue(store, "better", priority=4)
    assert await outranked() == (True, True)
    taken = [await leased(store) for _ in range(3)]
    assert {each.key for each in taken} == {"same", "x", "better"}
    assert await outranked() == (False, False)


async def test_what_a_dead_worker_had_goes_before_all_that_waits(store: AnyStore) -> None:
    await enqueue(store, "left", priority=11)
    await leased(store, for_s=OVER_S)
    await enqueue(store, "b", "c")
    await enqueue(store, "x", workspace=THEIRS)
    first = await leased(store)
    assert (first.key, first.attempt) == ("left", 2)
    assert {(await leased(store)).key for _ in range(3)} == {"b", "c", "x"}


@pytest.mark.parametrize("workspace", [OURS, THEIRS], ids=["ours", "theirs"])
async def test_a_job_is_outranked_by_one_whose_worker_died_and_not_by_itself(store: AnyStore, workspace: WorkspaceId) -> None:
    await enqueue(store, "left", workspace=workspace, priority=11)
    left = await leased(store)
    await enqueue(store, "a")
    job = await leased(store, for_s=OVER_S)
    assert not await store.queue.is_outranked(job, KINDS, priority=1, by_others=False)
    assert await store.queue.extend(left, for_s=OVER_S)
    assert await store.queue.extend(job, for_s=LONG_S)
    assert await store.queue.is_outranked(job, KINDS, priority=1, by_others=False)
    assert (await leased(store)).key == "left"
    assert not await store.queue.is_outranked(job, KINDS, priority=1, by_others=False)


async def test_what_used_up_its_attempts_outranks_nobody(store: AnyStore) -> None:
    await enqueue(store, "left")
    for _ in range(MAX_ATTEMPTS):
        await leased(store, for_s=OVER_S)
    await enqueue(store, "a")
    job = await leased(store)
    assert job.key == "a"
    assert not await store.queue.is_outranked(job, KINDS, priority=99, by_others=False)
