"""Pictures in documents: kept beside them, found by the words that stand for them, and gone with them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.ingest.test_contents import OURS, House

from pincite.adapters.memory.ocr import MemoryOcr
from pincite.adapters.memory.parser import PlainTextParser
from pincite.core.documents import Chunk, ChunkType, Document, Stage
from pincite.core.errors import RefusedInput
from pincite.core.figures import Figure, Picture
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.ocr import OcrParser

TEXT = "# Ships\n\nShips are counted each year.\n\n![chart] Figure 1. Ships by year and port\n\n![logo] The house\n\nMore."


class NoPictures(PlainTextParser):
    """A parser that fails over pictures."""

    async def pictures(self, *args: object, **more: object) -> list[Picture | None]:
        raise RefusedInput("It took too long.", code="timeout")


async def figures_of(house: House, document: Document) -> list[Figure]:
    assert document.version_id
    async with house.store.open(OURS) as work:
        return await work.figures.of_version(document.version_id)


async def chunks_of(house: House, document: Document) -> list[Chunk]:
    assert document.version_id
    async with house.store.open(OURS) as work:
        return await work.chunks.of_version(document.version_id)


async def test_a_picture_is_kept_and_its_caption_is_a_chunk_of_it() -> None:
    house = await House().open()
    document = await house.add(TEXT, "ships.txt")
    (figure,) = await figures_of(house, document)
    assert (await house.blobs.local_path(figure.sha256)).read_bytes().startswith(b"\x89PNG")
    chunks = await chunks_of(house, document)
    (told,) = [chunk for chunk in chunks if chunk.chunk_type is ChunkType.IMAGE_DESCRIPTION]
    assert (told.text, told.figure_id, told.generated) == ("Figure 1. Ships by year and port", figure.id, False)
    async with house.store.open(OURS) as work:
        canonical = await work.versions.canonical(figure.version_id)
        (passage,) = await work.chunks.passages([told.id])
    assert canonical
    assert canonical.text[told.start : told.end] == told.text
    assert passage.image_url == f"/api/documents/{document.id}/figures/{figure.id}"
    assert [chunk.chunk_index for chunk in chunks] == list(range(len(chunks)))


async def test_the_text_of_a_scanned_page_tells_of_the_picture_of_that_page() -> None:
    house = House()
    house.ingestor = Ingestor(house.store, house.blobs, OcrParser(house.parser, MemoryOcr()), OURS)
    await house.open()
    document = await house.add("One page has text.\f%% Two is a picture of words.\fThree has text.", "scan.txt")
    [read] = [chunk for chunk in await chunks_of(house, document) if chunk.chunk_type is ChunkType.IMAGE_DESCRIPTION]
    assert (read.text, read.generated, read.figure_id) == ("Two is a picture of words.", False, None)
    async with house.store.open(OURS) as work:
        passages = await work.chunks.passages([chunk.id for chunk in await chunks_of(house, document)])
    found = {passage.text: passage.image_url for passage in passages}
    page = f"/api/documents/{document.id}/pages/2?version_id={document.version_id}"
    assert found == {"One page has text.": None, read.text: page, "Three has text.": None}


async def test_a_file_whose_pictures_cant_be_taken_out_is_read_without_them() -> None:
    house = await House(NoPictures()).open()
    document = await house.add(TEXT, "ships.txt")
    assert document.stage is Stage.READY
    assert await figures_of(house, document) == []
    assert all(chunk.figure_id is None for chunk in await chunks_of(house, document))


async def test_no_text_tells_of_a_picture_that_comes_back_again_and_again() -> None:
    class Repeating(PlainTextParser):
        async def pictures(self, path: Path, **more: Any) -> list[Picture | None]:
            return [picture and replace(picture, is_repeated=True) for picture in await super().pictures(path, **more)]

    house = await House(Repeating()).open()
    document = await house.add(TEXT, "ships.txt")
    assert [(figure.place.start, figure.place.end) for figure in await figures_of(house, document)] == [(0, 0)]
    assert {chunk.chunk_type for chunk in await chunks_of(house, document)} == {ChunkType.TEXT}


async def test_no_more_pictures_are_kept_than_may_be() -> None:
    house = await House().open()
    house.ingestor = Ingestor(house.store, house.blobs, house.parser, OURS, max_figures=2)
    document = await house.add("".join(f"![p{n}] Picture of ship number {n}\n\n" for n in range(5)), "ships.txt")
    assert [figure.number for figure in await figures_of(house, document)] == [1, 2]


async def test_the_bytes_of_a_picture_go_with_its_document() -> None:
    house = await House().open()
    document = await house.add(TEXT, "ships.txt")
    (figure,) = await figures_of(house, document)
    await house.ingestor.remove(document.id)
    assert not await house.blobs.has(figure.sha256)
    assert [blob async for blob in house.blobs.all()] == []


async def test_bytes_that_another_document_shows_stay() -> None:
    house = await House().open()
    first, second = await house.add(TEXT, "a.txt"), await house.add(TEXT + " And more.", "b.txt")
    (figure,) = await figures_of(house, first)
    await house.ingestor.remove(first.id)
    assert await house.blobs.has(figure.sha256)
    await house.ingestor.remove(second.id)
    assert not await house.blobs.has(figure.sha256)


async def test_a_draft_that_is_given_up_leaves_no_bytes() -> None:
    house = await House().open()
    arrival = Arrival("ships.txt", "ships.txt", (TEXT + "x" * 60_000).encode())
    document = await house.ingestor.receive(house.collection, arrival)

    class Stops(Exception):
        pass

    def stop(progress: object) -> None:
        if getattr(progress, "stage", None) is Stage.CHUNKING:
            raise Stops

    with pytest.raises(Stops):
        await house.ingestor.process(document, None, on_progress=stop)
    await house.ingestor.receive(house.collection, Arrival("ships.txt", "ships.txt", b"Nothing."))
    left = [blob async for blob in house.blobs.all()]
    assert [(await house.blobs.local_path(blob.sha256)).read_bytes() for blob in left] == [b"Nothing."]


async def test_bytes_that_went_away_before_a_row_named_them_are_stored_again() -> None:
    house = await House().open()
    document = await house.add(TEXT, "ships.txt")
    (figure,) = await figures_of(house, document)
    await house.blobs.delete(figure.sha256)
    again = await house.ingestor.process(replace(document, stage=Stage.PENDING), None)
    assert again.stage is Stage.READY
    assert await house.blobs.has(figure.sha256)
