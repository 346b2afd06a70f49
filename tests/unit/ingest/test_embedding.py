"""What is embedded, counted: never the same bytes again, and of changed bytes only the chunks that changed."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import Chunk, Collection, Document
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.ports.index import IndexSpace
from pincite.core.ports.models import Vector
from pincite.ingest.arrivals import Arrival
from pincite.ingest.chunking import ChunkRules
from pincite.ingest.ingestor import Ingestor

OURS = WorkspaceId(new_id())
LONG = " ".join(f"Clause {n} of the lease says that the tenant pays {n} euros." for n in range(400))
SECTIONS = "".join(f"# Part {n}\nPart {n} says what holds for number {n}.\n\n" for n in range(9))


class CountingEmbedding(HashEmbedding):
    """Remembers what it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded += texts
        return await super().embed_passages(texts)


class House:
    """An ingestor over memory that counts what it embeds."""

    def __init__(self) -> None:
        self.store, self.blobs, self.model = MemoryStore(), MemoryBlobs(), CountingEmbedding()
        self.ingestor = Ingestor(self.store, self.blobs, PlainTextParser(), OURS, ChunkRules(64))
        self.collection = Collection(CollectionId(new_id()), OURS, "default", self.model.spec, datetime.now(UTC))

    async def open(self) -> "House":
        async with self.store.open(OURS) as work:
            await work.collections.add(self.collection)
            await work.commit()
        return self

    async def add(self, text: str, path: str, *, title: str = "") -> tuple[Document, list[str]]:
        """Add a text under a path, and return the document with what had to be embedded for it."""
        self.model.embedded.clear()
        document = await self.ingestor.receive(self.collection, Arrival(path, path, text.encode()))
        done = await self.ingestor.process(document, self.model, title=title)
        return done, list(self.model.embedded)

    async def chunks(self, document: Document) -> list[Chunk]:
        assert document.version_id
        async with self.store.open(OURS) as work:
            return await work.chunks.of_version(document.version_id)

    async def vectors(self, document: Document) -> list[list[float]]:
        """Return the document's vectors as an index sees them, in the order of its chunks."""
        space = IndexSpace(OURS, self.collection.id, self.model.spec.model_id, 64)
        changes = await self.store.changes.read(space, after=0, limit=10_000)
        found = {change.chunk_id: change.vector for change in changes}
        return [list(found[chunk.id] or ()) for chunk in await self.chunks(document)]


@pytest.fixture
async def house() -> House:
    return await House().open()


@pytest.mark.parametrize("text", ["The term is two years.", LONG, SECTIONS], ids=["short", "long", "sections"])
@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("b.txt", ""),
        ("another folder/with a much longer name that takes many tokens of the budget of a chunk.txt", ""),
        ("b.txt", "A title of its own, which is longer than the name of the file"),
    ],
)
async def test_the_same_bytes_under_another_name_are_not_embedded_again(house: House, text: str, path: str, title: str) -> None:
    first, embedded = await house.add(text, "a.txt")
    assert len(embedded) == first.chunks
    second, again = await house.add(text, path, title=title)
    assert again == []
    assert second.id != first.id
    assert await house.vectors(second) == await house.vectors(first)
    assert {chunk.title for chunk in await house.chunks(second)} == {second.title}


async def test_the_same_bytes_again_after_other_bytes_at_the_path_are_not_embedded_again(house: House) -> None:
    await house.add(LONG, "kept.txt")
    await house.add("Something else.", "a.txt")
    assert (await house.add(LONG, "a.txt"))[1] == []


async def test_the_same_words_in_other_bytes_under_another_title_are_embedded_again(house: House) -> None:
    """The title belongs to what is embedded: a clause of one contract is not the same clause of another party's."""
    await house.add("# Acme\nThe rent is due on the first.\n# Notes\nNotice is sixty days.", "acme.txt")
    _, embedded = await house.add("# Beta\nThe rent is due on the first.\n# Notes\nNotice is sixty days.", "beta.txt")
    assert len(embedded) == 2


async def test_other_rules_cut_the_same_bytes_anew(house: House) -> None:
    first, _ = await house.add(LONG, "a.txt")
    house.ingestor = replace(house.ingestor, rules=ChunkRules(200))
    second, embedded = await house.add(LONG, "b.txt")
    assert second.chunks < first.chunks
    assert len(embedded) == second.chunks


@pytest.mark.parametrize(
    ("changed", "count"),
    [
        (SECTIONS.replace("number 4", "number 44"), 1),
        ("# Part 0\nA new beginning.\n\n" + SECTIONS.removeprefix("# Part 0\n"), 1),
        (SECTIONS + "# Part 9\nOne more.\n", 1),
        (SECTIONS.replace("# Part 4\nPart 4 says what holds for number 4.\n\n", ""), 0),
        (SECTIONS.replace("holds for number 2", "is two").replace("holds for number 7", "is seven"), 2),
    ],
    ids=["a word", "the beginning", "the end", "a part less", "two parts"],
)
async def test_of_changed_bytes_only_the_changed_chunks_are_embedded(house: House, changed: str, count: int) -> None:
    first, _ = await house.add(SECTIONS, "a.txt")
    second, embedded = await house.add(changed, "a.txt")
    assert (second.id, second.version_id != first.version_id) == (first.id, True)
    assert len(embedded) == count
