"""Bringing a collection to another model: what is embedded, what others see and do meanwhile, stops, and words alone."""

import asyncio
import json
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pincite.adapters.index.dense import MappedDenseIndex
from pincite.adapters.index.lexical import TantivyIndex
from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.index import MemoryDenseIndex, MemoryLexicalIndex
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.adapters.sql.store import SqlStore, open_store
from pincite.core.documents import Collection, Document, EmbeddingSpec, Stage
from pincite.core.errors import ModelChangedError, NotFoundError, UpstreamError
from pincite.core.evidence import Passage, Query, Strategy
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.ports.index import DenseIndex, LexicalIndex
from pincite.core.ports.models import EmbeddingModel, Vector
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.reembedding import Reembedder, Reembedding
from pincite.retrieval.searcher import Searcher

OURS = WorkspaceId(new_id())
Step = Callable[[], Awaitable[object]]


class Model(HashEmbedding):
    """Remembers what it embedded, and does something of ours before it answers."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(dimensions)
        self.embedded: list[str] = []
        self.before_passages: Step | None = None
        self.before_query: Step | None = None

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        step, self.before_passages = self.before_passages, None
        if step:
            await step()
        self.embedded += texts
        return await super().embed_passages(texts)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        step, self.before_query = self.before_query, None
        if step:
            await step()
        return await super().embed_queries(texts)


class Failing(Model):
    """Fails from some text on."""

    def __init__(self, dimensions: int, *, after: int) -> None:
        super().__init__(dimensions)
        self.left = after

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if self.left < len(texts):
            raise UpstreamError("The model is down.", retryable=True)
        self.left -= len(texts)
        return await super().embed_passages(texts)


class Narrow(Model):
    """Reads fewer tokens than the chunks were cut for."""

    @property
    def spec(self) -> EmbeddingSpec:
        return replace(super().spec, window_tokens=8)


@dataclass
class Library:
    """A store with its indexes; `know` are the models that this process can load."""

    store: MemoryStore | SqlStore
    make_indexes: Callable[[], tuple[DenseIndex, LexicalIndex]]
    old: Model = field(default_factory=lambda: Model(64))
    new: Model = field(default_factory=lambda: Model(32))

    def __post_init__(self) -> None:
        self.dense, self.lexical = self.make_indexes()
        self.know: list[Model] = [self.old, self.new]
        self.searcher = Searcher(self.store, self.dense, self.lexical, self.model_of, OURS)
        self.ingestor = Ingestor(self.store, MemoryBlobs(), PlainTextParser(), OURS, embedding_of=self.model_of)
        self.reembedder = Reembedder(self.store, self.store.changes, self.dense, OURS)
        self.collection_id = CollectionId(new_id())

    def model_of(self, collection: Collection) -> EmbeddingModel | None:
        if collection.embedding is None:
            return None
        for model in self.know:
            if model.spec.model_id == collection.model_id:
                return model
        raise ModelChangedError("Set PINCITE_EMBEDDING.")

    async def open(self, spec: EmbeddingSpec | None) -> "Library":
        async with self.store.open(OURS) as work:
            await work.collections.add(Collection(self.collection_id, OURS, "papers", spec, datetime.now(UTC)))
            await work.commit()
        return self

    async def collection(self) -> Collection:
        async with self.store.open(OURS) as work:
            found = await work.collections.get(self.collection_id)
        assert found
        return found

    async def add(self, *paths: str, embedding: EmbeddingModel | None = None) -> list[Document]:
        collection = await self.collection()
        added: list[Document] = []
        for path in paths:
            arrival = Arrival(path, path, f"The {path.split('.')[0]} runs. Number {path}.".encode())
            document = await self.ingestor.receive(collection, arrival)
            added.append(await self.ingestor.process(document, embedding or self.model_of(collection)))
        return added

    async def search(self, text: str, strategy: Strategy = Strategy.HYBRID) -> list[Passage]:
        query = Query(text, (self.collection_id,), limit=20, strategy=strategy)
        return list((await self.searcher.retrieve(query)).passages)

    async def paths(self, text: str, strategy: Strategy = Strategy.DENSE) -> list[str]:
        return sorted(passage.path for passage in await self.search(text, strategy))

    async def reembed(self, model: EmbeddingModel | None) -> Reembedding:
        return await self.reembedder.run(self.collection_id, model)

    async def lacking(self, spec: EmbeddingSpec) -> int:
        async with self.store.open(OURS) as work:
            return (await work.embeddings.lacking(self.collection_id, model_id=spec.model_id)).chunks

    def another_process(self) -> "Library":
        """Return the same installation as a process sees it that has just begun."""
        other = Library(self.store, self.make_indexes, self.old, self.new)
        other.collection_id = self.collection_id
        return other


@pytest.fixture(scope="module")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Migrations run once; each test gets a copy."""
    path = tmp_path_factory.mktemp("store") / "empty.sqlite3"
    asyncio.run(open_store(path).close())
    return path


