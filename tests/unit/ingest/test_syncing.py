"""Folders and a collection in step: what is touched, by document, version and time of change, and what is left alone."""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import Collection, Document, ParsedDocument, Stage
from pincite.core.errors import ConflictError, NotFoundError, StoreError, UpstreamError, UsageError
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.ports.models import Vector
from pincite.core.ports.ocr import PageNotes
from pincite.core.ports.parsing import ParseProgress
from pincite.ingest.adding import add_file
from pincite.ingest.arrivals import Arrival
from pincite.ingest.folders import files_of, folders_at
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.sync_report import Outcome, SyncChange, SyncReport
from pincite.ingest.syncing import Prune, Syncer, SyncListeners, SyncOptions

OURS = WorkspaceId(new_id())


class CountingEmbedding(HashEmbedding):
    """Counts what it embeds, and can be down."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded = 0
        self.fails_at = ""

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if self.fails_at and any(self.fails_at in text for text in texts):
            raise UpstreamError("The embedding model is down.", retryable=True)
        self.embedded += len(texts)
        return await super().embed_passages(texts)


class CountingParser(PlainTextParser):
    """Remembers the names of the files that it read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    async def parse(
        self,
        path: Path,
        *,
        name: str,
        on_progress: Callable[[ParseProgress], None] | None = None,
        notes: PageNotes | None = None,
    ) -> ParsedDocument:
        self.read.append(name)
        return await super().parse(path, name=name, on_progress=on_progress)


@dataclass
class House:
    """A collection in memory, and folders beside it."""

    root: Path
    store: MemoryStore = field(default_factory=MemoryStore)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    model: CountingEmbedding = field(default_factory=CountingEmbedding)
    parser: CountingParser = field(default_factory=CountingParser)

    def __post_init__(self) -> None:
        self.ingestor = Ingestor(self.store, self.blobs, self.parser, OURS)
        self.collection = Collection(CollectionId(new_id()), OURS, "default", self.model.spec, datetime.now(UTC))

    async def open(self) -> "House":
        async with self.store.open(OURS) as work:
            await work.collections.add(self.collection)
            await work.commit()
        return self

    def write(self, name: str, text: str = "") -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text or f"The text of {name} says something of its own.\n")
        return file

    async def sync(
        self,
        *names: str,
        prune: Prune = Prune.CAREFUL,
        retry: bool = False,
        heard: list[SyncChange] | None = None,
    ) -> SyncReport:
        """Synchronise folders, the one called `box` if none is named."""
        listeners = SyncListeners(on_change=(heard if heard is not None else []).append)
        syncer = Syncer(self.ingestor, SyncOptions(prune, retry), listeners)
        return await syncer.sync(self.collection, self.model, folders_at([self.root / name for name in names or ("box",)]))

    async def preview(self, *, prune: Prune = Prune.CAREFUL) -> SyncReport:
        return await Syncer(self.ingestor, SyncOptions(prune)).preview(self.collection, folders_at([self.root / "box"]))

    async def add(self, *names: str) -> None:
        for item in files_of([self.root / name for name in names]):
            await add_file(
                self.ingestor, item, collection=self.collection, embedding=self.model, on_progress=lambda file, progress: None
            )

    async def add_text(self, path: str, text: str, source_uri: str = "") -> Document:
        arrival = Arrival(path, source_uri or path, text.encode())
        return await self.ingestor.process(await self.ingestor.receive(self.collection, arrival), self.model)

    async def documents(self) -> dict[str, Document]:
        async with self.store.open(OURS) as work:
            return {document.path: document for document in await work.documents.list(self.collection.id)}

    async def titles(self, document: Document) -> set[str]:
        """Return the titles under which a document's chunks are indexed."""
        assert document.version_id
        async with self.store.open(OURS) as work:
            return {chunk.title for chunk in await work.chunks.of_version(document.version_id)}


