"""What a PDF page draws beside its text: paths with their straight edges (`fpdf_edit.h`)."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from math import isfinite

from pincite.adapters.parsers.pdfium_library import FloatMatrix, Matrix

Rect = tuple[float, float, float, float]

_MOST_SEGMENTS = 400
_MOST_LARGE = 200
_MOST_DEPTH = 4
_BEZIER, _MOVE = 1, 2
_THIN_POINTS = 2.5
_SLANT_POINTS = 0.5
_PALE = 250
_UNTURNED: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class ShapeKind(IntEnum):
    """Types of page objects that are read, as PDFium numbers them."""

    PATH = 2
    PICTURE = 3
    FORM = 5


@dataclass(frozen=True, slots=True)
class Shape:
    """A path: its box and its edges that run along an axis."""

    box: Rect
    edges: tuple[Rect, ...]


class ShapeReader:
    """Reads the objects of one page after the other; what forms hold is read too. Boxes are in the page's own space."""

    def __init__(self, functions: ctypes.CDLL) -> None:
        self._pdfium = functions
        self._floats = [ctypes.c_float() for _ in range(4)]
        self._pointers = [ctypes.byref(value) for value in self._floats]
        self._colours = [ctypes.c_uint() for _ in range(4)]
        self._colour_pointers = [ctypes.byref(value) for value in self._colours]
        self._matrix = FloatMatrix()
        self._fill_mode, self._stroke = ctypes.c_int(), ctypes.c_int()
        self._large_left = _MOST_LARGE
        self.pictures: list[Rect] = []
        """The boxes of the pictures among what was read."""

    def shapes(self, page: int, *, most: int) -> Iterator[Shape]:
        """Yield the paths of a page in the order of drawing, from `most` objects at most; of many large ones the first alone.

        What is filled pale or clear is left out: nobody sees an edge there.
        """
        left, self._large_left = most, _MOST_LARGE
        stack: list[tuple[int, Matrix, int]] = [(handle, _UNTURNED, 0) for handle in reversed(self._page_objects(page, left))]
        while stack and left > 0:
            handle, matrix, depth = stack.pop()
            left -= 1
            kind = self._pdfium.FPDFPageObj_GetType(handle)
            if kind == ShapeKind.FORM and depth < _MOST_DEPTH:
                inner = _joined(self._own_matrix(handle), matrix)
                stack += [(child, inner, depth + 1) for child in reversed(self._form_objects(handle, left))]
            elif kind == ShapeKind.PATH:
                yield from self._path(handle, matrix)
            elif kind == ShapeKind.PICTURE and (box := self._bounds(handle, matrix)) is not None:
                self.pictures.append(box)

    def _page_objects(self, page: int, most: int) -> list[int]:
        count = min(most, self._pdfium.FPDFPage_CountObjects(page))
        found = (self._pdfium.FPDFPage_GetObject(page, number) for number in range(count))
        return [handle for handle in found if handle]

    def _form_objects(self, form: int, most: int) -> list[int]:
        count = min(most, self._pdfium.FPDFFormObj_CountObjects(form))
        found = (self._pdfium.FPDFFormObj_GetObject(form, number) for number in range(count))
        return [handle for handle in found if handle]

    def _own_matrix(self, handle: int) -> Matrix:
        read = self._pdfium.FPDFPageObj_GetMatrix(handle, ctypes.byref(self._matrix))
        return self._matrix.values() if read else _UNTURNED

    def _bounds(self, handle: int, matrix: Matrix) -> Rect | None:
        if not self._pdfium.FPDFPageObj_GetBounds(handle, *self._pointers):
            return None
        left, bottom, right, top = (value.value for value in self._floats)
        box = _moved((left, bottom, right, top), matrix)
        return box if all(map(isfinite, box)) else None

    def _path(self, handle: int, matrix: Matrix) -> Iterator[Shape]:
        self._pdfium.FPDFPath_GetDrawMode(handle, ctypes.byref(self._fill_mode), ctypes.byref(self._stroke))
        is_filled = bool(self._fill_mode.value)
        if not is_filled and not self._stroke.value:
            return
        if is_filled and self._is_pale(handle):
            return
        box = self._bounds(handle, matrix)
        if box is None:
            return
        if min(box[2] - box[0], box[3] - box[1]) <= _THIN_POINTS:
            yield Shape(box, (box,))
        elif self._large_left > 0:
            self._large_left -= 1
            edges = tuple(self._edges(handle, _joined(self._own_matrix(handle), matrix)))
            if edges:
                yield Shape(box, edges)

    def _is_pale(self, handle: int) -> bool:
        if not self._pdfium.FPDFPageObj_GetFillColor(handle, *self._colour_pointers):
            return False
        red, green, blue, opacity = self._colours
        return opacity.value == 0 or (red.value >= _PALE and green.value >= _PALE and blue.value >= _PALE)

    def _edges(self, handle: int, matrix: Matrix) -> Iterator[Rect]:
        count = self._pdfium.FPDFPath_CountSegments(handle)
        if count > _MOST_SEGMENTS:
            return
        at = start = (0.0, 0.0)
        for number in range(count):
            segment = self._pdfium.FPDFPath_GetPathSegment(handle, number)
            if not segment or not self._pdfium.FPDFPathSegment_GetPoint(segment, *self._pointers[:2]):
                continue
            point = _turned(self._floats[0].value, self._floats[1].value, matrix)
            kind = self._pdfium.FPDFPathSegment_GetType(segment)
            if kind == _BEZIER:
                return
            if kind == _MOVE:
                start = point
            else:
                yield from _edge(at, point)
            at = point
            if self._pdfium.FPDFPathSegment_GetClose(segment):
                yield from _edge(at, start)


def _edge(one: tuple[float, float], other: tuple[float, float]) -> Iterator[Rect]:
    across, along = abs(one[0] - other[0]), abs(one[1] - other[1])
    if min(across, along) <= _SLANT_POINTS < max(across, along) < 1e6:
        yield (min(one[0], other[0]), min(one[1], other[1]), max(one[0], other[0]), max(one[1], other[1]))


def _joined(inner: Matrix, outer: Matrix) -> Matrix:
    """Return the matrix that applies `inner`, then `outer`."""
    if outer is _UNTURNED:
        return inner
    a, b, c, d, e, f = inner
    k, l, m, n, o, p = outer  # noqa: E741
    return (a * k + b * m, a * l + b * n, c * k + d * m, c * l + d * n, e * k + f * m + o, e * l + f * n + p)


def _turned(x: float, y: float, matrix: Matrix) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return (a * x + c * y + e, b * x + d * y + f)


def _moved(box: Rect, matrix: Matrix) -> Rect:
    if matrix is _UNTURNED:
        return box
    corners = [_turned(x, y, matrix) for x in (box[0], box[2]) for y in (box[1], box[3])]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return (min(xs), min(ys), max(xs), max(ys))
