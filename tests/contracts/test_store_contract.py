"""What every store does: transactions, one workspace at a time, exact rows, and the switch from version to version."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from pincite.core.documents import (
    Block,
    BlockRole,
    CanonicalText,
    Collection,
    Document,
    EmbeddingSpec,
    Page,
    Reason,
    SourceRun,
    Stage,
    Version,
    address_inside,
)
from pincite.core.errors import ConflictError, NotFoundError, StoreError
from pincite.core.evidence import Filter, Scope
from pincite.core.files import FileState, KnownFile
from pincite.core.ids import CollectionId, DocumentId, VersionId, WorkspaceId, new_id
from pincite.core.ports.store import Store

OURS, THEIRS = WorkspaceId(new_id()), WorkspaceId(new_id())
NOW = datetime(2031, 2, 3, 4, 5, 6, 123456, tzinfo=UTC)
SPEC = EmbeddingSpec("maker/small", "r1", 4, 512, "query: ", "passage: ")
TEXT = CanonicalText(
    "Ein Satz über\ud800 Fußnoten.",
    (Block(BlockRole.HEADING, 0, 3, 1, 2), Block(BlockRole.FOOTNOTE, 4, 24)),
    (Page(1, "iv", 595.28, 841.89), Page(2, "v", bates="ABC000124")),
    (SourceRun(0, 3, 1, 0, 3), SourceRun(4, 1, 1, 3, 2), SourceRun(6, 10, 2, 70_000, 10)),
)


def collection(name: str = "papers", *, workspace: WorkspaceId = OURS, spec: EmbeddingSpec | None = SPEC) -> Collection:
    return Collection(CollectionId(new_id()), workspace, name, spec, NOW)


def document(home: Collection, path: str = "a/b.pdf") -> Document:
    return Document(DocumentId(new_id()), home.id, path, "Title", "application/pdf", f"file:///{path}", Stage.PENDING, NOW, NOW)


def version(of: Document, sha256: str = "ab" * 32) -> Version:
    return Version(VersionId(new_id()), of.id, sha256, 1 << 33, "application/pdf", "pdfium", "3", NOW)


async def added(store: Store, home: Collection, *paths: str) -> list[Document]:
    made = [document(home, path) for path in paths]
    async with store.open(home.workspace_id) as work:
        await work.collections.add(home)
        for each in made:
            await work.documents.save(each)
        await work.commit()
    return made


async def test_a_collection_comes_back_as_it_was_given(store: Store) -> None:
    home, plain = collection(), collection("words alone", spec=None)
    await added(store, home)
    await added(store, plain)
    async with store.open(OURS) as work:
        assert await work.collections.get(home.id) == home
        assert await work.collections.named("words alone") == plain
        assert await work.collections.list() == [home, plain]
        assert await work.collections.named("Papers") is None


async def test_a_name_is_taken_once_in_a_workspace_and_free_in_another(store: Store) -> None:
    await added(store, collection())
    await added(store, collection(workspace=THEIRS))
    with pytest.raises(ConflictError, match="papers"):
        await added(store, collection())


async def test_a_collection_of_another_workspace_is_not_added(store: Store) -> None:
    async with store.open(OURS) as work:
        with pytest.raises(ConflictError):
            await work.collections.add(collection(workspace=THEIRS))


async def test_documents_inside_another_are_found_by_their_address(store: Store) -> None:
    home, foreign = collection(), collection("others")
    [mail, other] = await added(store, home, "mail.eml", "mail.eml/named-like-an-attachment.pdf")
    await added(store, foreign)
    bill = replace(document(home, "mail.eml/ä b.zip"), source_uri=address_inside(mail.id, "ä b.zip"))
    plan = replace(document(home, "elsewhere"), source_uri=address_inside(mail.id, "plan.pdf"))
    page = replace(document(home, "mail.eml/ä b.zip/p"), source_uri=address_inside(bill.id, "p"))
    async with store.open(OURS) as work:
        for each in (bill, plan, page):
            await work.documents.save(each)
        assert await work.documents.inside(mail) == [plan, bill]
        assert await work.documents.inside(bill) == [page]
        assert await work.documents.inside(other) == []
        await work.commit()
    assert (bill.container_id, page.container_id, mail.container_id) == (mail.id, bill.id, None)
    async with store.open(THEIRS) as work:
        assert await work.documents.inside(mail) == []


async def test_a_document_comes_back_as_it_was_given(store: Store) -> None:
    home = collection()
    [draft] = await added(store, home, "ä/ü.pdf")
    full = replace(
        draft,
        stage=Stage.FAILED,
        reason=Reason("encrypted", "Remove the password."),
        sha256="cd" * 32,
        size_bytes=1 << 40,
        pages=3,
        pages_unread=2,
        chunks=9,
        locale="de-AT",
        doc_date="2030-01",
        tags=("x", "y"),
        meta={"author": "Ä", "empty": ""},
        updated_at=NOW + timedelta(microseconds=1),
    )
    async with store.open(OURS) as work:
        await work.documents.save(full)
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.documents.get(full.id) == full
        assert await work.documents.at_path(home.id, "ä/ü.pdf") == full


async def test_an_instant_in_another_zone_is_the_same_instant(store: Store) -> None:
    home = collection()
    [draft] = await added(store, home, "a")
    moved = replace(draft, updated_at=NOW.astimezone(timezone(timedelta(hours=-7))))
    async with store.open(OURS) as work:
        await work.documents.save(moved)
        found = await work.documents.get(moved.id)
    assert found is not None
    assert found.updated_at == NOW
    assert found.updated_at.tzinfo is not None


async def test_a_path_belongs_to_one_document(store: Store) -> None:
    home = collection()
    _, second = await added(store, home, "a", "b")
    async with store.open(OURS) as work:
        with pytest.raises(ConflictError, match="a"):
            await work.documents.save(replace(second, path="a"))


async def test_a_document_can_change_its_path(store: Store) -> None:
    home = collection()
    [first] = await added(store, home, "a")
    async with store.open(OURS) as work:
        await work.documents.save(replace(first, path="c"))
        assert await work.documents.at_path(home.id, "a") is None
        assert await work.documents.at_path(home.id, "c") == replace(first, path="c")


async def test_a_document_needs_a_collection_and_keeps_it(store: Store) -> None:
    home, other = collection(), collection("other")
    [first] = await added(store, home, "a")
    await added(store, other)
    async with store.open(OURS) as work:
        with pytest.raises(NotFoundError):
            await work.documents.save(document(collection("never added")))
        with pytest.raises(ConflictError):
            await work.documents.save(replace(first, collection_id=other.id))


async def test_documents_are_listed_by_path_in_pages(store: Store) -> None:
    home = collection()
    await added(store, home, "b", "B", "ä", "a/1", "a", "a 1", "😀", "ﬀ")
    async with store.open(OURS) as work:
        assert [d.path for d in await work.documents.list(home.id)] == ["B", "a", "a 1", "a/1", "b", "ä", "ﬀ", "😀"]
        assert [d.path for d in await work.documents.list(home.id, after_path="a 1", limit=2)] == ["a/1", "b"]


async def test_the_scope_counts_documents_by_stage(store: Store) -> None:
    home = collection()
    made = await added(store, home, *"abcde")
    stages = [Stage.READY, Stage.READY, Stage.FAILED, Stage.EMBEDDING, Stage.PENDING]
    async with store.open(OURS) as work:
        assert await work.collections.scope(CollectionId(new_id())) == Scope()
        for each, stage in zip(made, stages, strict=True):
            await work.documents.save(replace(each, stage=stage, pages_unread=1))
        await work.documents.save(replace(made[3], stage=Stage.EMBEDDING, pages_unread=1, version_id=VersionId(new_id())))
        assert await work.collections.scope(home.id) == Scope(5, ready=2, in_work=2, failed=1, pages_unread=5, searchable=1)


@pytest.mark.parametrize(
    ("prefix", "paths"),
    [
        ("", {"a/b", "a/b/c.md", "a/b/d/e.md", "a/bc", "a/b.md", "A/b/x", "a", "a%b/x"}),
        ("a/b", {"a/b", "a/b/c.md", "a/b/d/e.md"}),
        ("a/b/", {"a/b/c.md", "a/b/d/e.md"}),
        ("a", {"a", "a/b", "a/b/c.md", "a/b/d/e.md", "a/bc", "a/b.md"}),
        ("a/bc", {"a/bc"}),
        ("a%b", {"a%b/x"}),
        ("a/", {"a/b", "a/b/c.md", "a/b/d/e.md", "a/bc", "a/b.md"}),
        ("b", set[str]()),
        ("/", set[str]()),
    ],
)
async def test_a_path_prefix_matches_whole_paths_and_folders(store: Store, prefix: str, paths: set[str]) -> None:
    home = collection()
    made = await added(store, home, "a/b", "a/b/c.md", "a/b/d/e.md", "a/bc", "a/b.md", "A/b/x", "a", "a%b/x")
    async with store.open(OURS) as work:
        for each in made:
            await work.documents.save(replace(each, version_id=VersionId(new_id())))
        found = await work.documents.matching(home.id, Filter(path_prefix=prefix))
    assert {each.path for each in made if each.id in found} == paths


async def test_any_of_the_tags_matches_and_case_counts(store: Store) -> None:
    home = collection()
    a, b, c = await added(store, home, "a", "b", "c")
    async with store.open(OURS) as work:
        await work.documents.save(replace(a, version_id=VersionId(new_id()), tags=("law", 'größe "x"')))
        await work.documents.save(replace(b, version_id=VersionId(new_id()), tags=("Lawyers",)))
        await work.documents.save(replace(c, version_id=VersionId(new_id())))
        none = set[DocumentId]()
        for tags, found in [(("law",), {a.id}), (("law", "Lawyers"), {a.id, b.id}), (("Law",), none), (('größe "x"',), {a.id})]:
            assert await work.documents.matching(home.id, Filter(tags=tags)) == found
        assert await work.documents.matching(home.id, Filter(tags=("law",), document_ids=(b.id,))) == set()


async def test_filters_are_joined_and_leave_only_documents_with_a_version(store: Store) -> None:
    home = collection()
    a, b, c = await added(store, home, "x/a", "x/b", "c")
    async with store.open(OURS) as work:
        await work.documents.save(replace(a, version_id=VersionId(new_id())))
        await work.documents.save(replace(c, version_id=VersionId(new_id()), content_type="text/html"))
        assert await work.documents.matching(home.id, Filter()) == {a.id, c.id}
        assert await work.documents.matching(home.id, Filter(document_ids=(b.id, c.id))) == {c.id}
        assert await work.documents.matching(home.id, Filter(content_types=("application/pdf", "text/plain"))) == {a.id}
        assert await work.documents.matching(home.id, Filter(path_prefix="x", document_ids=(a.id, c.id))) == {a.id}
        assert await work.documents.matching(home.id, Filter(document_ids=(a.id,), content_types=("text/html",))) == set()
        many = tuple(DocumentId(str(n)) for n in range(40_000))
        assert await work.documents.matching(home.id, Filter(document_ids=(*many, a.id))) == {a.id}


async def test_a_version_and_its_canonical_text_come_back_as_they_were_given(store: Store) -> None:
    home = collection()
    [first] = await added(store, home, "a")
    new = version(first)
    async with store.open(OURS) as work:
        await work.versions.add(new, TEXT)
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.versions.get(new.id) == new
        assert await work.versions.canonical(new.id) == TEXT
        assert await work.versions.canonical(VersionId(new_id())) is None
        with pytest.raises(ConflictError):
            await work.versions.add(new, TEXT)
    async with store.open(OURS) as work:
        with pytest.raises(NotFoundError):
            await work.versions.add(version(document(home)), TEXT)


async def test_a_blob_is_in_use_while_any_workspace_has_it(store: Store) -> None:
    home = collection()
    pending, done = await added(store, home, "a", "b")
    async with store.open(OURS) as work:
        await work.documents.save(replace(pending, sha256="11" * 32))
        await work.versions.add(version(done, "22" * 32), TEXT)
        await work.commit()
    async with store.open(THEIRS) as work:
        assert await work.versions.blob_in_use("11" * 32)
        assert await work.versions.blob_in_use("22" * 32)
        assert not await work.versions.blob_in_use("33" * 32)
    async with store.open(OURS) as work:
        await work.documents.remove(pending.id)
        await work.documents.remove(done.id)
        assert not await work.versions.blob_in_use("11" * 32)
        assert not await work.versions.blob_in_use("22" * 32)


async def test_what_is_not_committed_is_rolled_back(store: Store) -> None:
    home = collection()
    async with store.open(OURS) as work:
        await work.collections.add(home)
        assert await work.collections.get(home.id) == home
    async with store.open(OURS) as work:
        assert await work.collections.get(home.id) is None


async def test_an_error_in_the_block_rolls_back(store: Store) -> None:
    home = collection()

    async def fail() -> None:
        async with store.open(OURS) as work:
            await work.collections.add(home)
            raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        await fail()
    async with store.open(OURS) as work:
        assert await work.collections.list() == []


async def test_a_commit_stays_when_the_rest_of_the_block_fails(store: Store) -> None:
    home, later = collection(), collection("later")

    async def fail() -> None:
        async with store.open(OURS) as work:
            await work.collections.add(home)
            await work.commit()
            await work.collections.add(later)
            raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        await fail()
    async with store.open(OURS) as work:
        assert await work.collections.list() == [home]


async def test_nobody_sees_work_before_its_commit(store: Store) -> None:
    home = collection()
    async with store.open(OURS) as reader, store.open(OURS) as writer:
        await writer.collections.add(home)
        assert await reader.collections.list() == []
        await writer.commit()
        assert await reader.collections.list() == [home]


async def test_a_unit_of_work_that_has_read_can_write_after_another_has_written(store: Store) -> None:
    home = collection()
    [first] = await added(store, home, "a")
    async with store.open(OURS) as slow:
        assert await slow.documents.get(first.id) == first
        async with store.open(OURS) as quick:
            await quick.documents.save(replace(first, title="quick"))
            await quick.commit()
        await slow.documents.save(replace(first, title="slow"))
        await slow.commit()
    async with store.open(OURS) as work:
        assert await work.documents.get(first.id) == replace(first, title="slow")


async def test_what_is_read_after_the_lock_can_not_change_before_the_commit(store: Store) -> None:
    home = collection()
    [first] = await added(store, home, "a")

    async def rename(title: str) -> None:
        async with store.open(OURS) as work:
            await work.lock()
            found = await work.documents.get(first.id)
            assert found is not None
            await asyncio.sleep(0)
            await work.documents.save(replace(found, title=f"{found.title} {title}"))
            await work.commit()

    await asyncio.gather(*(rename(f"{n}") for n in range(5)))
    async with store.open(OURS) as work:
        found = await work.documents.get(first.id)
    assert found is not None
    assert sorted(found.title.split()) == ["0", "1", "2", "3", "4", "Title"]


async def test_a_lock_is_given_back_when_nothing_is_written_and_may_be_taken_twice(store: Store) -> None:
    home = collection()
    await added(store, home)
    async with store.open(OURS) as work:
        await work.lock()
        await work.lock()
        assert await work.collections.get(home.id) == home
    await added(store, collection("after"))


@pytest.mark.parametrize("busy_timeout_s", [0.0])
async def test_a_lock_that_another_has_is_told_as_busy(store: Store) -> None:
    async with store.open(OURS) as first, store.open(OURS) as second:
        await first.lock()
        with pytest.raises(StoreError) as caught:
            await second.lock()
        assert (caught.value.code, caught.value.retryable) == ("store_busy", True)
        assert await second.collections.list() == []
        await first.commit()
        await second.lock()


@pytest.mark.parametrize("busy_timeout_s", [0.0])
async def test_a_second_writer_is_told_that_the_store_is_busy(store: Store) -> None:
    async with store.open(OURS) as first, store.open(OURS) as second:
        await first.collections.add(collection("one"))
        with pytest.raises(StoreError) as caught:
            await second.collections.add(collection("two"))
        await first.commit()
        assert (caught.value.code, caught.value.retryable) == ("store_busy", True)
        await second.collections.add(collection("two"))
        await second.collections.add(collection("three"))
        async with store.open(OURS) as reader:
            assert [found.name for found in await reader.collections.list()] == ["one"]
        await second.commit()
    async with store.open(OURS) as reader:
        assert [found.name for found in await reader.collections.list()] == ["one", "three", "two"]


async def test_writers_that_start_together_all_get_their_turn(store: Store) -> None:
    home = collection()
    made = [document(home, f"{n}") for n in range(20)]
    await added(store, home)

    async def save(one: Document) -> None:
        async with store.open(OURS) as work:
            await work.documents.save(one)
            await work.commit()

    await asyncio.gather(*(save(one) for one in made))
    async with store.open(OURS) as work:
        assert len(await work.documents.list(home.id)) == 20


async def test_a_cancelled_writer_lets_the_next_one_in(store: Store) -> None:
    home, begun = collection(), asyncio.Event()

    async def hang() -> None:
        async with store.open(OURS) as work:
            await work.collections.add(home)
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(hang())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await added(store, home)


async def test_rows_of_another_workspace_are_neither_seen_nor_changed(store: Store) -> None:
    home = collection()
    [first] = await added(store, home, "a")
    new = version(first)
    async with store.open(OURS) as work:
        await work.versions.add(new, TEXT)
        await work.commit()
    async with store.open(THEIRS) as work:
        assert work.workspace_id == THEIRS
        assert await work.collections.get(home.id) is None
        assert await work.collections.named(home.name) is None
        assert await work.collections.list() == []
        assert await work.collections.scope(home.id) == Scope()
        assert await work.documents.get(first.id) is None
        assert await work.documents.at_path(home.id, "a") is None
        assert await work.documents.list(home.id) == []
        assert await work.documents.matching(home.id, Filter()) == set()
        assert await work.versions.get(new.id) is None
        assert await work.versions.canonical(new.id) is None
        assert not await work.documents.remove(first.id)
        with pytest.raises(NotFoundError):
            await work.versions.add(version(first), TEXT)
        with pytest.raises(NotFoundError):
            await work.documents.save(document(home))
        with pytest.raises((NotFoundError, ConflictError)):
            await work.documents.save(replace(first, title="stolen"))
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.documents.get(first.id) == first


async def test_an_id_of_another_workspace_can_not_be_taken_over(store: Store) -> None:
    home, theirs = collection(), collection(workspace=THEIRS)
    [first] = await added(store, home, "a")
    await added(store, theirs)
    async with store.open(THEIRS) as work:
        with pytest.raises(ConflictError):
            await work.documents.save(replace(first, collection_id=theirs.id))
    async with store.open(THEIRS) as work:
        with pytest.raises(ConflictError):
            await work.collections.add(replace(home, workspace_id=THEIRS, name="new"))


async def test_removing_a_document_removes_what_was_made_of_it(store: Store) -> None:
    home = collection()
    first, other = await added(store, home, "a", "b")
    new = version(first)
    async with store.open(OURS) as work:
        await work.versions.add(new, TEXT)
        assert await work.documents.remove(first.id)
        assert not await work.documents.remove(first.id)
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.documents.list(home.id) == [other]
        assert await work.versions.get(new.id) is None
        assert await work.versions.canonical(new.id) is None


async def test_a_documents_versions_are_listed_oldest_first_and_only_ours(store: Store) -> None:
    collection = Collection(CollectionId(new_id()), OURS, "versions", SPEC, NOW)
    document = Document(DocumentId(new_id()), collection.id, "a", "A", "text/plain", "a", Stage.PENDING, NOW, NOW)
    made = [
        Version(VersionId(new_id()), document.id, f"{n}" * 64, n, "text/plain", "p", "1", NOW + timedelta(days=n)) for n in (2, 1)
    ]
    async with store.open(OURS) as work:
        await work.collections.add(collection)
        await work.documents.save(document)
        for version in made:
            await work.versions.add(version, TEXT)
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.versions.of_document(document.id) == [made[1], made[0]]
    async with store.open(THEIRS) as work:
        assert await work.versions.of_document(document.id) == []


def file_state(place: str, *, stamp: str = "10 20 30", sha256: str = "ab" * 32, settled: bool = True) -> FileState:
    return FileState(f"file:///srv/{place}", stamp, str(1 << 64), sha256, settled)


async def known_under(store: Store, home: Collection, folder: str, workspace: WorkspaceId = OURS) -> list[KnownFile]:
    async with store.open(workspace) as work:
        return await work.files.under(home.id, folder)


async def remember(store: Store, states: dict[DocumentId, FileState]) -> None:
    async with store.open(OURS) as work:
        await work.files.remember(states)
        await work.commit()


async def test_a_file_comes_back_with_its_document_as_it_was_remembered(store: Store) -> None:
    home = collection()
    [made] = await added(store, home, "box/a.txt")
    failed = replace(made, stage=Stage.FAILED, reason=Reason("no_text", "Nothing."), sha256="cd" * 32, size_bytes=1 << 33)
    async with store.open(OURS) as work:
        await work.documents.save(failed)
        await work.commit()
    state = file_state("box/a.txt", stamp="99999999999999999999 é", settled=False)
    await remember(store, {made.id: file_state("elsewhere/a.txt")})
    await remember(store, {made.id: state})
    expected = KnownFile(made.id, "box/a.txt", failed.source_uri, Stage.FAILED, "no_text", "cd" * 32, 1 << 33, None, state)
    assert await known_under(store, home, "file:///srv/box/") == [expected]
    assert await known_under(store, home, "file:///srv/elsewhere/") == []


async def test_files_are_found_by_the_folder_of_their_place_or_address(store: Store) -> None:
    home, other = collection(), collection("other")
    names = ("box/b", "box/a", "box/a/c", "boxer/d", "box", "linked", "Box/e", "%62ox/f")
    made = await added(store, home, *names)
    [elsewhere] = await added(store, other, "box/a")
    await remember(store, {made[5].id: file_state("box/link"), made[0].id: file_state("box/b"), elsewhere.id: file_state("box/a")})
    # By address alone (`file:///PATH`), by both, and by place alone.
    assert [known.path for known in await known_under(store, home, "file:///box/")] == ["box/a", "box/a/c", "box/b"]
    assert [known.path for known in await known_under(store, home, "file:///srv/box/")] == ["box/b", "linked"]
    assert [known.state for known in await known_under(store, home, "file:///box/a/")] == [None]
    assert await known_under(store, home, "file:///nowhere/") == []
    assert await known_under(store, home, "file:///box/", THEIRS) == []


async def test_a_place_and_an_address_in_one_folder_are_one_document(store: Store) -> None:
    home = collection()
    [made] = await added(store, home, "srv/box/a")
    await remember(store, {made.id: file_state("box/a")})
    assert [known.document_id for known in await known_under(store, home, "file:///srv/")] == [made.id]


async def test_many_files_are_remembered_at_once_and_forgotten_with_their_documents(store: Store) -> None:
    home = collection()
    made = await added(store, home, *(f"box/{n:04}" for n in range(1001)))
    await remember(store, {one.id: file_state(one.path) for one in made})
    assert len(await known_under(store, home, "file:///srv/box/")) == 1001
    async with store.open(OURS) as work:
        await work.documents.remove(made[0].id)
        await work.commit()
    assert len(await known_under(store, home, "file:///srv/box/")) == 1000
    with pytest.raises(NotFoundError):
        await remember(store, {made[1].id: file_state("x"), made[0].id: file_state("y")})
    async with store.open(THEIRS) as work:
        with pytest.raises(NotFoundError):
            await work.files.remember({made[1].id: file_state("x")})
