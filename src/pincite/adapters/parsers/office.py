"""Office files: which one it is, told by its parts, and its reader."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from pincite.adapters.parsers.archive import Archive
from pincite.adapters.parsers.office_package import OfficeKind, OfficePackage, is_package
from pincite.adapters.parsers.office_parts import OfficeBounds, unsupported
from pincite.adapters.parsers.open_document import OpenDocument, is_open_document
from pincite.adapters.parsers.pptx_shapes import Rect
from pincite.core.documents import ParsedDocument

OnPage = Callable[[int, int], None]


def is_office(archive: Archive) -> bool:
    """Whether an archive is a file of an office program, also of one that isn't read."""
    return "mimetype" in archive or is_open_document(archive) or is_package(archive)


def read_office(path: str, *, bounds: OfficeBounds, max_pages: int, max_chars: int, on_page: OnPage) -> ParsedDocument:
    """Read a file of an office program. Raises `RefusedInput`, `unsupported` for any other archive."""
    progress = _Progress(on_page)
    with _opened(path, bounds, beat=progress.repeat) as package:
        if isinstance(package, OpenDocument):
            return _read_open(package, max_pages=max_pages, max_chars=max_chars, on_page=progress.report)
        return _read_microsoft(package, max_pages=max_pages, max_chars=max_chars, on_page=progress.report)


def _read_microsoft(package: OfficePackage, *, max_pages: int, max_chars: int, on_page: OnPage) -> ParsedDocument:
    match package.kind:
        case OfficeKind.TEXT:
            from pincite.adapters.parsers.docx import read_docx

            return read_docx(package, max_chars=max_chars)
        case OfficeKind.SLIDES:
            from pincite.adapters.parsers.pptx import read_pptx

            return read_pptx(package, max_pages=max_pages, max_chars=max_chars, on_page=on_page)
        case OfficeKind.SHEETS if not package.main.endswith(".bin"):
            from pincite.adapters.parsers.xlsx import read_xlsx

            return read_xlsx(package, max_pages=max_pages, max_chars=max_chars, on_page=on_page)
        case OfficeKind.SHEETS:
            raise unsupported("a binary Excel workbook (XLSB)", "Save it as XLSX.")
        case _:
            raise unsupported("an office file of an unknown kind", "Save it as DOCX, PPTX, XLSX or PDF.")


def _read_open(package: OpenDocument, *, max_pages: int, max_chars: int, on_page: OnPage) -> ParsedDocument:
    match package.kind:
        case OfficeKind.TEXT:
            from pincite.adapters.parsers.odt import read_odt

            return read_odt(package, max_chars=max_chars)
        case OfficeKind.SLIDES:
            from pincite.adapters.parsers.odp import read_odp

            return read_odp(package, max_pages=max_pages, max_chars=max_chars, on_page=on_page)
        case OfficeKind.SHEETS:
            from pincite.adapters.parsers.ods import read_ods

            return read_ods(package, max_pages=max_pages, max_chars=max_chars, on_page=on_page)
        case None:
            raise unsupported("an OpenDocument file without text (a chart, formula or database)", "Save it as PDF.")


class _Progress:
    """Passes pages on, and repeats the last of them to say that reading goes on; (0, 0) where there are none."""

    def __init__(self, on_page: OnPage) -> None:
        self._on_page = on_page
        self._last = (0, 0)

    def report(self, done: int, total: int) -> None:
        self._last = (done, total)
        self._on_page(done, total)

    def repeat(self) -> None:
        self._on_page(*self._last)


def office_boxes(path: str, runs: Sequence[tuple[int, int, int]]) -> list[list[Rect]]:
    """Return for each run `(slide, index, count)` of a presentation its boxes. Raises `RefusedInput`."""
    with _opened(path, OfficeBounds()) as package:
        if isinstance(package, OpenDocument):
            from pincite.adapters.parsers.odp import odp_boxes

            return odp_boxes(package, runs)
        from pincite.adapters.parsers.pptx import pptx_boxes

        return pptx_boxes(package, runs)


@contextmanager
def _opened(path: str, bounds: OfficeBounds, *, beat: Callable[[], None] = lambda: None) -> Generator[OfficePackage | OpenDocument]:
    """Open an office file. Raises `RefusedInput` (`corrupt`, `encrypted`, `too_large`, `unsupported` for other archives)."""
    with open(path, "rb") as file:
        archive = Archive(file, max_bytes=bounds.unpacked_bytes)
        if is_open_document(archive):
            yield OpenDocument(archive, bounds, beat)
        elif is_package(archive):
            yield OfficePackage(archive, bounds, beat)
        else:
            raise unsupported("a file of an unknown program", "Save it as PDF.")
