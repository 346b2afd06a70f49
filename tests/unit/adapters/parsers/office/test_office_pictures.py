"""Pictures in Word documents and presentations: told of by their caption, else by the text before them, and made anew."""

import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from PIL import Image

from pincite.adapters.parsers.figure_pictures import take_pictures
from pincite.adapters.parsers.media import read_file
from pincite.core.documents import ParsedDocument

OOXML = "http://schemas.openxmlformats.org"
RELATED = f"{OOXML}/officeDocument/2006/relationships"
SHOWN = '<w:p><w:r><w:drawing><a:blip r:embed="{}"/></w:drawing></w:r></w:p>'


def pixels(size: tuple[int, int] = (200, 120), form: str = "PNG", colour: tuple[int, int, int] = (200, 30, 30)) -> bytes:
    picture = Image.new("RGB", size, colour)
    picture.paste((0, 0, 255), (0, 0, size[0] // 2, size[1] // 3))
    target = BytesIO()
    picture.save(target, form)
    return target.getvalue()


def docx(folder: Path, body: str, media: Mapping[str, bytes]) -> str:
    path = folder / "report.docx"
    relations = "".join(f'<Relationship Id="{name.split(".")[0]}" Type="{RELATED}/image" Target="media/{name}"/>' for name in media)
    relations += f'<Relationship Id="styles" Type="{RELATED}/styles" Target="styles.xml"/>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{OOXML}/wordprocessingml/2006/main" xmlns:a="{OOXML}/drawingml/2006/main" xmlns:r="{RELATED}">'
            f"<w:body>{body}</w:body></w:document>",
        )
        archive.writestr(
            "word/_rels/document.xml.rels", f'<Relationships xmlns="{OOXML}/package/2006/relationships">{relations}</Relationships>'
        )
        archive.writestr(
            "word/styles.xml",
            f'<w:styles xmlns:w="{OOXML}/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="C">'
            '<w:name w:val="caption"/></w:style></w:styles>',
        )
        for name, data in media.items():
            archive.writestr(f"word/media/{name}", data)
    return str(path)


def paragraph(text: str, style: str = "") -> str:
    look = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{look}<w:r><w:t>{text}</w:t></w:r></w:p>"


def read(path: str) -> ParsedDocument:
    bounds = {"max_pages": 9, "max_chars": 10_000, "max_depth": 100, "max_unpacked_bytes": 1 << 24}
    return read_file(path, name=Path(path).name, on_page=lambda done, total: None, **bounds)


def taken(path: str, document: ParsedDocument) -> dict[int, Image.Image]:
    found: dict[int, bytes] = {}
    sizes = take_pictures(
        path,
        name=Path(path).name,
        places=document.figures,
        max_unpacked_bytes=1 << 24,
        write=lambda number, piece: found.update({number: found.get(number, b"") + piece}),
    )
    return {number: Image.open(BytesIO(data)) for number, data in found.items() if sizes[number]}


def test_a_picture_is_told_of_by_its_caption_else_by_the_text_before_it(tmp_path: Path) -> None:
    body = (
        paragraph("Costs rose.")
        + SHOWN.format("a")
        + paragraph("Then they fell.")
        + SHOWN.format("b")
        + paragraph("Costs by year", "C")
    )
    path = docx(tmp_path, body, {"a.png": pixels(), "b.jpg": pixels(form="JPEG", colour=(9, 90, 9))})
    document = read(path)
    assert [document.canonical.text[place.start : place.end] for place in document.figures] == ["Costs rose.", "Costs by year"]
    assert document.canonical.text == "Costs rose.\n\nThen they fell.\n\nCosts by year"
    assert [(number, picture.size) for number, picture in taken(path, document).items()] == [(0, (200, 120)), (1, (200, 120))]


def test_only_pictures_that_can_be_read_and_looked_at_are_kept_and_a_logo_once(tmp_path: Path) -> None:
    media = {
        "svg.svg": b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        "cut.png": pixels()[:60],
        "dot.png": pixels((16, 16)),
        "bar.png": pixels((900, 50)),
        "gif.gif": pixels(form="GIF", colour=(1, 2, 3)),
        "logo.png": pixels((210, 130)),
        "gone.png": b"",
    }
    names = ["svg", "cut", "dot", "bar", "gif", "logo", "logo", "logo", "gone"]
    path = docx(tmp_path, paragraph("Costs rose.") + "".join(map(SHOWN.format, names)), media)
    kept = taken(path, read(path))
    assert {number: picture.format for number, picture in kept.items()} == {4: "PNG", 5: "PNG"}


def test_what_a_picture_carries_beside_its_pixels_is_gone(tmp_path: Path) -> None:
    target = BytesIO()
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "<script>secret</script>"
    Image.open(BytesIO(pixels(form="JPEG"))).save(target, "JPEG", exif=exif, comment=b"secret")
    path = docx(tmp_path, paragraph("Costs rose.") + SHOWN.format("a"), {"a.jpg": target.getvalue() + b"secret"})
    (picture,) = taken(path, read(path)).values()
    assert picture.size == (120, 200)
    again = BytesIO()
    picture.save(again, "PNG")
    assert not picture.getexif()
    assert "comment" not in picture.info


def test_a_picture_on_a_slide_is_told_of_by_the_text_of_its_slide(tmp_path: Path) -> None:
    path = tmp_path / "deck.pptx"
    frame = '<a:xfrm><a:off x="127000" y="127000"/><a:ext cx="1270000" cy="635000"/></a:xfrm>'
    shapes = (
        f"<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:spPr>{frame}</p:spPr>"
        "<p:txBody><a:p><a:r><a:t>Costs by year</a:t></a:r></a:p></p:txBody></p:sp>"
        f'<p:pic><p:nvPicPr><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="a"/></p:blipFill><p:spPr>{frame}</p:spPr></p:pic>'
    )
    names = f'xmlns:p="{OOXML}/presentationml/2006/main" xmlns:a="{OOXML}/drawingml/2006/main" xmlns:r="{RELATED}"'
    relations = f'<Relationships xmlns="{OOXML}/package/2006/relationships">'
    relations += f'<Relationship Id="{{}}" Type="{RELATED}/{{}}" Target="{{}}"/></Relationships>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "ppt/presentation.xml", f'<p:presentation {names}><p:sldIdLst><p:sldId r:id="s"/></p:sldIdLst></p:presentation>'
        )
        archive.writestr("ppt/_rels/presentation.xml.rels", relations.format("s", "slide", "s.xml"))
        archive.writestr("ppt/s.xml", f"<p:sld {names}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>")
        archive.writestr("ppt/_rels/s.xml.rels", relations.format("a", "image", "a.png"))
        archive.writestr("ppt/a.png", pixels())
    document = read(str(path))
    (place,) = document.figures
    assert (place.page, document.canonical.text[place.start : place.end]) == (1, "Costs by year")
    assert [picture.size for picture in taken(str(path), document).values()] == [(200, 120)]
