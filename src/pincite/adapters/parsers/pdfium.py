"""PDF documents and pages as PDFium reads them: characters with their boxes, sizes and fonts; outline, labels, title."""

import ctypes
import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from functools import lru_cache
from math import isfinite, sqrt

from pincite.adapters.parsers.pdfium_drawing import DrawnPage
from pincite.adapters.parsers.pdfium_library import FLOATS_OF_MATRIX, FLOATS_OF_RECT, LIBRARY, FloatMatrix, FloatRect
from pincite.adapters.parsers.pdfium_shapes import Shape, ShapeReader
from pincite.adapters.parsers.pdfium_texts import TextObjectReader, TextObjects
from pincite.core.errors import RefusedInput

Rect = tuple[float, float, float, float]

_PASSWORD_ERRORS = (4, 5)
_LABEL_BYTES = 256
_TITLE_BYTES = 4096
_SLANT = 0.15
_WITHOUT_INK = 3
_SAMPLED_CHARS, _SIDEWAYS_SHARE = 24, 0.6
_BOLD = re.compile(rb"bold|black|heavy|demi|cmbx|cmssbx|sfbx|-bd\b", re.IGNORECASE)
_PICTURES = re.compile(rb"wingding|webding|dingbat|opensymbol|monotypesorts|zapfd", re.IGNORECASE)
_MONO = re.compile(rb"courier|mono|consol|menlo|typewriter|cmtt|cmsltt|source ?code|fixed", re.IGNORECASE)


def _utf16(raw: bytes) -> str:
    return raw.decode("utf-16-le", "replace").rstrip("\0")


