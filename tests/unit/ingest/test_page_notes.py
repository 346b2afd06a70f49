"""Pages that OCR has read are kept as they come: a reading that was broken off goes on from there, and none is left then."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.ingest.test_contents import OURS, House

from pincite.adapters.memory.ocr import MemoryOcr
from pincite.adapters.memory.parser import PlainTextParser
from pincite.core.documents import Document, ParsedDocument, Stage
from pincite.core.errors import StoreError, UpstreamError
from pincite.core.jobs import JobKind, JobState
from pincite.ingest import turns
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.jobs import IngestJobs
from pincite.ingest.ocr import OcrParser
from pincite.ingest.picture_text import PictureText
from pincite.ingest.turns import always
from pincite.worker.loop import Worker

PAGES, LATE = 200, 180
SCAN = "\f".join(f"%% Page {n} of the ledger" for n in range(1, PAGES + 1))
TEXT = "# Ships\n\n![Twelve barges moored] Figure 1. Ships by year\n\n![Forty sailors sang] Figure 2. Crews by year\n\nThat is all."
MAIL = "%% The letter\f%% Its second page\n@@ inner.txt\nInside."


class Killed(BaseException):
    """The end of the process."""


class Reader(MemoryOcr):
    """`before` happens before each page."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Callable[[int], None] | None = None

    def _recognise(self, page: object, drawn: object) -> str:  # the two of the base
        if self.before:
            self.before(len(self.asked))
        return super()._recognise(page, drawn)  # type: ignore[arg-type]


