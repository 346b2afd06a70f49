"""The log of questions: rows come back as they were given, newest first, and nobody waits for them to be written."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pincite.adapters.memory.store import MemoryStore
from pincite.answering.records import StoredQueryLog
from pincite.core.answers import Timings
from pincite.core.evidence import Strategy
from pincite.core.ids import MessageId, WorkspaceId, new_id
from pincite.core.messages import ModelUsage
from pincite.core.ports.store import Store
from pincite.core.querylog import LoggedQuery, Outcome

OURS, THEIRS = WorkspaceId(new_id()), WorkspaceId(new_id())
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
QUERY = LoggedQuery(
    MessageId(new_id()),
    NOON,
    "query",
    "Why? 😀",
    Outcome.FAILED,
    Strategy.LEXICAL,
    "model",
    Timings(1.5, 2.25, None, 7.0),
    ModelUsage(11, 22, True, True),
    (0.75, 0.5),
    "half a sent",
    "upstream",
    answerable=0.25,
)


def at(minutes: int, **changes: object) -> LoggedQuery:
    return replace(QUERY, message_id=MessageId(new_id()), asked_at=NOON + timedelta(minutes=minutes), **changes)  # type: ignore[arg-type]  # tests name fields freely


async def logged(
    store: Store, workspace: WorkspaceId = OURS, *, limit: int = 100, before: datetime | None = None
) -> list[LoggedQuery]:
    async with store.open(workspace) as work:
        return await work.query_logs.list(limit=limit, before=before)


async def test_questions_come_back_as_given_newest_first(store: Store) -> None:
    first, second, third = at(0), at(1, timings=Timings(0, 0, 3.5, 1)), at(2, outcome=Outcome.PARTIAL)
    async with store.open(OURS) as work:
        await work.query_logs.add([second, first])
        await work.query_logs.add([third])
        await work.commit()
    assert await logged(store) == [third, second, first]
    assert await logged(store, limit=1) == [third]
    assert await logged(store, before=second.asked_at) == [first]
    assert await logged(store, THEIRS) == []


async def test_a_message_is_logged_once(store: Store) -> None:
    async with store.open(OURS) as work:
        await work.query_logs.add([QUERY, replace(QUERY, question="again")])
        await work.query_logs.add([replace(QUERY, question="and again")])
        await work.commit()
    assert await logged(store) == [QUERY]


async def test_what_is_noted_is_written_soon_and_at_the_latest_when_the_log_is_closed(store: Store) -> None:
    log = StoredQueryLog(store, OURS)
    queries = [at(minutes) for minutes in range(50)]
    for query in queries[:20]:
        log.note(query)
    await asyncio.sleep(0)
    for query in queries[20:]:
        log.note(query)
    await log.close()
    assert await logged(store) == queries[::-1]


async def test_a_store_that_takes_nothing_costs_the_log_and_not_the_answer(caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore(busy_timeout_s=0.01)
    log = StoredQueryLog(store, OURS)
    async with store.open(OURS) as work:
        await work.query_logs.add([QUERY])
        log.note(at(1))
        await log.close()
    assert "1 questions were not logged" in caplog.text