@pytest.fixture(params=["memory", "disk"])
async def bare(request: pytest.FixtureRequest, tmp_path: Path, empty_file: Path) -> AsyncGenerator[Library]:
    """A library without a collection."""
    if request.param == "memory":
        store = MemoryStore()
        yield Library(store, lambda: (MemoryDenseIndex(store.changes), MemoryLexicalIndex(store.changes)))
        return
    disk = open_store(Path(shutil.copy(empty_file, tmp_path / "store.sqlite3")))
    yield Library(disk, lambda: (MappedDenseIndex(tmp_path, disk.changes), TantivyIndex(tmp_path, disk.changes)))
    await disk.close()


@pytest.fixture
async def library(bare: Library) -> Library:
    return await bare.open(bare.old.spec)


RIVERS = ("river.txt", "mill.txt", "boat.txt")


async def test_a_collection_comes_to_another_model_and_is_searched_with_it(library: Library) -> None:
    await library.add(*RIVERS)
    heard: list[tuple[int, int]] = []
    done = await library.reembedder.run(
        library.collection_id, library.new, on_progress=lambda done, total: heard.append((done, total))
    )
    assert (done.done, done.chunks, done.embedded, done.warning) == (True, 3, 3, "")
    assert heard[-1] == (3, 3)
    assert (await library.collection()).embedding == library.new.spec
    library.know = [library.new]
    assert await library.paths("river") == sorted(RIVERS)
    assert (await library.search("The river runs."))[0].path == "river.txt"


async def test_a_plan_says_what_there_is_to_do_and_does_nothing(library: Library) -> None:
    await library.add(*RIVERS)
    plan = await library.reembedder.plan(library.collection_id, library.new)
    assert (plan.done, plan.chunks) == (False, 3)
    assert plan.tokens > 3
    assert library.new.embedded == []
    assert await library.collection() == replace(await library.collection(), embedding=library.old.spec, next_embedding=None)
    assert (await library.reembedder.plan(library.collection_id, None)).chunks == 0
    with pytest.raises(NotFoundError):
        await library.reembedder.plan(CollectionId("none"), library.new)


async def test_equal_passages_are_embedded_once_and_known_ones_not_at_all(library: Library) -> None:
    for path in ("a.txt", "b.txt"):
        document = await library.ingestor.receive(await library.collection(), Arrival(path, path, b"The same words.", "One title"))
        await library.ingestor.process(document, library.old, title="One title")
    assert (await library.reembed(library.new)).embedded == 1
    library.old.embedded.clear()
    assert (await library.reembed(library.old)).chunks == 2
    assert library.old.embedded == ["One title\nThe same words."]


async def test_what_others_add_meanwhile_is_found_before_and_after(library: Library) -> None:
    await library.add(*RIVERS)
    other = library.another_process()

    async def add_and_search() -> None:
        await other.add("ferry.txt")
        assert await other.paths("ferry") == sorted([*RIVERS, "ferry.txt"])
        assert (await other.collection()).embedding == library.old.spec

    library.new.before_passages = add_and_search
    assert (await library.reembed(library.new)).chunks == 4
    assert await library.paths("ferry") == sorted([*RIVERS, "ferry.txt"])


async def test_what_is_removed_or_replaced_meanwhile_is_gone(library: Library) -> None:
    first, *_ = await library.add(*RIVERS)

    async def remove_and_replace() -> None:
        await library.ingestor.remove(first.id)
        document = await library.ingestor.receive(await library.collection(), Arrival("mill.txt", "mill.txt", b"A mill stands."))
        await library.ingestor.process(document, library.old)

    library.new.before_passages = remove_and_replace
    await library.reembed(library.new)
    assert await library.paths("river") == ["boat.txt", "mill.txt"]
    assert {passage.text for passage in await library.search("mill")} == {"A mill stands.", "The boat runs. Number boat.txt."}


