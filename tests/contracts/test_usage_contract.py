"""The ledger of what was used: each thing is posted once, rows never change, and sums are those of one workspace."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pincite.billing.ledger import Ledger
from pincite.billing.pricing import PriceBook, Rate
from pincite.core.errors import ConflictError
from pincite.core.ids import UsageId, WorkspaceId, new_id
from pincite.core.ports.store import Store
from pincite.core.usage import LedgerRow, Usage, UsageKind, UsageSum

OURS, THEIRS = WorkspaceId(new_id()), WorkspaceId(new_id())
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
KEY = "document:d:attempt:1"
ROW = LedgerRow(UsageId(new_id()), UsageKind.EMBEDDING, KEY, -12, "m😀", 500_000, 0, "7", 24, 0, NOON, {"estimated": "true"})


async def post(store: Store, *rows: LedgerRow, workspace: WorkspaceId = OURS) -> list[LedgerRow]:
    async with store.open(workspace) as work:
        posted = [await work.usage.post(row) for row in rows]
        await work.commit()
    return posted


async def found(store: Store, workspace: WorkspaceId = OURS) -> LedgerRow | None:
    async with store.open(workspace) as work:
        return await work.usage.find(ROW.kind, ROW.reference)


async def test_a_row_comes_back_as_it_was_posted(store: Store) -> None:
    assert await post(store, ROW) == [ROW]
    assert await found(store) == ROW


async def test_posting_twice_changes_nothing_and_returns_the_first_row(store: Store) -> None:
    again = replace(ROW, id=UsageId(new_id()), credits=-99, pricing_version="8", created_at=NOON + timedelta(days=1))
    assert await post(store, ROW, again) == [ROW, ROW]
    assert await post(store, again) == [ROW]
    assert await found(store) == ROW


async def test_what_is_not_committed_is_not_posted(store: Store) -> None:
    async with store.open(OURS) as work:
        await work.usage.post(ROW)
        assert await work.usage.find(ROW.kind, ROW.reference) == ROW
    assert await found(store) is None


async def test_one_reference_may_stand_for_one_thing_of_each_kind(store: Store) -> None:
    chat = replace(ROW, id=UsageId(new_id()), kind=UsageKind.CHAT)
    assert await post(store, ROW, chat) == [ROW, chat]


async def test_nobody_sees_or_takes_the_rows_of_another_workspace(store: Store) -> None:
    await post(store, ROW)
    assert await found(store, THEIRS) is None
    with pytest.raises(ConflictError):
        await post(store, replace(ROW, id=UsageId(new_id())), workspace=THEIRS)
    async with store.open(THEIRS) as work:
        assert list(await work.usage.sums()) == []


async def test_sums_are_by_kind_and_model_from_an_instant_on(store: Store) -> None:
    def row(name: str, **changes: object) -> LedgerRow:
        return replace(ROW, id=UsageId(new_id()), reference=name, **changes)  # type: ignore[arg-type]  # tests name fields freely

    late = NOON + timedelta(microseconds=1)
    await post(store, row("a"), row("b", created_at=late), row("c", model="Z", kind=UsageKind.CHAT, output_tokens=5))
    async with store.open(OURS) as work:
        assert list(await work.usage.sums()) == [
            UsageSum(UsageKind.CHAT, "Z", 1, -12, 24, 5),
            UsageSum(UsageKind.EMBEDDING, "m😀", 2, -24, 48, 0),
        ]
        assert list(await work.usage.sums(since=late)) == [UsageSum(UsageKind.EMBEDDING, "m😀", 1, -12, 24, 0)]


async def test_the_ledger_freezes_the_rate_on_the_row(store: Store) -> None:
    usage = Usage(UsageKind.EMBEDDING, KEY, "m", 1001)
    for version, rate in (("1", Rate(500_000, 0)), ("2", Rate(9_000_000, 0))):
        async with store.open(OURS) as work:
            row = await Ledger(PriceBook(version, {"m": rate})).charge(work.usage, usage)
            await work.commit()
        assert (row.credits, row.rate, row.pricing_version) == (-501, 500_000, "1")


async def test_of_two_who_post_at_once_one_posts(store: Store) -> None:
    rows = [replace(ROW, id=UsageId(new_id()), credits=-number) for number in range(5)]
    posted = await asyncio.gather(*(post(store, row) for row in rows))
    assert len({row.id for [row] in posted}) == 1
