from collections.abc import Collection as Collected
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.index import MemoryDenseIndex, MemoryLexicalIndex
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import Collection, Document
from pincite.core.errors import ConflictError, NotFoundError
from pincite.core.evidence import Filter, Query, Strategy, Turn
from pincite.core.ids import ChunkId, CollectionId, DocumentId, WorkspaceId, new_id
from pincite.core.ports.index import IndexHit, IndexSpace
from pincite.core.ports.models import Vector
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.retrieval.locator import StoredLocator, merge_lines
from pincite.retrieval.searcher import Searcher

OURS = WorkspaceId(new_id())
MODEL = HashEmbedding()


class Library:
    """A searcher over memory."""

    def __init__(self) -> None:
        self.store, self.blobs, self.parser = MemoryStore(), MemoryBlobs(), PlainTextParser()
        self.ingestor = Ingestor(self.store, self.blobs, self.parser, OURS)
        dense, lexical = MemoryDenseIndex(self.store.changes), MemoryLexicalIndex(self.store.changes)
        self.searcher = Searcher(self.store, dense, lexical, lambda collection: MODEL if collection.embedding else None, OURS)

    async def collection(self, name: str = "default", *, words_alone: bool = False, dimensions: int = 64) -> Collection:
        spec = None if words_alone else replace(MODEL.spec, dimensions=dimensions)
        collection = Collection(CollectionId(new_id()), OURS, name, spec, datetime.now(UTC))
        async with self.store.open(OURS) as work:
            await work.collections.add(collection)
            await work.commit()
        return collection

    async def add(self, collection: Collection, path: str, text: str) -> Document:
        document = await self.ingestor.receive(collection, Arrival(path, "file:///" + path, text.encode()))
        return await self.ingestor.process(document, MODEL if collection.embedding else None)


@pytest.fixture
def library() -> Library:
    return Library()


async def test_hits_carry_both_raw_scores_and_come_best_first(library: Library) -> None:
    collection = await library.collection()
    await library.add(collection, "cats.txt", "Cats purr when they are content.")
    await library.add(collection, "dogs.txt", "Dogs bark at strangers in the night.")
    found = await library.searcher.retrieve(Query("When do cats purr?", (collection.id,)))
    assert found.passages[0].path == "cats.txt"
    scores = found.passages[0].scores
    assert scores.dense is not None
    assert scores.lexical is not None
    assert [p.scores.fused for p in found.passages] == sorted((p.scores.fused for p in found.passages), reverse=True)
    assert found.signals
    assert (found.signals.dense_top or 0) > 0
    assert found.signals.idf_mass > 0


async def test_signals_tell_what_the_best_hit_stands_out_from_once_there_are_enough_others(library: Library) -> None:
    collection = await library.collection()
    await library.add(collection, "cats.txt", "Cats purr when they are content.")
    for number in range(4):
        await library.add(collection, f"{number}.txt", f"Dog number {number} barks at cats in the night.")
    query = Query("When do cats purr?", (collection.id,))
    few = (await library.searcher.retrieve(query)).signals
    await library.add(collection, "4.txt", "Another dog sleeps.")
    enough = (await library.searcher.retrieve(query)).signals
    assert few
    assert few.dense_next is None
    assert 0 < (few.lexical_next or 0) < (few.lexical_top or 0)
    assert enough
    assert -1 <= (enough.dense_next or 2) < (enough.dense_top or 0)


@pytest.mark.parametrize(
    "chosen",
    [
        Filter(path_prefix="law"),
        Filter(content_types=("text/plain",), path_prefix="law/"),
        Filter(document_ids=(DocumentId("later"),)),
    ],
)
async def test_filters_narrow_both_sides(library: Library, chosen: Filter) -> None:
    collection = await library.collection()
    await library.add(collection, "animals/cats.txt", "Cats purr when they are content.")
    law = await library.add(collection, "law/cats.txt", "Cats are property under the law.")
    if chosen.document_ids:
        chosen = Filter(document_ids=(law.id,))
    for strategy in Strategy:
        found = await library.searcher.retrieve(Query("Why do cats purr?", (collection.id,), chosen, strategy=strategy))
        assert {passage.path for passage in found.passages} == {"law/cats.txt"}


async def test_a_filter_that_leaves_nothing_finds_nothing(library: Library) -> None:
    collection = await library.collection()
    await library.add(collection, "cats.txt", "Cats purr.")
    found = await library.searcher.retrieve(Query("cats", (collection.id,), Filter(path_prefix="dogs")))
    assert found.passages == ()