@pytest.fixture
async def house(tmp_path: Path) -> House:
    return await House(tmp_path).open()


def told(report: SyncReport) -> dict[str, list[str]]:
    """Return the paths of a report by outcome, without empty lists."""
    found = {outcome.value: [change.path for change in report.of(outcome)] for outcome in Outcome}
    return {outcome: paths for outcome, paths in found.items() if paths}


async def test_a_folder_is_added_and_the_second_time_nothing_is_touched(house: House) -> None:
    for name in ("box/a.txt", "box/sub/b.txt", "box/.hidden.txt"):
        house.write(name)
    first = await house.sync()
    assert (told(first), first.unchanged) == ({"added": ["box/a.txt", "box/sub/b.txt"]}, 0)
    before, embedded = await house.documents(), house.model.embedded
    second = await house.sync()
    assert (second.changes, second.unchanged) == ((), 2)
    assert await house.documents() == before
    assert (house.model.embedded, len(house.parser.read)) == (embedded, 2)


async def test_what_add_added_is_left_as_it_is(house: House) -> None:
    house.write("box/a.txt")
    house.write("box/sub/b.txt")
    await house.add("box")
    before = await house.documents()
    report = await house.sync()
    assert (report.changes, report.unchanged) == ((), 2)
    assert await house.documents() == before
    (house.root / "box/a.txt").unlink()
    assert told(await house.sync()) == {"removed": ["box/a.txt"]}


async def test_exactly_what_changed_is_touched(house: House) -> None:
    for n in range(30):
        house.write(f"box/{n % 3}/{n:02}.txt")
    await house.sync()
    before, house.model.embedded = await house.documents(), 0
    for n in range(5):
        house.write(f"box/{n % 3}/{n:02}.txt", f"Another text, number {n}.")
        (house.root / f"box/{(n + 5) % 3}/{n + 5:02}.txt").rename(house.root / f"box/0/moved {n}.txt")
        (house.root / f"box/{(n + 10) % 3}/{n + 10:02}.txt").unlink()
        house.write(f"box/new/{n}.txt")
    report = await house.sync()
    assert {outcome: len(paths) for outcome, paths in told(report).items()} == {"added": 5, "updated": 5, "moved": 5, "removed": 5}
    assert report.unchanged == 15
    assert house.model.embedded == 10
    after = await house.documents()
    by_id = {document.id: document for document in after.values()}
    untouched = [document for path, document in before.items() if after.get(path) == document]
    assert len(untouched) == 15
    for change in report.of(Outcome.MOVED):
        old = before[change.moved_from]
        assert by_id[old.id].path == change.path
        assert by_id[old.id].version_id == old.version_id
    for change in report.of(Outcome.UPDATED):
        assert after[change.path].id == before[change.path].id == change.document_id
        assert after[change.path].version_id != before[change.path].version_id
    assert not {before[change.path].id for change in report.of(Outcome.REMOVED)} & set(by_id)


async def test_a_moved_file_stays_the_same_document_under_its_new_name(house: House) -> None:
    house.write("box/plain.txt", "The term is two years.")
    house.write("box/titled.txt", "# Lease\nNotice is sixty days.")
    await house.sync()
    before, house.model.embedded = await house.documents(), 0
    for name in ("plain", "titled"):
        (house.root / "box/sub").mkdir(exist_ok=True)
        (house.root / f"box/{name}.txt").rename(house.root / f"box/sub/{name} renamed.txt")
    report = await house.sync()
    assert [(change.moved_from, change.path) for change in report.changes] == [
        ("box/plain.txt", "box/sub/plain renamed.txt"),
        ("box/titled.txt", "box/sub/titled renamed.txt"),
    ]
    assert house.model.embedded == 0
    assert len(house.parser.read) == 2
    after = await house.documents()
    plain, titled = after["box/sub/plain renamed.txt"], after["box/sub/titled renamed.txt"]
    assert (plain.id, titled.id) == (before["box/plain.txt"].id, before["box/titled.txt"].id)
    assert plain.source_uri == (house.root / "box/sub/plain renamed.txt").as_uri()
    assert (plain.title, await house.titles(plain)) == ("plain renamed.txt", {"plain renamed.txt"})
    assert (titled.title, await house.titles(titled)) == ("Lease", {"Lease"})
    assert (await house.sync()).changes == ()


