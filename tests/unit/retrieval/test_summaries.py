"""What a summary that is found brings, in the searcher and by itself."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.index import MemoryDenseIndex, MemoryLexicalIndex
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import ChunkType, Collection, Document
from pincite.core.evidence import Filter, Passage, PassageText, Query, Scores
from pincite.core.ids import ChunkId, CollectionId, VersionId, WorkspaceId, new_id
from pincite.core.messages import ModelUsage
from pincite.core.summaries import WrittenSummary
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.summarising import Summaries
from pincite.retrieval.searcher import Searcher
from pincite.retrieval.summaries import LEAVES, SummaryRule, leaves_of, with_leaves

OURS = WorkspaceId(new_id())
GIST = "An overview of savannah wildlife"
BOOK = "# One\n\nThe zebra eats grass in the morning.\n\n# Two\n\nThe giraffe eats leaves at noon.\n\n# Three\n\nThe lion sleeps.\n"


class Writer:
    """Writes the same of everything."""

    name, revision = "writer", "1"

    async def summarise(self, passages: object) -> WrittenSummary:
        return WrittenSummary(GIST, ModelUsage())


class Library:
    def __init__(self) -> None:
        self.store, self.model = MemoryStore(), HashEmbedding()
        self.ingestor = Ingestor(self.store, MemoryBlobs(), PlainTextParser(), OURS)
        dense, lexical = MemoryDenseIndex(self.store.changes), MemoryLexicalIndex(self.store.changes)
        self.searcher = Searcher(self.store, dense, lexical, lambda _: self.model, OURS)
        self.collection = Collection(CollectionId(new_id()), OURS, "default", self.model.spec, datetime.now(UTC), summaries=True)

    async def add(self, path: str, text: str) -> Document:
        received = await self.ingestor.receive(self.collection, Arrival(path, path, text.encode()))
        document = await self.ingestor.process(received, self.model)
        await Summaries(self.store, Writer(), lambda _: self.model, OURS).make_waiting(self.collection)
        return document

    async def find(self, text: str, limit: int = 6) -> tuple[Passage, ...]:
        return (await self.searcher.retrieve(Query(text, (self.collection.id,), limit=limit))).passages


@pytest.fixture
async def library() -> Library:
    made = Library()
    async with made.store.open(OURS) as work:
        await work.collections.add(made.collection)
        await work.commit()
    await made.add("book.txt", BOOK)
    await made.add("other.txt", "# Fees\n\nThe fee is forty.\n")
    return made


async def test_a_summary_that_is_found_gives_its_place_to_passages_that_it_stands_for(library: Library) -> None:
    found = await library.find("savannah wildlife overview")
    assert [each.path for each in found[:2]] == ["book.txt", "book.txt"]
    assert found[0].scores.fused > found[2].scores.fused
    assert not any(each.generated for each in found)
    alone = await library.find("savannah wildlife overview", limit=1)
    assert [each.text for each in alone] == [found[0].text]


async def test_where_it_stays_it_says_that_a_model_wrote_it(library: Library) -> None:
    library.searcher = replace(library.searcher, rule=SummaryRule(stays=True))
    found = await library.find("savannah wildlife overview")
    assert [(each.text, each.chunk_type) for each in found if each.generated] == [(GIST, ChunkType.SUMMARY)]
    assert found[0].generated


async def test_its_words_are_no_evidence_and_no_phrase_of_the_document(library: Library) -> None:
    found = await library.searcher.retrieve(Query(f'"{GIST}"', (library.collection.id,)))
    assert found.signals
    assert found.signals.literal == 0
    said = await library.searcher.retrieve(Query('"The zebra eats grass in the morning"', (library.collection.id,)))
    assert said.signals
    assert said.signals.literal == 1
    assert not said.passages[0].generated
    best = max(each.scores.dense or 0 for each in found.passages if not each.generated)
    assert found.signals.dense_top == pytest.approx(best)


async def test_a_filter_holds_for_summaries_as_for_passages(library: Library) -> None:
    query = Query("savannah wildlife overview", (library.collection.id,), Filter(path_prefix="other.txt"))
    assert {each.path for each in (await library.searcher.retrieve(query)).passages} == {"other.txt"}


async def test_a_collection_without_summaries_finds_what_it_found(library: Library) -> None:
    with_them = await library.find("zebra grass")
    made = Summaries(library.store, Writer(), lambda _: library.model, OURS)
    await made.switch(library.collection.id, False, is_queued=False)
    without = await library.find("zebra grass")
    assert not any(each.generated for each in without)
    assert with_them[0].chunk_id == without[0].chunk_id


def text(name: str, *members: str, generated: bool = False) -> PassageText:
    ids = tuple(ChunkId(each) for each in members)
    return PassageText(ChunkId(name), VersionId("v"), 0, "", (), name, generated or bool(members), ids)


async def test_passages_are_looked_for_level_by_level_and_not_without_end() -> None:
    known = {each.chunk_id: each for each in [text("root", "low", "c"), text("low", "a", "b"), *map(text, "abc")]}

    async def texts_of(wanted: object) -> list[PassageText]:
        return [each for each in known.values() if each.chunk_id in wanted]  # type: ignore[operator]  # a sequence of ids

    found = await leaves_of([known[ChunkId("root")], known[ChunkId("low")]], texts_of)
    assert {name: sorted(each.text for each in leaves) for name, leaves in found.items()} == {
        "root": ["a", "b", "c"],
        "low": ["a", "b"],
    }
    many = {each.chunk_id: each for each in [text(str(number)) for number in range(200)]}
    known |= many
    wide = text("wide", *many)
    assert len((await leaves_of([wide], texts_of))[wide.chunk_id]) == LEAVES


def test_the_best_passages_of_a_summary_rise_and_none_falls() -> None:
    a, b, c, summary = text("a"), text("b"), text("c"), text("sum", "a", "b", "c")
    found = [(summary, Scores(0.8)), (c, Scores(0.75)), (b, Scores(0.2))]
    leaves = {summary.chunk_id: [a, b, c]}
    kept = with_leaves(found, leaves, SummaryRule(lift=0.5, members=2, stays=True))
    assert [(each.text, scores.fused) for each, scores in kept] == [("sum", 0.8), ("c", 0.75), ("b", 0.4)]
    gone = with_leaves(found, leaves, SummaryRule(lift=1.0, members=3, stays=False))
    assert {each.text: scores.fused for each, scores in gone} == {"a": 0.8, "b": 0.8, "c": 0.8}


def test_raw_scores_stay_what_the_sides_said() -> None:
    a, summary = text("a"), text("sum", "a")
    found: list[tuple[PassageText, Scores]] = [(summary, Scores(0.8, 0.9, 3.0)), (a, Scores(0.1, 0.2, None))]
    raised = dict(with_leaves(found, {summary.chunk_id: [a]}, SummaryRule()))
    assert (raised[a].dense, raised[a].lexical) == (0.2, None)
