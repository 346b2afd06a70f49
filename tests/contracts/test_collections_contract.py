"""What every store does with a whole collection: another name, and its end."""

from dataclasses import replace

import pytest
from tests.contracts.test_store_contract import (
    OURS,
    SPEC,
    TEXT,
    THEIRS,
    added,
    collection,
    version,
)

from pincite.adapters.memory.store import MemoryStore
from pincite.adapters.sql.store import SqlStore
from pincite.core.documents import Chunk, Collection, Document, Stage
from pincite.core.errors import ConflictError, NotFoundError
from pincite.core.files import FileState
from pincite.core.ids import ChunkId, CollectionId, new_id
from pincite.core.jobs import JobKind, JobState, NewJob
from pincite.core.policies import Policy
from pincite.core.ports.changes import LogState
from pincite.core.ports.index import IndexSpace
from pincite.core.ports.store import Store


async def published(store: Store, home: Collection, row: Document, sha256: str = "ab" * 32) -> ChunkId:
    """Give a document a searched version with one chunk."""
    read, chunk_id = version(row, sha256), ChunkId(new_id())
    chunk = Chunk(chunk_id, row.id, read.id, 0, row.title, (), "Ein Satz", 0, 8, 3)
    async with store.open(home.workspace_id) as work:
        await work.versions.add(read, TEXT)
        ready = replace(row, stage=Stage.READY, version_id=read.id, sha256=sha256)
        await work.chunks.publish(ready, [chunk], {chunk_id: [1, 0, 0, 0]}, model_id=SPEC.model_id)
        await work.commit()
    return chunk_id


async def test_a_collection_takes_another_name_and_leaves_its_old_one_free(store: Store) -> None:
    home = collection()
    [row] = await added(store, home, "a.pdf")
    async with store.open(OURS) as work:
        assert await work.collections.rename(home.id, "Bücher") == replace(home, name="Bücher")
        await work.commit()
    await added(store, collection("papers"))
    async with store.open(OURS) as work:
        assert await work.collections.named("Bücher") == await work.collections.get(home.id) == replace(home, name="Bücher")
        assert await work.documents.get(row.id) == row


async def test_a_name_that_another_collection_has_is_refused_and_ones_own_is_not(store: Store) -> None:
    home, other, theirs = collection(), collection("other"), collection("taken there", workspace=THEIRS)
    for each in (home, other, theirs):
        await added(store, each)
    async with store.open(OURS) as work:
        with pytest.raises(ConflictError, match="other"):
            await work.collections.rename(home.id, "other")
        assert await work.collections.rename(home.id, "papers") == home
        assert (await work.collections.rename(home.id, "taken there")).name == "taken there"
        for unknown in (theirs.id, CollectionId(new_id())):
            with pytest.raises(NotFoundError):
                await work.collections.rename(unknown, "free")


async def test_a_collection_keeps_what_becomes_of_claims_that_arent_supported(store: Store) -> None:
    home, strict = collection(), replace(collection("made strict"), policy=Policy.STRICT)
    await added(store, home)
    await added(store, strict)
    async with store.open(OURS) as work:
        assert [each.policy for each in (await work.collections.list())] == [Policy.STRICT, Policy.FLAG]
        assert await work.collections.use_policy(home.id, Policy.OFF) == replace(home, policy=Policy.OFF)
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.collections.get(home.id) == replace(home, policy=Policy.OFF)
        with pytest.raises(NotFoundError):
            await work.collections.use_policy(CollectionId(new_id()), Policy.STRICT)
    async with store.open(THEIRS) as work:
        with pytest.raises(NotFoundError):
            await work.collections.use_policy(home.id, Policy.STRICT)


async def test_a_removed_collection_leaves_nothing_behind_and_others_as_they_were(store: MemoryStore | SqlStore) -> None:
    home, other = collection(), collection("other")
    [row, plain], [kept] = await added(store, home, "a.pdf", "b.pdf"), await added(store, other, "a.pdf")
    gone, stays = await published(store, home, row), await published(store, other, kept)
    async with store.open(OURS) as work:
        await work.files.remember({row.id: FileState("file:///a.pdf", "1", "2", "ab" * 32)})
        await work.ingestions.begin(plain.id)
        assert await work.collections.remove(home.id)
        await work.commit()
    async with store.open(OURS) as work:
        assert (await work.collections.list(), await work.collections.get(home.id)) == ([other], None)
        assert (await work.documents.get(row.id), await work.documents.list(home.id)) == (None, [])
        assert (await work.versions.of_document(row.id), await work.chunks.passages([gone])) == ([], [])
        assert (await work.ingestions.of([plain.id]), await work.files.under(home.id, "file:///")) == ({}, [])
        assert (await work.collections.scope(home.id)).documents == 0
        assert [each.chunk_id for each in await work.chunks.passages([stays])] == [stays]
        assert not await work.collections.remove(home.id)
    assert await store.changes.state(IndexSpace(OURS, home.id)) == LogState(0, 0)
    assert await store.changes.read(IndexSpace(OURS, home.id), after=0, limit=9) == []
    await added(store, collection("papers"))


async def test_a_removal_that_is_not_committed_removes_nothing_and_others_remove_nothing_of_ours(store: Store) -> None:
    home = collection()
    [row] = await added(store, home, "a.pdf")
    chunk_id = await published(store, home, row)
    async with store.open(THEIRS) as work:
        assert not await work.collections.remove(home.id)
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.collections.remove(home.id)
    async with store.open(OURS) as work:
        assert (await work.collections.get(home.id), len(await work.chunks.passages([chunk_id]))) == (home, 1)


async def test_the_bytes_of_a_collection_are_those_of_all_versions_and_of_documents_still_without_one(store: Store) -> None:
    home, other = collection(), collection("other")
    [row, _, waiting], [foreign] = await added(store, home, "a", "b", "c"), await added(store, other, "a")
    async with store.open(OURS) as work:
        await work.documents.save(replace(waiting, sha256="cc" * 32))
        await work.documents.save(replace(foreign, sha256="dd" * 32))
        await work.commit()
    await published(store, home, row, "aa" * 32)
    await published(store, home, row, "bb" * 32)
    async with store.open(OURS) as work:
        assert await work.collections.blobs(home.id) == {"aa" * 32, "bb" * 32, "cc" * 32}
        assert await work.collections.blobs(CollectionId(new_id())) == set()
    async with store.open(THEIRS) as work:
        assert await work.collections.blobs(home.id) == set()


async def test_jobs_outlive_the_collection_that_they_are_about(store: Store) -> None:
    home = collection()
    await added(store, home, "a.pdf")
    async with store.open(OURS) as work:
        await work.jobs.enqueue(NewJob(JobKind.INGEST, "one"))
        await work.collections.remove(home.id)
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.jobs.state(JobKind.INGEST, "one") is JobState.QUEUED
