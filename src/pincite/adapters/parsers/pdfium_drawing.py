"""Drawing a page with PDFium (`fpdfview.h`, `fpdf_formfill.h`): with its annotations and filled-in forms, without scripts."""

import ctypes
from math import isfinite

_POINTER, _INT, _ULONG, _FLOAT = ctypes.c_void_p, ctypes.c_int, ctypes.c_ulong, ctypes.c_float

SIGNATURES: dict[str, tuple[type | None, tuple[type, ...]]] = {
    "FPDF_GetPageWidthF": (_FLOAT, (_POINTER,)),
    "FPDF_GetPageHeightF": (_FLOAT, (_POINTER,)),
    "FPDFBitmap_CreateEx": (_POINTER, (_INT, _INT, _INT, _POINTER, _INT)),
    "FPDFBitmap_FillRect": (_INT, (_POINTER, _INT, _INT, _INT, _INT, _ULONG)),
    "FPDFBitmap_GetBuffer": (_POINTER, (_POINTER,)),
    "FPDFBitmap_GetStride": (_INT, (_POINTER,)),
    "FPDFBitmap_Destroy": (None, (_POINTER,)),
    "FPDF_RenderPageBitmap": (None, (_POINTER, _POINTER, _INT, _INT, _INT, _INT, _INT, _INT)),
    "FPDFDOC_InitFormFillEnvironment": (_POINTER, (_POINTER, _POINTER)),
    "FPDFDOC_ExitFormFillEnvironment": (None, (_POINTER,)),
    "FORM_OnAfterLoadPage": (None, (_POINTER, _POINTER)),
    "FORM_OnBeforeClosePage": (None, (_POINTER, _POINTER)),
    "FPDF_FFLDraw": (None, (_POINTER, _POINTER, _POINTER, _INT, _INT, _INT, _INT, _INT, _INT)),
}

_RGB = 2
_ANNOTATIONS, _RED_FIRST = 0x01, 0x10
_FLAGS = _ANNOTATIONS | _RED_FIRST
_WHITE = 0xFFFFFFFF
_FORM_VERSION = 2
_FORM_FIELDS = 64


class DrawnPage:
    """One open page to be drawn as it is displayed: cropped and turned. Close it before its document."""

    def __init__(self, pdfium: ctypes.CDLL, document: int, index: int) -> None:
        self._pdfium = pdfium
        # FPDF_FORMFILLINFO: its version, then callbacks, none of which are needed to draw.
        self._callbacks = (ctypes.c_void_p * _FORM_FIELDS)(_FORM_VERSION)
        self._form = pdfium.FPDFDOC_InitFormFillEnvironment(document, ctypes.byref(self._callbacks))
        self._page = pdfium.FPDF_LoadPage(document, index)
        if self._page and self._form:
            pdfium.FORM_OnAfterLoadPage(self._page, self._form)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as displayed, in points; zero when the page can't be read or gives no sound ones."""
        if not self._page:
            return (0.0, 0.0)
        width, height = self._pdfium.FPDF_GetPageWidthF(self._page), self._pdfium.FPDF_GetPageHeightF(self._page)
        return (width, height) if isfinite(width) and isfinite(height) and min(width, height) > 0 else (0.0, 0.0)

    def pixels(self, width: int, height: int, *, left: int = 0, top: int = 0, whole: tuple[int, int] | None = None) -> list[bytes]:
        """Return the rows of the page drawn on white, three bytes (red, green, blue) a pixel. Raises `MemoryError`.

        With `whole` the page is drawn so large, and what is seen of it from `left` and `top` on.
        """
        place = (-left, -top, *(whole or (width, height)), 0, _FLAGS)
        bitmap = self._pdfium.FPDFBitmap_CreateEx(width, height, _RGB, None, 0)
        if not bitmap:
            raise MemoryError
        try:
            self._pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
            self._pdfium.FPDF_RenderPageBitmap(bitmap, self._page, *place)
            if self._form:
                self._pdfium.FPDF_FFLDraw(self._form, bitmap, self._page, *place)
            first, stride = self._pdfium.FPDFBitmap_GetBuffer(bitmap), self._pdfium.FPDFBitmap_GetStride(bitmap)
            return [ctypes.string_at(first + row * stride, 3 * width) for row in range(height)]
        finally:
            self._pdfium.FPDFBitmap_Destroy(bitmap)

    def close(self) -> None:
        """Free the page."""
        if self._page and self._form:
            self._pdfium.FORM_OnBeforeClosePage(self._page, self._form)
        if self._page:
            self._pdfium.FPDF_ClosePage(self._page)
        if self._form:
            self._pdfium.FPDFDOC_ExitFormFillEnvironment(self._form)
        self._page = self._form = None
