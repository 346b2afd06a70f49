"""How a collection comes to another embedding model: vectors beside those it is searched with, and one switch."""

from array import array
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.store import MemoryStore
from pincite.adapters.sql.store import SqlStore
from pincite.core.documents import CanonicalText, Chunk, Collection, Document, EmbeddingSpec, Stage, Version
from pincite.core.errors import ConflictError, ModelChangedError, NotFoundError
from pincite.core.ids import ChunkId, CollectionId, DocumentId, VersionId, WorkspaceId, new_id
from pincite.core.ports.changes import LogState
from pincite.core.ports.embeddings import Lacking
from pincite.core.ports.index import IndexSpace
from pincite.core.ports.models import Vector

AnyStore = MemoryStore | SqlStore
OURS, THEIRS = WorkspaceId(new_id()), WorkspaceId(new_id())
NOW = datetime(2031, 2, 3, tzinfo=UTC)
OLD, NEW, OTHER = EmbeddingSpec("old", "1", 4, 512), EmbeddingSpec("new", "1", 2, 256), EmbeddingSpec("other", "1", 3, 512)
HOME = Collection(CollectionId(new_id()), OURS, "papers", OLD, NOW)
PLAIN = Collection(CollectionId(new_id()), OURS, "words", None, NOW)


@pytest.fixture
async def store(store: AnyStore) -> AnyStore:
    async with store.open(OURS) as work:
        await work.collections.add(HOME)
        await work.collections.add(PLAIN)
        await work.commit()
    return store


def unit(spec: EmbeddingSpec) -> Vector:
    return array("f", [1.0] + [0.0] * (spec.dimensions - 1))


def space(spec: EmbeddingSpec | None, home: Collection = HOME) -> IndexSpace:
    return IndexSpace(OURS, home.id, spec.model_id if spec else "", spec.dimensions if spec else 0)


async def publish(
    store: AnyStore, path: str, texts: Sequence[str], *, spec: EmbeddingSpec | None = OLD, home: Collection = HOME
) -> list[Chunk]:
    """Publish a document with one chunk for each text, embedded with a model. Return the chunks."""
    document = Document(DocumentId(new_id()), home.id, path, path, "text/plain", path, Stage.PENDING, NOW, NOW)
    version = Version(VersionId(new_id()), document.id, "ab" * 32, 1, "text/plain", "text", "1", NOW)
    chunks = [
        Chunk(ChunkId(new_id()), document.id, version.id, index, "T", (), text, 0, len(text), 10 * (index + 1))
        for index, text in enumerate(texts)
    ]
    async with store.open(OURS) as work:
        await work.documents.save(document)
        await work.versions.add(version, CanonicalText("".join(texts), ()))
        ready = replace(document, stage=Stage.READY, version_id=version.id)
        vectors = {chunk.id: unit(spec) for chunk in chunks} if spec else {}
        await work.chunks.publish(ready, chunks, vectors, model_id=spec.model_id if spec else "")
        await work.commit()
    return chunks


async def prepare(store: AnyStore, spec: EmbeddingSpec | None, home: Collection = HOME) -> None:
    async with store.open(OURS) as work:
        await work.embeddings.prepare(home.id, spec)
        await work.commit()


async def fill(store: AnyStore, chunks: Sequence[Chunk], spec: EmbeddingSpec = NEW, home: Collection = HOME) -> None:
    async with store.open(OURS) as work:
        await work.embeddings.fill(home.id, {chunk.id: unit(spec) for chunk in chunks}, model_id=spec.model_id)
        await work.commit()


async def switch(store: AnyStore, spec: EmbeddingSpec | None, home: Collection = HOME) -> bool:
    async with store.open(OURS) as work:
        done = await work.embeddings.switch(home.id, spec)
        await work.commit()
    return done


async def lacking(store: AnyStore, spec: EmbeddingSpec, home: Collection = HOME) -> Lacking:
    async with store.open(OURS) as work:
        return await work.embeddings.lacking(home.id, model_id=spec.model_id)


async def forget(store: AnyStore, *, limit: int = 100) -> int:
    async with store.open(OURS) as work:
        count = await work.embeddings.forget(HOME.id, limit=limit)
        await work.commit()
    return count


async def models(store: AnyStore, home: Collection = HOME) -> tuple[EmbeddingSpec | None, EmbeddingSpec | None]:
    async with store.open(OURS) as work:
        found = await work.collections.get(home.id)
    assert found
    return found.embedding, found.next_embedding


async def embedded(store: AnyStore, spec: EmbeddingSpec, home: Collection = HOME) -> list[str]:
    """Return the texts of the chunks that have a vector of a model, as mirrors read them."""
    changes = await store.changes.read(space(spec, home), after=0, limit=100)
    assert all(len(change.vector) == spec.dimensions for change in changes if change.vector is not None)
    return [change.text for change in changes if change.vector is not None]


