"""Lines that an engine sees become text with places: turned, skewed, in columns and tables."""

import stat
from collections.abc import Sequence
from math import cos, radians, sin
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from pincite.adapters.parsers.ocr_layout import lay_out
from pincite.adapters.parsers.ocr_tesseract import TesseractEngine
from pincite.adapters.parsers.ocr_words import Placement, Point, SeenLine, SeenWord, read_upright
from pincite.adapters.parsers.wire import decode_document
from pincite.core.documents import BlockRole, CanonicalText
from pincite.core.errors import RefusedInput

WORDS = "Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor"


def word(text: str, x0: float, y0: float, x1: float, y1: float, confidence: float = 1.0) -> SeenWord:
    return SeenWord(text, confidence, (Point(x0, y0), Point(x1, y0), Point(x1, y1), Point(x0, y1)))


def line(text: str, x: float, y: float, *, height: float = 14, letter: float = 5) -> dict[str, Any]:
    """Return a line as the child tells it, its letters equally wide."""
    words: list[list[object]] = []
    left = x
    for part in text.split():
        right = left + letter * len(part)
        words.append([part, 0.99, True, left, y, right, y + height, left, right])
        left = right + letter
    return {"box": [x, y, left - letter, y + height], "words": words}


def page(number: int, *lines: dict[str, Any]) -> dict[str, Any]:
    return {"number": number, "label": str(number), "width": 612, "height": 792, "turns": 0, "lines": list(lines)}


def laid(*pages: dict[str, Any]) -> CanonicalText:
    return decode_document(lay_out(pages, max_chars=100_000)).canonical


def test_lines_become_paragraphs_and_a_word_cut_at_a_line_end_is_mended() -> None:
    first = [line(f"{WORDS} and", 72, 100), line("the agree-", 72, 116), line("ment ends.", 72, 132)]
    text = laid(page(1, *first, line("Another paragraph stands here.", 72, 180))).text
    assert text == f"{WORDS} and the agreement ends.\n\nAnother paragraph stands here."


def test_columns_are_read_one_after_the_other() -> None:
    rows = [
        (line(f"left {n} {WORDS[:30]}", 72, 100 + 16 * n), line(f"right {n} {WORDS[:30]}", 320, 100 + 16 * n)) for n in range(8)
    ]
    text = laid(page(1, *(part for row in rows for part in row))).text
    assert text.index("left 7") < text.index("right 0")


def test_rows_of_cells_become_a_table() -> None:
    rows = [("Item", "Price", "Count"), ("Apple", "1.50", "10"), ("Plum", "2.25", "15"), ("Pear", "0.75", "8")]
    cells = [line(text, 72 + 120 * column, 100 + 24 * row) for row, texts in enumerate(rows) for column, text in enumerate(texts)]
    canonical = laid(page(1, *cells))
    assert [block.role for block in canonical.blocks] == [BlockRole.TABLE]
    assert "| Plum | 2.25 | 15 |" in canonical.text


def test_large_print_is_a_heading_and_boxes_of_uneven_height_are_not() -> None:
    body = [line(WORDS, 72, 160 + 18 * n, height=14 + n % 3) for n in range(6)]
    document = decode_document(lay_out([page(1, line("Lease of 1987", 72, 80, height=30, letter=12), *body)], max_chars=10_000))
    roles = [block.role for block in document.canonical.blocks]
    assert roles == [BlockRole.HEADING, BlockRole.BODY]
    assert document.title == "Lease of 1987"


def test_the_scale_of_a_picture_does_not_matter() -> None:
    lines = [(f"{WORDS} and", 100), ("so on.", 116), ("Another one.", 180)]
    small = laid(page(1, *(line(text, 72, y) for text, y in lines)))
    large = laid(page(1, *(line(text, 720, 10 * y, height=140, letter=50) for text, y in lines)))
    assert large.text == small.text


def test_running_heads_are_lifted_and_pages_take_the_labels_printed_on_them() -> None:
    pages = [
        page(
            n,
            line("Annual report of the society", 72, 40),
            *(line(f"{n} {k} {WORDS}", 72, 160 + 16 * k) for k in range(20)),
            line(str(n + 10), 300, 750),
        )
        for n in range(1, 5)
    ]
    canonical = laid(*pages)
    assert [entry.label for entry in canonical.pages] == ["11", "12", "13", "14"]
    assert sum(block.role is BlockRole.HEADER for block in canonical.blocks) == 4


def test_the_words_of_a_quote_are_found_by_its_characters() -> None:
    canonical = laid(page(1, line("The fee is", 72, 100), line("40 EUR.", 72, 116)))
    start = canonical.text.index("is 40")
    words = [found for run in canonical.runs_within(start, start + 5) for found in canonical.words_of(run)]
    assert [(found.x0, found.y0) for found in words] == [(112, 100), (72, 116)]


