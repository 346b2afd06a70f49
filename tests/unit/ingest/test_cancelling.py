"""Reading that is cancelled: it ends, what is stored stays, and the next attempt goes on there."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import ConflictError, NotFoundError
from pincite.core.ids import CollectionId, DocumentId, WorkspaceId, new_id
from pincite.core.jobs import JobKind, JobState
from pincite.core.ports.models import Vector
from pincite.ingest import embedding as batches
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.jobs import IngestJobs
from pincite.ingest.queueing import attempt_key
from pincite.worker import loop
from pincite.worker.loop import Worker

OURS = WorkspaceId(new_id())
PARTS = 6
BOOK = "\f".join(f"# Part {n}\nPart {n} says what holds for number {n}.\n" for n in range(PARTS)).encode()


class Waiting(HashEmbedding):
    """Embeds one batch, and then waits for ever unless it `goes_on`."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []
        self.waits = asyncio.Event()
        self.goes_on = False

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if self.embedded and not self.goes_on:
            self.waits.set()
            await asyncio.Event().wait()
        self.embedded += texts
        return await super().embed_passages(texts)


class House:
    def __init__(self) -> None:
        self.store, self.model = MemoryStore(), Waiting()
        self.ingestor = Ingestor(self.store, MemoryBlobs(), PlainTextParser(), OURS)
        self.collection = Collection(CollectionId(new_id()), OURS, "default", self.model.spec, datetime.now(UTC))
        self.jobs = IngestJobs(self.store, self.ingestor, lambda _: self.model)
        self.worker = Worker(self.store.queue, {JobKind.INGEST: self.jobs}, poll_s=0.001)

    async def receive(self, *, is_queued: bool = True) -> Document:
        return await self.ingestor.receive(self.collection, Arrival("book.txt", "book.txt", BOOK, is_queued=is_queued))

    async def document(self) -> Document:
        async with self.store.open(OURS) as work:
            [found] = await work.documents.list(self.collection.id)
        return found

    async def job(self, attempt: int) -> JobState | None:
        async with self.store.open(OURS) as work:
            return await work.jobs.state(JobKind.INGEST, attempt_key((await self.document()).id, attempt))


@pytest.fixture
async def house(monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setattr(batches, "EMBED_BATCH", 2)
    monkeypatch.setattr(loop, "LOOK_S", 0.001)
    made = House()
    async with made.store.open(OURS) as work:
        await work.collections.add(made.collection)
        await work.commit()
    return made


def state(document: Document) -> tuple[Stage, str]:
    return document.stage, document.reason.code if document.reason else ""


async def test_what_waits_is_cancelled_at_once(house: House) -> None:
    waiting = await house.receive()
    assert state(await house.jobs.cancel(waiting.id)) == (Stage.FAILED, "cancelled")
    assert await house.worker.work_off() == 0
    assert (state(await house.document()), await house.job(1)) == ((Stage.FAILED, "cancelled"), JobState.CANCELLED)


async def test_what_runs_is_stopped_and_a_retry_goes_on_where_it_was(house: House) -> None:
    document = await house.receive()
    working = asyncio.create_task(house.worker.work_off())
    await house.model.waits.wait()
    await house.jobs.cancel(document.id)
    await asyncio.wait_for(working, 5)
    assert (state(await house.document()), await house.job(1)) == ((Stage.FAILED, "cancelled"), JobState.CANCELLED)
    assert len(house.model.embedded) == 2
    house.model.goes_on = True
    assert (await house.jobs.retry(document.id)).stage is Stage.PENDING
    await house.worker.work_off()
    assert state(await house.document()) == (Stage.READY, "")
    assert sorted(house.model.embedded) == sorted(set(house.model.embedded))
    assert len(house.model.embedded) == PARTS


async def test_what_is_added_without_a_worker_stops_before_its_next_batch(house: House) -> None:
    house.model.goes_on = True
    document = await house.receive(is_queued=False)
    embed = house.model.embed_passages

    async def cancel_first(texts: Sequence[str]) -> list[Vector]:
        await house.jobs.cancel(document.id)
        return await embed(texts)

    house.model.embed_passages = cancel_first  # type: ignore[method-assign]  # for this one document
    assert state(await house.ingestor.process(document, house.model)) == (Stage.FAILED, "cancelled")
    assert len(house.model.embedded) == 2


async def test_what_is_not_on_its_way_can_not_be_cancelled(house: House) -> None:
    house.model.goes_on = True
    document = await house.receive()
    await house.worker.work_off()
    with pytest.raises(ConflictError) as caught:
        await house.jobs.cancel(document.id)
    assert caught.value.code == "not_in_work"
    assert (await house.document()).stage is Stage.READY
    with pytest.raises(NotFoundError):
        await house.jobs.cancel(DocumentId(new_id()))
