"""Small office files made for a test, part by part."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from pincite.adapters.parsers.media import read_file
from pincite.core.documents import ParsedDocument

TRANSITIONAL = "http://schemas.openxmlformats.org"
MICROSOFT = "http://schemas.microsoft.com/office"
NAMESPACES = {
    "w": f"{TRANSITIONAL}/wordprocessingml/2006/main",
    "a": f"{TRANSITIONAL}/drawingml/2006/main",
    "p": f"{TRANSITIONAL}/presentationml/2006/main",
    "c": f"{TRANSITIONAL}/drawingml/2006/chart",
    "dgm": f"{TRANSITIONAL}/drawingml/2006/diagram",
    "r": f"{TRANSITIONAL}/officeDocument/2006/relationships",
    "m": f"{TRANSITIONAL}/officeDocument/2006/math",
    "mc": f"{TRANSITIONAL}/markup-compatibility/2006",
    "wps": f"{MICROSOFT}/word/2010/wordprocessingShape",
    "a14": f"{MICROSOFT}/drawing/2010/main",
    "v": "urn:schemas-microsoft-com:vml",
    "vendor": "https://example.org/extension",
}
DECLARED = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
RELATIONS = f"{TRANSITIONAL}/package/2006/relationships"
CORE = f"{TRANSITIONAL}/package/2006/metadata/core-properties"
WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
SLIDES_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"

Relations = Mapping[str, tuple[str, str]]


def paragraph(text: str = "", *, style: str = "", properties: str = "", runs: str = "") -> str:
    """A Word paragraph: its text, or its runs as XML."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    content = runs or f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{content}</w:p>"


def item(text: str, *, list_id: int = 1, level: int = 0) -> str:
    """A paragraph in a list."""
    return paragraph(text, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>')


def style(style_id: str, name: str, *, based_on: str = "", properties: str = "", kind: str = "paragraph") -> str:
    """A style of a Word document."""
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return f'<w:style w:type="{kind}" w:styleId="{style_id}"><w:name w:val="{name}"/>{base}{properties}</w:style>'


def row(*cells: str) -> str:
    """A table row; a cell is text, or XML that begins with `<w:`."""
    return f"<w:tr>{''.join(cell if cell.startswith('<w:tc>') else tc(cell) for cell in cells)}</w:tr>"


def tc(content: str, properties: str = "") -> str:
    """A cell of a Word table."""
    body = content if content.startswith("<w:") else paragraph(content)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{body}</w:tc>"


def table(*rows: str) -> str:
    """A Word table."""
    return f"<w:tbl><w:tblPr/>{''.join(rows)}</w:tbl>"


def shape(
    *lines: str,
    at: tuple[int, int, int, int] | None = (0, 0, 100, 50),
    placeholder: str = "",
    content: str = "",
    hidden: bool = False,
    turn: int = 0,
) -> str:
    """A shape of a slide with paragraphs, `at` x, y, width and height in points; `content` is XML instead of lines."""
    frame = transform(at, turn=turn) if at else ""
    text = content or "".join(f"<a:p><a:r><a:t>{escape(line)}</a:t></a:r></a:p>" for line in lines)
    role = f"<p:ph {placeholder}/>" if placeholder else ""
    seen = ' hidden="1"' if hidden else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"{seen}/><p:cNvSpPr/><p:nvPr>{role}</p:nvPr></p:nvSpPr>'
        f"<p:spPr>{frame}</p:spPr><p:txBody><a:bodyPr/>{text}</p:txBody></p:sp>"
    )


def transform(at: tuple[int, int, int, int], *, tag: str = "a:xfrm", turn: int = 0, children: str = "") -> str:
    """Where a shape stands."""
    x, y, width, height = (value * 12_700 for value in at)
    turned = f' rot="{turn}"' if turn else ""
    return f'<{tag}{turned}><a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/>{children}</{tag}>'


def graphic(content: str, at: tuple[int, int, int, int] = (0, 0, 200, 100)) -> str:
    """A frame with a table, a chart or a diagram."""
    frame = transform(at, tag="p:xfrm")
    return f"<p:graphicFrame>{frame}<a:graphic><a:graphicData>{content}</a:graphicData></a:graphic></p:graphicFrame>"


def root(tag: str, content: str, attributes: str = "") -> str:
    """A part."""
    return f'<?xml version="1.0" encoding="UTF-8"?><{tag} {DECLARED} {attributes}>{content}</{tag}>'