async def test_identical_passages_of_one_title_collapse_before_the_limit(library: Library) -> None:
    collection = await library.collection()
    for number in range(5):
        text = f"# Terms\nNotice is sixty days.\f# Other {number}\nNumber {number} days of rain."
        document = await library.ingestor.receive(collection, Arrival(f"{number}.txt", str(number), text.encode()))
        await library.ingestor.process(document, MODEL, title="Terms of sale")
    found = await library.searcher.retrieve(Query("sixty days notice", (collection.id,), limit=3))
    texts = [passage.text for passage in found.passages]
    assert len(texts) == len(set(texts)) == 3


async def test_a_literal_phrase_comes_before_the_same_words_in_another_order(library: Library) -> None:
    collection = await library.collection()
    for number in range(8):
        await library.add(collection, f"{number}.txt", "The trace during execution record activation copied the into. " * 3)
    await library.add(
        collection,
        "right.txt",
        "Values are copied into the activation record during trace execution, and nothing else happens here at all.",
    )
    found = await library.searcher.retrieve(Query("into the activation record during trace execution", (collection.id,)))
    assert found.passages[0].path == "right.txt"


async def test_a_phrase_over_the_border_of_two_chunks_counts_for_the_first(library: Library) -> None:
    collection = await library.collection()
    text = "# One\nThe length of words should match the language. 7\n# Six\nMore of the same words in the language follows."
    await library.add(collection, "right.txt", text)
    await library.add(collection, "other.txt", "# One\nWords match the language, six or seven: language words should match. 6 7")
    found = await library.searcher.retrieve(Query("words should match the language. 7 Six", (collection.id,)))
    assert found.passages[0].text.endswith("language. 7")
    assert found.signals
    assert found.signals.literal == 1


async def test_a_phrase_that_stands_whole_in_a_chunk_does_not_raise_the_one_before_it(library: Library) -> None:
    collection = await library.collection()
    text = (
        "# Fees\nMaple Leafs pay in Toronto: thirteen cups for maple leafs.\n# Since\nMaple Leafs Toronto zero. None of them since."
    )
    await library.add(collection, "cups.txt", text)
    found = await library.searcher.retrieve(Query("Maple Leafs Toronto zero", (collection.id,)))
    shares = {passage.heading_path[-1]: passage.scores.fused for passage in found.passages}
    assert shares["Since"] > shares["Fees"] + 0.3


async def test_words_alone_are_searched_where_a_collection_has_no_model(library: Library) -> None:
    collection = await library.collection(words_alone=True)
    await library.add(collection, "cats.txt", "Cats purr.")
    found = await library.searcher.retrieve(Query("cats", (collection.id,)))
    assert found.strategy is Strategy.LEXICAL
    assert found.passages[0].scores.dense is None


async def test_collections_of_different_models_are_refused_together(library: Library) -> None:
    one, other = await library.collection("one"), await library.collection("other", dimensions=32)
    with pytest.raises(ConflictError) as caught:
        await library.searcher.retrieve(Query("x", (one.id, other.id)))
    assert caught.value.code == "embedding_models_differ"
    with pytest.raises(NotFoundError):
        await library.searcher.retrieve(Query("x", (CollectionId("none"),)))


async def test_two_collections_of_one_model_are_searched_together(library: Library) -> None:
    one, other = await library.collection("one"), await library.collection("other")
    await library.add(one, "cats.txt", "Cats purr.")
    await library.add(other, "cows.txt", "Cows moo.")
    found = await library.searcher.retrieve(Query("cats purr cows moo", (one.id, other.id)))
    assert {passage.path for passage in found.passages} == {"cats.txt", "cows.txt"}
    assert found.scope
    assert found.scope.ready == 2


async def test_a_removed_or_replaced_document_is_not_found_any_more(library: Library) -> None:
    collection = await library.collection()
    document = await library.add(collection, "cats.txt", "Cats purr.")
    await library.add(collection, "cats.txt", "Cows moo.")
    found = await library.searcher.retrieve(Query("cats purr", (collection.id,)))
    assert {passage.text for passage in found.passages} <= {"Cows moo."}
    await library.ingestor.remove(document.id)
    assert (await library.searcher.retrieve(Query("cows", (collection.id,)))).passages == ()


async def test_the_locator_gives_one_span_per_page_with_boxes(library: Library) -> None:
    collection = await library.collection()
    document = await library.add(collection, "two.txt", "A sentence that begins here\fand ends over there.")
    locator = StoredLocator(library.store, library.blobs, library.parser, OURS)
    assert document.version_id
    async with library.store.open(OURS) as work:
        canonical = await work.versions.canonical(document.version_id)
    assert canonical
    (spans,) = await locator.locate(document.version_id, [(0, len(canonical.text))])
    assert [span.page for span in spans] == [1, 2]
    assert all(span.boxes and span.page_size for span in spans)


