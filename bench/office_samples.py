"""Small Word files, each with one kind of thing that is easily read wrongly, and large ones to measure with."""

import random
import zipfile
from dataclasses import dataclass
from pathlib import Path

_OOXML = "http://schemas.openxmlformats.org"
_DECLARED = " ".join(
    (
        f'xmlns:w="{_OOXML}/wordprocessingml/2006/main"',
        f'xmlns:m="{_OOXML}/officeDocument/2006/math"',
        f'xmlns:mc="{_OOXML}/markup-compatibility/2006"',
        'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml"',
    )
)
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELATED = f"{_OOXML}/officeDocument/2006/relationships"
_BOX = "<w:txbxContent><w:p><w:r><w:t>BOX</w:t></w:r></w:p></w:txbxContent>"
_LIST = (
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="lowerRoman"/>'
    '<w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
)


@dataclass(frozen=True)
class Kind:
    """A body, what Word prints of it, and what it doesn't print. What is printed must come once."""

    body: str
    printed: str
    unprinted: str = ""


def _run(content: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr>{content}</w:r>"


def _text(text: str) -> str:
    return _run(f"<w:t>{text}</w:t>")


def _field(kind: str) -> str:
    return _run(f'<w:fldChar w:fldCharType="{kind}"/>')


def _code(text: str) -> str:
    return _run(f"<w:instrText>{text}</w:instrText>")


def _paragraph(runs: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{runs}</w:p>"


_NESTED = _field("begin") + _code("IF") + _field("begin") + _code("X") + _field("separate") + _text("HID") + _field("end")
KINDS = {
    "deleted text": Kind(_paragraph(_text("NEW") + f"<w:del>{_run('<w:delText>OLD</w:delText>')}</w:del>"), "NEW", "OLD"),
    "inserted text": Kind(_paragraph(f"<w:ins>{_text('INS')}</w:ins>"), "INS"),
    "moved text": Kind(_paragraph(f"<w:moveFrom>{_text('GONE')}</w:moveFrom>" + _text("SEEN")), "SEEN", "GONE"),
    "hidden text": Kind(_paragraph(_text("SEEN") + _run("<w:t>HID</w:t>", "<w:vanish/>")), "SEEN", "HID"),
    "field": Kind(
        _paragraph(_field("begin") + _code("CODE") + _field("separate") + _text("SHOWN") + _field("end")), "SHOWN", "CODE"
    ),
    "field in a field": Kind(_paragraph(_NESTED + _field("separate") + _text("SHOWN") + _field("end")), "SHOWN", "HID"),
    "text box in two forms": Kind(
        _paragraph(
            _run(
                f'<mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>{_BOX}</wps:txbx></w:drawing></mc:Choice>'
                f"<mc:Fallback><w:pict><v:textbox>{_BOX}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent>"
            )
        ),
        "BOX",
    ),
    "equation": Kind(_paragraph("<m:oMath><m:r><m:t>EQU</m:t></m:r></m:oMath>"), "EQU"),
    "content control": Kind(_paragraph(f"<w:sdt><w:sdtContent>{_text('SDT')}</w:sdtContent></w:sdt>"), "SDT"),
    "row in a control": Kind(
        "<w:tbl><w:tblPr/><w:tblGrid/><w:sdt><w:sdtContent><w:tr>"
        f"<w:tc>{_paragraph(_text('ROW'))}</w:tc></w:tr></w:sdtContent></w:sdt></w:tbl>",
        "ROW",
    ),
    "symbol": Kind(_paragraph(_run('<w:sym w:font="Symbol" w:char="F06D"/>')), "μ"),
    "number of an item": Kind(_paragraph(_text("x"), '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>'), "iv."),
    "footnote": Kind(_paragraph(_text("x") + _run('<w:footnoteReference w:id="1"/>')), "NOTE"),
}


def write_docx(path: Path, body: str) -> Path:
    """Write a Word file with a list and a footnote that its body may refer to."""
    related = {"document": "officeDocument", "numbering": "numbering", "footnotes": "footnotes"}
    relation = '<Relationship Id="{0}" Type="' + _RELATED + '/{1}" Target="{2}{0}.xml"/>'
    rels = f'<Relationships xmlns="{_OOXML}/package/2006/relationships">{{}}</Relationships>'
    types = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{_WORD}.{"document.main" if name == "document" else name}+xml"/>'
        for name in related
    )
    note = f'<w:footnote w:id="1">{_paragraph(_text("NOTE"))}</w:footnote>'
    parts = {
        "[Content_Types].xml": (
            f'<Types xmlns="{_OOXML}/package/2006/content-types"><Default Extension="rels" '
            f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{types}</Types>'
        ),
        "_rels/.rels": rels.format(relation.format("document", "officeDocument", "word/")),
        "word/_rels/document.xml.rels": rels.format(
            "".join(relation.format(name, kind, "") for name, kind in related.items() if name != "document")
        ),
        "word/document.xml": f"<w:document {_DECLARED}><w:body>{body}</w:body></w:document>",
        "word/numbering.xml": f"<w:numbering {_DECLARED}>{_LIST}</w:numbering>",
        "word/footnotes.xml": f"<w:footnotes {_DECLARED}>{note}</w:footnotes>",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


_WORDS = (
    *("the", "committee", "met", "on", "second", "day", "of", "month", "and", "heard", "report", "treasurer", "about", "costs"),
    *("new", "harbour", "state", "roads", "lead", "north"),
)
_LOOK = '<w:rFonts w:ascii="Times" w:hAnsi="Times"/><w:sz w:val="24"/><w:lang w:val="en-US"/>'


def prose(paragraphs: int) -> str:
    """Return the body of a long text, each paragraph 84 words in six runs."""
    dice = random.Random(1)

    def paragraph() -> str:
        runs = (" ".join(dice.choices(_WORDS, k=14)) for _ in range(6))
        return _paragraph("".join(_run(f'<w:t xml:space="preserve">{text} </w:t>', _LOOK) for text in runs))

    return "".join(paragraph() for _ in range(paragraphs))


def long_table(rows: int) -> str:
    """Return the body of one table with eight columns."""
    row = "".join(f"<w:tc><w:tcPr><w:tcW w:w='999'/></w:tcPr>{_paragraph(_text(word))}</w:tc>" for word in _WORDS[:8])
    return f"<w:tbl>{f'<w:tr>{row}</w:tr>' * rows}</w:tbl>"
