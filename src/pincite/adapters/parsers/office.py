"""Office files: which one it is, told by its parts, and its reader."""

from collections.abc import Callable, Sequence

from pincite.adapters.parsers.office_package import OfficeBounds, OfficeKind, OfficePackage, open_package, unsupported
from pincite.adapters.parsers.pptx_shapes import Rect
from pincite.core.documents import ParsedDocument
from pincite.core.errors import RefusedInput


def read_office(
    path: str, *, bounds: OfficeBounds, max_pages: int, max_chars: int, on_page: Callable[[int, int], None]
) -> ParsedDocument:
    """Read a DOCX, PPTX or XLSX file. Raises `RefusedInput`, `unsupported` for any other archive."""
    progress = _Progress(on_page)
    with open_package(path, bounds, beat=progress.repeat) as package:
        match package.kind:
            case OfficeKind.TEXT:
                from pincite.adapters.parsers.docx import read_docx

                return read_docx(package, max_chars=max_chars)
            case OfficeKind.SLIDES:
                from pincite.adapters.parsers.pptx import read_pptx

                return read_pptx(package, max_pages=max_pages, max_chars=max_chars, on_page=progress.report)
            case OfficeKind.SHEETS if not package.main.endswith(".bin"):
                from pincite.adapters.parsers.xlsx import read_xlsx

                return read_xlsx(package, max_pages=max_pages, max_chars=max_chars, on_page=progress.report)
            case _:
                raise _unread(package)


class _Progress:
    """Passes pages on, and repeats the last of them to say that reading goes on; (0, 0) where there are none."""

    def __init__(self, on_page: Callable[[int, int], None]) -> None:
        self._on_page = on_page
        self._last = (0, 0)

    def report(self, done: int, total: int) -> None:
        self._last = (done, total)
        self._on_page(done, total)

    def repeat(self) -> None:
        self._on_page(*self._last)


def office_boxes(path: str, runs: Sequence[tuple[int, int, int]]) -> list[list[Rect]]:
    """Return for each run `(slide, index, count)` of a PPTX file its boxes. Raises `RefusedInput`."""
    from pincite.adapters.parsers.pptx import pptx_boxes

    with open_package(path, OfficeBounds()) as package:
        return pptx_boxes(package, runs)


def _unread(package: OfficePackage) -> RefusedInput:
    if package.kind is OfficeKind.SHEETS:
        return unsupported("a binary Excel workbook (XLSB)", "Save it as XLSX.")
    return unsupported("an office file of an unknown kind", "Save it as DOCX, PPTX, XLSX or PDF.")