async def test_a_run_that_was_stopped_goes_on_and_pays_only_for_what_is_missing(library: Library) -> None:
    await library.add(*(f"{number}.txt" for number in range(80)))
    with pytest.raises(UpstreamError):
        await library.reembed(Failing(32, after=40))
    assert await library.lacking(library.new.spec) == 48
    assert (await library.collection()).embedding == library.old.spec
    assert len(await library.paths("runs")) == 20
    done = await library.reembed(library.new)
    assert (done.chunks, done.embedded, len(library.new.embedded)) == (48, 48, 48)
    assert (await library.collection()).embedding == library.new.spec


async def test_vectors_of_a_run_that_is_given_up_are_forgotten(library: Library) -> None:
    await library.add(*(f"{number}.txt" for number in range(40)))
    with pytest.raises(UpstreamError):
        await library.reembed(Failing(32, after=32))
    done = await library.reembed(library.old)
    assert (done.chunks, done.embedded) == (0, 0)
    assert (await library.collection()).next_embedding is None
    assert await library.lacking(library.new.spec) == 40
    assert await library.lacking(library.old.spec) == 0


async def test_after_the_switch_nothing_of_the_old_model_is_kept_and_the_new_one_is_indexed(
    library: Library, tmp_path: Path
) -> None:
    await library.add(*RIVERS)
    await library.paths("river")
    await library.reembed(library.new)
    assert await library.lacking(library.old.spec) == 3
    states = indexed_rows(tmp_path)
    assert states == ({} if isinstance(library.store, MemoryStore) else {f"dense-{library.new.spec.model_id}": 3})


def indexed_rows(root: Path) -> dict[str, int]:
    """Return the rows that the dense mirrors on disk have published."""
    return {path.parent.name: json.loads(path.read_text())["rows"] for path in root.glob("*/dense-*/state.json")}


async def test_running_again_changes_nothing(library: Library) -> None:
    await library.add(*RIVERS)
    await library.reembed(library.new)
    again = await library.reembed(library.new)
    assert (again.chunks, again.embedded, len(library.new.embedded)) == (0, 0, 3)


@pytest.mark.parametrize("rounds", [1, 2])
async def test_there_and_back_again_all_is_found(library: Library, rounds: int) -> None:
    await library.add(*RIVERS)
    other = library.another_process()
    for _ in range(rounds):
        for number, model in enumerate((library.new, library.old)):
            assert await other.paths("river") == await library.paths("river")
            late = (await library.add(f"late{rounds}{number}.txt"))[0].path
            await library.reembed(model)
            for process in (library, other, library.another_process()):
                found = await process.paths("river")
                assert set(found) >= {*RIVERS, late}


async def test_a_narrower_window_is_told(library: Library) -> None:
    document = await library.ingestor.receive(
        await library.collection(), Arrival("a.txt", "a", b"One two three four five six seven.")
    )
    await library.ingestor.process(document, library.old)
    for found in (await library.reembedder.plan(library.collection_id, Narrow(32)), await library.reembed(Narrow(32))):
        assert "8 tokens" in found.warning


async def test_a_collection_without_documents_comes_to_another_model(library: Library) -> None:
    assert (await library.reembed(library.new)).chunks == 0
    await library.add("river.txt")
    assert await library.paths("river") == ["river.txt"]


# Words alone


async def test_words_alone_come_to_a_model_and_go_back(bare: Library) -> None:
    library = await bare.open(None)
    await library.add(*RIVERS)
    assert await library.paths("river", Strategy.HYBRID) == ["river.txt"]
    assert (await library.reembed(library.new)).embedded == 3
    assert await library.paths("river") == sorted(RIVERS)
    done = await library.reembed(None)
    assert (done.done, done.after, done.chunks) == (True, "", 0)
    assert (await library.collection()).embedding is None
    assert await library.paths("river", Strategy.HYBRID) == ["river.txt"]
    assert await library.lacking(library.new.spec) == 3
    await library.add("ferry.txt")
    assert (await library.reembed(library.old)).embedded == 4
    assert await library.paths("ferry") == sorted([*RIVERS, "ferry.txt"])


# A search that is under way


async def test_a_search_under_way_sees_the_old_view_though_its_process_knows_no_other(library: Library) -> None:
    await library.add(*RIVERS)
    searching = library.another_process()
    searching.know = [library.old]
    before = await searching.paths("river")
    library.old.before_query = lambda: library.reembed(library.new)
    assert await searching.paths("river") == before == sorted(RIVERS)
    assert (await library.collection()).embedding == library.new.spec
    with pytest.raises(ModelChangedError, match="PINCITE_EMBEDDING"):
        await searching.paths("river")