async def test_a_moved_file_that_changes_later_embeds_only_what_changed(house: House) -> None:
    text = "".join(f"# Part {n}\nPart {n} says what holds for number {n}.\n\n" for n in range(9))
    house.write("box/a.txt", "Without a heading.\n\n" + text)
    await house.sync()
    (house.root / "box/a.txt").rename(house.root / "box/b.txt")
    await house.sync()
    house.model.embedded = 0
    house.write("box/b.txt", "Without a heading.\n\n" + text.replace("number 4", "number 44"))
    assert told(await house.sync()) == {"updated": ["box/b.txt"]}
    assert house.model.embedded == 1


async def test_a_file_whose_new_name_is_of_another_kind_is_read_anew_and_not_embedded(house: House) -> None:
    house.write("box/a.txt")
    await house.sync()
    (before,), house.model.embedded = (await house.documents()).values(), 0
    (house.root / "box/a.txt").rename(house.root / "box/a.md")
    assert told(await house.sync()) == {"moved": ["box/a.md"]}
    (after,) = (await house.documents()).values()
    assert (after.id, after.stage, after.title) == (before.id, Stage.READY, "a.md")
    assert after.version_id != before.version_id
    assert house.parser.read == ["a.txt", "a.md"]
    assert house.model.embedded == 0


async def test_a_folder_that_gets_another_name_moves_with_all_its_files(house: House) -> None:
    for n in range(6):
        house.write(f"box/old/{n % 2}/{n}.txt")
    await house.sync()
    before, house.model.embedded = await house.documents(), 0
    (house.root / "box/old").rename(house.root / "box/new")
    assert len(told(await house.sync())["moved"]) == 6
    after = await house.documents()
    assert {document.id: path.replace("old", "new") for path, document in before.items()} == {
        document.id: path for path, document in after.items()
    }
    assert house.model.embedded == 0


async def test_equal_files_that_move_stay_the_documents_they_were(house: House) -> None:
    for name in ("a", "b", "c"):
        house.write(f"box/{name}.txt", "All the same.")
    house.write("box/other.txt")
    await house.sync()
    before = await house.documents()
    for old, new in (("a", "z"), ("b", "y")):
        (house.root / f"box/{old}.txt").rename(house.root / f"box/{new}.txt")
    await house.sync()
    after = await house.documents()
    assert [after[f"box/{name}.txt"].id for name in "zyc"] == [before[f"box/{name}.txt"].id for name in "abc"]


async def test_files_that_change_places_are_updated_where_they_are(house: House) -> None:
    a, b = house.write("box/a.txt"), house.write("box/b.txt")
    await house.sync()
    before, house.model.embedded = await house.documents(), 0
    a.rename(house.root / "x")
    b.rename(house.root / "box/a.txt")
    (house.root / "x").rename(house.root / "box/b.txt")
    assert told(await house.sync()) == {"updated": ["box/a.txt", "box/b.txt"]}
    after = await house.documents()
    assert {path: document.id for path, document in after.items()} == {path: document.id for path, document in before.items()}
    assert after["box/a.txt"].sha256 == before["box/b.txt"].sha256
    # The first of them takes the vectors of the second, whose own are gone by then.
    assert house.model.embedded == 1


async def test_a_file_over_another_updates_the_one_that_is_there_and_removes_the_one_that_is_gone(house: House) -> None:
    a = house.write("box/a.txt")
    house.write("box/b.txt")
    house.write("box/c.txt")
    await house.sync()
    a.replace(house.root / "box/b.txt")
    assert told(await house.sync()) == {"updated": ["box/b.txt"], "removed": ["box/a.txt"]}


