"""Files inside files are documents that come, change and go with the one that holds them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import Collection, Document, ParsedDocument, Reason, Stage
from pincite.core.errors import UpstreamError
from pincite.core.files import FileState
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.jobs import JobKind
from pincite.core.ports.ocr import PageNotes
from pincite.core.ports.parsing import ContainedFile, ParseProgress
from pincite.ingest.arrivals import Arrival
from pincite.ingest.contents import MAX_LEVELS
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.jobs import IngestJobs

OURS = WorkspaceId(new_id())
MAIL = "See the bill.\n@@ bill.txt\nThe fee is 40.\n@@ plan.txt\nDue in May.\n"


async def nobody_waits(*, priority: int, by_others: bool) -> bool:
    return False


class DamagedParser(PlainTextParser):
    """A parser for which one file inside can't be taken out."""

    async def unpack(self, path: Path, *, name: str, into: Path) -> list[ContainedFile]:
        first, *rest = await super().unpack(path, name=name, into=into)
        return [ContainedFile(first.name, problem=Reason("corrupt", "It is damaged.")), *rest]


class Deep(PlainTextParser):
    """A parser for which in every file there is one more."""

    async def unpack(self, path: Path, *, name: str, into: Path) -> list[ContainedFile]:
        (into / "0").write_text(path.read_text())
        return [ContainedFile("inner.txt", into / "0")]


@dataclass
class House:
    """An ingestor over memory, with one collection that is searched by words."""

    parser: PlainTextParser = field(default_factory=PlainTextParser)
    store: MemoryStore = field(default_factory=MemoryStore)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)

    def __post_init__(self) -> None:
        self.ingestor = Ingestor(self.store, self.blobs, self.parser, OURS)
        self.collection = Collection(CollectionId(new_id()), OURS, "default", None, datetime.now(UTC))

    async def open(self) -> "House":
        async with self.store.open(OURS) as work:
            await work.collections.add(self.collection)
            await work.commit()
        return self

    async def add(self, text: str, path: str = "mail.eml") -> Document:
        document = await self.ingestor.receive(self.collection, Arrival(path, path, text.encode()))
        return await self.ingestor.process(document, None)

    async def rows(self) -> dict[str, Document]:
        async with self.store.open(OURS) as work:
            return {each.path: each for each in await work.documents.list(self.collection.id)}

    async def stages(self) -> dict[str, str]:
        return {path: each.reason.code if each.reason else each.stage.value for path, each in (await self.rows()).items()}


@pytest.fixture
async def house() -> House:
    return await House().open()


async def test_each_file_inside_is_a_document_of_its_own(house: House) -> None:
    mail = await house.add(MAIL)
    rows = await house.rows()
    assert await house.stages() == {"mail.eml": "ready", "mail.eml/bill.txt": "ready", "mail.eml/plan.txt": "ready"}
    assert {rows[path].container_id for path in ("mail.eml/bill.txt", "mail.eml/plan.txt")} == {mail.id}
    assert rows["mail.eml/bill.txt"].title == "bill.txt"
    assert [each.path for each in await house.ingestor.contents(mail)] == ["mail.eml/bill.txt", "mail.eml/plan.txt"]


async def test_another_version_changes_what_changed_and_removes_what_is_gone(house: House) -> None:
    await house.add(MAIL)
    before = await house.rows()
    await house.add("See the bill.\n@@ bill.txt\nThe fee is 50.\n@@ new.txt\nNews.\n")
    after = await house.rows()
    assert sorted(after) == ["mail.eml", "mail.eml/bill.txt", "mail.eml/new.txt"]
    assert after["mail.eml/bill.txt"].id == before["mail.eml/bill.txt"].id
    assert after["mail.eml/bill.txt"].version_id != before["mail.eml/bill.txt"].version_id
    assert not await house.blobs.has(before["mail.eml/plan.txt"].sha256)
    await house.add("Nothing inside any more.")
    assert await house.stages() == {"mail.eml": "ready"}