class Scans(House):
    """A house that reads pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.reader = Reader()
        parser = OcrParser(PlainTextParser(), self.reader)
        self.ingestor = Ingestor(self.store, self.blobs, parser, OURS, picture_text=PictureText(self.reader, 9, 1))

    def kill_after(self, pages: int) -> None:
        def end(asked: int) -> None:
            if asked == pages:
                self.reader.before = None
                raise Killed

        self.reader.before = end

    async def killed(self, text: str, name: str = "scan.txt", *, after: int) -> Document:
        """Begin to read a text, and kill who does after so many pages."""
        document = await self.ingestor.receive(self.collection, Arrival(name, name, text.encode()))
        self.kill_after(after)
        with pytest.raises(Killed):
            await self.ingestor.process(document, None)
        return document

    async def pages_of(self, document: Document) -> int:
        async with self.store.open(OURS) as work:
            return len(await work.read_pages.of(document.id, document.sha256, "memory 1"))


@pytest.fixture
async def house() -> Scans:
    made = Scans()
    await made.open()
    return made


async def test_who_was_killed_late_in_a_scan_is_followed_by_one_who_reads_the_rest(house: Scans) -> None:
    document = await house.killed(SCAN, after=LATE)
    assert await house.pages_of(document) == LATE
    done = await house.ingestor.process(document, None)
    assert (done.stage, done.pages_ocr) == (Stage.READY, PAGES)
    assert house.reader.asked == list(range(1, PAGES + 1))
    clean = Scans()
    await clean.open()
    assert done.chunks == (await clean.add(SCAN, "scan.txt")).chunks
    assert await house.pages_of(document) == 0


@pytest.mark.parametrize("after", [0, 1, PAGES - 1])
async def test_no_page_is_read_twice_wherever_it_was_broken_off(house: Scans, after: int) -> None:
    document = await house.killed(SCAN, after=after)
    await house.ingestor.process(document, None)
    assert house.reader.asked == list(range(1, PAGES + 1))


async def test_pictures_are_read_once_too(house: Scans) -> None:
    document = await house.killed(TEXT, after=1)
    done = await house.ingestor.process(document, None)
    assert len(house.reader.asked) == 2
    clean = Scans()
    await clean.open()
    assert done.chunks == (await clean.add(TEXT, "scan.txt")).chunks


async def test_pages_are_kept_when_something_after_ocr_fails(house: Scans, monkeypatch: pytest.MonkeyPatch) -> None:
    async def down(*_: object, **__: object) -> None:
        raise UpstreamError("Down.", retryable=True)

    document = await house.ingestor.receive(house.collection, Arrival("mail.txt", "mail.txt", MAIL.encode()))
    with monkeypatch.context() as patched:
        patched.setattr(PlainTextParser, "unpack", down)
        with pytest.raises(UpstreamError):
            await house.ingestor.process(document, None)
    failed = (await house.rows())["mail.txt"]
    assert await house.pages_of(document) == 2
    assert (await house.ingestor.process(failed, None)).stage is Stage.READY
    assert house.reader.asked == [1, 2]
    assert await house.pages_of(document) == 0


async def test_another_version_of_the_reader_begins_anew(house: Scans) -> None:
    document = await house.killed("%% One\f%% Two\f%% Three", after=2)
    house.reader.version = "2"
    await house.ingestor.process(document, None)
    assert house.reader.asked == [1, 2, 1, 2, 3]
    assert await house.pages_of(document) == 0


async def test_other_bytes_at_the_path_leave_nothing_of_those_before(house: Scans) -> None:
    document = await house.killed("%% One\f%% Two\f%% Three", after=2)
    changed = await house.ingestor.receive(house.collection, Arrival("scan.txt", "scan.txt", b"%% One\f%% 2"))
    assert (changed.id, await house.pages_of(document)) == (document.id, 0)
    await house.ingestor.process(changed, None)
    assert house.reader.asked == [1, 2, 1, 2]


async def test_a_page_that_failed_is_tried_again_and_the_others_are_not(house: Scans) -> None:
    document = await house.killed("%% One\f%% !\f%% Three", after=2)
    await house.ingestor.process(document, None)
    assert house.reader.asked == [1, 2, 2, 3]


async def test_what_is_asked_to_be_read_again_is_read_again(house: Scans) -> None:
    document = await house.killed("%% One\f%% Two", after=1)
    await house.ingestor.process(document, None, is_anew=True)
    assert house.reader.asked == [1, 1, 2]
    assert await house.pages_of(document) == 0


async def test_who_reads_a_document_that_is_gone_stops_and_keeps_nothing(house: Scans) -> None:
    document = await house.ingestor.receive(house.collection, Arrival("scan.txt", "scan.txt", SCAN.encode()))

    async def then_removed(*, is_read: bool = True) -> bool:
        if len(house.reader.asked) == 3:
            await house.ingestor.remove(document.id)
        return False

    done = await house.ingestor.process(document, None, gives_way=then_removed)
    assert done.reason
    assert (done.reason.code, house.reader.asked) == ("removed", [1, 2, 3, 4])
    assert await house.pages_of(document) == 0


async def test_a_store_that_takes_no_page_costs_nothing_but_reading_it_again(house: Scans, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*_: object) -> None:
        raise StoreError("The disk is full.", code="disk_full")

    with monkeypatch.context() as patched:
        patched.setattr("pincite.adapters.memory.read_pages.MemoryReadPages.keep", full)
        document = await house.killed("%% One\f%% Two", after=1)
    done = await house.ingestor.process(document, None)
    assert (done.stage, house.reader.asked) == (Stage.READY, [1, 1, 2])


async def test_a_scan_lets_small_files_go_first_between_two_pages(house: Scans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "time", Clock())
    worker = Worker(house.store.queue, {JobKind.INGEST: IngestJobs(house.store, house.ingestor, lambda _: None)})
    for name, text in (("scan.txt", SCAN), ("small.txt", "Small."), ("other.txt", "%% Another scan")):
        await house.ingestor.receive(house.collection, Arrival(name, name, text.encode(), is_queued=True))
    begun: list[tuple[str, int]] = []
    parse = PlainTextParser.parse

    async def parsed(self: PlainTextParser, path: Path, **more: Any) -> ParsedDocument:
        begun.append((more["name"], len(house.reader.asked)))
        return await parse(self, path, **more)

    monkeypatch.setattr(PlainTextParser, "parse", parsed)
    await worker.work_off()
    assert begun == [("scan.txt", 0), ("small.txt", 2), ("other.txt", 2), ("scan.txt", 3)]
    assert len(house.reader.asked) == PAGES + 1
    async with house.store.open(OURS) as work:
        assert [job.attempt for job in await work.jobs.list([JobState.DONE])] == [1, 1, 1]
    assert set((await house.stages()).values()) == {"ready"}


async def test_a_file_that_is_added_at_once_gives_way_to_nobody_while_it_is_read(house: Scans) -> None:
    document = await house.ingestor.receive(house.collection, Arrival("scan.txt", "scan.txt", SCAN.encode()))
    found = await house.ingestor.process(document, None, gives_way=always)
    assert (found.stage, found.pages_ocr, len(house.reader.asked)) == (Stage.EMBEDDING, PAGES, PAGES)


class Clock:
    """A clock that moves on when it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        self.now += 1.0
        return self.now
