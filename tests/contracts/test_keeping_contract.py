"""What every store keeps of removed documents, and which may not be removed."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pincite.core.answers import Answer, AnswerRecord, FrozenQuote
from pincite.core.documents import CanonicalText, Collection, Document, Stage, Version, address_inside
from pincite.core.evidence import Strategy
from pincite.core.figures import Figure, FigurePlace, PictureDescription
from pincite.core.ids import CollectionId, DocumentId, FigureId, MessageId, VersionId, WorkspaceId, new_id
from pincite.core.keeping import Erasure, Hold
from pincite.core.ports.store import Store
from pincite.core.querylog import LoggedQuery, Outcome
from pincite.core.redacting import mask, redacted, redacted_query

OURS, THEIRS = WorkspaceId(new_id()), WorkspaceId(new_id())
NOW = datetime(2031, 2, 3, 4, 5, 6, 123456, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
HOME = Collection(CollectionId(new_id()), OURS, "papers", None, NOW)


@pytest.fixture
async def store(store: Store) -> Store:
    async with store.open(OURS) as work:
        await work.collections.add(HOME)
        await work.commit()
    return store


def document(path: str) -> Document:
    return Document(DocumentId(new_id()), HOME.id, path, "Title", "text/plain", f"file:///{path}", Stage.READY, NOW, NOW)


def version(of: Document, sha256: str) -> Version:
    return Version(VersionId(new_id()), of.id, sha256 * 32, 7, "text/plain", "text", "3", NOW, ".txt", "Title", meta={"a": "b"})


async def stored(store: Store, path: str, *hashes: str) -> tuple[Document, list[Version]]:
    row = document(path)
    versions = [version(row, sha256) for sha256 in hashes]
    async with store.open(OURS) as work:
        await work.documents.save(replace(row, sha256=versions[-1].sha256))
        for each in versions:
            await work.versions.add(each, CanonicalText(f"Text of {each.sha256[:2]}", ()))
        await work.commit()
    return replace(row, sha256=versions[-1].sha256), versions


async def cite(store: Store, cited: Version) -> None:
    quote = FrozenQuote(1, cited.document_id, cited.id, 0, 4, "Text", "00", "ff")
    async with store.open(OURS) as work:
        await work.answers.add(AnswerRecord("?", Answer("Text [1].", (), message_id=MessageId(new_id())), (quote,)))
        await work.commit()


async def remove(store: Store, *rows: Document, at: datetime = NOW) -> None:
    async with store.open(OURS) as work:
        await work.keeping.keep([row.id for row in rows], removed_at=at)
        for row in rows:
            await work.documents.remove(row.id)
        await work.commit()


async def test_of_a_removed_document_the_cited_versions_are_read_as_before_and_no_others(store: Store) -> None:
    row, (first, second) = await stored(store, "a.txt", "aa", "bb")
    other, (third,) = await stored(store, "b.txt", "cc")
    await cite(store, first)
    async with store.open(OURS) as work:
        assert (await work.keeping.cited(row.id), await work.keeping.cited(other.id)) == ({first.id}, set())
    await remove(store, row, other)
    async with store.open(OURS) as work:
        assert await work.versions.get(first.id) == first
        assert await work.versions.canonical(first.id) == CanonicalText("Text of aa", ())
        gone = [(await work.versions.get(each.id), await work.versions.canonical(each.id)) for each in (second, third)]
        assert gone == [(None, None)] * 2
        assert await work.versions.of_document(row.id) == []
        in_use = [await work.versions.blob_in_use(each.sha256) for each in (first, second, third)]
        assert in_use == [True, False, False]
        assert (await work.documents.get(row.id), await work.documents.list(HOME.id)) == (None, [])
    async with store.open(THEIRS) as work:
        assert (await work.versions.get(first.id), await work.versions.canonical(first.id)) == (None, None)
        assert await work.keeping.removed(row.id) is None


async def test_the_row_of_a_removed_document_is_told_from_those_that_are_there(store: Store) -> None:
    row, _ = await stored(store, "a.txt", "aa")
    later, _ = await stored(store, "b.txt", "bb")
    await remove(store, row)
    await remove(store, later, at=LATER)
    again, _ = await stored(store, "a.txt", "aa")
    async with store.open(OURS) as work:
        removed = await work.keeping.removed(row.id)
        assert removed
        assert (removed.document.path, removed.document.sha256, removed.removed_at) == ("a.txt", row.sha256, NOW)
        assert (removed.document.stage, removed.document.version_id) == (Stage.FAILED, None)
        assert removed.document.reason
        assert removed.document.reason.code == "removed"
        assert await work.keeping.removed(again.id) is None
        assert [each.document.path for each in await work.keeping.removed_from(HOME.id)] == ["b.txt", "a.txt"]


async def test_what_was_removed_before_a_moment_is_dropped_with_its_texts(store: Store) -> None:
    rows = [await stored(store, f"{number}.txt", f"{number}{number}") for number in range(4)]
    for _, versions in rows:
        await cite(store, versions[0])
    for number, (row, _) in enumerate(rows):
        await remove(store, row, at=NOW + timedelta(days=number))
    async with store.open(OURS) as work:
        await work.keeping.hold(Hold(rows[1][0].id, HOME.id, NOW))
        over = await work.keeping.removed_before(NOW + timedelta(days=2), limit=9)
        assert [each.document.path for each in over] == ["0.txt", "2.txt"]
        assert len(await work.keeping.removed_before(NOW + timedelta(days=2), limit=1)) == 1
        assert await work.keeping.drop([each.document.id for each in over]) == {"00" * 32, "22" * 32}
        await work.commit()
    async with store.open(OURS) as work:
        left = [bool(await work.versions.canonical(versions[0].id)) for _, versions in rows]
        assert left == [False, True, False, True]
        assert await work.keeping.removed(rows[0][0].id) is None
        assert not await work.versions.blob_in_use("00" * 32)


def figure(of: Version, sha256: str) -> Figure:
    return Figure(FigureId(new_id()), of.id, 1, FigurePlace(0, 4, 1), sha256 * 32, "image/png", 40, 30, "A chart.")


async def test_the_figures_of_cited_versions_are_kept_with_them_and_dropped_with_them(store: Store) -> None:
    row, (first, second) = await stored(store, "a.txt", "aa", "bb")
    shown, gone = figure(first, "dd"), figure(second, "ee")
    await cite(store, first)
    async with store.open(OURS) as work:
        await work.figures.add([shown, gone])
        await work.figures.learn(PictureDescription(new_id(), shown.sha256, "seer", "1", "A chart.", NOW))
        await work.commit()
    await remove(store, row)
    async with store.open(OURS) as work:
        assert await work.figures.of_version(first.id) == [shown]
        assert (await work.figures.get(shown.id, row.id), await work.figures.get(gone.id, row.id)) == (shown, None)
        assert await work.figures.get(shown.id, document("b.txt").id) is None
        assert await work.figures.blobs(row.id) == {shown.sha256}
        assert [await work.versions.blob_in_use(each.sha256) for each in (shown, gone)] == [True, False]
        assert await work.figures.unlearn([shown.sha256]) == 0
    async with store.open(THEIRS) as work:
        assert await work.figures.get(shown.id, row.id) is None
    async with store.open(OURS) as work:
        assert await work.keeping.drop([row.id]) == {first.sha256, shown.sha256}
        assert await work.figures.get(shown.id, row.id) is None
        assert not await work.versions.blob_in_use(shown.sha256)
        assert await work.figures.unlearn([shown.sha256]) == 1


async def test_holds_are_kept_replaced_and_released(store: Store) -> None:
    row, _ = await stored(store, "a.txt", "aa")
    other, _ = await stored(store, "b.txt", "bb")
    async with store.open(OURS) as work:
        await work.keeping.hold(Hold(row.id, HOME.id, NOW, "first"))
        await work.keeping.hold(Hold(other.id, HOME.id, LATER, "second"))
        await work.keeping.hold(Hold(row.id, HOME.id, NOW, "third"))
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.keeping.holds([row.id]) == {row.id: Hold(row.id, HOME.id, NOW, "third")}
        assert [hold.reason for hold in await work.keeping.holds_in(HOME.id)] == ["second", "third"]
        assert (await work.keeping.release(row.id), await work.keeping.release(row.id)) == (True, False)
        assert list(await work.keeping.holds([row.id, other.id])) == [other.id]
    async with store.open(THEIRS) as work:
        assert (await work.keeping.holds([other.id]), await work.keeping.release(other.id)) == ({}, False)


async def test_what_rests_on_a_document_is_named_and_rewritten_for_good(store: Store) -> None:
    row, (first,) = await stored(store, "a.txt", "aa")
    await cite(store, first)
    partial = LoggedQuery(
        MessageId(new_id()), NOW, "http", "What?", Outcome.PARTIAL, Strategy.LEXICAL, "m", received="Text", document_ids=(row.id,)
    )
    async with store.open(OURS) as work:
        await work.query_logs.add([partial])
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.query_logs.list() == [partial]
        cited, logged = await work.keeping.resting_on([row.id])
        assert logged == partial.message_id
        record = await work.answers.get(cited)
        assert record
        gone = redacted(record, {row.id}, mask)
        await work.answers.rewrite(gone)
        await work.query_logs.rewrite(redacted_query(partial, mask))
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.answers.get(cited) == gone
        assert gone.evidence[0].erased
        assert await work.query_logs.of([cited, logged]) == [replace(partial, question="█████", received="████")]
    async with store.open(THEIRS) as work:
        assert (await work.keeping.resting_on([row.id]), await work.query_logs.of([logged])) == ([], [])


async def test_erasures_are_kept_once_and_finished(store: Store) -> None:
    first, second = DocumentId(new_id()), DocumentId(new_id())
    async with store.open(OURS) as work:
        await work.keeping.erase([Erasure(first, HOME.id, NOW, ("aa", "bb"))])
        await work.keeping.erase([Erasure(first, HOME.id, LATER), Erasure(second, HOME.id, LATER, ("cc",))])
        await work.commit()
    async with store.open(OURS) as work:
        assert await work.keeping.erased([first, DocumentId(new_id())]) == {first: Erasure(first, HOME.id, NOW, ("aa", "bb"))}
        await work.keeping.finish([first], finished_at=LATER)
        assert await work.keeping.unfinished() == [Erasure(second, HOME.id, LATER, ("cc",))]
        assert await work.keeping.erased([first]) == {first: Erasure(first, HOME.id, NOW, (), LATER)}
        await work.commit()
    async with store.open(THEIRS) as work:
        assert (await work.keeping.erased([first]), await work.keeping.unfinished()) == ({}, [])


async def test_what_is_kept_of_files_inside_a_removed_one_is_found_by_it(store: Store) -> None:
    outer, (first,) = await stored(store, "mail.eml", "aa")
    inner, _ = await stored(store, "mail.eml/bill.txt", "bb")
    inner = replace(inner, source_uri=address_inside(outer.id, "bill.txt"))
    async with store.open(OURS) as work:
        await work.documents.save(inner)
        await work.commit()
    await cite(store, first)
    await remove(store, outer, inner)
    async with store.open(OURS) as work:
        assert [each.document.id for each in await work.keeping.removed_inside(outer)] == [inner.id]
        assert await work.keeping.removed_inside(inner) == []
        assert (await work.keeping.kept_of(outer.id), await work.keeping.kept_of(inner.id)) == ([first], [])


async def test_documents_are_found_by_their_bytes_and_versions_counted_without_drafts(store: Store) -> None:
    row, (first, _) = await stored(store, "b.txt", "aa", "bb")
    twin, _ = await stored(store, "a.txt", "bb")
    async with store.open(OURS) as work:
        assert [each.id for each in await work.documents.with_bytes({row.sha256})] == [twin.id, row.id]
        assert await work.documents.with_bytes(set()) == []
        assert (await work.versions.of_document(row.id, drafts=False), await work.versions.counts([row.id])) == ([], {})
        await work.chunks.publish(replace(row, version_id=first.id), (), {}, model_id="")
        assert await work.versions.of_document(row.id, drafts=False) == [first]
        assert await work.versions.counts([row.id, twin.id]) == {row.id: 1}