class PdfPage:
    """One open page with its text. Rectangles are in points of the displayed page: rotation applied, origin top left."""

    def __init__(self, document: int, index: int) -> None:
        self._pdfium = LIBRARY.get()
        self._text = None
        self._handle = self._pdfium.FPDF_LoadPage(document, index)
        self.readable = bool(self._handle)
        self._rect, self._matrix = FloatRect(), FloatMatrix()
        self._rect_pointer, self._matrix_pointer = ctypes.byref(self._rect), ctypes.byref(self._matrix)
        self._edges = [ctypes.c_double() for _ in range(4)]
        self._edge_pointers = [ctypes.byref(edge) for edge in self._edges]
        # By font: a font lives as long as the page that uses it.
        self._styles: dict[int, tuple[bool, bool, bool]] = {}
        self._name, self._flags = ctypes.create_string_buffer(_LABEL_BYTES), ctypes.c_int()
        self._box: Rect = (0.0, 0.0, 0.0, 0.0)
        self._quarter_turns = 0
        self.char_count = self.text_turns = self.turned = 0
        self.pictures: list[Rect] = []
        if self.readable:
            self._measure()
            self._load_text()
            self._read_upright()

    def _measure(self) -> None:
        self._pdfium.FPDF_GetPageBoundingBox(self._handle, self._rect_pointer)
        self._box = (self._rect.left, self._rect.bottom, self._rect.right, self._rect.top)
        self._quarter_turns = self._pdfium.FPDFPage_GetRotation(self._handle) % 4

    def _load_text(self) -> None:
        self._text = self._pdfium.FPDFText_LoadPage(self._handle)
        self.char_count = max(0, self._pdfium.FPDFText_CountChars(self._text)) if self._text else 0

    def _read_upright(self) -> None:
        """Load the text anew when most of it doesn't run level: PDFium orders words and lines as if the page were read as shown."""
        count = self.char_count
        sample = range(0, count, max(1, count // _SAMPLED_CHARS))
        turns = [self._quarter_turns_of(index) for index in sample]
        usual = max(set(turns), key=turns.count) if turns else self._quarter_turns
        if usual != self._quarter_turns and turns.count(usual) > _SIDEWAYS_SHARE * len(turns):
            self.text_turns = (usual - self._quarter_turns) % 4
            self._pdfium.FPDFText_ClosePage(self._text)
            self._pdfium.FPDFPage_SetRotation(self._handle, usual)
            self._load_text()

    def _quarter_turns_of(self, index: int) -> int:
        """Return how many quarter turns of the page, clockwise, make a character stand upright."""
        if not self._pdfium.FPDFText_GetMatrix(self._text, index, self._matrix_pointer):
            return self._quarter_turns
        a, b = self._matrix.a, self._matrix.b
        if abs(a) >= abs(b):
            return 0 if a >= 0 else 2
        return 1 if b > 0 else 3

    def close(self) -> None:
        """Free the page."""
        if self._text:
            self._pdfium.FPDFText_ClosePage(self._text)
        if self._handle:
            self._pdfium.FPDF_ClosePage(self._handle)
        self._text = self._handle = None

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as displayed, in points; zero when the file gives no sound ones."""
        left, bottom, right, top = self._box
        width, height = right - left, top - bottom
        if not (isfinite(width) and isfinite(height)):
            return (0.0, 0.0)
        return (height, width) if self._quarter_turns % 2 else (width, height)

    @property
    def draws(self) -> bool:
        """Whether the page has any object: text, path, picture."""
        return bool(self._handle) and self._pdfium.FPDFPage_CountObjects(self._handle) > 0

    def shapes(self, *, most: int) -> list[Shape]:
        """Return what the page draws beside its text, from `most` objects at most; `pictures` are those among them."""
        reader = ShapeReader(self._pdfium)
        found = reader.shapes(self._handle, most=most) if self._handle else ()
        shown = [Shape(self._shown(shape.box), tuple(map(self._shown, shape.edges))) for shape in found]
        self.pictures = [self._shown(box) for box in reader.pictures]
        return shown

    def _shown(self, rect: Rect) -> Rect:
        left, bottom, right, top = rect
        return self._displayed(left, top, right, bottom)

    def turn(self, quarter_turns: int) -> None:
        """From now on give rectangles as if the page were turned clockwise: for a page whose text runs sideways."""
        self._quarter_turns = (self._quarter_turns + quarter_turns) % 4
        self.turned = (self.turned + quarter_turns) % 4

    def chars(self) -> str:
        """Return one code point for each PDFium character, so that positions are character indices.

        Lines end with CR LF; U+FFFE stands for a hyphen at which PDFium joined two lines; U+0000 for a glyph without a character.
        """
        count = self.char_count
        buffer = (ctypes.c_ushort * (2 * count + 2))()
        units = self._pdfium.FPDFText_GetText(self._text, 0, count, buffer) if count else 0
        text = ctypes.string_at(buffer, 2 * max(0, units - 1)).decode("utf-16-le", "replace")
        return text if len(text) == count else self._chars_one_by_one()

    def _chars_one_by_one(self) -> str:
        read = self._pdfium.FPDFText_GetUnicode
        points = (read(self._text, index) for index in range(self.char_count))
        return "".join(_character(point) for point in points)

    def loose_box(self, index: int) -> Rect:
        """Return the box of a character by its font's ascent and descent."""
        if not self._pdfium.FPDFText_GetLooseCharBox(self._text, index, self._rect_pointer):
            return (0.0, 0.0, 0.0, 0.0)
        x0, top, x1, bottom = FLOATS_OF_RECT(self._rect)
        if self._quarter_turns:
            return self._displayed(x0, top, x1, bottom)
        left, _, _, high = self._box
        return (x0 - left, high - top, x1 - left, high - bottom)

    def drawn(self, index: int) -> int:
        """Return which text object draws a character, 0 for one that PDFium put between."""
        if self._pdfium.FPDFText_IsGenerated(self._text, index) == 1:
            return 0
        return self._pdfium.FPDFText_GetTextObject(self._text, index) or 0

    def place(self, index: int) -> tuple[float, float]:
        """Return where the glyph of a character starts on its base line: letters of one glyph share it."""
        x, y = self._edges[:2]
        self._pdfium.FPDFText_GetCharOrigin(self._text, index, *self._edge_pointers[:2])
        return self._displayed(x.value, y.value, x.value, y.value)[:2]

    def text_objects(self, *, most: int) -> TextObjects:
        """Return what the text objects of the page say beside their characters, from `most` objects at most."""
        found = TextObjectReader(self._pdfium).read(self._handle or 0, most=most)
        boxes = {mark: self._shown(box) for mark, box in found.boxes.items()}
        return TextObjects([self._shown(box) for box in found.blanks], found.replaced, boxes)

    def font_size(self, index: int) -> float:
        """Return the size of a character as drawn, in points."""
        size = self._pdfium.FPDFText_GetFontSize(self._text, index)
        if self._pdfium.FPDFText_GetMatrix(self._text, index, self._matrix_pointer):
            _, _, c, d, _, _ = FLOATS_OF_MATRIX(self._matrix)
            size *= sqrt(c * c + d * d)
        return abs(size)

    def is_slanted(self, index: int) -> bool:
        """Return whether a character is drawn on a base line that is neither level nor upright."""
        if not self._pdfium.FPDFText_GetMatrix(self._text, index, self._matrix_pointer):
            return False
        along, across = sorted((abs(self._matrix.a), abs(self._matrix.b)))
        return along > _SLANT * across

    def font_style(self, index: int) -> tuple[bool, bool, bool]:
        """Return whether a character's font is bold, has letters equally wide, and has pictures for letters; by the font's name."""
        drawn = self._pdfium.FPDFText_GetTextObject(self._text, index)
        font = self._pdfium.FPDFTextObj_GetFont(drawn) if drawn else None
        style = self._styles.get(font or 0)
        if style is None:
            size = self._pdfium.FPDFText_GetFontInfo(self._text, index, self._name, _LABEL_BYTES, ctypes.byref(self._flags))
            style = _style(self._name.raw[: min(size, _LABEL_BYTES)])
            if font:
                self._styles[font] = style
        return style

    def is_invisible(self, index: int) -> bool:
        """Return whether a character is drawn without ink, as the text behind a scan is."""
        drawn = self._pdfium.FPDFText_GetTextObject(self._text, index)
        return bool(drawn) and self._pdfium.FPDFTextObj_GetTextRenderMode(drawn) == _WITHOUT_INK

    def picture_share(self, *, most: int) -> float:
        """Return which share of the page pictures cover, each counted by itself; from `most` objects at most."""
        left, bottom, right, top = self._box
        area = (right - left) * (top - bottom)
        pictures = TextObjectReader(self._pdfium).pictures(self._handle or 0, most=most)
        shown = ((max(0.0, min(right, b[2]) - max(left, b[0])), max(0.0, min(top, b[3]) - max(bottom, b[1]))) for b in pictures)
        return sum(width * height for width, height in shown) / area if area > 0 else 0.0

    def rects(self, index: int, count: int) -> list[Rect]:
        """Return the tight boxes of `count` characters from `index`, one per stretch of text drawn together."""
        found: list[Rect] = []
        for number in range(max(0, self._pdfium.FPDFText_CountRects(self._text, index, count))):
            if self._pdfium.FPDFText_GetRect(self._text, number, *self._edge_pointers):
                found.append(self._displayed(*(edge.value for edge in self._edges)))
        return found

    def _displayed(self, x0: float, top: float, x1: float, bottom: float) -> Rect:
        left, low, right, high = self._box
        turns = self._quarter_turns
        if turns == 0:
            return (x0 - left, high - top, x1 - left, high - bottom)
        if turns == 1:
            return (bottom - low, x0 - left, top - low, x1 - left)
        if turns == 2:
            return (right - x1, bottom - low, right - x0, top - low)
        return (high - top, right - x1, high - bottom, right - x0)


@lru_cache(maxsize=1024)
def _style(font_name: bytes) -> tuple[bool, bool, bool]:
    return bool(_BOLD.search(font_name)), bool(_MONO.search(font_name)), bool(_PICTURES.search(font_name))


def _character(point: int) -> str:
    if point > 0x10FFFF or 0xD800 <= point < 0xE000:
        return "\ufffd"
    return "\ufffe" if point == 2 else chr(point)


class PdfDocument:
    """An open PDF file. Raises `RefusedInput` (`encrypted`, `corrupt`) when PDFium can't open it."""

    def __init__(self, path: str) -> None:
        self._pdfium = LIBRARY.get()
        self._handle = self._pdfium.FPDF_LoadDocument(os.fsencode(path), None)
        if not self._handle:
            raise _refusal(self._pdfium.FPDF_GetLastError())
        self.page_count = max(0, self._pdfium.FPDF_GetPageCount(self._handle))

    def close(self) -> None:
        """Free the document."""
        self._pdfium.FPDF_CloseDocument(self._handle)

    @contextmanager
    def page(self, index: int) -> Generator[PdfPage]:
        """Open page `index`, counted from 0, for the time of a `with`."""
        page = PdfPage(self._handle, index)
        try:
            yield page
        finally:
            page.close()

    @contextmanager
    def drawn_page(self, index: int) -> Generator[DrawnPage]:
        """Open page `index`, counted from 0, to be drawn, for the time of a `with`."""
        page = DrawnPage(self._pdfium, self._handle, index)
        try:
            yield page
        finally:
            page.close()

    def label(self, index: int) -> str:
        """Return the label that the file declares for page `index`, empty when there is none."""
        buffer = ctypes.create_string_buffer(_LABEL_BYTES)
        size = self._pdfium.FPDF_GetPageLabel(self._handle, index, buffer, _LABEL_BYTES)
        return _utf16(buffer.raw[:size]) if size <= _LABEL_BYTES else ""

    def title(self) -> str:
        """Return the title of the document information, empty when there is none."""
        buffer = ctypes.create_string_buffer(_TITLE_BYTES)
        size = self._pdfium.FPDF_GetMetaText(self._handle, b"Title", buffer, _TITLE_BYTES)
        return _utf16(buffer.raw[:size]) if size <= _TITLE_BYTES else ""

    def bookmarks(self, *, max_count: int, max_depth: int) -> list[tuple[int, str, int]]:
        """Return the outline in order as `(depth from 1, title, page index or -1)`; loops end at the bounds."""
        found: list[tuple[int, str, int]] = []
        seen: set[int] = set()
        stack = [(self._pdfium.FPDFBookmark_GetFirstChild(self._handle, None), 1)]
        while stack and len(found) < max_count:
            mark, depth = stack.pop()
            if not mark or mark in seen:
                continue
            seen.add(mark)
            found.append((depth, self._bookmark_title(mark), self._bookmark_page(mark)))
            stack.append((self._pdfium.FPDFBookmark_GetNextSibling(self._handle, mark), depth))
            if depth < max_depth:
                stack.append((self._pdfium.FPDFBookmark_GetFirstChild(self._handle, mark), depth + 1))
        return found

    def _bookmark_title(self, mark: int) -> str:
        buffer = ctypes.create_string_buffer(_TITLE_BYTES)
        size = self._pdfium.FPDFBookmark_GetTitle(mark, buffer, _TITLE_BYTES)
        return _utf16(buffer.raw[:size]) if size <= _TITLE_BYTES else ""

    def _bookmark_page(self, mark: int) -> int:
        target = self._pdfium.FPDFBookmark_GetDest(self._handle, mark)
        if not target:
            action = self._pdfium.FPDFBookmark_GetAction(mark)
            target = self._pdfium.FPDFAction_GetDest(self._handle, action) if action else None
        return self._pdfium.FPDFDest_GetDestPageIndex(self._handle, target) if target else -1


@contextmanager
def open_pdf(path: str) -> Generator[PdfDocument]:
    """Open a PDF file for the time of a `with`. Raises `RefusedInput` (`encrypted`, `corrupt`)."""
    document = PdfDocument(path)
    try:
        yield document
    finally:
        document.close()


def _refusal(error: int) -> RefusedInput:
    if error in _PASSWORD_ERRORS:
        return RefusedInput("The PDF is protected by a password. Save a copy without the password and add that.", code="encrypted")
    return RefusedInput("The PDF is damaged and can't be opened. Save it again from the program that made it.", code="corrupt")
