"""One page of a file turned into a picture and read by OCR, in the child that does nothing else."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import sqrt
from typing import Any, Protocol

from PIL import Image

from pincite.adapters.parsers.content_types import IMAGE_TYPES
from pincite.adapters.parsers.images import open_page
from pincite.adapters.parsers.ocr_words import Placement, SeenLine, SeenWord, read_upright
from pincite.adapters.parsers.pdfium import open_pdf
from pincite.core.errors import RefusedInput

_MOST_DPI = 300.0
_POINTS_PER_INCH = 72.0
_DRAWN_LARGER = 2
_SMALL_PIXELS = 450_000


class Engine(Protocol):
    """What reads pictures."""

    def read(self, image: Image.Image) -> list[SeenLine]:
        """Return the lines of a picture, as an engine sees them."""
        ...


def recognise(engine: Sequence[str]) -> Callable[[dict[str, Any]], object]:
    """Return what reads a page with an engine, which is imported by now: its name, then what it needs to be told.

    Raises `RefusedInput` (`unsupported`) when it can't be loaded.
    """
    try:
        reader, most_pixels = _engine(tuple(engine))
    except ImportError as error:
        raise RefusedInput(f"{engine[0]} can't be loaded ({error}). Install it again", code="unsupported") from error

    def read(request: dict[str, Any]) -> object:
        limits = request["limits"]
        image, size = _picture(request, most_pixels=most_pixels, max_pixels=limits["pixels"])
        lines, turns = read_upright(image, reader.read)
        place = Placement(lines, turns=turns, size=image.size, page_size=size)
        return {"size": size, "turns": turns, "lines": [_line(line, place) for line in lines]}

    return read


@lru_cache(maxsize=1)
def _engine(asked: tuple[str, ...]) -> tuple[Engine, int]:
    if asked[0] == "tesseract":
        from pincite.adapters.parsers import ocr_tesseract

        return ocr_tesseract.TesseractEngine(*asked[1:]), ocr_tesseract.MOST_PIXELS
    from pincite.adapters.parsers import ocr_rapid

    return ocr_rapid.RapidEngine(), ocr_rapid.MOST_PIXELS


def _picture(request: dict[str, Any], *, most_pixels: int, max_pixels: int) -> tuple[Image.Image, tuple[float, float]]:
    """Return a page as a picture, and its size in points. Raises `RefusedInput` (`corrupt`, `encrypted`, `too_large`)."""
    path, number = request["path"], request["page"]
    if request["content_type"] in IMAGE_TYPES:
        with open_page(path, number, max_pixels=max_pixels, most_pixels=most_pixels) as image:
            if image is not None:
                return _enlarged(image), image.info["page_size"]
        raise _no_page(number)
    with open_pdf(path) as document:
        if not 1 <= number <= document.page_count:
            raise _no_page(number)
        with document.drawn_page(number - 1) as page:
            size = page.size
            if not min(size):
                raise RefusedInput("The page is damaged and can't be drawn.", code="corrupt")
            scale = min(sqrt(most_pixels / (size[0] * size[1])), _MOST_DPI / _POINTS_PER_INCH)
            width, height = (max(1, round(_DRAWN_LARGER * scale * side)) for side in size)
            drawn = Image.frombytes("RGB", (width, height), b"".join(page.pixels(width, height)))
    # Drawn larger and made smaller: PDFium leaves out rows of a scan where it makes it smaller itself.
    return drawn.reduce(_DRAWN_LARGER), size


def _enlarged(image: Image.Image) -> Image.Image:
    """Return a small image twice as large: what was drawn for a screen has small letters."""
    width, height = image.size
    return image.resize((2 * width, 2 * height)) if width * height <= _SMALL_PIXELS else image


def _no_page(number: int) -> RefusedInput:
    return RefusedInput(f"The file has no page {number} any more.", code="corrupt")


def _line(line: SeenLine, place: Placement) -> dict[str, object]:
    """Return a line as JSON values: its box and the edges of its words on the straightened page, their boxes on the page itself."""
    corners = [place.straight(point) for word in line for point in word.corners]
    box = (min(x for x, _ in corners), _edge(line, place, 0, 1), max(x for x, _ in corners), _edge(line, place, 3, 2))
    return {"box": box, "words": [_word(word, place) for word in line]}


def _edge(line: SeenLine, place: Placement, *corners: int) -> float:
    """Return the height of the upper or lower edge of a line, between its ends."""
    ends = (line[0].corners[corners[0]], line[-1].corners[corners[1]])
    return sum(place.straight(point).y for point in ends) / 2


def _word(word: SeenWord, place: Placement) -> list[object]:
    edges = [place.straight(point).x for point in word.corners]
    return [
        word.text,
        round(word.confidence, 3),
        word.is_apart,
        *(round(value, 2) for value in place.page_box(word)),
        min(edges),
        max(edges),
    ]
