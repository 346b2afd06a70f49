"""What publishing, removing and reading chunks do, and the change log that index mirrors follow."""

import hashlib
from array import array
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
import pytest

from pincite.adapters.memory.store import MemoryStore
from pincite.adapters.sql.store import SqlStore
from pincite.core.documents import (
    CanonicalText,
    Chunk,
    ChunkType,
    Collection,
    Document,
    EmbeddingSpec,
    PageSpan,
    Stage,
    Version,
)
from pincite.core.errors import ConflictError, ModelChangedError, NotFoundError
from pincite.core.evidence import Passage, PassageText
from pincite.core.ids import ChunkId, CollectionId, DocumentId, VersionId, WorkspaceId, new_id
from pincite.core.ports import changes
from pincite.core.ports.changes import Change, ChangeFeed, LogState
from pincite.core.ports.index import IndexSpace
from pincite.core.ports.models import Vector
from pincite.core.ports.store import Store

AnyStore = MemoryStore | SqlStore
OURS, THEIRS = WorkspaceId(new_id()), WorkspaceId(new_id())
NOW = datetime(2031, 2, 3, tzinfo=UTC)
SPEC = EmbeddingSpec("maker/small", "r1", 4, 512)
HOME = Collection(CollectionId(new_id()), OURS, "papers", SPEC, NOW)
WORDS = Collection(CollectionId(new_id()), OURS, "words", None, NOW)
SPACE = IndexSpace(OURS, HOME.id, SPEC.model_id, 4)


@pytest.fixture
async def store(store: AnyStore) -> AnyStore:
    async with store.open(OURS) as work:
        await work.collections.add(HOME)
        await work.collections.add(WORDS)
        await work.commit()
    return store


@pytest.fixture
def feed(store: AnyStore) -> ChangeFeed:
    return store.changes


def unit(*numbers: float) -> Vector:
    return array("f", numbers)


def document(path: str, home: Collection = HOME) -> Document:
    return Document(
        DocumentId(new_id()), home.id, path, f"Title of {path}", "text/plain", f"file:///{path}", Stage.PENDING, NOW, NOW
    )


def chunk_of(version: Version, index: int, text: str) -> Chunk:
    pages = (PageSpan(index + 1, "iv", 2, 2 + len(text)), PageSpan(index + 2, "v", 9, 10, "ABC000124"))
    kind = ChunkType.TABLE if index else ChunkType.TEXT
    return Chunk(
        ChunkId(new_id()), version.document_id, version.id, index, "Title", ("One", "Two"), text, 2, 2 + len(text), 7, pages,
        "de", kind, bool(index),
    )  # fmt: skip


async def publish(
    store: Store, document: Document, texts: Sequence[str], vectors: Sequence[Vector] = (), *, data: bytes = b""
) -> tuple[Document, list[Chunk]]:
    """Add a version with one chunk for each text, and publish it. Return the document as it then is, and the chunks.

    Without `vectors` each chunk gets one that doesn't matter, unless the collection is searched by words alone.
    """
    new = Version(VersionId(new_id()), document.id, hashlib.sha256(data).hexdigest(), 1, "text/plain", "text", "1", NOW)
    chunks = [chunk_of(new, index, text) for index, text in enumerate(texts)]
    ready = replace(document, version_id=new.id, stage=Stage.READY, chunks=len(chunks))
    model_id = SPEC.model_id if document.collection_id == HOME.id else ""
    by_id = dict(zip((chunk.id for chunk in chunks), vectors, strict=True)) if vectors else some_vectors(chunks if model_id else ())
    async with store.open(OURS) as work:
        await work.documents.save(document)
        await work.versions.add(new, CanonicalText("".join(texts), ()))
        await work.chunks.publish(ready, chunks, by_id, model_id=model_id)
        await work.commit()
    return ready, chunks


def some_vectors(chunks: Sequence[Chunk]) -> dict[ChunkId, Vector]:
    return {chunk.id: unit(0, 1, 0, 0) for chunk in chunks}


async def remove(store: Store, document: Document) -> None:
    async with store.open(OURS) as work:
        assert await work.documents.remove(document.id)
        await work.commit()