async def test_a_copy_is_a_new_document_and_not_embedded(house: House) -> None:
    house.write("box/a.txt", "The term is two years.")
    await house.sync()
    house.model.embedded = 0
    house.write("box/copy of a.txt", "The term is two years.")
    assert told(await house.sync()) == {"added": ["box/copy of a.txt"]}
    assert house.model.embedded == 0


async def test_documents_from_elsewhere_are_never_removed(house: House) -> None:
    house.write("box/a.txt")
    house.write("box/b.txt")
    house.write("box/single.txt")
    house.write("boxer/c.txt")
    house.write("far/box/d.txt")
    await house.add_text("box/note.txt", "A note.")
    await house.add_text("box/copy.txt", "A copy.", (house.root / "box/copy.txt").as_uri())
    await house.add("box/single.txt", "boxer", "far/box")
    await house.sync()
    (house.root / "box/single.txt").unlink()
    (house.root / "far/box/d.txt").unlink()
    (house.root / "boxer/c.txt").unlink()
    # The file was added by itself too: that document stays, the folder's goes.
    assert told(await house.sync()) == {"removed": ["box/single.txt"]}
    left = {"box/a.txt", "box/b.txt", "box/copy.txt", "box/d.txt", "box/note.txt", "boxer/c.txt", "single.txt"}
    assert set(await house.documents()) == left


async def test_two_folders_of_one_name_keep_apart(house: House) -> None:
    for name in ("one/box/a.txt", "one/box/b.txt", "one/box/c.txt", "two/box/a.txt", "two/box/b.txt", "two/box/c.txt"):
        house.write(name)
    await house.sync("one/box")
    await house.sync("two/box")
    both = ["box/a.txt", "box/b.txt", "box/c.txt", "two/box/a.txt", "two/box/b.txt", "two/box/c.txt"]
    assert list(await house.documents()) == both
    (house.root / "two/box/a.txt").unlink()
    (house.root / "one/box/b.txt").rename(house.root / "one/box/a2.txt")
    assert (await house.sync("two/box")).of(Outcome.REMOVED)[0].path == "two/box/a.txt"
    assert told(await house.sync("one/box")) == {"moved": ["box/a2.txt"]}
    assert (await house.sync("one/box", "two/box")).unchanged == 5


async def test_a_file_that_moves_from_one_folder_to_another_is_moved_when_both_are_named(house: House) -> None:
    for name in ("in/a.txt", "in/b.txt", "out/c.txt"):
        house.write(name)
    await house.sync("in", "out")
    before = await house.documents()
    (house.root / "in/a.txt").rename(house.root / "out/a.txt")
    assert told(await house.sync("in", "out")) == {"moved": ["out/a.txt"]}
    assert (await house.documents())["out/a.txt"].id == before["in/a.txt"].id


async def test_a_folder_inside_another_is_the_same_documents(house: House) -> None:
    for name in ("box/a.txt", "box/sub/b.txt", "box/sub/c.txt", "box/sub/d.txt"):
        house.write(name)
    await house.sync("box", "box/sub")
    assert (await house.sync("box/sub")).unchanged == 3
    (house.root / "box/sub/b.txt").unlink()
    assert told(await house.sync("box/sub")) == {"removed": ["box/sub/b.txt"]}
    assert (await house.sync()).changes == ()


@pytest.mark.parametrize(("files", "gone"), [(1, 1), (4, 4), (5, 3), (3, 2)])
async def test_a_folder_that_lost_too_much_is_asked_about_first(house: House, files: int, gone: int) -> None:
    for n in range(files):
        house.write(f"box/{n}.txt")
    await house.sync()
    before = await house.documents()
    for n in range(gone):
        (house.root / f"box/{n}.txt").unlink()
    new = [house.write("box/new.txt")] if gone < files else []
    with pytest.raises(ConflictError, match=r"Nothing was changed.*--yes.*--no-prune") as caught:
        await house.sync()
    assert caught.value.code == "prune_unsure"
    assert await house.documents() == before
    kept = await house.sync(prune=Prune.NONE)
    assert (len(kept.of(Outcome.ADDED)), kept.of(Outcome.REMOVED)) == (len(new), ())
    assert len((await house.sync(prune=Prune.ALL)).of(Outcome.REMOVED)) == gone
    assert len(await house.documents()) == files - gone + len(new)


