"""What the ingestor does when others change, remove or store the same meanwhile, and when it is stopped."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import NotFoundError, StoreError, UpstreamError
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.ports.blobs import Blob
from pincite.core.ports.models import Vector
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor

OURS = WorkspaceId(new_id())
TEXT, OTHER = b"The term is two years.", b"The term is five years."


class MeddledEmbedding(HashEmbedding):
    """Lets something happen once, while passages are embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.meddle: Callable[[], Awaitable[object]] | None = None

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        meddle, self.meddle = self.meddle, None
        if meddle:
            await meddle()
        return await super().embed_passages(texts)


class MeddledBlobs(MemoryBlobs):
    """Lets something happen after each of the next times that bytes are stored."""

    def __init__(self) -> None:
        super().__init__()
        self.meddle: list[Callable[[], Awaitable[object]]] = []

    async def put_bytes(self, data: bytes) -> Blob:
        blob = await super().put_bytes(data)
        if self.meddle:
            await self.meddle.pop(0)()
        return blob


@dataclass
class House:
    store: MemoryStore = field(default_factory=lambda: MemoryStore(busy_timeout_s=0.02))
    blobs: MeddledBlobs = field(default_factory=MeddledBlobs)
    embedding: MeddledEmbedding = field(default_factory=MeddledEmbedding)

    def __post_init__(self) -> None:
        self.ingestor = Ingestor(self.store, self.blobs, PlainTextParser(), OURS)
        self.collection = Collection(CollectionId(new_id()), OURS, "default", self.embedding.spec, datetime.now(UTC))

    async def receive(self, data: bytes, path: str = "a.txt") -> Document:
        return await self.ingestor.receive(self.collection, Arrival(path, path, data))

    async def add(self, data: bytes, path: str = "a.txt") -> Document:
        return await self.ingestor.process(await self.receive(data, path), self.embedding)

    async def documents(self) -> list[Document]:
        async with self.store.open(OURS) as work:
            return await work.documents.list(self.collection.id)

    async def text_of(self, document: Document) -> str:
        assert document.version_id
        async with self.store.open(OURS) as work:
            return "".join(chunk.text for chunk in await work.chunks.of_version(document.version_id))


@pytest.fixture
async def house() -> House:
    made = House()
    async with made.store.open(OURS) as work:
        await work.collections.add(made.collection)
        await work.commit()
    return made


def reason(document: Document) -> str | None:
    return document.reason.code if document.reason else None


async def test_bytes_added_meanwhile_count_and_ours_are_told_as_overtaken(house: House) -> None:
    house.embedding.meddle = lambda: house.add(OTHER)
    ours = await house.add(TEXT)
    assert (ours.stage, reason(ours)) == (Stage.FAILED, "overtaken")
    (stored,) = await house.documents()
    assert (stored.stage, stored.id, stored.reason) == (Stage.READY, ours.id, None)
    assert await house.text_of(stored) == OTHER.decode()


async def test_bytes_that_are_on_their_way_meanwhile_are_not_overwritten_either(house: House) -> None:
    house.embedding.meddle = lambda: house.receive(OTHER)
    ours = await house.add(TEXT)
    assert (ours.stage, reason(ours)) == (Stage.FAILED, "overtaken")
    (pending,) = await house.documents()
    assert pending.stage is Stage.PENDING
    assert await house.text_of(pending) == TEXT.decode()  # found until the newer bytes are
    done = await house.ingestor.process(pending, house.embedding)
    assert await house.text_of(done) == OTHER.decode()


async def test_a_failure_of_overtaken_bytes_is_not_kept_with_the_newer_ones(house: House) -> None:
    async def go_down() -> None:
        await house.receive(OTHER)
        raise UpstreamError("The model is down.")

    house.embedding.meddle = go_down
    with pytest.raises(UpstreamError):
        await house.add(TEXT)
    (pending,) = await house.documents()
    assert (pending.stage, pending.reason) == (Stage.PENDING, None)


async def test_the_same_bytes_published_by_another_meanwhile_are_published_once(house: House) -> None:
    house.embedding.meddle = lambda: house.add(TEXT)
    ours = await house.add(TEXT)
    assert ours.stage is Stage.READY
    assert await house.documents() == [ours]
    async with house.store.open(OURS) as work:
        assert len(await work.versions.of_document(ours.id)) == 1