async def passages(store: Store, chunks: Sequence[Chunk], workspace: WorkspaceId = OURS) -> list[Passage]:
    """Return the passages; wherever they are asked for, their texts are the same."""
    async with store.open(workspace) as work:
        found = await work.chunks.passages([chunk.id for chunk in chunks])
        texts = await work.chunks.texts([chunk.id for chunk in chunks])
    assert texts == [
        PassageText(p.chunk_id, p.version_id, p.chunk_index, p.title, p.heading_path, p.text, p.generated) for p in found
    ]
    return found


async def everything(feed: ChangeFeed, space: IndexSpace = SPACE) -> list[Change]:
    return list(await feed.read(space, after=0, limit=1000))


async def test_chunks_come_back_as_they_were_given_and_in_order(store: AnyStore) -> None:
    ready, chunks = await publish(store, document("a"), ["eins", "zwei 😀", "drei"])
    async with store.open(OURS) as work:
        assert await work.chunks.of_version(chunks[0].version_id) == chunks
        assert await work.documents.get(ready.id) == ready


async def test_a_passage_says_what_is_shown_of_its_document(store: AnyStore) -> None:
    draft = replace(document("x/a.txt"), meta={"author": "Ada"}, title="New title")
    ready, chunks = await publish(store, draft, ["eins", "zwei"])
    [found] = await passages(store, chunks[1:])
    assert found == Passage(
        text="zwei",
        document_id=ready.id,
        title="New title",
        path="x/a.txt",
        chunk_id=chunks[1].id,
        version_id=chunks[1].version_id,
        collection_id=HOME.id,
        chunk_index=1,
        start=2,
        end=6,
        content_type="text/plain",
        pages=chunks[1].pages,
        heading_path=("One", "Two"),
        chunk_type=ChunkType.TABLE,
        generated=True,
        lang="de",
        metadata={"author": "Ada", "source_uri": "file:///x/a.txt"},
    )


async def test_passages_stand_in_the_order_asked_without_the_unknown(store: AnyStore) -> None:
    _, a = await publish(store, document("a"), ["1", "2"])
    _, b = await publish(store, document("b"), ["3"])
    asked = [b[0], replace(a[0], id=ChunkId(new_id())), a[1], a[0]]
    assert [found.text for found in await passages(store, asked)] == ["3", "2", "1"]
    assert await passages(store, []) == []
    async with store.open(OURS) as work:
        many = [ChunkId(str(n)) for n in range(40_000)]
        assert [found.text for found in await work.chunks.passages([*many, a[0].id])] == ["1"]


async def test_only_chunks_of_the_current_version_are_passages(store: AnyStore) -> None:
    first, old = await publish(store, document("a"), ["old"])
    second, new = await publish(store, first, ["new"])
    assert [found.text for found in await passages(store, [*old, *new])] == ["new"]
    async with store.open(OURS) as work:
        await work.documents.save(replace(second, version_id=None))
        assert await work.chunks.passages([new[0].id]) == []


async def test_a_version_that_is_replaced_keeps_its_text(store: AnyStore) -> None:
    first, old = await publish(store, document("a"), ["old"])
    await publish(store, first, ["new"])
    async with store.open(OURS) as work:
        assert await work.versions.canonical(old[0].version_id) == CanonicalText("old", ())
        assert await work.chunks.of_version(old[0].version_id) == []


async def test_a_publication_that_is_not_committed_changes_nothing(store: AnyStore, feed: ChangeFeed) -> None:
    first, old = await publish(store, document("a"), ["old"], [unit(1, 0, 0, 0)])
    before = await everything(feed), await feed.state(SPACE)
    new = Version(VersionId(new_id()), first.id, "", 1, "text/plain", "text", "1", NOW)
    async with store.open(OURS) as work:
        await work.versions.add(new, CanonicalText("new", ()))
        fresh = [chunk_of(new, 0, "new")]
        await work.chunks.publish(replace(first, version_id=new.id), fresh, some_vectors(fresh), model_id=SPEC.model_id)
    assert (await everything(feed), await feed.state(SPACE)) == before
    assert [found.text for found in await passages(store, old)] == ["old"]


