"""Answers are charged once each: those that are whole with their row, those that broke off with that of the log."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.store import MemoryStore
from pincite.answering.records import StoredQueryLog, StoredRecorder
from pincite.billing.ledger import Ledger
from pincite.billing.pricing import PriceBook, Rate
from pincite.core.answers import Answer, AnswerRecord
from pincite.core.evidence import Strategy
from pincite.core.ids import MessageId, WorkspaceId, new_id
from pincite.core.messages import ModelUsage
from pincite.core.querylog import LoggedQuery, Outcome
from pincite.core.usage import LedgerRow, UsageKind

OURS = WorkspaceId(new_id())
METERING = Ledger(PriceBook("1", {"m": Rate(1_000_000, 4_000_000)}))
MESSAGE = MessageId(new_id())
SPENT = ModelUsage(10, 5, estimated=True)
ANSWER = AnswerRecord("Why?", Answer("Because.", (), message_id=MESSAGE, model="m", usage=SPENT), ())
LOGGED = LoggedQuery(MESSAGE, datetime.now(UTC), "query", "Why?", Outcome.COMPLETE, Strategy.HYBRID, "m", usage=SPENT)


async def charged(store: MemoryStore) -> LedgerRow | None:
    async with store.open(OURS) as work:
        return await work.usage.find(UsageKind.CHAT, MESSAGE)


async def logged(store: MemoryStore, query: LoggedQuery) -> None:
    log = StoredQueryLog(store, OURS, METERING)
    log.note(query)
    await log.close()


async def test_an_answer_is_charged_when_it_is_recorded_and_not_again_when_it_is_logged() -> None:
    store = MemoryStore()
    await StoredRecorder(store, OURS, METERING).record(ANSWER)
    row = await charged(store)
    assert row
    assert (row.credits, row.input_tokens, row.output_tokens, row.meta) == (-30, 10, 5, {"estimated": "true"})
    await logged(store, LOGGED)
    assert await charged(store) == row


@pytest.mark.parametrize("outcome", [Outcome.PARTIAL, Outcome.FAILED])
async def test_what_broke_off_is_charged_for_what_it_used(outcome: Outcome) -> None:
    store = MemoryStore()
    await logged(store, replace(LOGGED, outcome=outcome))
    row = await charged(store)
    assert row
    assert row.credits == -30


async def test_what_used_nothing_is_not_charged() -> None:
    store = MemoryStore()
    await logged(store, replace(LOGGED, outcome=Outcome.FAILED, usage=ModelUsage()))
    assert await charged(store) is None


async def test_without_metering_answers_are_kept_all_the_same() -> None:
    store = MemoryStore()
    await StoredRecorder(store, OURS).record(ANSWER)
    async with store.open(OURS) as work:
        assert await work.answers.get(MESSAGE) == ANSWER
    assert await charged(store) is None
