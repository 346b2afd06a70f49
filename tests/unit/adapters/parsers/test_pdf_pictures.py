"""Pages of PDF files as pictures: the boxes of text lie on its letters, and no file draws for long or without bound."""

import asyncio
import json
import struct
import zlib
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite.adapters.parsers.isolation import IsolatedParser
from pincite.adapters.parsers.limits import ParseLimits
from pincite.adapters.parsers.pdf import read_pdf
from pincite.adapters.parsers.pdf_boxes import pdf_boxes
from pincite.adapters.parsers.pdf_pictures import MOST_PIXELS, MOST_SIDE, fitting, pdf_picture, png_of
from pincite.core.errors import RefusedInput

CASES = json.loads((Path(__file__).resolve().parents[3] / "data" / "parsing" / "cases.json").read_text())
PDF = "application/pdf"
Box = tuple[float, float, float, float]


class Picture:
    """A drawn page, read again from its PNG."""

    def __init__(self, path: str, number: int = 1, width: int = 1224) -> None:
        drawn: Any = pdf_picture(path, number, width)
        self.scale = drawn["size"][0] / drawn["page_size"][0]
        self.page_size = drawn["page_size"]
        self.width, self.height, channels, data = unpacked(b64decode(drawn["png"]))
        line = 1 + channels * self.width
        self.rows = [data[y * line + 1 : (y + 1) * line : channels] for y in range(self.height)]

    def dark(self, box: Box) -> float:
        """Return the share of dark pixels within a box in points."""
        x0, y0, x1, y1 = (round(value * self.scale) for value in box)
        pixels = b"".join(row[max(0, x0) : x1] for row in self.rows[max(0, y0) : y1])
        return sum(value < 128 for value in pixels) / max(1, len(pixels))


def unpacked(png: bytes) -> tuple[int, int, int, bytes]:
    """Return width, height, channels and data of a PNG whose rows are not filtered."""
    at, data, width, height, channels = 8, b"", 0, 0, 0
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + body)
        if name == b"IHDR":
            width, height, _, colours = struct.unpack(">IIBB", body[:10])
            channels = 3 if colours == 2 else 1
        data += body if name == b"IDAT" else b""
        at += 12 + length
    return width, height, channels, zlib.decompress(data)


def around(box: Box, by: float) -> list[Box]:
    """Return four strips on the sides of a box."""
    x0, y0, x1, y1 = box
    return [
        (x0 - by, y0 - by, x1 + by, y0 - 1),
        (x0 - by, y1 + 1, x1 + by, y1 + by),
        (x0 - by, y0, x0 - 1, y1),
        (x1 + 1, y0, x1 + by, y1),
    ]


def boxes_of(path: str, phrase: str, page: int = 1) -> list[Box]:
    canonical = read_pdf(path, max_pages=100, max_chars=1_000_000).canonical
    start = canonical.text.index(phrase)
    runs = [(run.page, run.index, run.count) for run in canonical.runs_within(start, start + len(phrase))]
    return [box for found in pdf_boxes(path, [run for run in runs if run[0] == page]) for box in found]


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize(
    "boxes",
    [
        "/MediaBox[0 0 612 792]",
        "/MediaBox[0 0 612 792]/CropBox[40 90 560 730]",
        "/MediaBox[-30 -50 650 800]",
        "/MediaBox[-30 -50 650 800]/CropBox[20 300 600 900]",
    ],
)
def test_the_box_of_a_phrase_covers_its_letters_and_nothing_else(kit: Any, rotate: int, boxes: str) -> None:
    texts = [kit.text(120, 200, "Harbour dues", 14), kit.text(120, 400, "Another line stands here.", 14)]
    path = kit.write(kit.sheet(texts, rotate=rotate, boxes=boxes))
    picture = Picture(path)
    [box] = boxes_of(path, "Harbour dues")
    assert 0 <= box[0] < box[2] <= picture.page_size[0]
    assert picture.dark(box) > 0.15
    assert [picture.dark(strip) for strip in around(box, 8)] == [0, 0, 0, 0]


@pytest.mark.parametrize("case", CASES, ids=[case["file"] for case in CASES])
def test_the_boxes_of_a_phrase_lie_on_ink_in_real_files(case: dict[str, Any], data: Path) -> None:
    picture = Picture(str(data / case["file"]), case["page"])
    assert min(picture.dark(box) for box in case["boxes"]) > 0.05