async def test_publishing_the_same_chunks_again_changes_only_their_numbers(store: AnyStore, feed: ChangeFeed) -> None:
    ready, chunks = await publish(store, document("a"), ["1", "2"], [unit(1, 0, 0, 0), unit(0, 1, 0, 0)])
    async with store.open(OURS) as work:
        vectors = {chunks[0].id: unit(1, 0, 0, 0), chunks[1].id: unit(0, 1, 0, 0)}
        await work.chunks.publish(ready, chunks, vectors, model_id=SPEC.model_id)
        await work.commit()
    assert [(c.seq, c.chunk_id, c.deleted) for c in await everything(feed)] == [(3, chunks[0].id, False), (4, chunks[1].id, False)]
    assert [found.text for found in await passages(store, chunks)] == ["1", "2"]


async def test_a_version_without_chunks_replaces_one_with_some(store: AnyStore, feed: ChangeFeed) -> None:
    first, old = await publish(store, document("a"), ["old"])
    await publish(store, first, [])
    assert [(c.seq, c.chunk_id, c.deleted) for c in await everything(feed)] == [(2, old[0].id, True)]


async def test_a_chunk_that_is_published_after_its_removal_has_no_tombstone(store: AnyStore, feed: ChangeFeed) -> None:
    first, old = await publish(store, document("a"), ["old"])
    second, new = await publish(store, first, ["new"])
    async with store.open(OURS) as work:
        back = replace(second, version_id=old[0].version_id)
        await work.chunks.publish(back, old, some_vectors(old), model_id=SPEC.model_id)
        await work.commit()
    assert [(c.seq, c.chunk_id, c.deleted) for c in await everything(feed)] == [(4, old[0].id, False), (5, new[0].id, True)]


async def test_what_does_not_fit_the_document_is_not_published(store: AnyStore) -> None:
    a, chunks = await publish(store, document("a"), ["1"])
    b, others = await publish(store, document("b"), ["2"])
    async with store.open(OURS) as work:
        with pytest.raises(NotFoundError):
            await work.chunks.publish(replace(a, version_id=VersionId(new_id())), [], {}, model_id=SPEC.model_id)
        with pytest.raises(NotFoundError):
            await work.chunks.publish(replace(a, version_id=b.version_id), [], {}, model_id=SPEC.model_id)
        with pytest.raises(ValueError, match="version"):
            await work.chunks.publish(a, others, some_vectors(others), model_id=SPEC.model_id)
        with pytest.raises(ValueError, match="vector"):
            await work.chunks.publish(a, chunks, {others[0].id: unit(1, 0, 0, 0)}, model_id=SPEC.model_id)
    assert [found.text for found in await passages(store, [*chunks, *others])] == ["1", "2"]


@pytest.mark.parametrize(
    ("home", "vector", "model_id"),
    [
        (HOME, unit(1, 0, 0), SPEC.model_id),
        (HOME, unit(1, 0, 0, 0, 0), SPEC.model_id),
        (HOME, unit(1, 0, 0, 0), replace(SPEC, revision="r2").model_id),
        (HOME, unit(1, 0, 0, 0), ""),
        (WORDS, unit(1, 0, 0, 0), SPEC.model_id),
        (WORDS, unit(1, 0, 0, 0), ""),
    ],
    ids=["short", "long", "other revision", "no model", "words alone", "words alone, no model"],
)
async def test_vectors_of_another_model_or_size_are_refused(
    store: AnyStore, home: Collection, vector: Vector, model_id: str
) -> None:
    ready, chunks = await publish(store, document("a", home), ["1"])
    async with store.open(OURS) as work:
        with pytest.raises(ConflictError):
            await work.chunks.publish(ready, chunks, {chunks[0].id: vector}, model_id=model_id)


