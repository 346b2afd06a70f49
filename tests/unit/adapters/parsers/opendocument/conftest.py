"""Small OpenDocument files made for a test, part by part."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from pincite.adapters.parsers.media import read_file
from pincite.core.documents import ParsedDocument

NAMES = {
    **{name: name for name in ("office", "style", "text", "table", "meta", "presentation", "chart", "manifest")},
    "draw": "drawing",
    "fo": "xsl-fo-compatible",
    "svg": "svg-compatible",
}
DECLARED = " ".join(
    [
        *(f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for prefix, name in NAMES.items()),
        'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"',
    ]
)
TYPE = "application/vnd.oasis.opendocument"


def root(name: str, content: str) -> str:
    """A part: its root and what is in it."""
    return f"<office:{name} {DECLARED}>{content}</office:{name}>"


@dataclass(frozen=True, slots=True)
class OpenKit:
    """Makes OpenDocument files in a folder, and reads them."""

    folder: Path

    def write(self, parts: Mapping[str, str | bytes], name: str) -> Path:
        """Write parts as they are."""
        path = self.folder / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for part, content in parts.items():
                archive.writestr(part, content)
        return path

    def file(
        self,
        kind: str,
        body: str,
        *,
        automatic: str = "",
        styles: str = "",
        masters: str = "",
        title: str = "",
        parts: Mapping[str, str | bytes] | None = None,
    ) -> Path:
        """Write a file of a kind (`text`, `spreadsheet`, `presentation`): its body and its styles."""
        content = f"<office:automatic-styles>{automatic}</office:automatic-styles>"
        content += f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
        own: dict[str, str | bytes] = {
            "mimetype": f"{TYPE}.{kind}",
            "META-INF/manifest.xml": f"<manifest:manifest {DECLARED}/>",
            "content.xml": root("document-content", content),
            "styles.xml": root(
                "document-styles",
                f"<office:styles>{styles}</office:styles><office:master-styles>{masters}</office:master-styles>",
            ),
            "meta.xml": root("document-meta", f"<office:meta><dc:title>{title}</dc:title></office:meta>"),
        }
        return self.write({**own, **(parts or {})}, f"made.{kind}")

    def read(self, path: Path, **bounds: int) -> ParsedDocument:
        """Read a file in this process."""
        usual = {"max_pages": 1000, "max_chars": 1_000_000, "max_depth": 100, "max_unpacked_bytes": 200_000_000}
        return read_file(str(path), name=path.name, on_page=lambda done, total: None, **{**usual, **bounds})

    def blocks(self, path: Path) -> list[tuple[str, str]]:
        """Read a file; role and text of each block, in order."""
        canonical = self.read(path).canonical
        return [(str(block.role), canonical.text[block.start : block.end]) for block in canonical.blocks]

    def text(self, body: str, *, automatic: str = "", styles: str = "", masters: str = "") -> list[tuple[str, str]]:
        """Role and text of each block of a text made of `body`."""
        return self.blocks(self.file("text", body, automatic=automatic, styles=styles, masters=masters))


@pytest.fixture
def odf(tmp_path: Path) -> OpenKit:
    return OpenKit(tmp_path)