async def test_a_file_inside_that_did_not_change_is_left_as_it_is(house: House) -> None:
    await house.add(MAIL)
    before = await house.rows()
    await house.add(MAIL.replace("See the", "Once more: the"))
    after = await house.rows()
    assert after["mail.eml/bill.txt"] == before["mail.eml/bill.txt"]


async def test_removing_takes_all_levels_and_bytes_and_nothing_of_others(house: House) -> None:
    own = await house.add("Mine.", path="mail.eml/mine.txt")
    mail = await house.add(MAIL)
    hashes = [each.sha256 for each in (await house.rows()).values() if each.id != own.id]
    await house.ingestor.remove(mail.id)
    assert list(await house.rows()) == ["mail.eml/mine.txt"]
    assert [await house.blobs.has(sha256) for sha256 in hashes] == [False] * len(hashes)


async def test_a_path_that_is_taken_gets_a_number(house: House) -> None:
    own = await house.add("Mine.", path="mail.eml/bill.txt")
    await house.add(MAIL)
    rows = await house.rows()
    assert rows["mail.eml/bill.txt"].id == own.id
    assert rows["mail.eml/bill (2).txt"].stage is Stage.READY
    await house.add(MAIL + "More.")
    assert sorted(await house.rows()) == sorted(rows)


async def test_a_bad_file_inside_fails_alone() -> None:
    house = await House(DamagedParser()).open()
    await house.add(MAIL)
    assert await house.stages() == {"mail.eml": "ready", "mail.eml/bill.txt": "corrupt", "mail.eml/plan.txt": "ready"}


async def test_files_inside_each_other_end_at_a_level() -> None:
    house = await House(Deep()).open()
    mail = await house.add("x\n@@ inner.txt\ny\n")
    inner = await house.ingestor.contents(mail)
    assert len(inner) == MAX_LEVELS - 1
    assert [each.reason.code for each in inner if each.reason] == ["too_deep"]


async def test_a_moved_document_takes_what_is_inside_along(house: House) -> None:
    mail = await house.add(MAIL)
    before = await house.rows()
    await house.ingestor.move(mail.id, "file:///new.eml", FileState("file:///new.eml"), paths=["box/new.eml"])
    after = await house.rows()
    assert sorted(after) == ["box/new.eml", "box/new.eml/bill.txt", "box/new.eml/plan.txt"]
    assert after["box/new.eml/bill.txt"].id == before["mail.eml/bill.txt"].id
    await house.ingestor.remove(mail.id)
    assert await house.rows() == {}


async def test_a_worker_puts_the_files_inside_into_the_queue(house: House) -> None:
    jobs = IngestJobs(house.store, house.ingestor, lambda _: None)
    await house.ingestor.receive(house.collection, Arrival("mail.eml", "mail.eml", MAIL.encode(), is_queued=True))
    ran = 0
    while job := await house.store.queue.lease([JobKind.INGEST], for_s=60):
        await jobs.run(job, nobody_waits)
        assert await house.store.queue.finish(job)
        ran += 1
    assert ran == 3
    assert set((await house.stages()).values()) == {"ready"}


async def test_what_stops_a_file_inside_leaves_the_outer_one_to_be_tried_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Down(PlainTextParser):
        async def parse(
            self,
            path: Path,
            *,
            name: str,
            on_progress: Callable[[ParseProgress], None] | None = None,
            notes: PageNotes | None = None,
        ) -> ParsedDocument:
            if name.endswith("plan.txt"):
                raise UpstreamError("The model is down.", retryable=True)
            return await super().parse(path, name=name)

    failing = await House(Down()).open()
    with pytest.raises(UpstreamError):
        await failing.add(MAIL)
    assert await failing.stages() == {"mail.eml": "upstream", "mail.eml/bill.txt": "ready", "mail.eml/plan.txt": "upstream"}