def test_words_are_parted_only_where_the_engine_saw_a_blank() -> None:
    parts = line("東 京 都", 72, 100, letter=12)
    for part in parts["words"][1:]:
        part[2] = False
    canonical = laid(page(1, parts))
    assert canonical.text == "東京都"
    assert len(canonical.words) == 3


@pytest.mark.parametrize(("turns", "box"), [(1, (20, 70, 40, 90)), (2, (60, 20, 80, 40)), (3, (60, 10, 80, 30))])
def test_a_turned_page_keeps_the_places_of_the_page_as_displayed(turns: int, box: tuple[float, ...]) -> None:
    seen = {1: word("x", 10, 20, 30, 40), 2: word("x", 20, 60, 40, 80), 3: word("x", 10, 20, 30, 40)}[turns]
    place = Placement([[seen]], turns=turns, size=(100, 100), page_size=(100, 100))
    assert place.page_box(seen) == box


@pytest.mark.parametrize("degrees", [-4.0, 0.0, 3.0])
def test_a_skewed_page_is_straightened_for_its_layout_alone(degrees: float) -> None:
    cosine, sine = cos(radians(degrees)), sin(radians(degrees))

    def turned(x: float, y: float) -> Point:
        return Point(x * cosine - y * sine, x * sine + y * cosine)

    lines: list[SeenLine] = []
    for y in (100, 130, 160):
        corners = (turned(50, y), turned(450, y), turned(450, y + 20), turned(50, y + 20))
        lines.append([SeenWord("words", 1.0, corners)])
    place = Placement(lines, turns=0, size=(500, 500), page_size=(500, 500))
    tops = [[place.straight(point).y for point in entry[0].corners[:2]] for entry in lines]
    assert all(left == pytest.approx(right, abs=0.01) for left, right in tops)
    assert tops[1][0] - tops[0][0] == pytest.approx(30, abs=0.01)


class FakeEngine:
    """Is sure of a picture only when its dark corner is at the top left; sees upright lines where it lies on its side."""

    def __init__(self) -> None:
        self.pictures = 0

    def read(self, image: Image.Image) -> list[SeenLine]:
        self.pictures += 1
        is_upright = image.getpixel((1, 1)) == 0
        lies = image.width < image.height
        return [[word("word", 10, 10, 20 if lies else 60, 60 if lies else 20, 0.99 if is_upright else 0.6)]]


@pytest.mark.parametrize(("turn", "turns", "pictures"), [(0, 0, 1), (90, 1, 3), (180, 2, 2), (270, 3, 3)])
def test_a_page_the_wrong_way_round_is_turned(turn: int, turns: int, pictures: int) -> None:
    image = Image.new("L", (200, 100), 255)
    image.paste(0, (0, 0, 20, 20))
    engine = FakeEngine()
    assert read_upright(image.rotate(turn, expand=True), engine.read)[1] == turns
    assert engine.pictures == pictures


TABLE = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
ROWS: Sequence[str] = (
    "4\t1\t1\t1\t1\t0\t10\t20\t90\t12\t-1\t",
    '5\t1\t1\t1\t1\t1\t10\t22\t30\t10\t96.5\t"The',
    "5\t1\t1\t1\t1\t2\t50\t20\t50\t12\t41.2\tfee",
    "5\t1\t1\t1\t2\t1\t10\t40\t30\t12\t90\t40",
)


def program(path: Path, script: str) -> str:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_the_table_of_tesseract_is_read_by_lines_with_confidences(tmp_path: Path) -> None:
    (tmp_path / "table").write_text("\n".join([TABLE, *ROWS]))
    engine = TesseractEngine(program(tmp_path / "tesseract", f"cat > /dev/null; cat {tmp_path}/table"), "eng")
    lines = engine.read(Image.new("RGB", (200, 100), "white"))
    assert [[(seen.text, seen.confidence) for seen in entry] for entry in lines] == [
        [('"The', 0.965), ("fee", 0.412)],
        [("40", 0.9)],
    ]
    assert lines[0][0].corners == (Point(10, 20), Point(40, 20), Point(40, 32), Point(10, 32))


def test_what_tesseract_complains_about_is_told(tmp_path: Path) -> None:
    script = "cat > /dev/null; echo 'Error opening data file xyz.traineddata' >&2; exit 1"
    with pytest.raises(RefusedInput, match=r"xyz\.traineddata"):
        TesseractEngine(program(tmp_path / "tesseract", script), "xyz").read(Image.new("RGB", (20, 10)))
