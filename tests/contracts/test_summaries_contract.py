"""What every store keeps of summaries, and what everything that writes them does."""

from dataclasses import replace

import pytest
from tests.contracts.test_changes_contract import AnyStore
from tests.contracts.test_store_contract import OURS, SPEC, TEXT, THEIRS, added, collection, document, version

from pincite.adapters.memory.chat import ScriptedChatModel
from pincite.adapters.memory.summaries import ScriptedSummariser
from pincite.answering.summarising import ChatSummariser, ExtractiveSummariser
from pincite.core.documents import Chunk, ChunkType, Collection, Document, Reason, Stage, Version
from pincite.core.errors import ModelChangedError, NotFoundError
from pincite.core.ids import ChunkId, CollectionId, DocumentId, VersionId, new_id
from pincite.core.messages import ModelUsage
from pincite.core.ports.index import IndexSpace
from pincite.core.ports.store import Store
from pincite.core.ports.summaries import Summariser
from pincite.core.summaries import Summary, SummaryRun, SummaryState
from pincite.core.vectors import pack_float16

KEY, OTHER_KEY = "ab" * 32, "cd" * 32
VECTOR = [0.5, 0.5, 0.5, 0.5]


def chunk(of: Version, text: str, index: int = 0) -> Chunk:
    return Chunk(ChunkId(new_id()), of.document_id, of.id, index, "Title", (), text, 0, 3, 2)


def summary_of(*members: Chunk, text: str = "About both.", index: int = 9) -> Chunk:
    ids = tuple(each.id for each in members)
    return replace(
        members[0], id=ChunkId(new_id()), text=text, chunk_index=index, chunk_type=ChunkType.SUMMARY, generated=True, members=ids
    )


async def ready(store: Store) -> tuple[Collection, Document, list[Chunk]]:
    """A ready document of two passages."""
    home = collection()
    (paper,) = await added(store, home, "a")
    made = version(paper)
    document = replace(paper, stage=Stage.READY, version_id=made.id)
    chunks = [chunk(made, "one"), chunk(made, "two", 1)]
    async with store.open(OURS) as work:
        await work.versions.add(made, TEXT)
        await work.chunks.publish(document, chunks, {each.id: VECTOR for each in chunks}, model_id=SPEC.model_id)
        await work.commit()
    return home, document, chunks


async def test_a_collection_says_whether_its_documents_are_summarised(store: Store) -> None:
    home = collection()
    await added(store, home)
    async with store.open(OURS) as work:
        assert (await work.collections.summarise(home.id, True)) == replace(home, summaries=True)
        assert await work.collections.get(home.id) == replace(home, summaries=True)
        assert not (await work.collections.summarise(home.id, False)).summaries
        with pytest.raises(NotFoundError):
            await work.collections.summarise(CollectionId(new_id()), True)
    made = replace(collection("made with them"), summaries=True)
    await added(store, made)
    async with store.open(OURS) as work:
        assert await work.collections.get(made.id) == made


async def test_summaries_are_found_beside_passages_and_take_the_place_of_earlier_ones(store: AnyStore) -> None:
    home, paper, chunks = await ready(store)
    first, second = summary_of(*chunks), summary_of(*chunks, text="About both, again.")
    for written in (first, second):
        async with store.open(OURS) as work:
            await work.chunks.summarise(paper, [written], {written.id: VECTOR}, model_id=SPEC.model_id)
            await work.commit()
    async with store.open(OURS) as work:
        assert await work.chunks.of_version(chunks[0].version_id) == [*chunks, second]
        found = await work.chunks.texts([chunks[0].id, second.id, first.id])
        shown = await work.chunks.passages([second.id])
    assert [(each.generated, each.members) for each in found] == [(False, ()), (True, second.members)]
    assert [(each.chunk_type, each.generated) for each in shown] == [(ChunkType.SUMMARY, True)]
    space = IndexSpace(OURS, home.id, SPEC.model_id, SPEC.dimensions)
    log = await store.changes.read(space, after=0, limit=100)
    assert [(each.chunk_id, each.deleted) for each in log] == [
        (chunks[0].id, False),
        (chunks[1].id, False),
        (second.id, False),
        (first.id, True),
    ]


async def test_without_summaries_the_passages_stay(store: Store) -> None:
    _, paper, chunks = await ready(store)
    written = summary_of(*chunks)
    async with store.open(OURS) as work:
        await work.chunks.summarise(paper, [written], {written.id: VECTOR}, model_id=SPEC.model_id)
        await work.chunks.summarise(paper, [], {}, model_id=SPEC.model_id)
        assert await work.chunks.of_version(chunks[0].version_id) == chunks


async def test_a_summary_without_its_vector_or_of_another_model_or_version_is_refused(store: Store) -> None:
    _, paper, chunks = await ready(store)
    written = summary_of(*chunks)
    stray = replace(written, version_id=VersionId(new_id()))
    async with store.open(OURS) as work:
        with pytest.raises(ValueError, match="vector"):
            await work.chunks.summarise(paper, [written], {}, model_id=SPEC.model_id)
    async with store.open(OURS) as work:
        with pytest.raises(ValueError, match="version"):
            await work.chunks.summarise(paper, [stray], {stray.id: VECTOR}, model_id=SPEC.model_id)
    async with store.open(OURS) as work:
        with pytest.raises(ModelChangedError):
            await work.chunks.summarise(paper, [written], {written.id: VECTOR}, model_id="another")