@pytest.mark.parametrize(
    ("home", "model_id"),
    [(HOME, ""), (HOME, replace(SPEC, revision="r2").model_id), (WORDS, SPEC.model_id)],
    ids=["words alone into a model", "another model", "a model into words alone"],
)
@pytest.mark.parametrize("texts", [(), ("1",)], ids=["no chunks", "one chunk"])
async def test_who_publishes_for_another_model_than_the_collection_has_is_refused(
    store: AnyStore, feed: ChangeFeed, home: Collection, model_id: str, texts: Sequence[str]
) -> None:
    ready, chunks = await publish(store, document("a", home), texts)
    space = IndexSpace(OURS, home.id)
    before = await everything(feed, space)
    async with store.open(OURS) as work:
        with pytest.raises(ModelChangedError):
            await work.chunks.publish(ready, chunks, some_vectors(chunks) if model_id else {}, model_id=model_id)
    assert await everything(feed, space) == before


async def test_a_chunk_without_its_vector_is_refused(store: AnyStore, feed: ChangeFeed) -> None:
    ready, chunks = await publish(store, document("a"), ["1", "2"])
    before = await everything(feed)
    async with store.open(OURS) as work:
        with pytest.raises(ValueError, match="its vector"):
            await work.chunks.publish(ready, chunks, some_vectors(chunks[:1]), model_id=SPEC.model_id)
    assert await everything(feed) == before


async def test_vectors_are_kept_in_half_precision_and_found_by_fingerprint(store: AnyStore) -> None:
    given = unit(0.1, -0.33333, 6.1e-5, 1.0)
    _, chunks = await publish(store, document("a"), ["1"], [given])
    fingerprints = [chunk.fingerprint for chunk in chunks]
    async with store.open(OURS) as work:
        found = await work.chunks.vectors([*fingerprints, "unknown", fingerprints[0]], model_id=SPEC.model_id)
        assert await work.chunks.vectors(fingerprints, model_id="other") == {}
        assert await work.chunks.vectors([], model_id=SPEC.model_id) == {}
    assert set(found) == {fingerprints[0]}
    expected = np.asarray(given, dtype=np.float16).astype(np.float32)
    stored = np.asarray(found[fingerprints[0]])
    assert stored.dtype == np.float32
    assert stored.tolist() == expected.tolist()


async def test_equal_passages_of_two_documents_share_a_fingerprint(store: AnyStore) -> None:
    a, chunks = await publish(store, document("a"), ["same"], [unit(0, 0, 1, 0)])
    await publish(store, document("b"), ["same"], [unit(0, 0, 1, 0)])
    await remove(store, a)
    async with store.open(OURS) as work:
        found = await work.chunks.vectors([chunks[0].fingerprint], model_id=SPEC.model_id)
    assert list(found[chunks[0].fingerprint]) == [0, 0, 1, 0]


async def twins(store: Store, data: bytes, **other: str) -> list[str]:
    asked = {"parser": "text", "parser_version": "1", "model_id": SPEC.model_id} | other
    async with store.open(OURS) as work:
        return [chunk.text for chunk in await work.chunks.of_bytes(hashlib.sha256(data).hexdigest(), **asked)]


async def test_chunks_are_found_by_the_bytes_the_parser_and_the_model_of_their_version(store: AnyStore) -> None:
    first, _ = await publish(store, document("a"), ["1", "2"], [unit(1, 0, 0, 0), unit(0, 1, 0, 0)], data=b"a")
    await publish(store, document("words", WORDS), ["3"], data=b"words")
    assert await twins(store, b"a") == ["1", "2"]
    assert await twins(store, b"words") == []
    assert await twins(store, b"a", parser="html") == []
    assert await twins(store, b"a", parser_version="2") == []
    assert await twins(store, b"a", model_id="another") == []
    await publish(store, first, ["4"], [unit(0, 0, 1, 0)], data=b"b")
    assert (await twins(store, b"a"), await twins(store, b"b")) == ([], ["4"])
    await remove(store, first)
    assert await twins(store, b"b") == []


async def test_chunks_of_the_same_bytes_come_from_one_version(store: AnyStore) -> None:
    for path in ("a", "b", "c"):
        await publish(store, document(path), ["1", "2"], [unit(1, 0, 0, 0), unit(0, 1, 0, 0)], data=b"a")
    assert await twins(store, b"a") == ["1", "2"]


