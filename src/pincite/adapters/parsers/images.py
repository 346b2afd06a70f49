"""Image files (PNG, JPEG, TIFF, WebP, GIF, BMP) as documents: each is a page, or several in a TIFF file.

The text on them is read by OCR. What is read here is their header: an image that would be too large is never decoded.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BytesIO
from math import sqrt

from PIL import BmpImagePlugin, GifImagePlugin, Image, ImageOps, JpegImagePlugin, PngImagePlugin, TiffImagePlugin, WebPImagePlugin

from pincite.adapters.parsers.content_types import IMAGES
from pincite.adapters.parsers.pdf_pictures import encoded_picture, fitting
from pincite.core.documents import CanonicalText, Page, ParsedDocument
from pincite.core.errors import RefusedInput

VERSION = "1"
POINTS_PER_INCH = 72.0
_PLUGINS = (BmpImagePlugin, GifImagePlugin, JpegImagePlugin, PngImagePlugin, TiffImagePlugin, WebPImagePlugin)
_FORMATS = tuple(IMAGES)
_SOUND_DPI = (50.0, 1200.0)
_ORIENTATION, _ON_ITS_SIDE = 0x0112, (5, 6, 7, 8)
_UNEVEN = 0.02
_DAMAGED = "The image is damaged and can't be read. Save it again from the program that made it."

# The bounds are our own, and told apart by their reason.
Image.MAX_IMAGE_PIXELS = None


def read_image(path: str, *, max_pages: int, max_pixels: int) -> ParsedDocument:
    """Return an image file as a document without text, whose pages OCR may read.

    Raises `RefusedInput` (`corrupt`, `too_large`, `too_many_pages`).
    """
    with _opened(path) as image:
        content_type = IMAGES[str(image.format)]
        pages = tuple(
            Page(number, str(number), *page_size(frame)) for number, frame in enumerate(_frames(image, max_pages, max_pixels), 1)
        )
    return ParsedDocument(
        canonical=CanonicalText("", (), pages),
        content_type=content_type,
        parser="images",
        parser_version=VERSION,
        pages_unread=len(pages),
        unread=tuple(page.number for page in pages),
    )


def page_size(image: Image.Image) -> tuple[float, float]:
    """Return width and height in points as shown: by the resolution that the file names, without a sound one a point a pixel."""
    width, height = image.size
    across, down = _resolution(image)
    size = (width * POINTS_PER_INCH / across, height * POINTS_PER_INCH / down)
    wide, high = (size[1], size[0]) if image.getexif().get(_ORIENTATION) in _ON_ITS_SIDE else size
    return round(wide, 2), round(high, 2)


def _resolution(image: Image.Image) -> tuple[float, float]:
    try:
        across, down = (float(value) for value in image.info.get("dpi", (0, 0)))
    except (TypeError, ValueError, ZeroDivisionError):
        return POINTS_PER_INCH, POINTS_PER_INCH
    low, high = _SOUND_DPI
    return (across, down) if low <= across <= high and low <= down <= high else (POINTS_PER_INCH, POINTS_PER_INCH)


@contextmanager
def _opened(path: str) -> Generator[Image.Image]:
    """Open an image, by its header alone. Raises `RefusedInput` (`corrupt`)."""
    try:
        with Image.open(path, formats=_FORMATS) as image:
            yield image
    except (OSError, SyntaxError, ValueError, EOFError, KeyError, TypeError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise RefusedInput(_DAMAGED, code="corrupt") from error


def _frames(image: Image.Image, max_pages: int, max_pixels: int) -> Iterator[Image.Image]:
    """Yield the image at each of its pages: those of a TIFF file; of moving pictures the first is the page."""
    number = 0
    while True:
        if number == max_pages:
            raise RefusedInput(f"The image has more than {max_pages:,} pages. Split it.", code="too_many_pages")
        _check_pixels(image, max_pixels)
        yield image
        number += 1
        if image.format != "TIFF":
            return
        try:
            image.seek(number)
        except EOFError:
            return


def _check_pixels(image: Image.Image, max_pixels: int) -> None:
    width, height = image.size
    if width * height > max_pixels:
        raise RefusedInput(
            f"The image has {width:,} times {height:,} pixels; {max_pixels:,} in all are read at most. Make it smaller.",
            code="too_large",
        )


@contextmanager
def open_page(path: str, number: int, *, max_pixels: int, most_pixels: int) -> Generator[Image.Image | None]:
    """Open page `number` (from 1) upright in colours, made smaller where it has more than `most_pixels`; None for none.

    `info["page_size"]` is its size in points. Raises `RefusedInput` (`corrupt`, `too_large`).
    """
    with _opened(path) as image:
        try:
            image.seek(number - 1 if image.format == "TIFF" else 0)
        except EOFError:
            number = 0
        if number < 1 or (number > 1 and image.format != "TIFF"):
            yield None
            return
        _check_pixels(image, max_pixels)
        size = page_size(image)
        image.draft("RGB", _fitting(image.size, most_pixels))
        shown = ImageOps.exif_transpose(_on_white(image))
        shown = _evened(shown, size)
        shown.thumbnail(_fitting(shown.size, most_pixels))
        shown.info["page_size"] = size
        yield shown


def _fitting(size: tuple[int, int], most_pixels: int) -> tuple[int, int]:
    shrink = min(1.0, sqrt(most_pixels / (size[0] * size[1])))
    return max(1, int(size[0] * shrink)), max(1, int(size[1] * shrink))


def _evened(image: Image.Image, size: tuple[float, float]) -> Image.Image:
    """Return an image whose pixels are square: those of a fax are not."""
    width, height = image.size
    even = round(width * size[1] / size[0])
    return image if abs(even - height) <= _UNEVEN * height else image.resize((width, max(1, even)))


def _on_white(image: Image.Image) -> Image.Image:
    """Return an image without transparent parts: as it is seen on paper."""
    if image.mode.startswith("I;16"):
        # Otherwise the upper half of sixteen bits would be cut off.
        image = image.convert("I").point(lambda value: value / 256).convert("L")
    if not image.has_transparency_data:
        return image.convert("RGB")
    layer = image.convert("RGBA")
    page = Image.new("RGB", layer.size, "white")
    page.paste(layer, mask=layer.getchannel("A"))
    return page


def image_picture(path: str, number: int, width: int, *, max_pixels: int) -> dict[str, object]:
    """Return a page of an image file drawn `width` pixels wide; the form of `pdf_picture`."""
    with _opened(path) as image:
        pages = sum(1 for _ in _frames(image, number, max_pixels)) if image.format == "TIFF" and number > 0 else 1
    with open_page(path, number, max_pixels=max_pixels, most_pixels=max_pixels) as page:
        if page is None:
            return {"pages": pages}
        points = page.info["page_size"]
        size = fitting(points, width)
        written = BytesIO()
        page.resize(size).save(written, "PNG")
    return {**encoded_picture(written.getvalue(), size, points), "pages": pages}
