"""Chunks that are searched before their vectors are there, and chunks that are kept until they are whole."""

from dataclasses import replace

import pytest
from tests.contracts.test_changes_contract import (
    HOME,
    NOW,
    OURS,
    SPACE,
    SPEC,
    AnyStore,
    chunk_of,
    document,
    everything,
    feed,
    passages,
    publish,
    some_vectors,
    store,
    unit,
)

from pincite.core.documents import CanonicalText, Chunk, Document, Stage, Version
from pincite.core.errors import ModelChangedError, NotFoundError
from pincite.core.ids import ChunkId, VersionId, new_id
from pincite.core.ports.changes import ChangeFeed
from pincite.core.ports.index import IndexSpace

__all__ = ["feed", "store"]
WORDS_OF_HOME = IndexSpace(OURS, HOME.id)


async def begun(store: AnyStore, of: Document, *texts: str) -> tuple[Document, list[Chunk]]:
    """Add a version with chunks that aren't published yet; return the document as it would be, and the chunks."""
    new = Version(VersionId(new_id()), of.id, "ab", 1, "text/plain", "text", "1", NOW, read_as=".txt", chunking="how")
    chunks = [chunk_of(new, index, text) for index, text in enumerate(texts)]
    async with store.open(OURS) as work:
        await work.documents.save(of)
        await work.versions.add(new, CanonicalText("".join(texts), ()))
        await work.commit()
    return replace(of, version_id=new.id, stage=Stage.EMBEDDING, chunks=len(chunks)), chunks


async def read(feed: ChangeFeed, space: IndexSpace) -> list[tuple[int, str, bool]]:
    return [(c.seq, "" if c.deleted else c.text, c.vector is not None) for c in await everything(feed, space)]


async def test_a_document_in_work_is_searched_without_vectors_which_come_later(store: AnyStore, feed: ChangeFeed) -> None:
    found, chunks = await begun(store, document("a"), "eins", "zwei")
    async with store.open(OURS) as work:
        await work.chunks.publish(found, chunks, {chunks[1].id: unit(1, 0, 0, 0)}, model_id=SPEC.model_id)
        await work.commit()
    assert [p.text for p in await passages(store, chunks)] == ["eins", "zwei"]
    assert await read(feed, SPACE) == [(1, "eins", False), (2, "zwei", True)]
    async with store.open(OURS) as work:
        await work.embeddings.fill(HOME.id, some_vectors(chunks), model_id=SPEC.model_id)
        await work.commit()
    assert await read(feed, SPACE) == [(2, "zwei", True), (3, "eins", True)]
    assert await read(feed, WORDS_OF_HOME) == [(1, "eins", False), (2, "zwei", False)]  # mirrors of words have nothing to learn
    async with store.open(OURS) as work:
        await work.chunks.switch(replace(found, stage=Stage.READY), model_id=SPEC.model_id)
        await work.commit()
    assert await read(feed, SPACE) == [(2, "zwei", True), (3, "eins", True)]


async def test_kept_chunks_are_found_by_nobody_until_the_switch_which_is_one_step(store: AnyStore, feed: ChangeFeed) -> None:
    first, old = await publish(store, document("a"), ["old"])
    found, chunks = await begun(store, first, "eins", "zwei")
    before = await read(feed, SPACE)
    async with store.open(OURS) as work:
        await work.chunks.keep(found, chunks, {}, model_id=SPEC.model_id)
        await work.embeddings.fill(HOME.id, some_vectors(chunks[:1]), model_id=SPEC.model_id)
        await work.commit()
    assert (await read(feed, SPACE), [p.text for p in await passages(store, [*old, *chunks])]) == (before, ["old"])
    async with store.open(OURS) as work:
        assert await work.chunks.of_version(chunks[0].version_id) == chunks
        assert (await work.embeddings.lacking(HOME.id, model_id=SPEC.model_id)).chunks == 0
        with pytest.raises(ModelChangedError) as caught:
            await work.chunks.switch(replace(found, stage=Stage.READY), model_id=SPEC.model_id)
    assert caught.value.retryable
    async with store.open(OURS) as work:
        await work.embeddings.fill(HOME.id, some_vectors(chunks), model_id=SPEC.model_id)
        await work.chunks.switch(replace(found, stage=Stage.READY), model_id=SPEC.model_id)
        await work.commit()
    assert [p.text for p in await passages(store, [*old, *chunks])] == ["eins", "zwei"]
    assert await read(feed, SPACE) == [(2, "eins", True), (3, "zwei", True), (4, "", False)]


async def test_what_is_kept_gives_way_to_what_is_kept_or_published_next(store: AnyStore) -> None:
    first, _ = await publish(store, document("a"), ["old"])
    found, chunks = await begun(store, first, "eins", "zwei")
    later = [replace(chunk, id=ChunkId(new_id())) for chunk in chunks]
    async with store.open(OURS) as work:
        await work.chunks.keep(found, chunks, {}, model_id=SPEC.model_id)
        await work.chunks.keep(found, later, {}, model_id=SPEC.model_id)
        assert await work.chunks.of_version(chunks[0].version_id) == later
        await work.commit()
    again, newest = await publish(store, first, ["new"])
    assert again.version_id
    assert [p.text for p in await passages(store, [*later, *newest])] == ["new"]
    async with store.open(OURS) as work:
        assert await work.chunks.of_version(later[0].version_id) == []


async def test_drafts_are_dropped_with_what_is_kept_for_them_and_searched_versions_stay(store: AnyStore) -> None:
    first, _ = await publish(store, document("a"), ["old"])
    found, chunks = await begun(store, first, "eins")
    async with store.open(OURS) as work:
        await work.chunks.keep(found, chunks, some_vectors(chunks), model_id=SPEC.model_id)
        await work.versions.drop_drafts(first.id, keep=found.version_id)
        assert len(await work.versions.of_document(first.id)) == 2
        await work.versions.drop_drafts(first.id)
        assert [each.id for each in await work.versions.of_document(first.id)] == [first.version_id]
        assert await work.chunks.of_version(chunks[0].version_id) == []
        with pytest.raises(NotFoundError):
            await work.chunks.switch(found, model_id=SPEC.model_id)


async def test_how_a_version_was_read_and_cut_comes_back(store: AnyStore) -> None:
    found, _ = await begun(store, document("a"), "eins")
    assert found.version_id
    async with store.open(OURS) as work:
        await work.versions.cut(found.version_id, "otherwise")
        version = await work.versions.get(found.version_id)
    assert version
    assert (version.read_as, version.chunking) == (".txt", "otherwise")


async def test_a_title_given_meanwhile_leaves_what_is_kept_where_it_is(store: AnyStore, feed: ChangeFeed) -> None:
    first, _ = await publish(store, document("a"), ["old"])
    found, chunks = await begun(store, first, "eins")
    async with store.open(OURS) as work:
        await work.chunks.keep(found, chunks, {}, model_id=SPEC.model_id)
        await work.chunks.retitle(replace(first, title="Other"))
        await work.commit()
    assert [text for _, text, _ in await read(feed, SPACE)] == ["old"]
