"""Small PDF files made for a test, and the folder of shared files when it is there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
FONTS = {"Helvetica": "F1", "Helvetica-Bold": "F2", "Courier": "F3", "Times-Roman": "F4", "ZapfDingbats": "F5"}


@dataclass(frozen=True)
class Text:
    """A text drawn with its base line `y` points under the top of an unrotated page."""

    x: float
    y: float
    text: str
    size: float = 10
    font: str = "Helvetica"


@dataclass(frozen=True)
class Sheet:
    """A page: its texts, its rotation, raw drawing operators, and its boxes (`MediaBox`, `CropBox`) as the file has them."""

    texts: Sequence[Text] = ()
    rotate: int = 0
    drawing: bytes = b""
    boxes: str = "/MediaBox[0 0 612 792]"


@dataclass(frozen=True)
class Pdf:
    """A document: sheets, outline entries `(title, page from 0)`, page labels `(first page, prefix, style)`."""

    sheets: Sequence[Sheet]
    outline: Sequence[tuple[str, int]] = ()
    labels: Sequence[tuple[int, str, str]] = ()
    title: str = ""

    def encode(self) -> bytes:
        """The bytes of the file."""
        return _Writer(self).encode()


def _string(text: str) -> bytes:
    raw = text.encode("cp1252")
    return b"(" + raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)") + b")"


@dataclass
class _Writer:
    pdf: Pdf
    objects: list[bytes] = field(default_factory=list[bytes])

    def add(self, body: bytes) -> int:
        self.objects.append(body)
        return len(self.objects)

    def encode(self) -> bytes:
        catalog, pages = self.add(b""), self.add(b"")
        fonts = b" ".join(
            b"/%s %d 0 R"
            % (
                key.encode(),
                self.add(b"<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding>>" % name.encode()),
            )
            for name, key in FONTS.items()
        )
        kids = [self._sheet(sheet, pages, fonts) for sheet in self.pdf.sheets]
        self.objects[pages - 1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(kids), b" ".join(b"%d 0 R" % kid for kid in kids))
        extra = self._outline(kids) + self._labels()
        self.objects[catalog - 1] = b"<</Type/Catalog/Pages %d 0 R%s>>" % (pages, extra)
        info = self.add(b"<</Title %s>>" % _string(self.pdf.title))
        return self._file(catalog, info)

    def _sheet(self, sheet: Sheet, pages: int, fonts: bytes) -> int:
        content = sheet.drawing + b"".join(
            b"BT /%s %g Tf %g %g Td %s Tj ET\n" % (FONTS[t.font].encode(), t.size, t.x, 792 - t.y, _string(t.text))
            for t in sheet.texts
        )
        stream = self.add(b"<</Length %d>>stream\n%s\nendstream" % (len(content), content))
        return self.add(
            b"<</Type/Page/Parent %d 0 R%s/Rotate %d/Resources<</Font<<%s>>>>/Contents %d 0 R>>"
            % (pages, sheet.boxes.encode(), sheet.rotate, fonts, stream)
        )

    def _outline(self, kids: Sequence[int]) -> bytes:
        if not self.pdf.outline:
            return b""
        root, first = len(self.objects) + 1, len(self.objects) + 2
        last = first + len(self.pdf.outline) - 1
        self.add(b"<</Type/Outlines/First %d 0 R/Last %d 0 R/Count %d>>" % (first, last, len(self.pdf.outline)))
        for number, (title, page) in enumerate(self.pdf.outline):
            after = b"/Next %d 0 R" % (first + number + 1) if first + number < last else b""
            self.add(b"<</Title %s/Parent %d 0 R/Dest[%d 0 R/Fit]%s>>" % (_string(title), root, kids[page], after))
        return b"/Outlines %d 0 R" % root

    def _labels(self) -> bytes:
        if not self.pdf.labels:
            return b""
        items = (b"%d<</S/%s/P%s>>" % (page, style.encode(), _string(prefix)) for page, prefix, style in self.pdf.labels)
        return b"/PageLabels<</Nums[%s]>>" % b" ".join(items)

    def _file(self, catalog: int, info: int) -> bytes:
        out, offsets = bytearray(b"%PDF-1.7\n"), list[int]()
        for number, body in enumerate(self.objects, start=1):
            offsets.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
        out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
        out += b"trailer<</Size %d/Root %d 0 R/Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(offsets) + 1, catalog, info, start)
        return bytes(out)


def column(text: str, *, x: float = 72, y: float = 100, chars: int = 80, size: float = 10, font: str = "Helvetica") -> list[Text]:
    """Lay a text out in lines of `chars` characters at most, 1.2 times the size apart."""
    lines: list[str] = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > chars:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return [Text(x, y + number * 1.2 * size, line, size, font) for number, line in enumerate(lines)]


@dataclass(frozen=True)
class PdfKit:
    """What a test needs to make a PDF file."""

    folder: Path
    text: type[Text] = Text
    sheet: type[Sheet] = Sheet
    column: Callable[..., list[Text]] = column

    def write(
        self, *sheets: Sheet, outline: Sequence[tuple[str, int]] = (), labels: Sequence[tuple[int, str, str]] = (), title: str = ""
    ) -> str:
        """Write a document and return its path."""
        path = self.folder / "made.pdf"
        path.write_bytes(Pdf(sheets, outline, labels, title).encode())
        return str(path)


@pytest.fixture
def kit(tmp_path: Path) -> PdfKit:
    return PdfKit(tmp_path)


@pytest.fixture(scope="session")
def data() -> Path:
    return ROOT / "tests" / "data" / "parsing"


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = ROOT.parent / "shared"
    if not (folder / "corpus" / "MANIFEST.tsv").exists():
        pytest.skip("the folder of shared documents is not beside the repository")
    return folder