def test_boxes_of_one_line_are_joined_and_those_of_two_lines_are_not() -> None:
    from pincite.core.documents import Box

    left, right, below = Box(0, 0, 10, 10), Box(12, 1, 20, 10), Box(0, 14, 10, 24)
    assert merge_lines([left, right, below]) == [Box(0, 0, 20, 10), below]
    far = Box(60, 0, 70, 10)
    assert merge_lines([left, far]) == [left, far]


class ChangingIndex:
    """A dense index under which a document changes after each of the first looks, before the database is asked."""

    def __init__(self, library: Library, collection: Collection, times: int) -> None:
        self.inner = MemoryDenseIndex(library.store.changes)
        self.library, self.collection, self.left, self.looks = library, collection, times, 0

    async def search(
        self, space: IndexSpace, vector: Vector, *, limit: int, documents: Collected[DocumentId] | None = None
    ) -> list[IndexHit]:
        found = await self.inner.search(space, vector, limit=limit, documents=documents)
        self.looks += 1
        if self.left:
            self.left -= 1
            await self.library.add(self.collection, "cats.txt", f"Cats purr when they are content, says edition {self.left}.")
        return found


@pytest.mark.parametrize("times", [1, 2, 7])
@pytest.mark.parametrize("strategy", [Strategy.DENSE, Strategy.HYBRID])
async def test_a_document_that_changes_during_a_search_is_found_in_one_of_its_versions(
    library: Library, times: int, strategy: Strategy
) -> None:
    collection = await library.collection()
    await library.add(collection, "cats.txt", "Cats purr when they are content, says the first edition.")
    changing = ChangingIndex(library, collection, times)
    searcher = replace(library.searcher, dense=changing)
    found = await searcher.retrieve(Query("When do cats purr?", (collection.id,), strategy=strategy))
    assert [passage.text for passage in found.passages] == ["Cats purr when they are content, says edition 0."]
    assert changing.looks == times + 1


class StaleIndex:
    """A dense index that names a chunk which no row confirms, whatever happens."""

    looks = 0

    async def search(
        self, space: IndexSpace, vector: Vector, *, limit: int, documents: Collected[DocumentId] | None = None
    ) -> list[IndexHit]:
        self.looks += 1
        return [IndexHit(ChunkId("gone"), 0.9)]


async def test_a_hit_that_stays_unconfirmed_is_left_out_after_a_second_look(library: Library) -> None:
    collection = await library.collection()
    await library.add(collection, "cats.txt", "Cats purr.")
    stale = StaleIndex()
    found = await replace(library.searcher, dense=stale).retrieve(Query("cats", (collection.id,)))
    assert [passage.path for passage in found.passages] == ["cats.txt"]
    assert stale.looks == 2


class AskedEmbedding(HashEmbedding):
    """Keeps what it was asked, call by call."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[list[str]] = []

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        self.calls.append(list(texts))
        return await super().embed_queries(texts)


@pytest.mark.parametrize("strategy", list(Strategy))
async def test_a_follow_up_finds_what_was_spoken_of(library: Library, strategy: Strategy) -> None:
    collection = await library.collection()
    await library.add(collection, "cats.txt", "Cats purr when they are content.")
    for n in range(8):
        await library.add(collection, f"other{n}.txt", f"Other things are told of matter {n}.")
    alone = Query("And why?", (collection.id,), limit=1, strategy=strategy)
    spoken = replace(alone, history=(Turn("When do cats purr?", "When they are content."),))
    found = await library.searcher.retrieve(spoken)
    assert [passage.path for passage in found.passages] == ["cats.txt"]
    before, after = (await library.searcher.retrieve(alone)).signals, found.signals
    assert before
    assert after
    assert ((before.dense_top or 0), (before.lexical_top or 0)) < ((after.dense_top or 0), (after.lexical_top or 0))


async def test_all_wordings_are_embedded_in_one_call(library: Library) -> None:
    model = AskedEmbedding()

    def asked(collection: Collection) -> AskedEmbedding:
        return model

    searcher = replace(library.searcher, embedding_of=asked)
    collection = await library.collection()
    await library.add(collection, "cats.txt", "Cats purr when they are content.")
    await searcher.retrieve(Query("And why?", (collection.id,), history=(Turn("When do cats purr?", "At night."),)))
    await searcher.retrieve(Query("And why?", (collection.id,)))
    assert model.calls == [["And why?", "When do cats purr?\nAnd why?", "And why?\nAt night."], ["And why?"]]
