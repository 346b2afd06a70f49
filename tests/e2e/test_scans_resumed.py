"""A worker that is killed late in a scan: another reads the pages that are left; and nothing stays of one that is erased."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from PIL import Image
from tests.e2e.crash_checks import environment
from tests.e2e.killing import WORKER

from pincite import Pincite
from pincite.core.documents import Document, Stage
from pincite.core.ids import DocumentId
from pincite.ingest.arrivals import Arrival
from pincite.settings import Settings, load_settings

PAGES, LATE = 40, 36
WAIT_S = 60.0
CANARY = "qxcanaryzw"
# Tells through a pipe (it may write no file) which page it is shown, by its shade, and from one on waits until it may go on.
TESSERACT = """#!{python}
import pathlib, sys, time
if "--version" in sys.argv:
    sys.exit(print("tesseract 5.0"))
n = 255 - sys.stdin.buffer.read()[-400]
folder = pathlib.Path({folder!r})
with open(folder / "asked", "wb") as asked:
    asked.write(bytes([n]))
while n > {late} and not (folder / "go").exists():
    time.sleep(0.02)
print("level page_num block_num par_num line_num word_num left top width height conf text".replace(" ", "\\t"))
for at, word in enumerate([chr(97 + n % 26) * 5 + chr(97 + n // 2) * 4, "is", "told", "by", "{canary}."]):
    print("5", 1, 1, 1, 1, at + 1, 10 + 40 * at, 20, 35, 12, 96, word, sep="\\t")
"""


class House:
    """A home whose scans are read by a program that counts, and its worker."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, folder / "home"
        program = folder / "bin" / "tesseract"
        program.parent.mkdir()
        program.write_text(TESSERACT.format(python=sys.executable, folder=str(folder), late=LATE, canary=CANARY))
        program.chmod(0o755)
        os.mkfifo(folder / "asked")
        self._pipe = os.open(folder / "asked", os.O_RDWR | os.O_NONBLOCK)
        self._asked = b""
        self._kept: list[bytes] = []

    @property
    def environment(self) -> dict[str, str]:
        found = environment(self.home, PINCITE_OCR="tesseract", PINCITE_EMBEDDING="none")
        return found | {"PATH": f"{self.folder / 'bin'}:{found['PATH']}"}

    @property
    def settings(self) -> Settings:
        return load_settings({"PINCITE_OCR": "off", "PINCITE_EMBEDDING": "none"}, home=str(self.home))

    @property
    def asked(self) -> list[int]:
        """Return the pages that the program was shown."""
        with suppress(BlockingIOError):
            self._asked += os.read(self._pipe, 1000)
        return list(self._asked)

    def close(self) -> None:
        os.close(self._pipe)

    @contextmanager
    def working(self) -> Generator[subprocess.Popen[bytes]]:
        """Run a worker, and kill it in the end."""
        process = subprocess.Popen([sys.executable, "-c", WORKER, "1"], env=self.environment, stdout=subprocess.DEVNULL)
        try:
            yield process
        finally:
            process.kill()
            process.wait(WAIT_S)

    def receive(self) -> DocumentId:
        scan = self.folder / "scan.tif"
        first, *others = [Image.new("L", (200, 60), 255 - n) for n in range(1, PAGES + 1)]
        first.save(scan, save_all=True, append_images=others)

        async def work() -> DocumentId:
            async with Pincite(settings=self.settings) as client:
                collection = await client.collection(create=True)
                arrival = Arrival("scan.tif", "scan.tif", scan.read_bytes(), is_queued=True)
                return (await client.services.ingestor.receive(collection, arrival)).id

        return asyncio.run(work())

    def document(self) -> Document:
        async def work() -> Document:
            async with Pincite(settings=self.settings) as client:
                [document] = await client.documents()
                return document

        return asyncio.run(work())

    def pages(self) -> list[bytes]:
        """Return what is kept of single pages."""
        with closing(sqlite3.connect(f"file:{self.home / 'pincite.db'}?mode=ro", uri=True, timeout=30)) as connection:
            return [zlib.decompress(data) for (data,) in connection.execute("SELECT data FROM read_pages")]

    def holding(self) -> list[str]:
        """Return the files of the home that hold a compressed page as it was kept."""
        with closing(sqlite3.connect(f"file:{self.home / 'pincite.db'}?mode=ro", uri=True, timeout=30)) as connection:
            kept: list[bytes] = [data for (data,) in connection.execute("SELECT data FROM read_pages")]
        self._kept = kept or self._kept
        files = [path for path in self.home.rglob("*") if path.is_file()]
        return [path.name for path in files if any(data in path.read_bytes() for data in self._kept)]


@pytest.fixture
def house(tmp_path: Path) -> Generator[House]:
    made = House(tmp_path)
    yield made
    made.close()


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.02)


def kill_late(house: House) -> DocumentId:
    """Have a worker killed that has read all pages but the last few, and has the next one in hand."""
    document_id = house.receive()
    with house.working():
        wait_until(lambda: LATE + 1 in house.asked)
    (house.folder / "go").touch()
    return document_id


def test_of_a_scan_that_was_nearly_read_another_worker_reads_the_rest(house: House) -> None:
    kill_late(house)
    assert len(house.pages()) == LATE
    with house.working():
        wait_until(lambda: house.document().stage in (Stage.READY, Stage.FAILED))
    document = house.document()
    assert document.reason is None, document.reason
    assert (document.stage, document.pages_ocr, document.pages_unread) == (Stage.READY, PAGES, 0)
    # The one that was in hand is read twice, no other.
    assert house.asked == [*range(1, LATE + 2), *range(LATE + 1, PAGES + 1)]
    assert house.pages() == []


def test_nothing_stays_of_the_pages_of_a_scan_that_is_erased_while_it_is_read(house: House) -> None:
    document_id = kill_late(house)
    assert CANARY.encode() in house.pages()[0]
    assert house.holding()

    async def erase() -> tuple[str, ...]:
        async with Pincite(settings=house.settings) as client:
            return (await client.erase(document_id)).left

    assert asyncio.run(erase()) == ()
    assert (house.pages(), house.holding()) == ([], [])