async def test_half_of_a_folder_may_go_and_moved_files_are_not_gone(house: House) -> None:
    for n in range(4):
        house.write(f"box/{n}.txt")
    await house.sync()
    for n in range(2):
        (house.root / f"box/{n}.txt").unlink()
    (house.root / "box/2.txt").rename(house.root / "box/two.txt")
    assert told(await house.sync()) == {"moved": ["box/two.txt"], "removed": ["box/0.txt", "box/1.txt"]}


async def test_an_empty_folder_that_never_had_files_is_in_step(house: House) -> None:
    (house.root / "box").mkdir()
    assert (await house.sync()).as_dict()["unchanged"] == 0


async def test_a_folder_that_is_not_there_changes_nothing(house: House) -> None:
    house.write("box/a.txt")
    await house.sync()
    (house.root / "box").rename(house.root / "away")
    before = await house.documents()
    for prune in Prune:
        with pytest.raises(NotFoundError, match="mount"):
            await house.sync(prune=prune)
    with pytest.raises(UsageError, match="no folder"):
        await house.sync("away/a.txt")
    with pytest.raises(NotFoundError):
        await house.sync("x" * 5000)
    assert await house.documents() == before


async def test_a_dry_run_says_what_would_be_done_and_does_nothing(house: House) -> None:
    for n in range(6):
        house.write(f"box/{n}.txt")
    house.write("box/bad.txt", "\0")
    await house.sync()
    before = await house.documents()
    house.write("box/0.txt", "Another text.")
    (house.root / "box/1.txt").rename(house.root / "box/one.txt")
    (house.root / "box/2.txt").unlink()
    house.write("box/new.txt")
    preview = await house.preview()
    assert preview.dry_run
    assert preview.warnings == ()
    assert await house.documents() == before
    done = await house.sync()
    assert told(preview) == told(done)
    assert preview.unchanged == done.unchanged == 3
    assert [change.document_id for change in preview.of(Outcome.MOVED)] == [before["box/1.txt"].id]


async def test_a_dry_run_warns_of_what_a_run_would_refuse(house: House) -> None:
    house.write("box/a.txt")
    await house.sync()
    (house.root / "box/a.txt").unlink()
    assert (told(await house.preview()), len((await house.preview()).warnings)) == ({"removed": ["box/a.txt"]}, 1)
    assert told(await house.preview(prune=Prune.NONE)) == {}
    assert (await house.preview(prune=Prune.ALL)).warnings == ()


async def test_a_dry_run_needs_no_collection(house: House) -> None:
    house.write("box/a.txt")
    report = await Syncer(house.ingestor).preview(None, folders_at([house.root / "box"]))
    assert told(report) == {"added": ["box/a.txt"]}


async def test_a_refused_file_is_tried_again_only_when_it_changed_or_when_asked(house: House) -> None:
    house.write("box/bad.txt", "\0binary")
    house.write("box/good.txt")
    (first,) = (await house.sync()).of(Outcome.FAILED)
    assert first.reason
    assert (first.reason.code, first.tried, first.document_id is None) == ("unsupported", True, False)
    report = await house.sync()
    (again,) = report.of(Outcome.FAILED)
    assert again.reason
    assert (again.reason.code, again.tried, again.document_id, report.unchanged) == ("unsupported", False, first.document_id, 1)
    assert house.parser.read.count("bad.txt") == 1
    (tried,) = (await house.sync(retry=True)).of(Outcome.FAILED)
    assert (tried.tried, house.parser.read.count("bad.txt")) == (True, 2)
    house.write("box/bad.txt", "Now it can be read.")
    assert told(await house.sync()) == {"added": ["box/bad.txt"]}


