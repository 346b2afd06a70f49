"""Receipts are kept as they were signed, one after the other: their chain has no fork, whoever writes."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from tests.unit.answering.receipting import CHECKS, WORKSPACE, record_of

from pincite.adapters.memory.signing import MemoryAuthority, MemorySigner, memory_check
from pincite.answering.issuing import Receipts
from pincite.answering.records import StoredRecorder
from pincite.core.answers import AnswerRecord
from pincite.core.errors import ConfigurationError, ConflictError
from pincite.core.ids import CollectionId, DocumentId, MessageId, WorkspaceId
from pincite.core.ports.store import Store
from pincite.core.receipts import Receipt, TimeStamp, is_sound, without_lost
from pincite.core.redacting import mask, redacted

OTHERS = WorkspaceId("00000000-0000-7000-8000-000000000002")
RECEIPT = Receipt(
    MessageId(record_of("a").answer.message_id), 1, '{"é":1}', "ab" * 64, {"question": "00" * 16, "claims/0": "11" * 16}
)


async def answer(store: Store, number: int = 1, *texts: str, workspace_id: WorkspaceId = WORKSPACE) -> AnswerRecord:
    record = record_of(*(texts or ("a",)), number=number)
    async with store.open(workspace_id) as work:
        await work.answers.add(record)
        await work.commit()
    return record


async def kept(store: Store, receipt: Receipt = RECEIPT) -> None:
    async with store.open(WORKSPACE) as work:
        await work.receipts.add(receipt)
        await work.commit()


async def test_a_receipt_comes_back_as_it_was_kept(store: Store) -> None:
    await answer(store)
    await kept(store)
    async with store.open(WORKSPACE) as work:
        assert await work.receipts.get(RECEIPT.message_id) == RECEIPT
        assert await work.receipts.last() == RECEIPT
        assert await work.receipts.list() == [RECEIPT]
        assert await work.receipts.list(after=1) == []


async def test_others_see_none_of_it(store: Store) -> None:
    await answer(store)
    await kept(store)
    async with store.open(OTHERS) as work:
        assert await work.receipts.get(RECEIPT.message_id) is None
        assert await work.receipts.last() is None
        assert await work.receipts.list() == []
        await work.receipts.forget(RECEIPT.message_id, {})
        await work.receipts.stamp(RECEIPT.message_id, TimeStamp(b"x", "y"))
        await work.commit()
    async with store.open(WORKSPACE) as work:
        assert await work.receipts.get(RECEIPT.message_id) == RECEIPT


async def test_a_number_and_an_answer_are_taken_once(store: Store) -> None:
    await answer(store)
    await answer(store, 2)
    await kept(store)
    other = record_of("a", number=2).answer.message_id
    for second in (replace(RECEIPT, number=2), replace(RECEIPT, message_id=other)):
        with pytest.raises(ConflictError):
            await kept(store, second)


async def test_nonces_are_forgotten_and_a_stamp_is_kept_once(store: Store) -> None:
    await answer(store)
    await kept(store)
    async with store.open(WORKSPACE) as work:
        await work.receipts.forget(RECEIPT.message_id, {"question": "00" * 16})
        await work.receipts.stamp(RECEIPT.message_id, TimeStamp(b"\x00first", "aa"))
        await work.receipts.stamp(RECEIPT.message_id, TimeStamp(b"second", "bb"))
        await work.commit()
    async with store.open(WORKSPACE) as work:
        found = await work.receipts.get(RECEIPT.message_id)
    assert found == replace(RECEIPT, nonces={"question": "00" * 16}, time_stamp=TimeStamp(b"\x00first", "aa"))


async def test_many_that_write_at_once_make_one_chain(store: Store) -> None:
    receipts = Receipts(store, WORKSPACE, MemorySigner(), "pincite test")

    async def write(number: int) -> None:
        record = record_of("a", number=number)
        async with store.open(WORKSPACE) as work:
            assert await work.receipts.last() is None or number
            await work.answers.add(record)
            await receipts.issue(work, record)
            await work.commit()

    await asyncio.gather(*(write(number) for number in range(1, 13)))
    async with store.open(WORKSPACE) as work:
        chain = await work.receipts.list()
    assert [each.number for each in chain] == list(range(1, 13))
    previous = None
    for each in chain:
        assert is_sound(each, previous, memory_check)
        previous = each


async def test_each_workspace_has_a_chain_of_its_own(store: Store) -> None:
    for number, workspace_id in enumerate((WORKSPACE, OTHERS, WORKSPACE), start=1):
        record = await answer(store, number, workspace_id=workspace_id)
        async with store.open(workspace_id) as work:
            await Receipts(store, workspace_id, MemorySigner(), "x").issue(work, record)
            await work.commit()
    async with store.open(WORKSPACE) as ours, store.open(OTHERS) as theirs:
        assert [each.number for each in await ours.receipts.list()] == [1, 2]
        assert [each.number for each in await theirs.receipts.list()] == [1]


async def test_answers_that_cite_a_collection_are_listed_by_age(store: Store) -> None:
    await answer(store, 2, "a", "b")
    await answer(store, 1)
    await answer(store, 3, workspace_id=OTHERS)
    async with store.open(WORKSPACE) as work:
        ids = [record_of("a", number=number).answer.message_id for number in (1, 2)]
        assert await work.answers.citing(CollectionId("k")) == ids
        assert await work.answers.citing(CollectionId("k"), limit=1) == ids[:1]
        assert await work.answers.citing(CollectionId("k"), after=ids[0]) == ids[1:]
        assert await work.answers.citing(CollectionId("other")) == []


async def test_an_answer_from_before_there_were_receipts_gets_one_when_it_is_asked_for(store: Store) -> None:
    record = await answer(store, 1, "a")
    receipts = Receipts(store, WORKSPACE, MemorySigner(), "pincite test")
    documents: list[Callable[[], Awaitable[bytes]]] = [lambda: receipts.document(record.answer.message_id)] * 4
    found = await asyncio.gather(*(each() for each in documents))
    assert len(set(found)) == 1
    async with store.open(WORKSPACE) as work:
        assert [each.number for each in await work.receipts.list()] == [1]


async def test_a_receipt_is_stamped_when_it_is_first_asked_for_and_stays_so(store: Store) -> None:
    message_id, authority = (await answer(store, 1, "a")).answer.message_id, MemoryAuthority()
    receipts = Receipts(store, WORKSPACE, MemorySigner(), "pincite test", authority)
    first, second = [await receipts.document(message_id) for _ in range(2)]
    found = CHECKS.check(first)
    assert (first, found.faults, authority.asked) == (second, (), 1)
    assert found.time_stamp is not None
    plain = await Receipts(store, WORKSPACE, MemorySigner(), "pincite test").document(message_id)
    assert plain == first


async def test_what_is_erased_while_an_authority_is_waited_for_is_not_shown(store: Store) -> None:
    record = await answer(store, 1, "The secret word is honeysuckle.")

    class Slow(MemoryAuthority):
        async def stamp(self, data: bytes) -> bytes:
            left = redacted(record, [DocumentId("document-0")], mask)
            async with store.open(WORKSPACE) as work:
                await work.answers.rewrite(left)
                receipt = await work.receipts.get(record.answer.message_id)
                assert receipt
                await work.receipts.forget(receipt.message_id, without_lost(receipt, left))
                await work.commit()
            return await super().stamp(data)

    data = await Receipts(store, WORKSPACE, MemorySigner(), "x", Slow()).document(record.answer.message_id)
    assert b"honeysuckle" not in data
    assert CHECKS.check(data).faults == ()


async def test_an_authority_that_fails_costs_the_stamp_alone(store: Store) -> None:
    message_id, authority = (await answer(store, 1, "a")).answer.message_id, MemoryAuthority(fails=True)
    receipts = Receipts(store, WORKSPACE, MemorySigner(), "pincite test", authority)
    found = CHECKS.check(await receipts.document(message_id))
    assert (found.faults, found.time_stamp, authority.asked) == ((), None, 1)


async def test_an_answer_is_kept_without_its_receipt_when_nothing_can_sign(store: Store) -> None:
    class Lost(MemorySigner):
        def public_key(self) -> str:
            raise ConfigurationError("The key is gone.", code="receipt_key")

    record = record_of("a")
    await StoredRecorder(store, WORKSPACE, None, Receipts(store, WORKSPACE, Lost(), "x")).record(record)
    async with store.open(WORKSPACE) as work:
        assert await work.answers.get(record.answer.message_id)
        assert await work.receipts.last() is None
    with pytest.raises(ConfigurationError):
        await Receipts(store, WORKSPACE, Lost(), "x").document(record.answer.message_id)
