"""What is done of a document stays done: nothing is read or embedded twice, and it is found before it is whole."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.index import MemoryDenseIndex, MemoryLexicalIndex
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import Collection, Document, ParsedDocument, Stage
from pincite.core.errors import UpstreamError
from pincite.core.evidence import Query, Retrieval, Strategy
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.ports.models import Vector
from pincite.ingest import embedding as batches
from pincite.ingest import ingestor as ingesting
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.reporting import Progress
from pincite.retrieval.searcher import Searcher

OURS = WorkspaceId(new_id())
PARTS = 12
BOOK = "\f".join(f"# Part {n}\nPart {n} says what holds for number {n}.\n" for n in range(PARTS))


class CountingParser(PlainTextParser):
    """Counts what it reads, and may have come to another version."""

    def __init__(self) -> None:
        self.read = 0
        self.version = "1"

    async def parse(self, path: Path, **options: object) -> ParsedDocument:  # type: ignore[override]  # the test passes them on
        self.read += 1
        return replace(await super().parse(path, **options), parser_version=self.version)  # type: ignore[arg-type]

    async def version_of(self, parser: str) -> str | None:
        return self.version


@dataclass
class Recording(HashEmbedding):
    """Keeps what it embedded. `before` happens before a batch."""

    embedded: list[str] = field(default_factory=list[str])
    before: Callable[[int], Awaitable[None]] | None = None

    def __post_init__(self) -> None:
        super().__init__()

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if self.before:
            await self.before(len(self.embedded))
        self.embedded += texts
        return await super().embed_passages(texts)


class House:
    def __init__(self) -> None:
        self.store, self.blobs, self.model, self.parser = MemoryStore(), MemoryBlobs(), Recording(), CountingParser()
        self.ingestor = Ingestor(self.store, self.blobs, self.parser, OURS)
        self.collection = Collection(CollectionId(new_id()), OURS, "default", self.model.spec, datetime.now(UTC))
        dense, lexical = MemoryDenseIndex(self.store.changes), MemoryLexicalIndex(self.store.changes)
        self.searcher = Searcher(self.store, dense, lexical, lambda _: self.model, OURS)

    async def add(self, text: str, heard: list[Progress] | None = None) -> Document:
        document = await self.ingestor.receive(self.collection, Arrival("book.txt", "book.txt", text.encode()))
        return await self.ingestor.process(document, self.model, on_progress=(heard if heard is not None else []).append)

    async def find(self, text: str, strategy: Strategy = Strategy.HYBRID) -> Retrieval:
        return await self.searcher.retrieve(Query(text, (self.collection.id,), limit=50, strategy=strategy))

    async def texts(self, text: str, strategy: Strategy = Strategy.HYBRID) -> set[str]:
        return {passage.text for passage in (await self.find(text, strategy)).passages}


@pytest.fixture
async def house(monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setattr(batches, "EMBED_BATCH", 5)
    monkeypatch.setattr(ingesting, "KEEP_CHARACTERS", 0)
    made = House()
    async with made.store.open(OURS) as work:
        await work.collections.add(made.collection)
        await work.commit()
    return made


def down_after(count: int) -> Callable[[int], Awaitable[None]]:
    async def fail(done: int) -> None:
        if done >= count:
            raise UpstreamError("The model is down.", retryable=True)

    return fail


async def broken_off(house: House, text: str = BOOK, *, after: int = 5) -> None:
    house.model.before = down_after(len(house.model.embedded) + after)
    with pytest.raises(UpstreamError):
        await house.add(text)
    house.model.before = None


@pytest.mark.parametrize("after", [0, 5, 10])
async def test_a_retry_embeds_only_what_is_missing_and_reads_nothing_again(house: House, after: int) -> None:
    await broken_off(house, after=after)
    assert len(house.model.embedded) == after
    done = await house.add(BOOK)
    assert (done.stage, done.chunks) == (Stage.READY, PARTS)
    assert house.parser.read == 1
    assert sorted(house.model.embedded) == sorted(set(house.model.embedded))
    assert len(house.model.embedded) == PARTS
    assert len((await house.find("part", Strategy.DENSE)).passages) == PARTS


async def test_a_retry_of_a_changed_version_embeds_only_what_is_missing_too(house: House) -> None:
    await house.add(BOOK)
    changed = BOOK.replace("holds for", "is said of")
    await broken_off(house, changed)
    done = await house.add(changed)
    assert done.stage is Stage.READY
    assert house.parser.read == 2
    assert len(house.model.embedded) == 2 * PARTS
    assert all("is said of" in text for text in await house.texts("part"))


async def test_a_first_version_is_found_by_its_words_while_it_is_embedded(house: House) -> None:
    seen: list[tuple[int, int, int, int]] = []

    async def look(done: int) -> None:
        said, near = await house.find("part", Strategy.LEXICAL), await house.find("part", Strategy.DENSE)
        assert said.scope
        seen.append((said.scope.in_work, said.scope.searchable, len(said.passages), len(near.passages)))

    house.model.before = look
    await house.add(BOOK)
    assert seen == [(1, 1, PARTS, 0), (1, 1, PARTS, 5), (1, 1, PARTS, 10)]


async def test_a_changed_version_takes_the_place_of_the_old_one_in_one_step(house: House) -> None:
    old = await house.add(BOOK)
    changed = BOOK.replace("holds for", "is said of")
    seen: list[set[str]] = []

    async def look(done: int) -> None:
        seen.extend([await house.texts("part", strategy) for strategy in Strategy])

    before = await house.texts("part")
    house.model.before = look
    new = await house.add(changed)
    assert new.version_id != old.version_id
    assert all(found == before for found in seen)
    assert len(seen) == 9
    assert not before & await house.texts("part")


async def test_a_parser_of_another_version_reads_again(house: House) -> None:
    await broken_off(house)
    house.parser.version = "2"
    assert (await house.add(BOOK)).stage is Stage.READY
    assert house.parser.read == 2


async def test_a_short_text_is_read_once_more_sooner_than_written_twice(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingesting, "KEEP_CHARACTERS", 1_000_000)
    await broken_off(house, after=0)
    assert (await house.add(BOOK)).stage is Stage.READY
    assert house.parser.read == 1  # by then its chunks were stored, and its text with them


async def test_one_page_of_many_changed_embeds_its_chunks_alone(house: House) -> None:
    await house.add(BOOK)
    house.model.embedded.clear()
    await house.add(BOOK.replace("number 7", "number seventy"))
    assert len(house.model.embedded) == 1
    house.model.embedded.clear()
    await house.add(BOOK.replace("number 7", "number seventy"))
    assert house.model.embedded == []


async def test_a_failure_says_that_it_is_found_by_its_words_meanwhile(house: House) -> None:
    await broken_off(house)
    async with house.store.open(OURS) as work:
        [failed] = await work.documents.list(house.collection.id)
        scope = await work.collections.scope(house.collection.id)
    assert failed.reason
    assert "words alone" in failed.reason.message
    assert (scope.failed, scope.searchable) == (1, 1)


async def test_what_is_left_of_bytes_that_others_replace_is_deleted_with_them(house: House) -> None:
    await house.add(BOOK)
    await broken_off(house, BOOK.replace("holds for", "is said of"))
    async with house.store.open(OURS) as work:
        [failed] = await work.documents.list(house.collection.id)
    await house.add(BOOK.replace("holds for", "is true of"))
    assert not await house.blobs.has(failed.sha256)
    async with house.store.open(OURS) as work:
        assert failed.sha256 not in {each.sha256 for each in await work.versions.of_document(failed.id)}


async def test_bytes_that_were_refused_are_read_again_only_when_files_are_read_otherwise(house: House) -> None:
    async def add(reads_as: str, data: bytes = b"   ", *, is_retry: bool = False) -> tuple[Document, int]:
        ingestor, before = replace(house.ingestor, reads_as=reads_as), house.parser.read
        arrival = Arrival("blank.txt", "blank.txt", data, is_retry=is_retry)
        done = await ingestor.process(await ingestor.receive(house.collection, arrival), house.model)
        return done, house.parser.read - before

    refused, reads = await add("now")
    assert (refused.stage, reads) == (Stage.FAILED, 1)
    again, reads = await add("now")
    assert (again.reason, reads) == (refused.reason, 0)
    assert (await add("now", is_retry=True))[1] == 1
    assert (await add("later"))[1] == 1
    changed, reads = await add("later", b"There is something now.")
    assert (changed.stage, changed.refused_by, reads) == (Stage.READY, "", 1)
    assert ((await add(""))[1], (await add(""))[1]) == (1, 1)


async def test_progress_counts_chunks_that_have_their_vector(house: House) -> None:
    await broken_off(house)
    heard: list[Progress] = []
    await house.add(BOOK, heard)
    assert [(p.stage, p.done, p.total) for p in heard if p.total] == [
        (Stage.EMBEDDING, 5, PARTS),
        (Stage.EMBEDDING, 10, PARTS),
        (Stage.EMBEDDING, PARTS, PARTS),
        (Stage.READY, PARTS, PARTS),
    ]


async def test_who_asks_for_it_reads_and_cuts_again(house: House) -> None:
    ready = await house.add(BOOK)
    again = await house.ingestor.process(replace(ready, stage=Stage.PENDING), house.model, is_anew=True)
    assert again.version_id == ready.version_id  # somebody was done with it
    async with house.store.open(OURS) as work:
        await work.documents.save(pending := replace(ready, stage=Stage.PENDING))
        await work.commit()
    again = await house.ingestor.process(pending, house.model, is_anew=True)
    assert (again.stage, again.version_id != ready.version_id) == (Stage.READY, True)
    assert house.parser.read == 3