async def test_another_version_comes_without_the_summaries_of_the_one_before(store: Store) -> None:
    _, paper, chunks = await ready(store)
    written, after = summary_of(*chunks), version(paper, "ef" * 32)
    changed, passage = replace(paper, version_id=after.id), chunk(after, "three")
    async with store.open(OURS) as work:
        await work.chunks.summarise(paper, [written], {written.id: VECTOR}, model_id=SPEC.model_id)
        await work.versions.add(after, TEXT)
        await work.chunks.publish(changed, [passage], {passage.id: VECTOR}, model_id=SPEC.model_id)
        assert await work.chunks.texts([written.id]) == []
        assert await work.chunks.of_version(after.id) == [passage]


async def test_attempts_are_counted_and_only_the_last_is_told_of(store: Store) -> None:
    home, paper, _ = await ready(store)
    version_id = paper.version_id or VersionId("")
    async with store.open(OURS) as work:
        first = await work.summaries.begin(paper.id, version_id)
        assert first == SummaryRun(paper.id, version_id, 1)
        assert await work.summaries.open_runs(home.id) == [first]
        await work.summaries.count_tokens(paper.id, input=30, output=4)
        await work.summaries.count_tokens(paper.id, input=1, embedded=5)
        told = replace(first, state=SummaryState.FAILED, done=2, total=3, reason=Reason("busy", "Wait."), model="gpt", ms=1.5)
        await work.summaries.report(told)
        kept = replace(told, input_tokens=31, output_tokens=4, embedded_tokens=5)
        assert await work.summaries.runs([paper.id, DocumentId(new_id())]) == {paper.id: kept}
        assert await work.summaries.open_runs(home.id) == []
        second = await work.summaries.begin(paper.id, version_id)
        assert second == SummaryRun(paper.id, version_id, 2)
        await work.summaries.report(told)
        assert await work.summaries.runs([paper.id]) == {paper.id: second}
        with pytest.raises(NotFoundError):
            await work.summaries.begin(DocumentId(new_id()), version_id)


async def test_summaries_are_kept_by_what_they_summarise_and_known_in_the_whole_workspace(store: Store) -> None:
    _, paper, _ = await ready(store)
    plain, embedded = Summary(KEY, "About some fees."), Summary(OTHER_KEY, "About terms.", VECTOR, SPEC.model_id)
    async with store.open(OURS) as work:
        await work.summaries.put(paper.id, [plain, embedded])
        await work.summaries.put(paper.id, [replace(plain, text="About fees.")])
        known = await work.summaries.known([KEY, OTHER_KEY, "00" * 32])
        assert {key: each.text for key, each in known.items()} == {KEY: "About fees.", OTHER_KEY: "About terms."}
        assert known[KEY].vector is None
        assert pack_float16(known[OTHER_KEY].vector or []) == pack_float16(VECTOR)
        assert known[OTHER_KEY].model_id == SPEC.model_id
        assert [each.key for each in await work.summaries.of_document(paper.id)] == [KEY, OTHER_KEY]
        await work.summaries.keep(paper.id, [OTHER_KEY])
        assert [each.key for each in await work.summaries.of_document(paper.id)] == [OTHER_KEY]
        await work.commit()
    async with store.open(OURS) as work:
        with pytest.raises(NotFoundError):
            await work.summaries.put(DocumentId(new_id()), [plain])
    async with store.open(THEIRS) as work:
        assert await work.summaries.known([OTHER_KEY]) == {}
        assert await work.summaries.of_document(paper.id) == []
        await work.summaries.keep(paper.id, [])
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.summaries.known([OTHER_KEY])


async def test_a_copy_with_a_vector_is_known_rather_than_one_without(store: Store) -> None:
    home, paper, _ = await ready(store)
    other = document(home, "b")
    async with store.open(OURS) as work:
        await work.documents.save(other)
        for each in sorted([paper.id, other.id]):
            vector = VECTOR if each == min(paper.id, other.id) else None
            await work.summaries.put(each, [Summary(KEY, "About fees.", vector, SPEC.model_id if vector else "")])
        assert (await work.summaries.known([KEY]))[KEY].vector is not None


async def test_they_go_with_their_document_and_with_its_collection(store: Store) -> None:
    home, paper, _ = await ready(store)
    async with store.open(OURS) as work:
        await work.summaries.begin(paper.id, paper.version_id or VersionId(""))
        await work.summaries.put(paper.id, [Summary(KEY, "About fees.")])
        await work.commit()
    async with store.open(OURS) as work:
        await work.documents.remove(paper.id)
        assert (await work.summaries.runs([paper.id]), await work.summaries.known([KEY])) == ({}, {})
    async with store.open(OURS) as work:
        await work.collections.remove(home.id)
        assert (await work.summaries.open_runs(home.id), await work.summaries.known([KEY])) == ([], {})


@pytest.fixture(params=["scripted", "extractive", "chat"])
def summariser(request: pytest.FixtureRequest) -> Summariser:
    made: dict[str, Summariser] = {
        "scripted": ScriptedSummariser(),
        "extractive": ExtractiveSummariser(),
        "chat": ChatSummariser(ScriptedChatModel(["Fees are\n due in *May*."], usage=ModelUsage(20, 5))),
    }
    return made[request.param]


async def test_a_summary_is_one_line_of_text_with_what_it_took(summariser: Summariser) -> None:
    made = version(document(collection()))
    passages = [
        chunk(made, "The late fee is five percent. It is due in May.\n\nNobody pays it early."),
        chunk(made, "The term is two years."),
    ]
    written = await summariser.summarise(passages)
    assert written.text
    assert "\n" not in written.text
    assert (written.usage.tokens > 0) is (summariser.name != "extractive")
    assert summariser.revision


async def test_even_of_passages_without_a_sentence_there_is_a_summary(summariser: Summariser) -> None:
    made = version(document(collection()))
    assert (await summariser.summarise([chunk(made, "| 1 | 2 |\n| 3 | 4 |"), chunk(made, "Ltd")])).text
