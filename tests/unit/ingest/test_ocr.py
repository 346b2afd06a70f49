"""Pages that are pictures are read by OCR, page by page, and what can't be read is told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pincite.adapters.memory.ocr import MemoryOcr
from pincite.adapters.memory.parser import PlainTextParser
from pincite.core.documents import ParsedDocument
from pincite.core.errors import RefusedInput
from pincite.core.ports.parsing import ParseProgress
from pincite.ingest.ocr import OcrParser

ADVICE = "Install an OCR engine."
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(text: str) -> Path:
        path = tmp_path / "scan.txt"
        path.write_text(text)
        return path

    return to_file


async def parse(path: Path, reader: MemoryOcr | None) -> ParsedDocument:
    return await OcrParser(PlainTextParser(), reader, ADVICE).parse(path, name=path.name)


async def test_a_picture_between_pages_of_text_is_read_in_its_place(write: Write) -> None:
    reader = MemoryOcr()
    document = await parse(write("One.\f%% Two is a picture.\fThree."), reader)
    assert document.canonical.text == "One.\n\nTwo is a picture.\n\nThree."
    assert document.canonical.pages_by_ocr == {2}
    assert (document.pages_unread, document.unread, document.warnings) == (0, (), ())
    assert reader.asked == [2]


async def test_a_file_of_text_is_not_shown_to_ocr(write: Write) -> None:
    reader = MemoryOcr()
    path = write("One.\fTwo.")
    assert await parse(path, reader) == await PlainTextParser().parse(path, name=path.name)
    assert reader.asked == []


async def test_one_page_that_cannot_be_read_is_named_and_costs_no_other(write: Write) -> None:
    document = await parse(write("%% One\f%% !\f%% !\f%% Four"), MemoryOcr())
    assert document.canonical.text == "One\n\nFour"
    assert (document.pages_unread, document.unread) == (2, (2, 3))
    assert document.warnings == ("Pages 2-3 could not be read by OCR: it took too long to read.",)


async def test_pages_on_which_no_word_was_found_are_named_and_count_as_unread(write: Write) -> None:
    document = await parse(write("One.\f%% \f%% Three\f%% !\f%% "), MemoryOcr())
    assert document.canonical.text == "One.\n\nThree"
    assert (document.pages_unread, document.unread) == (3, (2, 4, 5))
    assert document.warnings == (
        "Page 4 could not be read by OCR: it took too long to read.",
        "Pages 2, 5: OCR saw no words there.",
    )


async def test_a_file_of_pictures_takes_its_title_from_them(write: Write) -> None:
    assert (await parse(write("%% Lease of 1987\n%% The rent is 40."), MemoryOcr())).title == "Lease of 1987"


@pytest.mark.parametrize(
    ("text", "reader", "sentence"),
    [
        ("%% words", None, ADVICE),
        ("%% !\f%% !", MemoryOcr(), "Pages 1-2 could not be read by OCR: it took too long to read."),
        ("%%  ", MemoryOcr(), "saw no words"),
    ],
)
async def test_a_file_that_stays_empty_is_refused_with_what_to_do(
    write: Write, text: str, reader: MemoryOcr | None, sentence: str
) -> None:
    with pytest.raises(RefusedInput) as refused:
        await parse(write(text), reader)
    assert refused.value.code == "no_text"
    assert sentence in refused.value.message


async def test_without_ocr_the_text_is_read_and_the_pictures_are_named(write: Write) -> None:
    document = await parse(write("One.\f%% Two"), None)
    assert document.canonical.text == "One."
    assert document.warnings == (f"Page 2 without text: {ADVICE}",)
    assert document.pages_unread == 1


async def test_another_engine_or_version_reads_anew_and_the_same_one_does_not(write: Write) -> None:
    path = write("One.\f%% Two")
    read = await parse(path, MemoryOcr("1"))
    unread = await parse(path, None)
    for reader, is_current in ((MemoryOcr("1"), [True, False]), (MemoryOcr("2"), [False, False]), (None, [False, True])):
        parser = OcrParser(PlainTextParser(), reader, ADVICE)
        found = [await parser.version_of(document.parser) == document.parser_version for document in (read, unread)]
        assert found == is_current
    text = await PlainTextParser().parse(write("One."), name="one.txt")
    assert await OcrParser(PlainTextParser(), None, ADVICE).version_of(text.parser) == text.parser_version


async def test_progress_counts_the_pages_that_ocr_has_read(write: Write) -> None:
    seen: list[ParseProgress] = []
    path = write("One.\f%% Two\f%% Three")
    await OcrParser(PlainTextParser(), MemoryOcr(), ADVICE).parse(path, name=path.name, on_progress=seen.append)
    assert seen[-2:] == [ParseProgress(2, 3), ParseProgress(3, 3)]
