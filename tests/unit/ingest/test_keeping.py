"""What of removed documents is kept, for how long, and what a hold prevents."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.index import MemoryDenseIndex, MemoryLexicalIndex
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.answers import Answer, AnswerRecord, FrozenQuote
from pincite.core.documents import Collection, Document
from pincite.core.errors import ConflictError, NotFoundError
from pincite.core.ids import CollectionId, DocumentId, MessageId, VersionId, WorkspaceId, new_id
from pincite.core.ports.parsing import ContainedFile
from pincite.ingest.arrivals import Arrival
from pincite.ingest.folders import folders_at
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.keeping import Keeper
from pincite.ingest.removing import CollectionRemoval
from pincite.ingest.sync_report import Outcome
from pincite.ingest.syncing import Prune, Syncer, SyncOptions
from pincite.retrieval.history import StoredHistories
from pincite.retrieval.pages import StoredPages

OURS = WorkspaceId(new_id())
MAIL = "See the bill.\n@@ bill.txt\nThe fee is 40.\n"


@dataclass
class House:
    """An ingestor and a keeper over memory, with one collection that is searched by words."""

    store: MemoryStore = field(default_factory=MemoryStore)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    parser: PlainTextParser = field(default_factory=PlainTextParser)
    collection: Collection = field(
        default_factory=lambda: Collection(CollectionId(new_id()), OURS, "papers", None, datetime.now(UTC))
    )

    @property
    def ingestor(self) -> Ingestor:
        return Ingestor(self.store, self.blobs, self.parser, OURS)

    def keeper(self, *, days: float = 30) -> Keeper:
        return Keeper(self.store, self.blobs, OURS, timedelta(days=days))

    async def add(self, text: str, path: str = "a.txt") -> Document:
        received = await self.ingestor.receive(self.collection, Arrival(path, path, text.encode()))
        return await self.ingestor.process(received, None)

    async def cite(self, document: Document) -> VersionId:
        assert document.version_id
        quote = FrozenQuote(1, document.id, document.version_id, 0, 3, "The", "00", "ff")
        async with self.store.open(OURS) as work:
            await work.answers.add(AnswerRecord("?", Answer("The [1].", (), message_id=MessageId(new_id())), (quote,)))
            await work.commit()
        return document.version_id

    async def text(self, version_id: VersionId) -> str | None:
        async with self.store.open(OURS) as work:
            found = await work.versions.canonical(version_id)
        return found.text if found else None

    async def document(self, path: str) -> Document | None:
        async with self.store.open(OURS) as work:
            return await work.documents.at_path(self.collection.id, path)


@pytest.fixture
async def house() -> House:
    made = House()
    async with made.store.open(OURS) as work:
        await work.collections.add(made.collection)
        await work.commit()
    return made


async def test_of_a_removed_document_the_cited_version_keeps_its_text_and_bytes_until_its_time_is_over(house: House) -> None:
    cited = await house.add("The fee is 40.")
    cited_id = await house.cite(cited)
    changed = await house.add("The fee is 50.")
    plain = await house.add("Due in May.", "b.txt")
    await house.ingestor.remove(changed.id, plain.id)
    assert await house.text(cited_id) == "The fee is 40."
    kept = [await house.blobs.has(each.sha256) for each in (cited, changed, plain)]
    assert kept == [True, False, False]
    assert await house.keeper(days=1).purge() == 0
    assert await house.text(cited_id)
    assert await house.keeper(days=0).purge() == 2
    assert (await house.text(cited_id), await house.blobs.has(cited.sha256)) == (None, False)


async def test_more_than_one_batch_is_purged(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pincite.ingest.keeping.PURGED_AT_ONCE", 2)
    rows = [await house.add(f"Fee {number}.", f"{number}.txt") for number in range(5)]
    for row in rows:
        await house.cite(row)
    await house.ingestor.remove(*(row.id for row in rows))
    assert await house.keeper(days=0).purge() == 5
    assert [await house.blobs.has(row.sha256) for row in rows] == [False] * 5


async def test_pages_of_a_removed_document_are_those_of_the_version_that_is_cited(house: House) -> None:
    row = await house.add("The fee is 40.")
    version_id = await house.cite(row)
    await house.ingestor.remove(row.id)
    pages = StoredPages(house.store, house.blobs, house.parser, OURS)
    assert (await pages.file(row, version_id)).sha256 == row.sha256
    with pytest.raises(NotFoundError):
        await pages.file(row, VersionId(new_id()))


async def test_what_is_on_hold_is_not_removed_and_its_hold_is_told(house: House) -> None:
    row = await house.add("The fee is 40.")
    await house.keeper().hold(row.id, reason="Miller v. Smith")
    with pytest.raises(ConflictError) as refused:
        await house.ingestor.remove(row.id)
    assert (refused.value.code, "a.txt" in refused.value.message) == ("held", True)
    history = await StoredHistories(house.store, OURS).of(row)
    assert history.hold
    assert history.hold.reason == "Miller v. Smith"
    await house.keeper().release(row.id)
    await house.ingestor.remove(row.id)
    assert await house.document("a.txt") is None


async def test_a_hold_on_any_document_keeps_the_whole_collection(house: House) -> None:
    row = await house.add("The fee is 40.")
    await house.add("Due in May.", "b.txt")
    await house.keeper().hold(row.id)
    removal = CollectionRemoval(
        house.store, house.blobs, MemoryDenseIndex(house.store.changes), MemoryLexicalIndex(house.store.changes)
    )
    with pytest.raises(ConflictError) as refused:
        await removal.remove(house.collection)
    assert refused.value.code == "held"
    assert await house.document("b.txt")
    await house.keeper().release(row.id)
    version_id = await house.cite(row)
    await removal.remove(house.collection)
    assert await house.text(version_id) == "The fee is 40."
    assert await house.keeper(days=0).purge() == 2
    assert not await house.blobs.has(row.sha256)


@pytest.mark.parametrize("held", ["mail.txt", "mail.txt/bill.txt"])
async def test_a_hold_is_for_the_file_that_holds_others_and_for_those_inside_it(house: House, held: str) -> None:
    await house.add(MAIL, "mail.txt")
    row = await house.document(held)
    assert row
    await house.keeper().hold(row.id)
    for path in ("mail.txt", "mail.txt/bill.txt"):
        found = await house.document(path)
        assert found
        with pytest.raises(ConflictError):
            await house.ingestor.remove(found.id)
    await house.add("No bill any more.\n", "mail.txt")
    assert await house.document("mail.txt/bill.txt")


async def test_pruning_a_folder_leaves_what_is_on_hold_and_says_so(house: House, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(f"This is {name}.")
    folders = folders_at([tmp_path])
    syncer = Syncer(house.ingestor, SyncOptions(Prune.ALL))
    report = await syncer.sync(house.collection, None, folders)
    held, gone, _ = report.of(Outcome.ADDED)
    assert held.document_id
    await house.keeper().hold(held.document_id)
    (tmp_path / "a.txt").unlink()
    (tmp_path / "b.txt").unlink()
    for report in (await syncer.preview(house.collection, folders), await syncer.sync(house.collection, None, folders)):
        assert [change.path for change in report.of(Outcome.REMOVED)] == [gone.path]
        [failed] = report.of(Outcome.FAILED)
        assert failed.reason
        assert (failed.path, failed.reason.code) == (held.path, "held")
    assert await house.document(held.path)
    assert await house.document(gone.path) is None
    report = await Syncer(house.ingestor, SyncOptions(Prune.NONE)).sync(house.collection, None, folders)
    assert report.changes == ()


async def test_what_is_kept_of_a_removed_document_on_hold_outlives_its_time(house: House) -> None:
    row = await house.add("The fee is 40.")
    version_id = await house.cite(row)
    await house.ingestor.remove(row.id)
    await house.keeper().hold(row.id)
    assert await house.keeper(days=0).purge() == 0
    assert await house.text(version_id)
    await house.keeper().release(row.id)
    assert await house.keeper(days=0).purge() == 1


async def test_holds_of_what_is_not_there_are_refused(house: House) -> None:
    with pytest.raises(NotFoundError):
        await house.keeper().hold(DocumentId(new_id()))
    with pytest.raises(NotFoundError):
        await house.keeper().release(DocumentId(new_id()))
    row = await house.add("The fee is 40.")
    with pytest.raises(ConflictError) as refused:
        await house.keeper().release(row.id)
    assert refused.value.code == "not_held"


async def test_a_history_names_versions_and_other_documents_with_the_same_bytes(house: House) -> None:
    first = await house.add("The fee is 40.")
    await house.cite(first)
    second = await house.add("The fee is 50.")
    twin = await house.add("The fee is 50.", "copy.txt")
    histories = StoredHistories(house.store, OURS)
    found = await histories.of(second)
    told = [(past.version.id, past.is_searched, past.is_cited, past.supersedes_id) for past in found.versions]
    assert told == [(second.version_id, True, False, first.version_id), (first.version_id, False, True, None)]
    assert [each.id for each in found.duplicates] == [twin.id]
    standings = await histories.standings([second, twin])
    assert (standings[second.id].versions, standings[second.id].duplicate_ids) == (2, (twin.id,))
    assert (standings[twin.id].versions, standings[twin.id].duplicate_ids) == (1, (second.id,))


async def test_files_taken_out_of_a_document_that_is_removed_meanwhile_are_not_kept(house: House) -> None:
    class Slow(PlainTextParser):
        """Lets the document be removed while the files inside it are taken out."""

        async def unpack(self, path: Path, *, name: str, into: Path) -> list[ContainedFile]:
            found = await super().unpack(path, name=name, into=into)
            row = await house.document("mail.txt")
            assert row
            await house.ingestor.remove(row.id)
            return found

    house.parser = Slow()
    await house.add(MAIL, "mail.txt")
    assert [blob async for blob in house.blobs.all()] == []
