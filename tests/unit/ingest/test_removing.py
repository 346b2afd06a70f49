"""Removing a collection: what is found, kept, read and waiting of it afterwards, and what others keep."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pincite.adapters.index.dense import MappedDenseIndex
from pincite.adapters.index.lexical import TantivyIndex
from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import Collection, Document
from pincite.core.errors import NotFoundError
from pincite.core.evidence import Query
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.jobs import JobKind
from pincite.core.ports.models import Vector
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.jobs import IngestJobs
from pincite.ingest.removing import CollectionRemoval
from pincite.retrieval.searcher import Searcher
from pincite.worker.loop import Worker

OURS = WorkspaceId(new_id())


class MeddledEmbedding(HashEmbedding):
    """Lets something happen once, while passages are embedded."""

    meddle: Callable[[], Awaitable[None]] | None = None

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        meddle, self.meddle = self.meddle, None
        if meddle:
            await meddle()
        return await super().embed_passages(texts)


class House:
    """An ingestor, a worker, a searcher and mirrors on disk, with two collections."""

    def __init__(self, folder: Path) -> None:
        self.store, self.blobs, self.embedding = MemoryStore(), MemoryBlobs(), MeddledEmbedding()
        self.index = folder / "index"
        dense, lexical = MappedDenseIndex(self.index, self.store.changes), TantivyIndex(self.index, self.store.changes)
        self.ingestor = Ingestor(self.store, self.blobs, PlainTextParser(), OURS)
        self.searcher = Searcher(self.store, dense, lexical, lambda _: self.embedding, OURS)
        self.removal = CollectionRemoval(self.store, self.blobs, dense, lexical)
        jobs = IngestJobs(self.store, self.ingestor, lambda _: self.embedding)
        self.worker = Worker(self.store.queue, {JobKind.INGEST: jobs})
        self.doomed, self.other = (self._collection(name) for name in ("doomed", "other"))

    def _collection(self, name: str) -> Collection:
        return Collection(CollectionId(new_id()), OURS, name, self.embedding.spec, datetime.now(UTC))

    async def open(self) -> "House":
        async with self.store.open(OURS) as work:
            await work.collections.add(self.doomed)
            await work.collections.add(self.other)
            await work.commit()
        return self

    async def queue(self, collection: Collection, data: bytes, path: str = "a.txt") -> Document:
        return await self.ingestor.receive(collection, Arrival(path, path, data, is_queued=True))

    async def found(self, collection: Collection, text: str) -> list[str]:
        return [hit.text for hit in (await self.searcher.retrieve(Query(text, (collection.id,)))).passages]


@pytest.fixture
async def house(tmp_path: Path) -> House:
    return await House(tmp_path).open()


async def test_nothing_of_a_removed_collection_is_found_or_kept_and_shared_bytes_stay(house: House) -> None:
    own = await house.queue(house.doomed, b"The late fee is five percent.", "fee.txt")
    shared = await house.queue(house.doomed, b"Notice is sixty days.")
    await house.queue(house.other, b"Notice is sixty days.")
    await house.worker.work_off()
    assert len(await house.found(house.doomed, "late fee")) == 2
    assert await house.found(house.other, "notice") == ["Notice is sixty days."]
    await house.removal.remove(house.doomed)
    with pytest.raises(NotFoundError):
        await house.found(house.doomed, "late fee")
    assert await house.found(house.other, "notice") == ["Notice is sixty days."]
    assert (await house.blobs.has(own.sha256), await house.blobs.has(shared.sha256)) == (False, True)
    assert [folder.name for folder in house.index.iterdir()] == [house.other.id]


async def test_what_waits_to_be_read_of_it_is_read_by_nobody(house: House) -> None:
    await house.queue(house.doomed, b"The late fee is five percent.")
    await house.queue(house.other, b"Notice is sixty days.")
    await house.removal.remove(house.doomed)
    assert await house.worker.work_off() == 1
    assert await house.found(house.other, "notice") == ["Notice is sixty days."]


async def test_what_is_being_read_of_it_ends_without_harm(house: House) -> None:
    row = await house.queue(house.doomed, b"The late fee is five percent.")
    house.embedding.meddle = lambda: house.removal.remove(house.doomed)
    assert await house.worker.work_off() == 1
    async with house.store.open(OURS) as work:
        assert (await work.documents.get(row.id), await work.versions.of_document(row.id)) == (None, [])
    assert not await house.blobs.has(row.sha256)


async def test_a_file_that_comes_for_it_afterwards_is_refused(house: House) -> None:
    await house.removal.remove(house.doomed)
    with pytest.raises(NotFoundError):
        await house.queue(house.doomed, b"Notice is sixty days.")
    with pytest.raises(NotFoundError):
        await house.removal.remove(house.doomed)


async def test_more_files_than_are_deleted_at_once_are_all_deleted(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pincite.ingest.blob_keeping.FORGET_BATCH", 2)
    rows = [await house.queue(house.doomed, f"Fee {number}.".encode(), f"{number}.txt") for number in range(5)]
    await house.removal.remove(house.doomed)
    assert [await house.blobs.has(row.sha256) for row in rows] == [False] * 5
