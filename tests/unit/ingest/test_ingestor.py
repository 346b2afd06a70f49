from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import NotFoundError, UpstreamError
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.ports.models import Vector
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.reporting import Progress

OURS = WorkspaceId(new_id())
TEXT = "# Lease\nThe term is two years.\n\n# Notice\nNotice is sixty days.\n"


class CountingEmbedding(HashEmbedding):
    """Remembers what it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    async def embed_passages(self, texts: list[str]) -> list[Vector]:  # type: ignore[override]  # narrower for the test
        self.embedded += texts
        return await super().embed_passages(texts)


class FailingEmbedding(HashEmbedding):
    async def embed_passages(self, texts: object) -> list[Vector]:
        raise UpstreamError("The embedding model is down.", retryable=True)


@dataclass
class House:
    """An ingestor over memory, with one collection."""

    embedding: HashEmbedding = field(default_factory=CountingEmbedding)
    store: MemoryStore = field(default_factory=MemoryStore)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)

    def __post_init__(self) -> None:
        self.ingestor = Ingestor(self.store, self.blobs, PlainTextParser(), OURS)
        self.collection = Collection(CollectionId(new_id()), OURS, "default", self.embedding.spec, datetime.now(UTC))

    async def open(self) -> "House":
        async with self.store.open(OURS) as work:
            await work.collections.add(self.collection)
            await work.commit()
        return self

    async def add(self, text: str, path: str = "lease.txt", heard: list[Progress] | None = None) -> Document:
        document = await self.ingestor.receive(self.collection, Arrival(path, path, text.encode()))
        return await self.ingestor.process(document, self.embedding, on_progress=(heard if heard is not None else []).append)

    async def stored(self, document: Document) -> Document | None:
        async with self.store.open(OURS) as work:
            return await work.documents.get(document.id)

    async def chunk_texts(self, document: Document) -> list[str]:
        assert document.version_id
        async with self.store.open(OURS) as work:
            return [chunk.text for chunk in await work.chunks.of_version(document.version_id)]


@pytest.fixture
async def house() -> House:
    return await House().open()


async def test_a_document_becomes_ready_with_its_chunks_and_says_how_far_it_is(house: House) -> None:
    heard: list[Progress] = []
    document = await house.add(TEXT, heard=heard)
    assert (document.stage, document.chunks, document.reason) == (Stage.READY, 2, None)
    assert await house.stored(document) == document
    assert await house.chunk_texts(document) == ["Lease\n\nThe term is two years.", "Notice\n\nNotice is sixty days."]
    stages = list(dict.fromkeys(progress.stage for progress in heard))
    assert stages == [Stage.PARSING, Stage.CHUNKING, Stage.EMBEDDING, Stage.READY]


async def test_a_received_document_is_pending_and_durable_before_it_is_processed(house: House) -> None:
    document = await house.ingestor.receive(house.collection, Arrival("a.txt", "a.txt", TEXT.encode()))
    stored = await house.stored(document)
    assert stored
    assert (stored.stage, stored.version_id) == (Stage.PENDING, None)


async def test_equal_bytes_at_a_path_are_left_as_they_are(house: House) -> None:
    first = await house.add(TEXT)
    assert await house.add(TEXT) == first


async def test_changed_bytes_switch_the_document_over_and_embed_only_what_is_new(house: House) -> None:
    first = await house.add(TEXT)
    assert isinstance(house.embedding, CountingEmbedding)
    house.embedding.embedded.clear()
    second = await house.add(TEXT.replace("sixty", "ninety"))
    assert (second.id, second.version_id != first.version_id) == (first.id, True)
    assert len(house.embedding.embedded) == 1
    assert "ninety" in house.embedding.embedded[0]


async def test_the_same_bytes_at_another_path_are_not_embedded_again(house: House) -> None:
    for path in ("a.txt", "b.txt"):
        document = await house.ingestor.receive(house.collection, Arrival(path, path, TEXT.encode(), "One title"))
        await house.ingestor.process(document, house.embedding, title="One title")
    assert isinstance(house.embedding, CountingEmbedding)
    assert len(house.embedding.embedded) == 2


async def test_a_refused_file_fails_with_its_reason_and_an_older_version_stays(house: House) -> None:
    first = await house.add(TEXT)
    failed = await house.add("\0binary")
    assert failed.stage is Stage.FAILED
    assert failed.reason
    assert (failed.reason.code, failed.version_id) == ("unsupported", first.version_id)


async def test_a_text_with_nothing_to_retrieve_is_no_empty_ready_document(house: House) -> None:
    failed = await house.add(" \n \n")
    assert failed.reason
    assert failed.reason.code == "no_text"


async def test_a_model_that_is_down_fails_the_document_and_the_next_try_succeeds() -> None:
    house = await House(FailingEmbedding()).open()
    with pytest.raises(UpstreamError):
        await house.add(TEXT)
    async with house.store.open(OURS) as work:
        (document,) = await work.documents.list(house.collection.id)
    assert document.stage is Stage.FAILED
    house.embedding = HashEmbedding()
    assert (await house.add(TEXT)).stage is Stage.READY


async def test_removing_deletes_the_bytes_of_every_version_that_nothing_else_has(house: House) -> None:
    first = await house.add(TEXT)
    second = await house.add(TEXT.replace("two", "three"))
    other = await house.add(TEXT, "other.txt")
    await house.ingestor.remove(second.id)
    assert await house.stored(second) is None
    assert (await house.blobs.local_path(other.sha256)).exists()
    with pytest.raises(NotFoundError):
        await house.blobs.local_path(second.sha256)
    assert first.sha256 == other.sha256
    with pytest.raises(NotFoundError):
        await house.ingestor.remove(second.id)


async def test_a_document_removed_while_it_is_read_does_not_come_back(house: House) -> None:
    document = await house.ingestor.receive(house.collection, Arrival("a.txt", "a.txt", b"\0binary"))
    gone = replace(document)
    async with house.store.open(OURS) as work:
        await work.documents.remove(document.id)
        await work.commit()
    await house.ingestor.process(gone, house.embedding)
    assert await house.stored(gone) is None


async def test_chunks_leave_room_for_the_prefix_within_the_window(house: House) -> None:
    document = await house.add("# T\n" + "word " * 3000)
    spec = house.embedding.spec
    assert document.version_id
    async with house.store.open(OURS) as work:
        chunks = await work.chunks.of_version(document.version_id)
    assert len(chunks) > 1
    counts = house.embedding.count_tokens([spec.passage_prefix + chunk.index_text for chunk in chunks])
    assert max(counts) + 2 <= spec.window_tokens


async def test_files_are_kept_even_when_reading_them_fails(house: House, tmp_path: Path) -> None:
    file = tmp_path / "x.bin"
    file.write_bytes(b"\0")
    document = await house.ingestor.receive(house.collection, Arrival("x.bin", "x.bin", file))
    await house.ingestor.process(document, house.embedding)
    assert (await house.blobs.local_path(document.sha256)).read_bytes() == b"\0"
