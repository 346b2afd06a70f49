"""Pages of PDF files as pictures in PNG form (ISO/IEC 15948), drawn when they are asked for."""

import zlib
from binascii import b2a_base64
from collections.abc import Sequence
from math import sqrt
from struct import pack

from pincite.adapters.parsers.pdfium import open_pdf
from pincite.core.errors import RefusedInput

MOST_PIXELS = 16_000_000
MOST_SIDE = 16_384
_GREY, _COLOURED = 0, 2
_LEVEL = 6


def pdf_picture(path: str, number: int, width: int) -> dict[str, object]:
    """Return page `number` (from 1) drawn `width` pixels wide, narrower where that would be too many pixels.

    `png` is base64, `size` its pixels, `page_size` points as displayed; only `pages` is there when the file has no such page.
    Raises `RefusedInput` (`encrypted`, `corrupt`) and `MemoryError`.
    """
    with open_pdf(path) as document:
        if not 1 <= number <= document.page_count:
            return {"pages": document.page_count}
        with document.drawn_page(number - 1) as page:
            points = page.size
            if not min(points):
                raise RefusedInput("The page is damaged and can't be drawn.", code="corrupt")
            size = fitting(points, width)
            png = png_of(page.pixels(*size), size[0])
        return {**encoded_picture(png, size, points), "pages": document.page_count}


def encoded_picture(png: bytes, size: tuple[int, int], points: tuple[float, float]) -> dict[str, object]:
    """Return a picture of so many pixels, which shows so many points, as JSON values."""
    return {"png": b2a_base64(png, newline=False).decode(), "size": size, "page_size": points}


def fitting(points: tuple[float, float], width: int) -> tuple[int, int]:
    """Return width and height in pixels for a page of such a size, within what a picture may have."""
    wide, high = float(width), width * points[1] / points[0]
    shrink = min(1.0, MOST_SIDE / max(wide, high), sqrt(MOST_PIXELS / (wide * high)))
    return max(1, int(wide * shrink)), max(1, round(high * shrink))


def png_of(rows: Sequence[bytes], width: int) -> bytes:
    """Return RGB rows as a PNG, in shades of grey where the picture has no other colours."""
    is_grey = all(row[0::3] == row[1::3] == row[2::3] for row in rows)
    packer = zlib.compressobj(_LEVEL)
    data = [packer.compress(b"\0" + (row[0::3] if is_grey else row)) for row in rows]
    header = pack(">IIBBBBB", width, len(rows), 8, _GREY if is_grey else _COLOURED, 0, 0, 0)
    parts = _part(b"IHDR", header) + _part(b"IDAT", b"".join(data) + packer.flush()) + _part(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def _part(name: bytes, data: bytes) -> bytes:
    return pack(">I", len(data)) + name + data + pack(">I", zlib.crc32(name + data))