async def test_a_new_title_reaches_every_chunk_and_leaves_ids_texts_and_vectors(store: AnyStore, feed: ChangeFeed) -> None:
    vectors = [unit(1, 0, 0, 0), unit(0, 1, 0, 0)]
    ready, chunks = await publish(store, document("a"), ["1", "2"], vectors)
    await publish(store, document("b"), ["3"])
    renamed = replace(ready, title="Another", path="c", source_uri="file:///c")
    async with store.open(OURS) as work:
        await work.chunks.retitle(renamed)
        assert [change.title for change in await everything(feed)] == ["Title"] * 3
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.documents.get(ready.id) == renamed
        assert await work.chunks.of_version(chunks[0].version_id) == [replace(chunk, title="Another") for chunk in chunks]
        found = await work.chunks.vectors([replace(chunk, title="Another").fingerprint for chunk in chunks], model_id=SPEC.model_id)
        assert [list(vector) for vector in found.values()] == [list(vector) for vector in vectors]
        assert await work.chunks.vectors([chunk.fingerprint for chunk in chunks], model_id=SPEC.model_id) == {}
    changes = await everything(feed)
    assert [(change.seq, change.title, change.text) for change in changes] == [
        (3, "Title", "3"),
        (4, "Another", "1"),
        (5, "Another", "2"),
    ]
    assert [list(change.vector or ()) for change in changes[1:]] == [list(vector) for vector in vectors]
    assert await feed.state(SPACE) == LogState(5, 0)


async def test_a_new_title_without_chunks_or_at_a_path_that_is_taken_changes_no_log(store: AnyStore, feed: ChangeFeed) -> None:
    ready, _ = await publish(store, document("a"), ["1"])
    empty = document("b")
    async with store.open(OURS) as work:
        await work.documents.save(empty)
        await work.chunks.retitle(replace(empty, title="Another"))
        with pytest.raises(ConflictError):
            await work.chunks.retitle(replace(empty, path=ready.path))
        await work.commit()
    assert await feed.state(SPACE) == LogState(1, 0)


async def test_nothing_of_a_removed_document_is_found(store: AnyStore, feed: ChangeFeed) -> None:
    ready, chunks = await publish(store, document("a"), ["1", "2"], [unit(1, 0, 0, 0), unit(0, 1, 0, 0)])
    await remove(store, ready)
    assert await passages(store, chunks) == []
    async with store.open(OURS) as work:
        assert await work.chunks.of_version(chunks[0].version_id) == []
        assert await work.chunks.vectors([chunk.fingerprint for chunk in chunks], model_id=SPEC.model_id) == {}
    assert [(c.seq, c.chunk_id, c.document_id, c.deleted) for c in await everything(feed)] == [
        (3, chunks[0].id, ready.id, True),
        (4, chunks[1].id, ready.id, True),
    ]


async def test_the_feed_carries_what_mirrors_index(store: AnyStore, feed: ChangeFeed) -> None:
    _, chunks = await publish(store, document("a"), ["eins", "zwei"], [unit(0.5, 0.25, 0, 1), unit(1, 0, 0, 0)])
    first, second = await everything(feed)
    assert (first.seq, second.seq) == (1, 2)
    assert (first.chunk_id, first.document_id) == (chunks[0].id, chunks[0].document_id)
    assert (first.title, first.heading_path, first.text, first.lang) == ("Title", ("One", "Two"), "eins", "de")
    assert first.vector is not None
    assert np.asarray(first.vector).dtype == np.float32
    assert (len(first.vector), list(first.vector)) == (4, [0.5, 0.25, 0, 1])
    assert second.vector is not None
    assert list(second.vector) == [1, 0, 0, 0]


async def test_a_space_without_a_model_carries_no_vectors(store: AnyStore, feed: ChangeFeed) -> None:
    await publish(store, document("a"), ["1"], [unit(1, 0, 0, 0)])
    for model_id in ("", "other"):
        [change] = await everything(feed, replace(SPACE, model_id=model_id))
        assert (change.text, change.vector) == ("1", None)


async def test_numbers_rise_without_a_gap_and_a_switch_stands_before_what_it_buries(store: AnyStore, feed: ChangeFeed) -> None:
    first, old = await publish(store, document("a"), ["1", "2"])
    _, new = await publish(store, first, ["3"])
    _, other = await publish(store, document("b"), ["4"])
    changes = await everything(feed)
    assert [(c.seq, c.chunk_id) for c in changes] == [
        (3, new[0].id),
        (4, old[0].id),
        (5, old[1].id),
        (6, other[0].id),
    ]
    assert [c.deleted for c in changes] == [False, True, True, False]
    assert await feed.state(SPACE) == LogState(6, 0)