async def test_a_second_model_fills_up_beside_the_first_and_takes_its_place_at_once(store: AnyStore) -> None:
    chunks = await publish(store, "a", ["eins", "zwei"])
    await prepare(store, NEW)
    assert await models(store) == (OLD, NEW)
    assert await lacking(store, NEW) == Lacking(2, 30, 20)
    await fill(store, chunks[:1])
    assert await lacking(store, NEW) == Lacking(1, 20, 20)
    assert await switch(store, NEW) is False
    assert await models(store) == (OLD, NEW)
    assert (await embedded(store, OLD), await embedded(store, NEW)) == (["eins", "zwei"], ["eins"])
    await fill(store, chunks[1:])
    assert await lacking(store, NEW) == Lacking()
    assert await switch(store, NEW) is True
    assert await models(store) == (NEW, None)
    assert await embedded(store, NEW) == ["eins", "zwei"]


async def test_a_switch_that_is_not_committed_changes_nothing(store: AnyStore) -> None:
    chunks = await publish(store, "a", ["eins"])
    await prepare(store, NEW)
    async with store.open(OURS) as work:
        await work.embeddings.fill(HOME.id, {chunks[0].id: unit(NEW)}, model_id=NEW.model_id)
        assert await work.embeddings.switch(HOME.id, NEW) is True
    assert await models(store) == (OLD, NEW)
    assert await lacking(store, NEW) == Lacking(1, 10, 10)


async def test_what_is_added_meanwhile_holds_the_switch_up(store: AnyStore) -> None:
    await fill_all(store, await publish(store, "a", ["eins"]))
    late = await publish(store, "b", ["zwei"])
    assert await switch(store, NEW) is False
    await fill(store, late)
    assert await switch(store, NEW) is True


async def fill_all(store: AnyStore, chunks: Sequence[Chunk]) -> None:
    await prepare(store, NEW)
    await fill(store, chunks)


async def test_a_chunk_that_is_published_again_needs_its_vector_again(store: AnyStore) -> None:
    chunks = await publish(store, "a", ["eins"])
    await fill_all(store, chunks)
    async with store.open(OURS) as work:
        document = await work.documents.get(chunks[0].document_id)
        assert document
        await work.chunks.publish(document, chunks, {chunks[0].id: unit(OLD)}, model_id=OLD.model_id)
        await work.commit()
    assert (await lacking(store, NEW)).chunks == 1


async def test_vectors_of_chunks_that_are_gone_are_dropped_and_those_that_are_there_kept(store: AnyStore) -> None:
    a, b = await publish(store, "a", ["eins"]), await publish(store, "b", ["zwei"])
    await fill_all(store, b)
    async with store.open(OURS) as work:
        await work.documents.remove(a[0].document_id)
        await work.embeddings.fill(HOME.id, {a[0].id: unit(NEW), b[0].id: array("f", [0, 1])}, model_id=NEW.model_id)
        await work.commit()
    [_, change] = await store.changes.read(space(NEW), after=0, limit=10)
    assert change.deleted or list(change.vector or ()) == [1, 0]
    assert await embedded(store, NEW) == ["zwei"]


async def test_vectors_of_another_collection_s_chunks_are_dropped(store: AnyStore) -> None:
    [foreign] = await publish(store, "a", ["eins"], spec=None, home=PLAIN)
    await fill_all(store, [foreign])
    assert await embedded(store, NEW, PLAIN) == []


async def test_many_vectors_are_filled_at_once(store: AnyStore) -> None:
    chunks = await publish(store, "a", [str(number) for number in range(2100)])
    await fill_all(store, chunks)
    assert await switch(store, NEW) is True


async def test_preparing_again_changes_nothing_and_another_model_takes_the_place(store: AnyStore) -> None:
    chunks = await publish(store, "a", ["eins"])
    await fill_all(store, chunks)
    state = await store.changes.state(space(NEW))
    await prepare(store, NEW)
    assert await store.changes.state(space(NEW)) == state
    assert await lacking(store, NEW) == Lacking()
    await prepare(store, OTHER)
    assert await models(store) == (OLD, OTHER)
    with pytest.raises(ModelChangedError):
        await fill(store, chunks)
    with pytest.raises(ModelChangedError):
        await switch(store, NEW)


@pytest.mark.parametrize("ended_by", [None, OLD], ids=["nothing", "the model it has"])
async def test_a_preparation_is_ended(store: AnyStore, ended_by: EmbeddingSpec | None) -> None:
    await fill_all(store, await publish(store, "a", ["eins"]))
    await prepare(store, ended_by)
    assert await models(store) == (OLD, None)
    assert await forget(store) == 1
    assert (await embedded(store, OLD), await embedded(store, NEW)) == (["eins"], [])


async def test_only_a_prepared_model_is_filled_and_switched_to(store: AnyStore) -> None:
    chunks = await publish(store, "a", ["eins"])
    with pytest.raises(ModelChangedError):
        await fill(store, chunks)
    with pytest.raises(ModelChangedError):
        await switch(store, NEW)
    await prepare(store, NEW)
    async with store.open(OURS) as work:
        with pytest.raises(ConflictError, match="2 numbers"):
            await work.embeddings.fill(HOME.id, {chunks[0].id: unit(OTHER)}, model_id=NEW.model_id)


