"""What every page reader does: words in the order of reading, each with its place, and a reason for a page that it can't read."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from pincite.adapters.memory.ocr import MemoryOcr
from pincite.adapters.memory.parser import CONTENT_TYPE, PAGE_HEIGHT, PAGE_WIDTH
from pincite.adapters.parsers.ocr import IsolatedOcr, OcrEngine
from pincite.core.documents import Page
from pincite.core.errors import NotFoundError
from pincite.core.ports.ocr import PageReader, ReadPages

FIRST, SECOND = "The fee is 40 EUR.", "It is due in May."
Case = tuple[PageReader, Path, str, list[Page]]


@pytest.fixture(scope="module")
def isolated() -> Iterator[IsolatedOcr]:
    reader = IsolatedOcr(OcrEngine("rapidocr", "3"), page_timeout_s=120, memory_bytes=1_000_000_000)
    yield reader
    reader.close()


def drawn(text: str, *, top: int = 60) -> Image.Image:
    image = Image.new("RGB", (620, 240), "white")
    ImageDraw.Draw(image).text((40, top), text, fill="black", font=ImageFont.load_default(26))
    return image


@pytest.fixture(params=["memory", "isolated"])
def case(request: pytest.FixtureRequest, isolated: IsolatedOcr, tmp_path: Path) -> Case:
    if request.param == "memory":
        path = tmp_path / "scan.txt"
        path.write_text(f"%% {FIRST}\f%% {SECOND}")
        return MemoryOcr(), path, CONTENT_TYPE, [Page(n, str(n), PAGE_WIDTH, PAGE_HEIGHT) for n in (1, 2)]
    path = tmp_path / "scan.tif"
    drawn(FIRST).save(path, save_all=True, append_images=[drawn(SECOND, top=150)])
    return isolated, path, "image/tiff", [Page(n, str(n), 620, 240) for n in (1, 2)]


async def read(case: Case, *pages: Page) -> ReadPages:
    reader, path, content_type, known = case
    return await reader.read(path, content_type=content_type, pages=pages or known)


async def test_pages_are_read_in_order(case: Case) -> None:
    found = await read(case)
    canonical = found.canonical
    assert " ".join(canonical.text.split()) == f"{FIRST} {SECOND}"
    assert found.failed == {}
    assert [page.number for page in canonical.pages] == [1, 2]
    assert canonical.pages_by_ocr == {1, 2}
    assert [span.page for span in canonical.page_spans(0, len(canonical.text))] == [1, 2]


async def test_every_word_has_its_place_on_the_page_and_how_sure_it_is(case: Case) -> None:
    canonical = (await read(case)).canonical
    for phrase in ("fee", "40", "May"):
        start = canonical.text.index(phrase)
        (run,) = canonical.runs_within(start, start + len(phrase))
        (word,) = canonical.words_of(run)
        page = canonical.pages[run.page - 1]
        assert 0 <= word.x0 < word.x1 <= page.width
        assert 0 <= word.y0 < word.y1 <= page.height
        assert 0 < word.confidence <= 1
    lefts = [word.x0 for word in canonical.words if word.page == 1]
    assert lefts == sorted(lefts)


async def test_the_same_picture_is_read_the_same_way(case: Case) -> None:
    assert await read(case) == await read(case)


async def test_a_page_that_cannot_be_read_fails_alone(case: Case) -> None:
    missing = Page(9, "9", 620, 240)
    found = await read(case, missing, case[3][1])
    assert list(found.failed) == [9]
    assert found.failed[9].message
    assert not found.failed[9].message.endswith(".")
    assert found.canonical.text == SECOND


async def test_progress_counts_pages_that_are_done_also_when_they_failed(case: Case) -> None:
    seen: list[int] = []
    reader, path, content_type, known = case
    await reader.read(path, content_type=content_type, pages=[known[0], Page(9, "9", 620, 240)], on_page=seen.append)
    assert seen == [1, 2]


class Notes:
    """Implements `PageNotes`, and ends the reading when it has so many pages."""

    def __init__(self, most: int = 9) -> None:
        self.pages: dict[tuple[str, int], bytes] = {}
        self.most = most

    async def known(self, reader: str) -> dict[int, bytes]:
        return {page: data for (noted_by, page), data in self.pages.items() if noted_by == reader}

    async def keep(self, reader: str, page: int, data: bytes) -> None:
        self.pages[reader, page] = data
        if len(self.pages) == self.most:
            raise InterruptedError


async def test_what_is_noted_of_pages_is_not_read_again_and_says_the_same(case: Case, tmp_path: Path) -> None:
    reader, path, content_type, pages = case
    notes = Notes(most=1)
    with pytest.raises(InterruptedError):
        await reader.read(path, content_type=content_type, pages=pages, notes=notes)
    assert [page for _, page in notes.pages] == [1]
    found = await reader.read(path, content_type=content_type, pages=pages, notes=notes)
    assert found == await read(case)
    assert sorted(page for _, page in notes.pages) == [1, 2]
    # All is known by now, so that there is nothing that a file without pictures could say.
    nothing = tmp_path / "nothing"
    nothing.write_bytes(b"")
    assert await reader.read(nothing, content_type=content_type, pages=pages, notes=notes) == found


async def test_pages_that_failed_are_not_noted(case: Case) -> None:
    reader, path, content_type, _ = case
    notes = Notes()
    await reader.read(path, content_type=content_type, pages=[Page(9, "9", 620, 240)], notes=notes)
    assert notes.pages == {}


async def test_a_missing_file_is_told_as_such(case: Case, tmp_path: Path) -> None:
    reader, _, content_type, known = case
    with pytest.raises(NotFoundError):
        await reader.read(tmp_path / "gone", content_type=content_type, pages=known)


async def test_a_reader_has_a_name_and_a_version(case: Case) -> None:
    assert case[0].version
    assert case[0].name
    assert "+" not in case[0].name
