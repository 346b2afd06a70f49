"""Pictures on PDF pages: which are figures, which text tells of them, and how they look when they are taken out."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pincite.adapters.parsers.figure_pictures import take_pictures
from pincite.adapters.parsers.pdf import read_pdf
from pincite.core.documents import ParsedDocument
from pincite.core.figures import FigurePlace

WORDS = "The harbour was built in 1921 by the town and paid for by the ships that came to it from the north and the east."
BOX = (100.0, 200.0, 300.0, 300.0)


def picture(box: Sequence[float] = BOX, pixels: Sequence[int] = (0, 90, 180, 255)) -> bytes:
    """Operators that draw a picture of four grey pixels; `box` is counted from the top."""
    x0, y0, x1, y1 = box
    data = bytes(pixels)
    return b"q %g 0 0 %g %g %g cm BI /W 2 /H 2 /CS /G /BPC 8 ID %b EI Q\n" % (x1 - x0, y1 - y0, x0, 792 - y1, data)


def parse(path: str) -> ParsedDocument:
    return read_pdf(path, max_pages=100, max_chars=1_000_000)


def taken(path: str, places: Sequence[FigurePlace]) -> dict[int, bytes]:
    """Return the bytes of the pictures that are kept."""
    found: dict[int, bytes] = {}
    sizes = take_pictures(
        path,
        name=Path(path).name,
        places=places,
        max_unpacked_bytes=1 << 24,
        write=lambda number, piece: found.update({number: found.get(number, b"") + piece}),
    )
    return {number: data for number, data in found.items() if sizes[number]}


def told(document: ParsedDocument) -> list[str]:
    return [document.canonical.text[place.start : place.end] for place in document.figures]


def test_a_picture_has_its_box_and_the_caption_below_it(kit: Any) -> None:
    texts = [*kit.column(WORDS, y=100), kit.text(100, 320, "Figure 1. The harbour in 1921"), *kit.column(WORDS, y=400)]
    document = parse(kit.write(kit.sheet(texts, drawing=picture())))
    assert [(place.page, place.box) for place in document.figures] == [(1, BOX)]
    assert told(document) == ["Figure 1. The harbour in 1921"]


def test_without_a_caption_the_nearest_text_tells_of_it(kit: Any) -> None:
    texts = [kit.text(100, 80, "The town hall stood far above it."), kit.text(100, 185, "This is what the harbour looks like.")]
    assert told(parse(kit.write(kit.sheet(texts, drawing=picture())))) == ["This is what the harbour looks like."]


def test_the_caption_of_a_table_tells_of_no_picture(kit: Any) -> None:
    texts = [kit.text(100, 185, "This is what it looks like."), kit.text(100, 310, "Table 1. Ships by year")]
    assert told(parse(kit.write(kit.sheet(texts, drawing=picture())))) == ["This is what it looks like."]


def test_pictures_over_one_caption_are_one_figure(kit: Any) -> None:
    parts = picture((100, 200, 190, 300)) + picture((210, 200, 300, 300))
    document = parse(kit.write(kit.sheet([kit.text(100, 320, "Figure 1. Before and after")], drawing=parts)))
    assert [place.box for place in document.figures] == [BOX]


def test_the_tiles_of_a_picture_are_one(kit: Any) -> None:
    tiles = b"".join(picture((100 + 50 * x, 200 + 50 * y, 150 + 50 * x, 250 + 50 * y)) for x in range(4) for y in range(2))
    document = parse(kit.write(kit.sheet([kit.text(100, 320, WORDS)], drawing=tiles)))
    assert [place.box for place in document.figures] == [BOX]


@pytest.mark.parametrize("box", [(100, 200, 120, 220), (72, 200, 540, 204), (72, 200, 540, 240), (0, 0, 612, 792)])
def test_marks_lines_bars_and_backgrounds_are_no_figures(kit: Any, box: Sequence[float]) -> None:
    assert parse(kit.write(kit.sheet([kit.text(72, 100, WORDS)], drawing=picture(box)))).figures == ()


@pytest.mark.parametrize(("rotate", "box"), [(90, (492, 100, 592, 300)), (180, (312, 492, 512, 592)), (270, (200, 312, 300, 512))])
def test_on_a_turned_page_the_box_is_that_of_the_page_as_displayed(kit: Any, rotate: int, box: Sequence[float]) -> None:
    path = kit.write(kit.sheet([kit.text(100, 320, "Figure 1. The harbour in 1921")], rotate=rotate, drawing=picture()))
    document = parse(path)
    assert [place.box for place in document.figures] == [box]
    assert told(document) == ["Figure 1. The harbour in 1921"]
    assert Image.open(BytesIO(taken(path, document.figures)[0])).size == tuple(
        round((high - low) * 150 / 72) for low, high in ((box[0], box[2]), (box[1], box[3]))
    )


def test_a_picture_is_taken_out_as_it_is_seen_with_what_lies_over_it(kit: Any) -> None:
    label = kit.text(110, 220, "North", 12)
    path = kit.write(kit.sheet([label, kit.text(100, 320, WORDS)], drawing=picture(pixels=(255, 255, 255, 200))))
    places = parse(path).figures
    seen = Image.open(BytesIO(taken(path, places)[0])).convert("L")
    assert seen.size == (417, 208)
    dark = seen.point([255] * 100 + [0] * 156).getbbox()
    assert dark is not None
    assert 20 <= dark[0] <= 24
    assert 20 <= dark[1] < dark[3] <= 45


def test_what_shows_nothing_is_left_out_and_what_comes_back_is_kept_once(kit: Any) -> None:
    blank = picture((320, 200, 420, 300), (255, 255, 255, 255))
    sheets = [
        kit.sheet(
            [kit.text(100, 350, f"{WORDS} {number}")],
            drawing=picture() + blank + picture((100, 500, 300, 600), (0, 9, 99, 9 * number)),
        )
        for number in range(4)
    ]
    path = kit.write(*sheets)
    places = parse(path).figures
    kept = taken(path, places)
    assert len(places) == 12
    assert sorted(places[number].box or () for number in kept) == [tuple(BOX), *[(100.0, 500.0, 300.0, 600.0)] * 4]
    sizes = take_pictures(path, name="a.pdf", places=places, max_unpacked_bytes=1 << 24, write=lambda number, piece: None)
    repeated = [places[number].box for number, row in enumerate(sizes) if row and row[-1]]
    assert repeated == [tuple(BOX)]


@pytest.mark.parametrize(
    ("box", "lines", "is_kept"),
    [
        ((0, 200, 612, 300), 0, True),
        ((0, 200, 612, 300), 2, False),
        ((100, 0, 200, 792), 5, False),
        ((100, 200, 500, 400), 2, True),
        ((90, 200, 520, 400), 14, False),
    ],
)
def test_what_text_is_printed_on_is_no_figure(kit: Any, box: tuple[int, ...], lines: int, is_kept: bool) -> None:
    words = "Ships in the harbour are counted every year in the same month of summer by the same people"
    over = [kit.text(105, max(box[1], 200) + 20 + 13 * number, words) for number in range(lines)]
    path = kit.write(kit.sheet([kit.text(100, 700, WORDS), *over], drawing=picture(box)))
    assert bool(parse(path).figures) is is_kept


def test_a_place_that_isnt_there_gives_nothing(kit: Any) -> None:
    path = kit.write(kit.sheet([kit.text(100, 320, WORDS)], drawing=picture()))
    places = [FigurePlace(page=9, box=BOX), FigurePlace(page=1), FigurePlace(page=1, box=(5.0, 5.0, 5.0, 9.0))]
    assert taken(path, places) == {}