async def test_switching_to_the_model_that_the_collection_has_is_done_already(store: AnyStore) -> None:
    chunks = await publish(store, "a", ["eins"])
    await fill_all(store, chunks)
    assert await switch(store, NEW) is True
    assert await switch(store, NEW) is True
    await fill(store, chunks)
    assert await models(store) == (NEW, None)


async def test_words_alone_and_back(store: AnyStore) -> None:
    chunks = await publish(store, "a", ["eins"])
    await prepare(store, OTHER)
    assert await switch(store, None) is True
    assert await models(store) == (None, None)
    assert await switch(store, None) is True
    await publish(store, "b", ["zwei"], spec=None)
    await prepare(store, OLD)
    assert await lacking(store, OLD) == Lacking(1, 10, 10)
    assert await switch(store, OLD) is False
    assert await forget(store) == 0
    assert chunks[0].text in await embedded(store, OLD)


async def test_words_alone_come_to_a_model(store: AnyStore) -> None:
    chunks = await publish(store, "a", ["eins"], spec=None, home=PLAIN)
    await prepare(store, NEW, PLAIN)
    await fill(store, chunks, home=PLAIN)
    assert await switch(store, NEW, PLAIN) is True
    assert await models(store, PLAIN) == (NEW, None)


@pytest.mark.parametrize("spec", [NEW, None], ids=["another model", "words alone"])
async def test_who_embedded_with_the_old_model_is_refused_after_the_switch(store: AnyStore, spec: EmbeddingSpec | None) -> None:
    await fill_all(store, await publish(store, "a", ["eins"]))
    assert await switch(store, spec) is True
    with pytest.raises(ModelChangedError):
        await publish(store, "b", ["zwei"])
    await publish(store, "b", ["zwei"], spec=spec)


async def test_old_vectors_are_forgotten_a_few_at_a_time_and_no_others(store: AnyStore) -> None:
    chunks = await publish(store, "a", [str(number) for number in range(5)])
    await fill_all(store, chunks)
    assert await forget(store) == 0
    await switch(store, NEW)
    assert [await forget(store, limit=2) for _ in range(4)] == [2, 2, 1, 0]
    assert (len(await embedded(store, OLD)), len(await embedded(store, NEW))) == (0, 5)
    async with store.open(OURS) as work:
        assert await work.chunks.vectors([chunks[0].fingerprint], model_id=OLD.model_id) == {}
        assert len(await work.chunks.vectors([chunks[0].fingerprint], model_id=NEW.model_id)) == 1


async def test_mirrors_of_a_model_begin_again_when_the_collection_is_brought_to_it(store: AnyStore) -> None:
    chunks = await publish(store, "a", ["eins", "zwei"])
    before = await store.changes.state(space(OLD))
    assert before == LogState(2, 0)
    await prepare(store, NEW)
    begun = await store.changes.state(space(NEW))
    assert begun.horizon > before.head
    assert await store.changes.state(space(OLD)) == LogState(begun.head, 0)
    assert await store.changes.state(space(None)) == LogState(begun.head, 0)
    await fill(store, chunks)
    await switch(store, NEW)
    assert await store.changes.state(space(NEW)) == begun
    late = await publish(store, "b", ["drei"], spec=NEW)
    await prepare(store, OLD)
    again = await store.changes.state(space(OLD))
    assert again.horizon > begun.head
    await fill(store, [*chunks, *late], OLD)
    await switch(store, OLD)
    assert await store.changes.state(space(OLD)) == again


async def test_a_model_that_a_collection_has_no_more_has_no_log(store: AnyStore) -> None:
    await fill_all(store, await publish(store, "a", ["eins"]))
    await switch(store, NEW)
    for gone in (OLD, OTHER):
        with pytest.raises(ModelChangedError) as caught:
            await store.changes.state(space(gone))
        assert caught.value.retryable


async def test_an_unknown_collection_and_another_workspace_are_refused(store: AnyStore) -> None:
    chunks = await publish(store, "a", ["eins"])
    await prepare(store, NEW)
    nowhere = CollectionId(new_id())
    for workspace, home in ((OURS, nowhere), (THEIRS, HOME.id)):
        async with store.open(workspace) as work:
            assert await work.embeddings.lacking(home, model_id=NEW.model_id) == Lacking()
            with pytest.raises(NotFoundError):
                await work.embeddings.prepare(home, OTHER)
            with pytest.raises(NotFoundError):
                await work.embeddings.fill(home, {chunks[0].id: unit(NEW)}, model_id=NEW.model_id)
            with pytest.raises(NotFoundError):
                await work.embeddings.switch(home, None)
            with pytest.raises(NotFoundError):
                await work.embeddings.forget(home, limit=9)
    assert await models(store) == (OLD, NEW)
