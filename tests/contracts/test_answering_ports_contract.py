"""What every retriever, locator and recorder does, the stored ones over memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.index import MemoryDenseIndex, MemoryLexicalIndex
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.records import MemoryLocator, MemoryRecorder
from pincite.adapters.memory.retriever import FixedRetriever
from pincite.adapters.memory.store import MemoryStore
from pincite.answering.records import StoredRecorder
from pincite.core.answers import Answer, AnswerRecord
from pincite.core.documents import CanonicalText, Collection
from pincite.core.evidence import Passage, Query, Retrieval
from pincite.core.ids import CollectionId, MessageId, VersionId, WorkspaceId, new_id
from pincite.core.ports.locator import Locator
from pincite.core.ports.records import Recorder
from pincite.core.ports.retriever import Retriever
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.retrieval.locator import StoredLocator
from pincite.retrieval.searcher import Searcher

OURS = WorkspaceId(new_id())
TEXT = "# Notice\nNotice ends the lease and is sixty\fdays in writing.\n# Rent\nRent is due on the first day.\n# Pets\nNo pets."


@dataclass
class Stored:
    """A document in a store, and the parts over it."""

    store: MemoryStore
    retriever: Searcher
    locator: StoredLocator
    collection: Collection
    version_id: VersionId
    canonical: CanonicalText


@pytest.fixture
async def stored() -> Stored:
    store, blobs, parser, model = MemoryStore(), MemoryBlobs(), PlainTextParser(), HashEmbedding()
    collection = Collection(CollectionId(new_id()), OURS, "default", model.spec, datetime.now(UTC))
    async with store.open(OURS) as work:
        await work.collections.add(collection)
        await work.commit()
    ingestor = Ingestor(store, blobs, parser, OURS)
    document = await ingestor.process(await ingestor.receive(collection, Arrival("lease.txt", "lease.txt", TEXT.encode())), model)
    assert document.version_id
    async with store.open(OURS) as work:
        canonical = await work.versions.canonical(document.version_id)
    assert canonical
    dense, lexical = MemoryDenseIndex(store.changes), MemoryLexicalIndex(store.changes)
    searcher = Searcher(store, dense, lexical, lambda _: model, OURS)
    return Stored(store, searcher, StoredLocator(store, blobs, parser, OURS), collection, document.version_id, canonical)


@pytest.fixture(params=["fixed", "searcher"])
async def retriever(request: pytest.FixtureRequest, stored: Stored) -> Retriever:
    if request.param == "searcher":
        return stored.retriever
    found = await stored.retriever.retrieve(Query("notice lease", (stored.collection.id,)))
    return FixedRetriever(found.passages)


@pytest.fixture(params=["memory", "stored"])
def locator(request: pytest.FixtureRequest, stored: Stored) -> Locator:
    return stored.locator if request.param == "stored" else MemoryLocator({stored.version_id: stored.canonical})


def passages_of(found: Retrieval | Sequence[Passage]) -> tuple[Passage, ...]:
    return found.passages if isinstance(found, Retrieval) else tuple(found)


@pytest.mark.parametrize("limit", [1, 2, 3])
async def test_a_retriever_brings_the_best_first_and_no_more_than_asked(retriever: Retriever, stored: Stored, limit: int) -> None:
    found = passages_of(await retriever.retrieve(Query("notice lease", (stored.collection.id,), limit=limit)))
    scores = [passage.scores.fused for passage in found]
    assert 0 < len(found) <= limit
    assert scores == sorted(scores, reverse=True)
    assert "Notice" in found[0].text


async def test_a_passage_is_a_literal_run_of_its_text_and_knows_its_pages(retriever: Retriever, stored: Stored) -> None:
    for passage in passages_of(await retriever.retrieve(Query("notice lease", (stored.collection.id,)))):
        assert passage.text == stored.canonical.text[passage.start : passage.end]
        assert passage.pages == stored.canonical.page_spans(passage.start, passage.end)


async def test_a_locator_answers_each_range_in_order_with_one_span_per_page(locator: Locator, stored: Stored) -> None:
    start = stored.canonical.text.index("Notice ends")
    end = stored.canonical.text.index("in writing")
    rent = stored.canonical.text.index("Rent is")
    over, within = await locator.locate(stored.version_id, [(start, end), (rent, rent + 4)])
    assert [span.page for span in over] == [1, 2]
    assert [span.page_label for span in within] == ["2"]
    assert await locator.locate(stored.version_id, []) == []


@pytest.fixture(params=["memory", "stored"])
def recorder(request: pytest.FixtureRequest) -> Recorder:
    return MemoryRecorder() if request.param == "memory" else StoredRecorder(MemoryStore(), OURS)


async def kept(recorder: Recorder, message_id: MessageId) -> AnswerRecord | None:
    if isinstance(recorder, MemoryRecorder):
        return next((record for record in recorder.records if record.answer.message_id == message_id), None)
    assert isinstance(recorder, StoredRecorder)
    async with recorder.store.open(recorder.workspace_id) as work:
        return await work.answers.get(message_id)


async def test_a_recorder_keeps_each_answer_exactly_as_it_was_given(recorder: Recorder) -> None:
    records = [AnswerRecord(f"q{n}", Answer(f"a{n} 🎈", (), message_id=MessageId(new_id())), ()) for n in range(2)]
    for record in records:
        await recorder.record(record)
    assert [await kept(recorder, record.answer.message_id) for record in records] == records