async def test_bytes_that_nothing_names_any_more_are_deleted_when_others_take_their_place(house: House) -> None:
    first = await house.receive(TEXT)
    second = await house.receive(OTHER)
    assert not await house.blobs.has(first.sha256)
    assert await house.blobs.has(second.sha256)
    ready = await house.add(OTHER)
    await house.add(TEXT)
    assert await house.blobs.has(ready.sha256)  # its version is kept


async def test_bytes_removed_between_storing_and_naming_them_are_stored_again(house: House) -> None:
    other = await house.add(TEXT, "other.txt")
    house.blobs.meddle = [lambda: house.ingestor.remove(other.id)]
    ours = await house.add(TEXT)
    assert ours.stage is Stage.READY
    assert (await house.blobs.local_path(ours.sha256)).read_bytes() == TEXT


async def test_bytes_that_always_vanish_are_told_and_leave_no_document(house: House) -> None:
    async def vanish() -> None:
        for sha256 in list(house.blobs._blobs):  # pyright: ignore[reportPrivateUsage] (what a removal elsewhere does)
            await house.blobs.delete(sha256)

    house.blobs.meddle = [vanish] * 99
    with pytest.raises(StoreError) as caught:
        await house.add(TEXT)
    assert caught.value.retryable
    assert await house.documents() == []


async def test_bytes_named_while_another_document_with_them_is_removed_stay(house: House) -> None:
    first = await house.add(TEXT, "first.txt")
    removing = asyncio.gather(house.ingestor.remove(first.id), house.add(TEXT, "second.txt"))
    _, second = await removing
    assert second.stage is Stage.READY
    assert await house.blobs.has(second.sha256)


async def test_what_is_cancelled_is_told_as_stopped_and_the_next_add_continues(house: House) -> None:
    begun = asyncio.Event()

    async def hang() -> None:
        begun.set()
        await asyncio.Event().wait()

    house.embedding.meddle = hang
    task = asyncio.create_task(house.add(TEXT))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    (stopped,) = await house.documents()
    assert (stopped.stage, reason(stopped)) == (Stage.FAILED, "stopped")
    again = await house.add(TEXT)
    assert (again.id, again.stage, again.reason) == (stopped.id, Stage.READY, None)


async def test_an_error_of_the_store_is_kept_with_the_document_when_it_can_be(house: House) -> None:
    async def fail() -> None:
        raise StoreError("The disk is full.", code="disk_full")

    house.embedding.meddle = fail
    with pytest.raises(StoreError, match="disk is full"):
        await house.add(TEXT)
    (failed,) = await house.documents()
    assert (failed.stage, reason(failed)) == (Stage.FAILED, "disk_full")
    assert (await house.add(TEXT)).stage is Stage.READY


async def test_a_busy_store_leaves_the_document_to_the_next_add(house: House) -> None:
    async def fail() -> None:
        raise StoreError("Busy.", code="store_busy", retryable=True)

    house.embedding.meddle = fail
    with pytest.raises(StoreError):
        await house.add(TEXT)
    (waiting,) = await house.documents()
    assert waiting.stage is Stage.EMBEDDING
    assert (await house.add(TEXT)).stage is Stage.READY


async def test_a_store_that_fails_as_well_does_not_hide_what_failed_first(house: House) -> None:
    async with AsyncExitStack() as held:

        async def hold() -> None:
            await (await held.enter_async_context(house.store.open(OURS))).lock()
            raise UpstreamError("The model is down.")

        house.embedding.meddle = hold
        with pytest.raises(UpstreamError):
            await house.add(TEXT)


async def test_a_document_removed_while_it_is_embedded_stays_removed(house: House) -> None:
    async def remove() -> None:
        (document,) = await house.documents()
        await house.ingestor.remove(document.id)

    house.embedding.meddle = remove
    ours = await house.add(TEXT)
    assert reason(ours) == "removed"
    assert await house.documents() == []
    with pytest.raises(NotFoundError):
        await house.blobs.local_path(ours.sha256)


async def test_bytes_for_a_collection_that_is_removed_meanwhile_are_not_kept(house: House) -> None:
    async def remove() -> None:
        async with house.store.open(OURS) as work:
            await work.collections.remove(house.collection.id)
            await work.commit()

    house.blobs.meddle = [remove]
    with pytest.raises(NotFoundError):
        await house.receive(TEXT)
    assert not await house.blobs.has(hashlib.sha256(TEXT).hexdigest())