@pytest.mark.parametrize("strategy", [Strategy.DENSE, Strategy.HYBRID])
async def test_a_search_that_has_nothing_of_the_old_model_begins_again_with_the_new(library: Library, strategy: Strategy) -> None:
    await library.add(*RIVERS)
    await library.reembedder.dense.follow(searcher_space(library))
    searching = library.another_process()
    library.old.before_query = lambda: library.reembed(library.new)
    assert "river.txt" in await searching.paths("river", strategy)
    assert (await library.collection()).embedding == library.new.spec


def searcher_space(library: Library):
    from pincite.core.ports.index import IndexSpace

    return IndexSpace(OURS, library.collection_id, library.old.spec.model_id, library.old.spec.dimensions)


@pytest.mark.parametrize("warm", [True, False], ids=["warm", "cold"])
async def test_a_search_under_way_goes_on_when_a_collection_comes_to_words_alone(library: Library, warm: bool) -> None:
    await library.add(*RIVERS)
    searching = library.another_process()
    if warm:
        await searching.paths("river")
    library.old.before_query = lambda: library.reembed(None)
    assert "river.txt" in await searching.paths("river")
    assert (await library.collection()).embedding is None


# A document that is under way


@pytest.mark.parametrize("after", ["another model", "words alone"])
async def test_a_document_embedded_with_the_old_model_is_embedded_again_with_the_new(library: Library, after: str) -> None:
    await library.add(*RIVERS)
    target = library.new if after == "another model" else None
    library.old.before_passages = lambda: library.reembed(target)
    [document] = await library.add("ferry.txt")
    assert document.stage is Stage.READY
    collection = await library.collection()
    assert collection.embedding == (library.new.spec if target else None)
    if target:
        assert await library.lacking(library.new.spec) == 0
        assert await library.paths("ferry") == sorted([*RIVERS, "ferry.txt"])
    assert "ferry.txt" in await library.paths("ferry", Strategy.LEXICAL)


async def test_nothing_is_embedded_with_a_model_that_the_collection_has_no_more(library: Library) -> None:
    await library.add(*RIVERS)
    await library.reembed(library.new)
    library.old.embedded.clear()
    await library.add("ferry.txt", embedding=library.old)
    assert library.old.embedded == []
    assert await library.lacking(library.new.spec) == 0


async def test_a_document_added_by_words_alone_while_the_collection_comes_to_a_model_gets_its_vectors(bare: Library) -> None:
    library = await bare.open(None)
    await library.add(*RIVERS)
    await library.reembed(library.new)
    [document] = await library.add("ferry.txt", embedding=None)
    assert document.stage is Stage.READY
    assert await library.lacking(library.new.spec) == 0


async def test_who_has_not_the_new_model_is_told_and_the_document_waits(library: Library) -> None:
    await library.add(*RIVERS)
    adding = library.another_process()
    adding.know = [library.old]
    library.old.before_passages = lambda: library.reembed(library.new)
    with pytest.raises(ModelChangedError, match="PINCITE_EMBEDDING"):
        await adding.add("ferry.txt")
    async with library.store.open(OURS) as work:
        document = await work.documents.at_path(library.collection_id, "ferry.txt")
    assert document
    assert (document.stage, document.reason and document.reason.code) == (Stage.FAILED, "embedding_model_changed")
    assert [added.stage for added in await library.add("ferry.txt")] == [Stage.READY]
    assert await library.lacking(library.new.spec) == 0


async def test_of_two_runs_to_different_models_the_one_that_began_later_wins(library: Library) -> None:
    await library.add(*RIVERS)
    third = Model(16)
    library.know.append(third)
    library.new.before_passages = lambda: library.reembed(third)
    with pytest.raises(ModelChangedError):
        await library.reembed(library.new)
    assert (await library.collection()).embedding == third.spec
    assert await library.paths("river") == sorted(RIVERS)
    assert await library.lacking(library.new.spec) == 3


async def test_two_runs_to_one_model_share_the_work(library: Library) -> None:
    await library.add(*RIVERS)
    library.new.before_passages = lambda: library.another_process().reembed(library.new)
    done = await library.reembed(library.new)
    assert done.done
    assert (await library.collection()).embedding == library.new.spec
    assert await library.paths("river") == sorted(RIVERS)
