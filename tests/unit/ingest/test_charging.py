"""Attempts to read documents are charged once each, for what they embedded, whichever way they end."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.billing.ledger import Ledger
from pincite.billing.pricing import PriceBook
from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import UpstreamError
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.jobs import MAX_ATTEMPTS, JobKind
from pincite.core.ports.models import Vector
from pincite.core.usage import LedgerRow, UsageKind
from pincite.ingest import embedding as batches
from pincite.ingest.arrivals import Arrival
from pincite.ingest.charging import attempt_key
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.jobs import IngestJobs
from pincite.worker import loop
from pincite.worker.loop import Worker


async def nobody_waits(*, priority: int, by_others: bool) -> bool:
    return False


OURS = WorkspaceId(new_id())
PARTS = 6
BOOK = "\f".join(f"# Part {n}\nPart {n} says what holds for number {n}.\n" for n in range(PARTS)).encode()
OTHER = BOOK + b"\fAnother page is at its end.\n"


class Counting(HashEmbedding):
    """Counts the tokens of what it embedded, and fails before a batch when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = 0
        self.batches = 0
        self.fails_at: set[int] = set()
        self.error: BaseException = UpstreamError("The provider is down.", code="provider_unavailable", retryable=True)

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        self.batches += 1
        if self.batches in self.fails_at:
            raise self.error
        self.tokens += sum(self.count_tokens(texts))
        return await super().embed_passages(texts)


class House:
    def __init__(self) -> None:
        self.store, self.model = MemoryStore(), Counting()
        self.ingestor = Ingestor(self.store, MemoryBlobs(), PlainTextParser(), OURS, metering=Ledger(PriceBook("1", {})))
        self.collection = Collection(CollectionId(new_id()), OURS, "default", self.model.spec, datetime.now(UTC))
        self.jobs = IngestJobs(self.store, self.ingestor, lambda _: self.model)
        self.worker = Worker(self.store.queue, {JobKind.INGEST: self.jobs}, poll_s=0.001)

    async def receive(self, data: bytes = BOOK, *, is_queued: bool = True) -> Document:
        return await self.ingestor.receive(self.collection, Arrival("book.txt", "book.txt", data, is_queued=is_queued))

    async def add(self, data: bytes = BOOK) -> Document:
        return await self.ingestor.process(await self.receive(data, is_queued=False), self.model)

    async def charged(self, document: Document, attempt: int = 1) -> LedgerRow | None:
        async with self.store.open(OURS) as work:
            return await work.usage.find(UsageKind.EMBEDDING, attempt_key(document.id, attempt))

    async def tokens(self, document: Document, attempt: int = 1) -> int | None:
        row = await self.charged(document, attempt)
        return row.input_tokens if row else None


@pytest.fixture
async def house(monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setattr(batches, "EMBED_BATCH", 2)
    monkeypatch.setattr(loop, "FIRST_WAIT_S", 0.0)
    made = House()
    async with made.store.open(OURS) as work:
        await work.collections.add(made.collection)
        await work.commit()
    return made


async def test_an_attempt_is_charged_for_every_token_that_it_embedded(house: House) -> None:
    document = await house.receive()
    assert await house.charged(document) is None
    await house.worker.work_off()
    row = await house.charged(document)
    assert row
    assert (row.input_tokens, row.credits, row.model) == (house.model.tokens, -house.model.tokens, house.model.spec.name)
    assert house.model.tokens > PARTS


async def test_what_is_added_without_a_queue_is_charged_alike(house: House) -> None:
    document = await house.add()
    assert await house.tokens(document) == house.model.tokens


async def test_what_has_its_vectors_already_is_charged_nothing(house: House) -> None:
    await house.add()
    copy = await house.ingestor.receive(house.collection, Arrival("copy.txt", "copy.txt", BOOK, is_queued=True))
    await house.worker.work_off()
    assert await house.tokens(copy) == 0


async def test_the_same_bytes_again_are_no_attempt(house: House) -> None:
    document = await house.add()
    await house.add()
    assert await house.charged(document, 2) is None


async def test_tries_of_one_attempt_are_charged_together(house: House) -> None:
    house.model.fails_at = {2}
    document = await house.receive()
    assert await house.worker.work_off() == MAX_ATTEMPTS - 1
    assert await house.tokens(document) == house.model.tokens
    assert await house.charged(document, 2) is None


async def test_an_attempt_that_fails_for_good_is_charged_for_what_is_stored(house: House) -> None:
    house.model.fails_at = {2, 3, 4}
    document = await house.receive()
    await house.worker.work_off()
    assert await house.tokens(document) == house.model.tokens > 0
    before, house.model.fails_at = house.model.tokens, set()
    await house.jobs.retry(document.id)
    await house.worker.work_off()
    assert (await house.tokens(document), await house.tokens(document, 2)) == (before, house.model.tokens - before)


@pytest.mark.parametrize("error", [UpstreamError("Down."), asyncio.CancelledError()])
async def test_an_attempt_without_a_queue_is_over_when_it_breaks_off(house: House, error: BaseException) -> None:
    house.model.fails_at, house.model.error = {2}, error
    document = await house.receive(is_queued=False)
    with pytest.raises(type(error)):
        await house.ingestor.process(document, house.model)
    assert await house.tokens(document) == house.model.tokens > 0


async def test_an_attempt_that_is_cancelled_or_whose_document_goes_is_charged_for_what_is_stored(house: House) -> None:
    house.model.fails_at = {2}
    document = await house.receive()
    job = await house.store.queue.lease([JobKind.INGEST], for_s=60)
    assert job
    with pytest.raises(UpstreamError):
        await house.jobs.run(job, nobody_waits)
    await house.jobs.reopen(job)
    assert await house.charged(document) is None
    cancelled = await house.jobs.cancel(document.id)
    assert (cancelled.stage, await house.tokens(document)) == (Stage.FAILED, house.model.tokens)
    await house.ingestor.remove(document.id)
    assert await house.tokens(document) == house.model.tokens > 0


async def test_an_attempt_is_charged_when_the_next_is_begun_before_it_ended(house: House) -> None:
    first = await house.receive()
    await house.receive(OTHER)
    assert await house.tokens(first) == 0
    await house.worker.work_off()
    assert await house.tokens(first, 2) == house.model.tokens


async def test_an_attempt_that_was_killed_every_time_is_charged(house: House) -> None:
    document = await house.receive()
    for _ in range(MAX_ATTEMPTS):
        assert await house.store.queue.lease([JobKind.INGEST], for_s=-1)
    await house.worker.work_off()
    assert await house.tokens(document) == 0


async def test_a_removed_document_is_charged_for_what_it_took(house: House) -> None:
    document = await house.receive()
    await house.ingestor.remove(document.id)
    assert await house.tokens(document) == 0


async def test_without_metering_nothing_is_charged(house: House) -> None:
    house.ingestor = Ingestor(house.store, MemoryBlobs(), PlainTextParser(), OURS)
    document = await house.add()
    assert document.stage is Stage.READY
    assert await house.charged(document) is None
