"""Summaries of documents: written once, found when all are, charged once, and gone with what they summarise."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.index import MemoryDenseIndex, MemoryLexicalIndex
from pincite.adapters.memory.keeping import MemoryScrubber
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.adapters.memory.summaries import ScriptedSummariser
from pincite.billing.ledger import Ledger
from pincite.billing.pricing import PriceBook
from pincite.core.documents import Chunk, ChunkType, Collection, Document, Stage
from pincite.core.errors import ConflictError, UpstreamError
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.jobs import JobKind
from pincite.core.summaries import SummaryRun, SummaryState
from pincite.core.usage import LedgerRow, UsageKind
from pincite.ingest.arrivals import Arrival
from pincite.ingest.charging import summaries_key
from pincite.ingest.erasing import Eraser
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.jobs import IngestJobs
from pincite.ingest.removing import CollectionRemoval
from pincite.ingest.summaries import MEMBERS
from pincite.ingest.summarising import Summaries
from pincite.ingest.summary_jobs import SummaryJobs
from pincite.worker import loop
from pincite.worker.loop import Worker

OURS = WorkspaceId(new_id())
PARTS = 20
BOOK = "\n".join(f"# Part {n}\n\nPart {n} says what holds for number {n} of zebras.\n" for n in range(PARTS))


class House:
    """Ingest over memory, with a collection whose documents are summarised as they are told."""

    def __init__(self, *, words_alone: bool = False) -> None:
        self.store, self.blobs, self.writer = MemoryStore(), MemoryBlobs(), ScriptedSummariser()
        self.model = None if words_alone else HashEmbedding()
        self.metering = Ledger(PriceBook("1", {}))
        self.ingestor = Ingestor(self.store, self.blobs, PlainTextParser(), OURS, metering=self.metering)
        self.dense, self.lexical = MemoryDenseIndex(self.store.changes), MemoryLexicalIndex(self.store.changes)
        spec = self.model.spec if self.model else None
        self.collection = Collection(CollectionId(new_id()), OURS, "default", spec, datetime.now(UTC), summaries=True)

    @property
    def summaries(self) -> Summaries:
        return Summaries(self.store, self.writer, lambda _: self.model, OURS, self.metering)

    @property
    def worker(self) -> Worker:
        handlers = {
            JobKind.INGEST: IngestJobs(self.store, self.ingestor, lambda _: self.model),
            JobKind.SUMMARISE: SummaryJobs(lambda _: self.summaries),
        }
        return Worker(self.store.queue, handlers, poll_s=0.001)

    async def open(self) -> "House":
        async with self.store.open(OURS) as work:
            await work.collections.add(self.collection)
            await work.commit()
        return self

    async def add(self, text: str = BOOK, path: str = "book.txt", *, is_queued: bool = False) -> Document:
        document = await self.ingestor.receive(self.collection, Arrival(path, path, text.encode(), is_queued=is_queued))
        return document if is_queued else await self.ingestor.process(document, self.model)

    async def summarised(self, text: str = BOOK, path: str = "book.txt") -> Document:
        document = await self.add(text, path)
        await self.summaries.make_waiting(self.collection)
        return document

    async def run(self, document: Document) -> SummaryRun:
        async with self.store.open(OURS) as work:
            return (await work.summaries.runs([document.id]))[document.id]

    async def chunks(self, document: Document) -> list[Chunk]:
        async with self.store.open(OURS) as work:
            current = await work.documents.get(document.id)
            assert current
            assert current.version_id
            return await work.chunks.of_version(current.version_id)

    async def found(self, document: Document) -> list[Chunk]:
        return [each for each in await self.chunks(document) if each.chunk_type is ChunkType.SUMMARY]

    async def charged(self, document: Document, attempt: int = 1) -> dict[UsageKind, LedgerRow]:
        key = summaries_key(document.id, attempt)
        async with self.store.open(OURS) as work:
            rows = {kind: await work.usage.find(kind, key) for kind in UsageKind}
        return {kind: row for kind, row in rows.items() if row}


@pytest.fixture(params=["by vectors", "by words"])
async def house(request: pytest.FixtureRequest) -> House:
    return await House(words_alone=request.param == "by words").open()


async def test_summaries_are_made_level_by_level_until_one_remains(house: House) -> None:
    heard: list[SummaryRun] = []
    document = await house.add()
    await house.summaries.make_waiting(house.collection, lambda _, run: heard.append(run))
    found, passages = await house.found(document), [each for each in await house.chunks(document) if not each.generated]
    named = {member for each in found for member in each.members}
    assert [each.id for each in found if each.id not in named] == [found[-1].id]
    assert named == {each.id for each in (*passages, *found[:-1])}
    assert all(2 <= len(each.members) <= MEMBERS and each.generated and each.title == document.title for each in found)
    assert [run.done for run in heard] == [*range(1, len(found) + 1), len(found)]
    assert (heard[-1].state, heard[-1].total, heard[-1].model) == (SummaryState.READY, len(found), "scripted")
    assert heard[-1].ms > 0
    stored = await house.run(document)
    assert (stored.state, stored.done) == (SummaryState.READY, len(found))


async def test_only_collections_that_want_them_have_summaries_and_short_documents_need_none(house: House) -> None:
    short = await house.summarised("# One\n\nOne passage.\n", "short.txt")
    assert (house.writer.calls, await house.found(short), (await house.run(short)).state) == ([], [], SummaryState.READY)
    async with house.store.open(OURS) as work:
        await work.collections.summarise(house.collection.id, False)
        await work.commit()
    document = await house.add()
    async with house.store.open(OURS) as work:
        assert await work.summaries.runs([document.id]) == {}


async def test_the_same_bytes_elsewhere_are_not_summarised_again(house: House) -> None:
    await house.summarised()
    calls = len(house.writer.calls)
    copy = await house.summarised(path="copy.txt")
    assert len(house.writer.calls) == calls
    assert len(await house.found(copy)) == calls
    assert (await house.run(copy)).input_tokens == 0


async def test_a_change_has_only_the_summaries_written_again_whose_passages_changed(house: House) -> None:
    document = await house.summarised()
    calls = len(house.writer.calls)
    await house.summarised(BOOK.replace("number 19 of", "number 19 of all"))
    again = house.writer.calls[calls:]
    found = await house.found(document)
    assert 0 < len(again) < calls
    assert any("of all" in passage.text for passage in again[0])
    async with house.store.open(OURS) as work:
        assert len(await work.summaries.of_document(document.id)) == len(found)


async def test_what_another_writer_wrote_is_written_again(house: House) -> None:
    await house.summarised()
    first, house.writer = house.writer, ScriptedSummariser(revision="2")
    await house.summarised(path="copy.txt")
    assert len(house.writer.calls) == len(first.calls)


async def test_a_try_that_broke_off_is_taken_up_where_it_was(house: House) -> None:
    document = await house.add()
    house.writer.fail_at, house.writer.error = 2, UpstreamError("The model is busy.", code="busy", retryable=True)
    [run] = await house.summaries.make_waiting(house.collection)
    assert (run.state, run.reason and run.reason.code, run.done) == (SummaryState.FAILED, "busy", 2)
    assert await house.found(document) == []
    house.writer.fail_at = None
    await house.summaries.begin_failed(house.collection)
    [run] = await house.summaries.make_waiting(house.collection)
    assert (run.state, run.attempt) == (SummaryState.READY, 2)
    assert len(house.writer.calls) == len(await house.found(document))
    texts = [tuple(each.text for each in call) for call in house.writer.calls]
    assert len(set(texts)) == len(texts)


async def test_a_document_stays_ready_when_its_summaries_fail(house: House) -> None:
    house.writer.fail_at = 0
    document = await house.summarised()
    async with house.store.open(OURS) as work:
        stored = await work.documents.get(document.id)
    assert stored == document
    assert document.stage is Stage.READY
    assert len(await house.chunks(document)) == PARTS


async def test_each_attempt_is_charged_once_for_what_is_kept_of_it(house: House) -> None:
    document = await house.add()
    house.writer.fail_at = 2
    await house.summaries.make_waiting(house.collection)
    first = await house.charged(document)
    assert first[UsageKind.SUMMARY].input_tokens > 0
    house.writer.fail_at = None
    await house.summaries.begin_failed(house.collection)
    await house.summaries.make_waiting(house.collection)
    second, run = await house.charged(document, 2), await house.run(document)
    assert await house.charged(document) == first
    assert (second[UsageKind.SUMMARY].input_tokens, second[UsageKind.SUMMARY].output_tokens) == (
        run.input_tokens,
        run.output_tokens,
    )
    read = sum(len(passage.text.split()) for call in house.writer.calls for passage in call)
    assert first[UsageKind.SUMMARY].input_tokens + second[UsageKind.SUMMARY].input_tokens == read
    assert (UsageKind.EMBEDDING in second) is (house.model is not None)


async def test_removing_or_erasing_a_document_charges_what_its_summaries_took_until_then(house: House) -> None:
    house.writer.fail_at, house.writer.error = 2, UpstreamError("Busy.", retryable=True)
    for path, remove in (("a.txt", house.ingestor.remove), ("b.txt", eraser_of(house).erase)):
        document = await house.add(BOOK.replace("zebras", f"zebras of {path}"), path)
        house.writer.calls.clear()
        with pytest.raises(UpstreamError):
            await house.summaries.make(document.id, 1)
        assert await house.charged(document) == {}
        await remove(document.id)
        assert (await house.charged(document))[UsageKind.SUMMARY].input_tokens > 0


async def test_removing_a_collection_charges_them_too(house: House) -> None:
    document = await house.add()
    house.writer.fail_at, house.writer.error = 2, UpstreamError("Busy.", retryable=True)
    with pytest.raises(UpstreamError):
        await house.summaries.make(document.id, 1)
    await CollectionRemoval(house.store, house.blobs, house.dense, house.lexical, house.metering).remove(house.collection)
    assert (await house.charged(document))[UsageKind.SUMMARY].input_tokens > 0


def eraser_of(house: House) -> Eraser:
    return Eraser(house.store, house.blobs, house.dense, house.lexical, MemoryScrubber(), OURS, house.metering)


async def test_erasing_a_document_destroys_its_summaries(house: House) -> None:
    document = await house.summarised()
    async with house.store.open(OURS) as work:
        keys = [each.key for each in await work.summaries.of_document(document.id)]
    await eraser_of(house).erase(document.id)
    async with house.store.open(OURS) as work:
        assert keys
        assert (await work.summaries.known(keys), await work.summaries.runs([document.id])) == ({}, {})


async def test_switching_them_off_takes_them_away_and_on_again_makes_them_anew(house: House) -> None:
    document = await house.summarised()
    made, calls = await house.found(document), len(house.writer.calls)
    await house.summaries.switch(house.collection.id, False, is_queued=False)
    assert (len(await house.chunks(document)), (await house.run(document)).state) == (PARTS, SummaryState.OFF)
    switched = await house.summaries.switch(house.collection.id, True, is_queued=False)
    assert await house.summaries.switch(house.collection.id, True, is_queued=False) == switched
    [run] = await house.summaries.make_waiting(switched)
    assert (run.attempt, len(await house.found(document))) == (2, len(made))
    assert len(house.writer.calls) == 2 * calls


async def test_what_is_switched_off_or_changed_while_it_is_made_is_not_found(house: House) -> None:
    for change in ("off", "other bytes", "removed"):
        document = await house.add(path=f"{change}.txt")

        async def interfere(change: str = change, document: Document = document) -> bool:
            if change == "off":
                await house.summaries.switch(house.collection.id, False, is_queued=False)
                await house.summaries.switch(house.collection.id, True, is_queued=False)
            elif change == "removed":
                await house.ingestor.remove(document.id)
            else:
                await house.add(BOOK + "# More\n\nAnd more.\n", f"{change}.txt")
            return False

        house.writer.calls.clear()
        house.writer = ScriptedSummariser(revision=change)
        assert await house.summaries.make(document.id, 1, gives_way=interfere) is None
        if change != "removed":
            assert await house.found(document) == []
            assert (await house.run(document)).attempt == 2


async def test_workers_make_them_after_all_documents_are_read(house: House) -> None:
    documents = [await house.add(BOOK.replace("zebras", path), path, is_queued=True) for path in ("a.txt", "b.txt")]
    async with house.store.open(OURS) as work:
        assert not await work.jobs.list([], limit=1)
    assert await house.worker.work_off() == 4
    for document in documents:
        assert (await house.run(document)).state is SummaryState.READY
        assert await house.found(document)
    assert await house.summaries.make_waiting(house.collection) == []


async def test_a_job_is_tried_again_and_then_given_up_with_its_reason(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "FIRST_WAIT_S", 0.0)
    document = await house.add(is_queued=True)
    house.writer.fail_at, house.writer.error = 1, UpstreamError("The model is busy.", code="busy", retryable=True)
    await house.worker.work_off()
    run = await house.run(document)
    assert (run.state, run.reason and run.reason.code) == (SummaryState.FAILED, "busy")
    assert len(house.writer.calls) == 1
    house.writer.fail_at = None
    assert (await house.summaries.retry(document.id)).id == document.id
    assert await house.worker.work_off() == 1
    assert (await house.run(document)).state is SummaryState.READY
    with pytest.raises(ConflictError) as refused:
        await house.summaries.retry(document.id)
    assert refused.value.code == "not_failed"


async def test_what_is_cancelled_is_made_by_nobody_and_can_be_tried_again(house: House) -> None:
    document = await house.add(is_queued=True)
    job = await house.store.queue.lease([JobKind.INGEST], for_s=60)
    assert job
    await IngestJobs(house.store, house.ingestor, lambda _: house.model).run(job, unhurried)
    await house.summaries.cancel(document.id)
    assert (await house.run(document)).state is SummaryState.CANCELLED
    assert await house.store.queue.lease([JobKind.SUMMARISE], for_s=60) is None
    assert house.writer.calls == []
    with pytest.raises(ConflictError):
        await house.summaries.cancel(document.id)
    await house.summaries.retry(document.id)
    assert await house.store.queue.lease([JobKind.SUMMARISE], for_s=60)


async def unhurried(*, priority: int, by_others: bool) -> bool:
    return False


async def outranked(*, priority: int, by_others: bool) -> bool:
    return True


async def test_a_job_gives_way_to_others_and_goes_on_where_it_was(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pincite.ingest.summary_jobs.SLICE_S", -1.0)
    document = await house.add(is_queued=True)
    jobs = SummaryJobs(lambda _: house.summaries)
    reading = await house.store.queue.lease([JobKind.INGEST], for_s=60)
    assert reading
    await IngestJobs(house.store, house.ingestor, lambda _: house.model).run(reading, unhurried)
    job = await house.store.queue.lease([JobKind.SUMMARISE], for_s=60)
    assert job
    rounds = 0
    while await jobs.run(job, outranked) is not None:
        rounds += 1
    assert rounds == len(house.writer.calls) == len(await house.found(document))


async def test_an_attempt_that_a_stop_broke_off_waits_again(house: House) -> None:
    document = await house.add()
    entered = asyncio.Event()

    async def wait() -> bool:
        entered.set()
        await asyncio.Event().wait()
        return False

    making = asyncio.create_task(house.summaries.make(document.id, 1, gives_way=wait))
    await entered.wait()
    making.cancel()
    await asyncio.wait({making})
    assert (await house.run(document)).state is SummaryState.RUNNING
    [run] = await house.summaries.make_waiting(house.collection)
    assert (run.state, run.attempt) == (SummaryState.READY, 1)
    assert len(house.writer.calls) == len(await house.found(document))


async def test_a_title_that_changes_writes_nothing_anew(house: House) -> None:
    document = await house.summarised()
    calls = len(house.writer.calls)
    async with house.store.open(OURS) as work:
        await work.chunks.retitle(replace(document, title="Another"))
        await work.commit()
    assert {each.title for each in await house.found(document)} == {"Another"}
    await house.summarised(path="same-words.txt")
    assert len(house.writer.calls) == calls
