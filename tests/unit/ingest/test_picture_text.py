"""Text that OCR reads in pictures: found, quoted at its place on the page, shown as the figure's, and the document's own words."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.ingest.test_contents import OURS, House
from tests.unit.ingest.test_figures import chunks_of, figures_of

from pincite.adapters.memory.ocr import MemoryOcr
from pincite.adapters.memory.parser import LETTER_WIDTH, LINE_HEIGHT, MARGIN, PlainTextParser
from pincite.core.documents import Box, CanonicalText, ChunkType, Document, ParsedDocument, Reason, Stage, Version
from pincite.core.errors import ConfigurationError
from pincite.core.ids import VersionId
from pincite.core.ports.ocr import ReadPages
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.ocr import OcrParser
from pincite.ingest.picture_text import PictureText
from pincite.retrieval.locator import StoredLocator

TEXT = (
    "# Ships\n\nShips are counted each year.\n\n![Twelve barges moored] Figure 1. Ships by year and port\n"
    "\f# Crews\n\nCrews are counted, too.\n\n![Forty sailors sang] Figure 2. Crews by year and port\n\nThat is all."
)
BOX = (100.0, 200.0, 300.0, 400.0)


class Placed(PlainTextParser):
    """A parser whose pictures stand somewhere on their page."""

    async def parse(self, *args: object, **more: object) -> ParsedDocument:
        parsed = await super().parse(*args, **more)  # type: ignore[arg-type]
        return replace(parsed, figures=tuple(replace(place, box=BOX) for place in parsed.figures))


def reading(*, most: int = 9, least: int = 1, reader: MemoryOcr | None = None) -> House:
    house = House(Placed())
    reader = reader or MemoryOcr()
    parser, text = OcrParser(house.parser, reader), PictureText(reader, most, least)
    house.ingestor = Ingestor(house.store, house.blobs, parser, OURS, picture_text=text)
    return house


async def stored(house: House, document: Document) -> tuple[Version, CanonicalText]:
    assert document.version_id
    async with house.store.open(OURS) as work:
        version = await work.versions.get(document.version_id)
        canonical = await work.versions.canonical(document.version_id)
    assert version
    assert canonical
    return version, canonical


async def test_text_in_a_picture_is_a_chunk_of_the_figure_in_the_documents_own_words() -> None:
    house = await reading().open()
    document = await house.add(TEXT, "ships.txt")
    _, canonical = await stored(house, document)
    first, second = await figures_of(house, document)
    assert [canonical.text[slice(*figure.place.read)] for figure in (first, second)] == [
        "Twelve barges moored",
        "Forty sailors sang",
    ]
    assert canonical.text[first.place.start : first.place.end] == "Figure 1. Ships by year and port"
    told = [chunk for chunk in await chunks_of(house, document) if chunk.figure_id]
    assert [(chunk.text, chunk.figure_id) for chunk in sorted(told, key=lambda chunk: chunk.start)] == [
        ("Figure 1. Ships by year and port", first.id),
        ("Twelve barges moored", first.id),
        ("Figure 2. Crews by year and port", second.id),
        ("Forty sailors sang", second.id),
    ]
    assert {(chunk.chunk_type, chunk.generated) for chunk in told} == {(ChunkType.IMAGE_DESCRIPTION, False)}
    assert all(canonical.text[chunk.start : chunk.end] == chunk.text for chunk in await chunks_of(house, document))
    assert [chunk.heading_path for chunk in told if "barges" in chunk.text] == [("Ships",)]
    assert [[page.page for page in chunk.pages] for chunk in told if "sailors" in chunk.text] == [[2]]
    assert (document.pages_ocr, document.warnings) == (0, ())


async def test_its_words_stand_in_the_picture_and_those_around_it_where_the_file_has_them() -> None:
    house = await reading().open()
    document = await house.add(TEXT, "ships.txt")
    version, canonical = await stored(house, document)
    start = canonical.text.index("barges")
    own = canonical.text.index("counted")
    locator = StoredLocator(house.store, house.blobs, house.parser, OURS)
    (inside,), (around,) = await locator.locate(VersionId(version.id), [(start, start + 6), (own, own + 7)])
    [box] = inside.boxes
    assert (inside.page, inside.confidence) == (1, 1.0)
    # The picture has 100 times 100 pixels and is shown twice as large; the engine reads on the grid of the parser.
    left = MARGIN + len("%% Twelve ") * LETTER_WIDTH
    assert (box.x0, box.x1) == (BOX[0] + 2 * left, BOX[0] + 2 * (left + len("barges") * LETTER_WIDTH))
    assert (box.y0, box.y1) == (BOX[1] + 2 * MARGIN, BOX[1] + 2 * (MARGIN + LINE_HEIGHT))
    assert (around.page, around.confidence, len(around.boxes)) == (1, None, 1)
    assert not _overlap(box, around.boxes[0])


def _overlap(one: Box, other: Box) -> bool:
    return one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1


async def test_what_was_read_is_not_read_again_unless_by_another_engine() -> None:
    reader = MemoryOcr()
    house = await reading(reader=reader).open()
    document = await house.add(TEXT, "ships.txt")
    asked = list(reader.asked)
    assert (document.stage, len(asked)) == (Stage.READY, 2)
    for version, more in (("1", 0), ("2", 2)):
        reader.version = version
        pending = replace(document, stage=Stage.PENDING)
        async with house.store.open(OURS) as work:
            await work.documents.save(pending)
            await work.commit()
        await house.ingestor.process(pending, None)
        assert len(reader.asked) == len(asked) + more


async def test_few_and_large_pictures_are_read_and_one_that_cant_be_costs_nothing_else() -> None:
    for house in (reading(most=0), reading(least=101)):
        document = await (await house.open()).add(TEXT, "ships.txt")
        assert [figure.place.read for figure in await figures_of(house, document)] == [(0, 0), (0, 0)]
        assert (await stored(house, document))[0].parser == "memory"
    house = await reading(most=1).open()
    document = await house.add(TEXT, "ships.txt")
    assert [figure.place.read != (0, 0) for figure in await figures_of(house, document)] == [True, False]


async def test_what_the_page_says_itself_and_noise_are_not_taken() -> None:
    house = await reading().open()
    document = await house.add(
        "Ships by year.\n\n![ships by year] Figure 1. Ships by year and port\n\n![a b] Figure 2. More of them", "s.txt"
    )
    assert [figure.place.read for figure in await figures_of(house, document)] == [(0, 0), (0, 0)]


class PicturesAlone(Placed):
    """A parser that finds no text on the second page, which has a picture."""

    async def parse(self, *args: object, **more: object) -> ParsedDocument:
        parsed = await super().parse(*args, **more)
        first = parsed.canonical.blocks[:3]
        text = replace(parsed.canonical, text=parsed.canonical.text[: first[-1].end], blocks=first, runs=parsed.canonical.runs[:3])
        places = (parsed.figures[0], replace(parsed.figures[1], start=0, end=0))
        return replace(parsed, canonical=text, figures=places, pages_unread=1)


async def test_a_page_with_nothing_but_a_picture_is_read_by_the_text_in_it() -> None:
    house = reading()
    reader = MemoryOcr()
    house.parser = PicturesAlone()
    parser = OcrParser(house.parser, reader)
    house.ingestor = Ingestor(house.store, house.blobs, parser, OURS, picture_text=PictureText(reader, least_side_pixels=1))
    document = await (await house.open()).add(TEXT, "ships.txt")
    assert (document.pages, document.pages_unread) == (2, 0)
    [told] = [chunk for chunk in await chunks_of(house, document) if chunk.pages and chunk.pages[0].page == 2]
    assert (told.text, told.chunk_type) == ("Forty sailors sang", ChunkType.IMAGE_DESCRIPTION)


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (ReadPages(CanonicalText("", ()), failed={1: Reason("timeout", "it took too long to read")}), "it took too long to read"),
        (ConfigurationError("The engine can't be started."), "The engine can't be started"),
    ],
)
async def test_an_engine_that_keeps_failing_is_left_alone_and_fails_no_document(failure: ReadPages | Exception, told: str) -> None:
    class Broken(MemoryOcr):
        async def read(self, path: Path, **more: Any) -> ReadPages:
            self.asked.append(1)
            if isinstance(failure, Exception):
                raise failure
            return failure

    reader = Broken()
    house = await reading(reader=reader).open()
    document = await house.add(
        "".join(f"![Ship number {n} sails] Figure {n}. A ship of that year\n\n" for n in range(6)), "ships.txt"
    )
    assert (document.stage, len(reader.asked)) == (Stage.READY, 3)
    assert document.warnings == (f"6 of 6 pictures could not be read by OCR: {told}.",)


async def test_a_picture_that_cant_be_read_is_told() -> None:
    class Failing(MemoryOcr):
        async def read(self, path: Path, **more: Any) -> ReadPages:
            if b"sailors" in path.read_bytes():
                return ReadPages(CanonicalText("", ()), failed={1: Reason("timeout", "it took too long to read")})
            return await super().read(path, **more)

    house = await reading(reader=Failing()).open()
    document = await house.add(TEXT, "ships.txt")
    assert [figure.place.read != (0, 0) for figure in await figures_of(house, document)] == [True, False]
    assert (document.stage, document.warnings) == (
        Stage.READY,
        ("1 of 2 pictures could not be read by OCR: it took too long to read.",),
    )