async def test_the_feed_is_read_in_batches(store: AnyStore, feed: ChangeFeed) -> None:
    ready, _ = await publish(store, document("a"), [str(n) for n in range(10)])
    await remove(store, ready)
    await publish(store, document("b"), ["x", "y"])
    seen: list[int] = []
    while batch := await feed.read(SPACE, after=seen[-1] if seen else 0, limit=5):
        assert len(batch) <= 5
        seen += [change.seq for change in batch]
    assert seen == list(range(11, 23))
    assert all(a < b for a, b in pairwise(seen))


async def test_each_collection_has_a_log_of_its_own(store: AnyStore, feed: ChangeFeed) -> None:
    await publish(store, document("a"), ["1"])
    await publish(store, document("a", WORDS), ["2", "3"])
    words = IndexSpace(OURS, WORDS.id)
    assert [change.text for change in await everything(feed, words)] == ["2", "3"]
    assert await feed.state(words) == LogState(2, 0)
    assert await feed.state(SPACE) == LogState(1, 0)


async def test_another_workspace_sees_nothing(store: AnyStore, feed: ChangeFeed) -> None:
    ready, chunks = await publish(store, document("a"), ["1"], [unit(1, 0, 0, 0)])
    theirs = replace(SPACE, workspace_id=THEIRS)
    assert await everything(feed, theirs) == []
    assert await feed.state(theirs) == LogState(0, 0)
    assert await passages(store, chunks, THEIRS) == []
    async with store.open(THEIRS) as work:
        assert await work.chunks.of_version(chunks[0].version_id) == []
        assert await work.chunks.vectors([chunks[0].fingerprint], model_id=SPEC.model_id) == {}
        empty = hashlib.sha256().hexdigest()
        assert await work.chunks.of_bytes(empty, parser="text", parser_version="1", model_id=SPEC.model_id) == []
        assert await work.chunks.prune(HOME.id, through_seq=1) == 0
        with pytest.raises(NotFoundError):
            await work.chunks.retitle(replace(ready, title="stolen"))
        with pytest.raises(NotFoundError):
            await work.chunks.publish(ready, chunks, some_vectors(chunks), model_id=SPEC.model_id)
        await work.commit()
    assert [change.text for change in await everything(feed)] == ["1"]


async def test_an_unknown_collection_has_an_empty_log(feed: ChangeFeed) -> None:
    nowhere = replace(SPACE, collection_id=CollectionId(new_id()))
    assert await feed.state(nowhere) == LogState(0, 0)
    assert await everything(feed, nowhere) == []


async def test_pruning_drops_tombstones_and_moves_the_horizon(store: AnyStore, feed: ChangeFeed) -> None:
    a, _ = await publish(store, document("a"), ["1"])
    await remove(store, a)
    b, _ = await publish(store, document("b"), ["2"])
    await remove(store, b)
    await publish(store, document("c"), ["3"])
    async with store.open(OURS) as work:
        assert await work.chunks.prune(HOME.id, through_seq=99) == 0
        assert await work.chunks.prune(HOME.id, through_seq=3) == 1
        assert await work.chunks.prune(HOME.id, through_seq=2) == 0
        await work.commit()
    assert await feed.state(SPACE) == LogState(5, 3)
    assert [(c.seq, c.deleted) for c in await everything(feed)] == [(4, True), (5, False)]


async def test_the_oldest_tombstones_are_forgotten_when_there_are_many(
    store: AnyStore, feed: ChangeFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_TOMBSTONES", 4)
    for name in "abcd":
        await remove(store, (await publish(store, document(name), ["1"]))[0])
    assert await feed.state(SPACE) == LogState(8, 0)
    await remove(store, (await publish(store, document("e"), ["1"]))[0])
    assert await feed.state(SPACE) == LogState(10, 6)
    assert [(c.seq, c.deleted) for c in await everything(feed)] == [(8, True), (10, True)]