async def test_a_file_that_changed_to_a_bad_one_keeps_its_earlier_version(house: House) -> None:
    house.write("box/a.txt")
    await house.sync()
    before = await house.documents()
    house.write("box/a.txt", "\0binary")
    assert told(await house.sync()) == {"failed": ["box/a.txt"]}
    after = await house.documents()
    assert after["box/a.txt"].version_id == before["box/a.txt"].version_id
    house.write("box/a.txt", "And good again.")
    assert told(await house.sync()) == {"updated": ["box/a.txt"]}


async def test_what_a_model_that_was_down_left_is_finished_the_next_time(house: House) -> None:
    for name in ("a", "b", "c"):
        house.write(f"box/{name}.txt")
    house.model.fails_at = "b.txt"
    heard: list[SyncChange] = []
    with pytest.raises(UpstreamError):
        await house.sync(heard=heard)
    done = await house.documents()
    assert all(done[change.path].stage is Stage.READY for change in heard)
    house.model.fails_at = ""
    report = await house.sync()
    assert report.unchanged == len(heard)
    assert {document.stage for document in (await house.documents()).values()} == {Stage.READY}
    assert len(report.of(Outcome.ADDED)) == 3 - len(heard)


async def test_a_document_that_a_killed_process_left_is_finished(house: House) -> None:
    house.write("box/a.txt")
    house.write("box/b.txt")
    (item, _) = files_of([house.root / "box"])
    arrival = Arrival(item.path, item.address, item.file, place=item.place)
    pending = await house.ingestor.receive(house.collection, arrival, free_paths=(item.path,))
    assert told(await house.sync()) == {"added": ["box/a.txt", "box/b.txt"]}
    after = await house.documents()
    assert (after["box/a.txt"].id, after["box/a.txt"].stage) == (pending.id, Stage.READY)


async def test_a_touched_file_is_neither_read_by_the_parser_nor_embedded(house: House) -> None:
    file = house.write("box/a.txt")
    await house.sync()
    before = await house.documents()
    os.utime(file, ns=(1, 1))
    report = await house.sync()
    assert (report.changes, report.unchanged) == ((), 1)
    assert await house.documents() == before
    assert len(house.parser.read) == 1


async def test_other_bytes_of_the_same_size_and_time_are_seen(house: House) -> None:
    file = house.write("box/a.txt", "The term is two years.")
    await house.sync()
    status = file.stat()
    file.write_text("The term is six years.")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert told(await house.sync()) == {"updated": ["box/a.txt"]}


async def test_bytes_that_add_brought_meanwhile_are_not_taken_for_those_of_the_folder(house: House) -> None:
    file = house.write("box/a.txt", "The first.")
    await house.sync()
    file.write_text("The second.")
    await house.add("box")
    assert (await house.sync()).changes == ()
    await house.add_text("box/a.txt", "The third.", file.as_uri())
    assert told(await house.sync()) == {"updated": ["box/a.txt"]}


async def test_a_document_that_was_removed_by_hand_comes_back_with_its_file(house: House) -> None:
    house.write("box/a.txt")
    house.write("box/b.txt")
    await house.sync()
    await house.ingestor.remove((await house.documents())["box/a.txt"].id)
    assert told(await house.sync()) == {"added": ["box/a.txt"]}