def test_the_boxes_of_a_real_turned_page_lie_on_ink(shared: Path) -> None:
    path = str(shared / "corpus" / "rotated-page-90.pdf")
    first_words = read_pdf(path, max_pages=100, max_chars=1_000_000).canonical.text[:12]
    picture = Picture(path)
    assert min(picture.dark(box) for box in boxes_of(path, first_words)) > 0.05


def test_colours_stay_and_greys_take_a_third_of_the_room() -> None:
    rows = [bytes([200, 10, 30] * 4), bytes([255, 255, 255] * 4)]
    assert unpacked(png_of(rows, 4)) == (4, 2, 3, b"\0" + rows[0] + b"\0" + rows[1])
    assert unpacked(png_of([bytes([7, 7, 7] * 4)], 4)) == (4, 1, 1, b"\0\7\7\7\7")


@pytest.mark.parametrize("points", [(612, 792), (1, 100_000), (100_000, 1), (100_000, 100_000), (0.001, 14_400), (3, 3)])
@pytest.mark.parametrize("width", [16, 1000, 4000])
def test_no_shape_of_a_page_makes_a_picture_too_large(points: tuple[float, float], width: int) -> None:
    wide, high = fitting(points, width)
    assert 1 <= wide <= width
    assert 1 <= high <= MOST_SIDE
    assert wide * high <= MOST_PIXELS


def test_a_page_that_the_file_lacks_is_answered_with_how_many_it_has(kit: Any) -> None:
    path = kit.write(kit.sheet(), kit.sheet())
    assert [pdf_picture(path, number, 100) for number in (0, 3, -1, 10**12)] == [{"pages": 2}] * 4


@pytest.fixture(scope="module")
def parser() -> Iterator[IsolatedParser]:
    parser = IsolatedParser(ParseLimits(memory_bytes=400 * 1024 * 1024, stall_s=1.5))
    yield parser
    parser.close()


def laughs(levels: int) -> bytes:
    """Return a PDF whose page draws a form that draws a form ten times, and so on."""
    forms = [
        b"<</Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</F %d 0 R>>>>/Length %d>>stream\n%s\nendstream"
        % (5 + level, 50, b"/F Do" * 10)
        for level in range(levels)
    ]
    last = b"<</Type/XObject/Subtype/Form/BBox[0 0 612 792]/Length 15>>stream\n0 0 9 9 re f   \nendstream"
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</XObject<</F 4 0 R>>>>/Contents %d 0 R>>" % (5 + levels),
        *forms,
        last,
        b"<</Length 5>>stream\n/F Do\nendstream",
    ]
    objects = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, body) for number, body in enumerate(bodies, start=1))
    return b"%PDF-1.7\n" + objects + b"trailer<</Size 99/Root 1 0 R>>\n%%EOF\n"


async def test_a_page_that_takes_too_long_is_stopped_and_the_next_is_drawn(parser: IsolatedParser, tmp_path: Path) -> None:
    path = tmp_path / "laughs.pdf"
    path.write_bytes(laughs(9))
    with pytest.raises(RefusedInput) as refused:
        await parser.picture(path, content_type=PDF, page=1, width=500)
    # Whichever bound it meets first; PDFium ends its own process when it gets no more memory.
    assert refused.value.code in {"timeout", "memory", "crashed"}
    path.write_bytes(laughs(1))
    assert (await parser.picture(path, content_type=PDF, page=1, width=500)).width == 500


async def test_a_page_of_100_000_points_a_side_is_drawn_within_the_bounds(parser: IsolatedParser, kit: Any) -> None:
    path = Path(kit.write(kit.sheet([kit.text(72, 72, "Vast")], boxes="/MediaBox[0 0 100000 100000]")))
    drawn = await parser.picture(path, content_type=PDF, page=1, width=4000)
    assert (drawn.width, drawn.height, drawn.page_width) == (4000, 4000, 100_000)


async def test_hostile_files_are_drawn_or_refused_and_stop_nobody(parser: IsolatedParser, shared: Path, data: Path) -> None:
    folder = shared / "attacks" / "files" / "pdf"
    hostile = [path for path in sorted(folder.iterdir()) if path.is_file()]
    endings = await asyncio.gather(*(ending(parser, path) for path in hostile))
    assert len(endings) > 5
    assert {code for code in endings if code} <= {"corrupt", "encrypted", "memory", "timeout", "crashed", "page"}
    assert await ending(parser, data / "fake-memo.pdf") == ""


async def ending(parser: IsolatedParser, path: Path) -> str:
    """Return the code with which a page is refused, empty when it is drawn."""
    try:
        await parser.picture(path, content_type=PDF, page=1, width=800)
    except RefusedInput as error:
        return error.code
    return ""
