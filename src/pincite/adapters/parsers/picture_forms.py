"""Pictures made anew: whatever a file holds becomes a PNG or a JPEG of a bounded number of pixels, without anything else in it."""

import warnings
from io import BytesIO
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

MOST_PIXELS = 4_000_000
MOST_SIDE = 2_500
_MOST_READ_PIXELS = 40_000_000
_LEAST_SIDE, _LEAST_PIXELS = 48, 6_000
_MOST_OBLONG = 12
_SHRUNK = frozenset({"L", "LA", "RGB", "RGBA"})
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
_MOST_COLOURS = 4_096
_PHOTO_PIXELS = 40_000
_QUALITY = 85


def picture_of(data: bytes, frame: int = 0) -> "Image.Image | None":
    """Return a picture in a file of pixels, upright and on white; None for what is none, too large, or too small for a figure."""
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            picture = Image.open(BytesIO(data), formats=_FORMATS)
            picture.seek(frame)
            if not is_figure(*picture.size) or picture.width * picture.height > _MOST_READ_PIXELS:
                return None
            picture.draft("RGB", (MOST_SIDE, MOST_SIDE))
            if picture.mode in _SHRUNK:
                # Before it is copied again and again: a large one takes a hundred megabytes each time.
                picture.thumbnail((MOST_SIDE, MOST_SIDE))
            return _fitting(_on_white(ImageOps.exif_transpose(picture)))
    except (OSError, ValueError, SyntaxError, Warning, Image.DecompressionBombError, EOFError, IndexError, KeyError, TypeError):
        # What a decoder raises over damaged bytes isn't documented; a picture that can't be read is none.
        return None


def is_figure(width: float, height: float) -> bool:
    """Whether a picture of such a size may be one to look at, and no line, bullet or border."""
    short, long = sorted((width, height))
    return short >= _LEAST_SIDE and width * height >= _LEAST_PIXELS and long <= _MOST_OBLONG * short


def encoded(picture: "Image.Image") -> bytes:
    """Return a picture as a PNG, or as a JPEG where it has the many colours of a photograph."""
    target = BytesIO()
    small = picture.resize((min(picture.width, 256), min(picture.height, 256)), 0)
    is_photo = picture.width * picture.height > _PHOTO_PIXELS and small.getcolors(_MOST_COLOURS) is None
    if is_photo:
        picture.save(target, "JPEG", quality=_QUALITY)
    else:
        picture.save(target, "PNG")
    return target.getvalue()


def _fitting(picture: "Image.Image") -> "Image.Image":
    shrink = min(1.0, MOST_SIDE / max(picture.size), sqrt(MOST_PIXELS / (picture.width * picture.height)))
    size = (max(1, int(picture.width * shrink)), max(1, int(picture.height * shrink)))
    return picture if shrink == 1.0 else picture.resize(size)


def _on_white(picture: "Image.Image") -> "Image.Image":
    """Return the pixels alone: no profile, no comment, no transparency that would hide black on black."""
    from PIL import Image

    if not picture.has_transparency_data:
        return _bare(picture.convert("L" if picture.mode in ("1", "L", "I;16") else "RGB"))
    clear = picture.convert("RGBA")
    white = Image.new("RGBA", clear.size, (255, 255, 255, 255))
    return _bare(Image.alpha_composite(white, clear).convert("RGB"))


def _bare(picture: "Image.Image") -> "Image.Image":
    picture.info.clear()
    return picture