def slide(shapes: str) -> str:
    """The part of a slide."""
    return root("p:sld", f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>")


def rels(relations: Relations) -> str:
    """A part of references."""
    base = NAMESPACES["r"]
    entries = "".join(
        f'<Relationship Id="{key}" Type="{base}/{kind}" Target="{target}"/>' for key, (kind, target) in relations.items()
    )
    return f'<Relationships xmlns="{RELATIONS}">{entries}</Relationships>'


def package(main: str, content_type: str, title: str) -> dict[str, str]:
    """The parts that every office file has."""
    return {
        "[Content_Types].xml": (
            f'<Types xmlns="{TRANSITIONAL}/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/>'
            '<Default Extension="html" ContentType="text/html"/><Default Extension="xhtml" ContentType="application/xhtml+xml"/>'
            '<Default Extension="mht" ContentType="message/rfc822"/><Default Extension="txt" ContentType="text/plain"/>'
            f'<Override PartName="/{main}" ContentType="{content_type}"/></Types>'
        ),
        "_rels/.rels": rels({"r1": ("officeDocument", main), "r2": ("core-properties", "docProps/core.xml")}),
        "docProps/core.xml": f'<cp:p xmlns:cp="{CORE}" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></cp:p>',
    }


@dataclass(frozen=True)
class OfficeKit:
    """Writes office files and reads them."""

    folder: Path

    paragraph = staticmethod(paragraph)
    item = staticmethod(item)
    style = staticmethod(style)
    row = staticmethod(row)
    cell = staticmethod(tc)
    table = staticmethod(table)
    shape = staticmethod(shape)
    transform = staticmethod(transform)
    graphic = staticmethod(graphic)
    root = staticmethod(root)
    slide = staticmethod(slide)
    rels = staticmethod(rels)

    def write(self, parts: Mapping[str, str | bytes], name: str = "made.docx") -> Path:
        """Write parts as they are."""
        path = self.folder / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for part, content in parts.items():
                archive.writestr(part, content)
        return path

    def docx(
        self,
        *body: str,
        styles: str = "",
        numbering: str = "",
        parts: Mapping[str, str] | None = None,
        relations: Relations | None = None,
        title: str = "",
        settings: str = "",
    ) -> Path:
        """Write a Word document; `relations` are those of its body, by id: type and target."""
        known = {"s": ("styles", "styles.xml"), "n": ("numbering", "numbering.xml"), "e": ("settings", "settings.xml")}
        return self.write(
            {
                **package("word/document.xml", WORD_TYPE, title),
                "word/_rels/document.xml.rels": rels({**known, **(relations or {})}),
                "word/document.xml": root("w:document", f"<w:body>{''.join(body)}</w:body>"),
                "word/styles.xml": root("w:styles", styles),
                "word/numbering.xml": root("w:numbering", numbering),
                "word/settings.xml": root("w:settings", settings),
                **(parts or {}),
            }
        )

    def pptx(
        self,
        *slides: str,
        parts: Mapping[str, str] | None = None,
        relations: Mapping[int, Relations] | None = None,
        title: str = "",
        size: tuple[int, int] = (720, 540),
        attributes: str = "",
    ) -> Path:
        """Write a presentation of slides, each the shapes in it; `relations` are those of the slides, by their number."""
        numbers = range(1, len(slides) + 1)
        ids = "".join(f'<p:sldId id="{255 + number}" r:id="rId{number}"/>' for number in numbers)
        measure = f'<p:sldSz cx="{size[0] * 12700}" cy="{size[1] * 12700}"/>'
        content: dict[str, str] = {
            **package("ppt/presentation.xml", SLIDES_TYPE, title),
            "ppt/presentation.xml": root("p:presentation", f"<p:sldIdLst>{ids}</p:sldIdLst>{measure}", attributes),
            "ppt/_rels/presentation.xml.rels": rels({f"rId{number}": ("slide", f"slides/slide{number}.xml") for number in numbers}),
        }
        for number, shapes in zip(numbers, slides, strict=True):
            content[f"ppt/slides/slide{number}.xml"] = slide(shapes)
            content[f"ppt/slides/_rels/slide{number}.xml.rels"] = rels((relations or {}).get(number, {}))
        return self.write({**content, **(parts or {})}, "made.pptx")

    def read(self, path: Path, **bounds: int) -> ParsedDocument:
        """Read a file in this process."""
        usual = {"max_pages": 1000, "max_chars": 1_000_000, "max_depth": 100, "max_unpacked_bytes": 200_000_000}
        return read_file(str(path), name=path.name, on_page=lambda done, total: None, **{**usual, **bounds})

    def lines(self, path: Path) -> list[str]:
        """Read a file; the text of each block, in order."""
        canonical = self.read(path).canonical
        return [canonical.text[block.start : block.end] for block in canonical.blocks]

    def blocks(self, path: Path) -> list[tuple[str, int, str]]:
        """Read a file; role, level and text of each block, in order."""
        canonical = self.read(path).canonical
        return [(str(block.role), block.level, canonical.text[block.start : block.end]) for block in canonical.blocks]


@pytest.fixture
def office(tmp_path: Path) -> OfficeKit:
    return OfficeKit(tmp_path)
