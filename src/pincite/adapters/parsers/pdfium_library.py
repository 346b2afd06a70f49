"""The PDFium library through its C interface (`fpdfview.h`, `fpdf_text.h`, `fpdf_doc.h`, `fpdf_edit.h`): only what parsing needs.

The bindings of pypdfium2 describe the whole interface and take 60 ms to import; the library inside the same package opens in
8 ms. A child that computes boxes for a waiting person needs the difference.
"""

import ctypes
import os
from importlib.machinery import PathFinder
from struct import Struct

from pincite.adapters.parsers import pdfium_drawing
from pincite.core.errors import RefusedInput

Matrix = tuple[float, float, float, float, float, float]


class FloatRect(ctypes.Structure):
    """`FS_RECTF`."""

    _fields_ = (("left", ctypes.c_float), ("top", ctypes.c_float), ("right", ctypes.c_float), ("bottom", ctypes.c_float))


class FloatMatrix(ctypes.Structure):
    """`FS_MATRIX`."""

    _fields_ = tuple((name, ctypes.c_float) for name in "abcdef")

    def values(self) -> Matrix:
        """Return its six numbers."""
        return (self.a, self.b, self.c, self.d, self.e, self.f)


# Reading a structure's fields one by one takes longer than the call that fills it.
FLOATS_OF_RECT, FLOATS_OF_MATRIX = Struct("4f").unpack_from, Struct("6f").unpack_from

_POINTER, _INT, _ULONG, _DOUBLE, _FLOAT, _STRING = (
    ctypes.c_void_p,
    ctypes.c_int,
    ctypes.c_ulong,
    ctypes.c_double,
    ctypes.c_float,
    ctypes.c_char_p,
)

_SIGNATURES: dict[str, tuple[type | None, tuple[type, ...]]] = {
    "FPDF_InitLibrary": (None, ()),
    "FPDF_LoadDocument": (_POINTER, (_STRING, _STRING)),
    "FPDF_GetLastError": (_ULONG, ()),
    "FPDF_CloseDocument": (None, (_POINTER,)),
    "FPDF_GetPageCount": (_INT, (_POINTER,)),
    "FPDF_LoadPage": (_POINTER, (_POINTER, _INT)),
    "FPDF_ClosePage": (None, (_POINTER,)),
    "FPDF_GetPageBoundingBox": (_INT, (_POINTER, _POINTER)),
    "FPDF_GetPageLabel": (_ULONG, (_POINTER, _INT, _POINTER, _ULONG)),
    "FPDF_GetMetaText": (_ULONG, (_POINTER, _STRING, _POINTER, _ULONG)),
    "FPDFPage_GetRotation": (_INT, (_POINTER,)),
    "FPDFPage_SetRotation": (None, (_POINTER, _INT)),
    "FPDFPage_CountObjects": (_INT, (_POINTER,)),
    "FPDFPage_GetObject": (_POINTER, (_POINTER, _INT)),
    "FPDFFormObj_CountObjects": (_INT, (_POINTER,)),
    "FPDFFormObj_GetObject": (_POINTER, (_POINTER, _ULONG)),
    "FPDFPageObj_GetType": (_INT, (_POINTER,)),
    "FPDFPageObj_GetMatrix": (_INT, (_POINTER, _POINTER)),
    "FPDFPageObj_GetBounds": (_INT, (_POINTER, _POINTER, _POINTER, _POINTER, _POINTER)),
    "FPDFPageObj_CountMarks": (_INT, (_POINTER,)),
    "FPDFPageObj_GetMark": (_POINTER, (_POINTER, _ULONG)),
    "FPDFPageObjMark_GetParamBlobValue": (_INT, (_POINTER, _STRING, _POINTER, _ULONG, _POINTER)),
    "FPDFPageObj_GetFillColor": (_INT, (_POINTER, _POINTER, _POINTER, _POINTER, _POINTER)),
    "FPDFPath_GetDrawMode": (_INT, (_POINTER, _POINTER, _POINTER)),
    "FPDFPath_CountSegments": (_INT, (_POINTER,)),
    "FPDFPath_GetPathSegment": (_POINTER, (_POINTER, _INT)),
    "FPDFPathSegment_GetPoint": (_INT, (_POINTER, _POINTER, _POINTER)),
    "FPDFPathSegment_GetType": (_INT, (_POINTER,)),
    "FPDFPathSegment_GetClose": (_INT, (_POINTER,)),
    "FPDFText_LoadPage": (_POINTER, (_POINTER,)),
    "FPDFText_ClosePage": (None, (_POINTER,)),
    "FPDFText_CountChars": (_INT, (_POINTER,)),
    "FPDFText_GetText": (_INT, (_POINTER, _INT, _INT, _POINTER)),
    "FPDFText_GetUnicode": (ctypes.c_uint, (_POINTER, _INT)),
    "FPDFText_GetLooseCharBox": (_INT, (_POINTER, _INT, _POINTER)),
    "FPDFText_GetFontSize": (_DOUBLE, (_POINTER, _INT)),
    "FPDFText_GetMatrix": (_INT, (_POINTER, _INT, _POINTER)),
    "FPDFText_GetFontInfo": (_ULONG, (_POINTER, _INT, _POINTER, _ULONG, _POINTER)),
    "FPDFText_IsGenerated": (_INT, (_POINTER, _INT)),
    "FPDFText_GetCharOrigin": (_INT, (_POINTER, _INT, _POINTER, _POINTER)),
    "FPDFText_GetTextObject": (_POINTER, (_POINTER, _INT)),
    "FPDFTextObj_GetTextRenderMode": (_INT, (_POINTER,)),
    "FPDFTextObj_GetFont": (_POINTER, (_POINTER,)),
    "FPDFText_CountRects": (_INT, (_POINTER, _INT, _INT)),
    "FPDFText_GetRect": (_INT, (_POINTER, _INT, _POINTER, _POINTER, _POINTER, _POINTER)),
    "FPDFBookmark_GetFirstChild": (_POINTER, (_POINTER, _POINTER)),
    "FPDFBookmark_GetNextSibling": (_POINTER, (_POINTER, _POINTER)),
    "FPDFBookmark_GetTitle": (_ULONG, (_POINTER, _POINTER, _ULONG)),
    "FPDFBookmark_GetDest": (_POINTER, (_POINTER, _POINTER)),
    "FPDFBookmark_GetAction": (_POINTER, (_POINTER,)),
    "FPDFAction_GetDest": (_POINTER, (_POINTER, _POINTER)),
    "FPDFDest_GetDestPageIndex": (_INT, (_POINTER, _POINTER)),
}


def _library_path() -> str:
    spec = PathFinder.find_spec("pypdfium2_raw")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for name in ("libpdfium.so", "libpdfium.dylib", "pdfium.dll"):
            path = os.path.join(folder, name)
            if os.path.exists(path):
                return path
    raise RefusedInput("PDF files need the package pypdfium2 with its own PDFium. Install it again.", code="unsupported")


class _Library:
    """PDFium, opened at first use and kept for the life of the process."""

    def __init__(self) -> None:
        self._functions: ctypes.CDLL | None = None

    def get(self) -> ctypes.CDLL:
        if self._functions is None:
            functions = ctypes.CDLL(_library_path())
            for name, (result, arguments) in (_SIGNATURES | pdfium_drawing.SIGNATURES).items():
                function = getattr(functions, name)
                function.restype, function.argtypes = result, arguments
            functions.FPDF_InitLibrary()
            self._functions = functions
        return self._functions


LIBRARY = _Library()