async def test_a_link_that_leads_elsewhere_now_is_the_same_document(house: House) -> None:
    house.write("far/one.txt")
    house.write("far/two.txt")
    house.write("box/a.txt")
    link = house.root / "box/link.txt"
    link.symlink_to(house.root / "far/one.txt")
    await house.sync()
    before = (await house.documents())["box/link.txt"]
    link.unlink()
    link.symlink_to(house.root / "far/two.txt")
    assert told(await house.sync()) == {"updated": ["box/link.txt"]}
    after = (await house.documents())["box/link.txt"]
    assert (after.id, after.source_uri) == (before.id, (house.root / "far/two.txt").as_uri())
    assert (await house.sync()).unchanged == 2
    (house.root / "far/two.txt").unlink()
    # A link that leads nowhere may lead to a disk that isn't mounted: its document isn't gone.
    (failed,) = (await house.sync()).of(Outcome.FAILED)
    assert failed.reason
    assert (failed.path, failed.reason.code, failed.document_id) == ("box/link.txt", "unreadable", before.id)
    link.unlink()
    assert told(await house.sync()) == {"removed": ["box/link.txt"]}


async def test_what_is_no_file_any_more_is_gone(house: House) -> None:
    for name in ("a", "b", "c", "d", "e", "f"):
        house.write(f"box/{name}.txt")
    await house.sync()
    (house.root / "box/a.txt").rename(house.root / "box/.a.txt")
    (house.root / "box/b.txt").unlink()
    os.mkfifo(house.root / "box/b.txt")
    (house.root / "box/c.txt").unlink()
    house.write("box/c.txt/inside.txt")
    assert told(await house.sync()) == {"added": ["box/c.txt/inside.txt"], "removed": ["box/a.txt", "box/b.txt", "box/c.txt"]}


async def test_a_file_that_is_gone_before_it_is_read_is_no_failure(house: House) -> None:
    file = house.write("box/a.txt")
    house.write("box/b.txt")

    class VanishingBlobs(MemoryBlobs):
        async def put_file(self, path: Path):
            file.unlink(missing_ok=True)
            return await super().put_file(path)

    house.ingestor = replace(house.ingestor, blobs=VanishingBlobs())
    assert told(await house.sync()) == {"added": ["box/b.txt"]}


async def test_an_error_of_the_store_stops_and_the_next_run_goes_on(house: House) -> None:
    for n in range(4):
        house.write(f"box/{n}.txt")

    class FullBlobs(MemoryBlobs):
        async def put_file(self, path: Path):
            if path.name == "2.txt":
                raise StoreError("The disk is full.", code="disk_full")
            return await super().put_file(path)

    whole = house.ingestor
    house.ingestor = replace(whole, blobs=FullBlobs())
    with pytest.raises(StoreError):
        await house.sync()
    house.ingestor = whole
    await house.sync()
    assert [document.stage for document in (await house.documents()).values()] == [Stage.READY] * 4


@pytest.fixture
def private_folder() -> Iterator[Path]:
    """Give a folder in which permissions count, even when the superuser runs the tests."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        effective = os.geteuid()
        try:
            yield folder
        finally:
            os.seteuid(effective)
            for path in folder.rglob("*"):
                path.chmod(0o755)


async def test_what_cannot_be_read_is_not_taken_for_gone(private_folder: Path) -> None:
    house = await House(private_folder).open()
    for name in ("box/a.txt", "box/closed/b.txt", "box/closed/deep/c.txt", "box/shut.txt"):
        house.write(name)
    await house.sync()
    before = await house.documents()
    house.write("box/shut.txt", "A change that nobody may read.")
    (house.root / "box/closed").chmod(0o000)
    (house.root / "box/shut.txt").chmod(0o000)
    if os.geteuid() == 0:
        os.seteuid(65534)
    if not os.access(house.root / "box", os.R_OK | os.X_OK, effective_ids=True):
        pytest.skip("the temporary folder is private to the superuser, so no other user can look into it")
    report = await house.sync()
    assert [(change.path.rsplit("/", 1)[-1], change.document_id) for change in report.of(Outcome.FAILED)] == [
        ("closed", None),
        ("shut.txt", before["box/shut.txt"].id),
    ]
    assert (report.unchanged, await house.documents()) == (1, before)
