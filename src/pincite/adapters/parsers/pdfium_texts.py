"""What the text objects of a PDF page say beside their characters: blanks that were drawn, and text that stands for glyphs."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import NamedTuple

Rect = tuple[float, float, float, float]

_TEXT = 1
_PICTURES = (3, 5)
_ACTUAL_TEXT = b"ActualText"
_MOST_BYTES = 512


class Replaced(NamedTuple):
    """Glyphs for which the file says what they mean (`ActualText`). `mark` is the same for all objects under one such text."""

    mark: int
    text: str


@dataclass(frozen=True, slots=True)
class TextObjects:
    """The blanks of a page that are objects of their own, as boxes without width; by object the text that replaces it, and by the
    mark of such a text the box of all its objects."""

    blanks: list[Rect] = field(default_factory=list[Rect])
    replaced: dict[int, Replaced] = field(default_factory=dict[int, Replaced])
    boxes: dict[int, Rect] = field(default_factory=dict[int, Rect])


class TextObjectReader:
    """Reads the text objects of a page; what forms hold is left out."""

    def __init__(self, functions: ctypes.CDLL) -> None:
        self._pdfium = functions
        self._floats = [ctypes.c_float() for _ in range(4)]
        self._pointers = [ctypes.byref(value) for value in self._floats]
        self._buffer, self._size = ctypes.create_string_buffer(_MOST_BYTES), ctypes.c_ulong()

    def read(self, page: int, *, most: int) -> TextObjects:
        """Return what was found, boxes in the page's own space as left, bottom, right, top."""
        found = TextObjects()
        for number in range(min(most, self._pdfium.FPDFPage_CountObjects(page))):
            handle = self._pdfium.FPDFPage_GetObject(page, number)
            if not handle or self._pdfium.FPDFPageObj_GetType(handle) != _TEXT:
                continue
            box = self._bounds(handle)
            if box is None:
                continue
            if (replaced := self._replaced(handle)) is not None:
                found.replaced[handle] = replaced
                found.boxes[replaced.mark] = _around(found.boxes.get(replaced.mark, box), box)
            elif box[0] == box[2]:
                # PDFium drops objects that draw nothing, and puts blanks where it thinks that there is room for one.
                found.blanks.append(box)
        return found

    def pictures(self, page: int, *, most: int) -> Iterator[Rect]:
        """Yield the boxes of pictures, and of forms, which hold them where programs wrap a scan."""
        for number in range(min(most, self._pdfium.FPDFPage_CountObjects(page))):
            handle = self._pdfium.FPDFPage_GetObject(page, number)
            if handle and self._pdfium.FPDFPageObj_GetType(handle) in _PICTURES and (box := self._bounds(handle)) is not None:
                yield box

    def _bounds(self, handle: int) -> Rect | None:
        if not self._pdfium.FPDFPageObj_GetBounds(handle, *self._pointers):
            return None
        left, bottom, right, top = (value.value for value in self._floats)
        return (left, bottom, right, top) if all(map(isfinite, (left, bottom, right, top))) else None

    def _replaced(self, handle: int) -> Replaced | None:
        for number in reversed(range(max(0, self._pdfium.FPDFPageObj_CountMarks(handle)))):
            mark = self._pdfium.FPDFPageObj_GetMark(handle, number)
            if mark and self._pdfium.FPDFPageObjMark_GetParamBlobValue(
                mark, _ACTUAL_TEXT, self._buffer, _MOST_BYTES, ctypes.byref(self._size)
            ):
                return Replaced(mark, _text(self._buffer.raw[: min(self._size.value, _MOST_BYTES)]))
        return None


def _text(raw: bytes) -> str:
    """Return a text string of PDF (ISO 32000-2, 7.9.2.2)."""
    if raw.startswith(b"\xfe\xff"):
        return raw[2:].decode("utf-16-be", "replace")
    return raw.decode("utf-8-sig" if raw.startswith(b"\xef\xbb\xbf") else "latin-1", "replace")


def _around(box: Rect, other: Rect) -> Rect:
    return (min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3]))
