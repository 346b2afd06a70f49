"""Pictures of web pages, books and messages: those that stand in the file are kept, with their captions; nothing is fetched."""

import base64
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from tests.unit.adapters.parsers.test_epub import CONTAINER, package, page

from pincite.adapters.parsers.figure_pictures import take_pictures
from pincite.adapters.parsers.media import read_file
from pincite.core.documents import ParsedDocument

ALT = "Bars that rise from twelve to forty-eight ships"


def png(shade: int = 90, size: tuple[int, int] = (200, 120)) -> bytes:
    image = Image.new("L", size, 255)
    image.paste(shade, (20, 20, 90, 100))
    target = BytesIO()
    image.save(target, "PNG")
    return target.getvalue()


def data_uri(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def parse(path: Path) -> ParsedDocument:
    bounds = {"max_pages": 50, "max_chars": 1_000_000, "max_depth": 50, "max_unpacked_bytes": 10_000_000}
    return read_file(str(path), name=path.name, on_page=lambda done, total: None, **bounds)


def sizes(path: Path, document: ParsedDocument) -> list[list[int] | None]:
    written: dict[int, bytes] = {}
    found = take_pictures(
        str(path),
        name=path.name,
        places=document.figures,
        max_unpacked_bytes=10_000_000,
        write=lambda number, piece: written.update({number: written.get(number, b"") + piece}),
    )
    assert all(written[number].startswith((b"\x89PNG", b"\xff\xd8")) for number, size in enumerate(found) if size)
    return [size and size[:2] for size in found]


def told(document: ParsedDocument) -> list[str]:
    return [document.canonical.text[place.start : place.end] for place in document.figures]


@pytest.fixture
def web(tmp_path: Path) -> Path:
    return tmp_path / "page.html"


def test_a_picture_in_the_page_is_kept_with_its_caption(web: Path) -> None:
    figure = f'<figure><img alt="{ALT}" src="{data_uri(png())}"><figcaption>Figure 1. Ships by year</figcaption></figure>'
    web.write_text(f"<h1>Ships</h1><p>They are counted.</p>{figure}<p>More.</p>")
    document = parse(web)
    assert told(document) == ["Figure 1. Ships by year"]
    assert sizes(web, document) == [[200, 120]]
    assert ALT not in document.canonical.text


def test_words_that_the_author_wrote_in_place_of_a_picture_are_its_caption(web: Path) -> None:
    figure = f"<figure><img alt='{ALT}!' src='{data_uri(png(7))}'></figure>"
    web.write_text(f'<p>They are <img alt="{ALT}" src="{data_uri(png())}"> counted.</p>{figure}')
    document = parse(web)
    assert document.canonical.text == f"They are counted.\n\n{ALT}\n\n{ALT}!"
    assert told(document) == [ALT, f"{ALT}!"]
    assert sizes(web, document) == [[200, 120], [200, 120]]
    (run,) = document.canonical.runs_within(19, 19 + len(ALT))
    assert web.read_text()[run.index :].startswith("<img")


def test_a_short_name_is_no_caption(web: Path) -> None:
    web.write_text(f'<p>They are counted.</p><img alt="logo" src="{data_uri(png())}">')
    document = parse(web)
    assert (document.canonical.text, told(document)) == ("They are counted.", ["They are counted."])


@pytest.mark.parametrize(
    "source",
    [
        "https://tracker.example/pixel.png",
        "//tracker.example/a.png",
        "file:///etc/passwd",
        "a.png",
        "data:text/html;base64,PGgxPg==",
        "data:image/svg+xml,<svg onload=alert(1)>",
        "",
        "javascript:alert(1)",
    ],
)
def test_what_stands_elsewhere_or_is_no_picture_of_pixels_is_left_alone(web: Path, source: str) -> None:
    web.write_text(f"<p>Text.</p><img alt=\"{ALT}\" src='{source}'>")
    document = parse(web)
    assert (document.figures, document.canonical.text) == ((), "Text.")


@pytest.mark.parametrize("hidden", ['style="display:none"', "hidden", 'style="opacity:0"'])
def test_hidden_pictures_are_left_alone(web: Path, hidden: str) -> None:
    web.write_text(f'<p>Text.</p><div {hidden}><img alt="{ALT}" src="{data_uri(png())}"></div>')
    document = parse(web)
    assert (document.figures, document.canonical.text) == ((), "Text.")


def test_damaged_small_and_lying_pictures_are_not_kept_and_cost_nothing_else(web: Path) -> None:
    broken = [
        data_uri(b"\x89PNG nonsense"),
        "data:image/png;base64,%%%",
        data_uri(png(size=(20, 20))),
        "data:image/png,%89PNG",
        "data:image/png",
    ]
    web.write_text("<p>Text.</p>" + "".join(f'<img src="{source}">' for source in [*broken, data_uri(png())]))
    document = parse(web)
    assert sizes(web, document) == [None] * 5 + [[200, 120]]


def test_a_picture_written_with_percent_signs_or_line_breaks_is_read(web: Path) -> None:
    plain = "".join(f"%{byte:02x}" for byte in png())
    wrapped = data_uri(png(7)).replace("base64,", "base64,\n  ", 1)
    web.write_text(f"<p>Text.</p><img src='data:image/png,{plain}'><img src='{wrapped}'>")
    document = parse(web)
    assert sizes(web, document) == [[200, 120], [200, 120]]


def test_a_picture_is_found_behind_text_of_many_bytes(web: Path) -> None:
    web.write_bytes(f'<meta charset="utf-8"><p>ÄÖ漢字😀</p><img src="{data_uri(png())}">'.encode())
    assert sizes(web, parse(web)) == [[200, 120]]


def test_a_page_that_is_a_picture_alone_is_no_empty_file(web: Path) -> None:
    web.write_text(f'<!DOCTYPE html><html><body><img src="{data_uri(png())}"></body></html>')
    document = parse(web)
    assert (document.canonical.text, len(document.figures)) == ("", 1)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "made.epub"
    parts = {
        "a.xhtml": f'<h1>Ships</h1><p>They are counted.</p><img src="../EPUB/pics/Bars.png" alt="{ALT}"/>',
        "b.xhtml": '<svg xmlns:xlink="x"><title>Hidden</title><image xlink:href="pics/cover.png"/></svg>',
        "c.xhtml": '<p>Away.</p><img src="https://tracker.example/a.png"/><img src="pics/none.png"/>',
    }
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("EPUB/book.opf", package(*parts))
        for name, content in parts.items():
            archive.writestr(f"EPUB/{name}", page(content))
        archive.writestr("EPUB/pics/Bars.png", png())
        archive.writestr("EPUB/pics/cover.png", png(7))
    return path


def test_pictures_of_a_book_are_kept_on_their_pages(book: Path) -> None:
    document = parse(book)
    assert told(document) == [ALT, "", "Away."]
    assert [place.page for place in document.figures] == [1, 2, 3]
    assert sizes(book, document) == [[200, 120], [200, 120], None]
    assert (document.pages_unread, document.canonical.text) == (1, f"Ships\n\nThey are counted.\n\n{ALT}\n\nAway.")


def message(html: str, *parts: str) -> str:
    head = 'From: a@b.example\nSubject: Ships\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=B; type="text/html"\n\n'
    return (
        head + f"--B\nContent-Type: text/html; charset=utf-8\n\n{html}\n" + "".join(f"--B\n{part}\n" for part in parts) + "--B--\n"
    )


def shown(data: bytes, *headers: str, disposition: str = "inline") -> str:
    coded = base64.encodebytes(data).decode()
    lines = ["Content-Type: image/png", "Content-Transfer-Encoding: base64", f"Content-Disposition: {disposition}", *headers]
    return "\n".join(lines) + f"\n\n{coded}"


@pytest.mark.parametrize("name", ["mail.eml", "archive.mht"])
def test_pictures_that_a_message_shows_are_kept(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    html = (
        f'<p>They are counted.</p><img alt="{ALT}" src="cid:bars@x"><p>More.</p><img src="https://x.example/pie.png">'
        '<img src="cid:none@x"><img src="https://elsewhere.example/a.png">'
    )
    parts = [
        shown(png(), "Content-ID: <bars@x>"),
        shown(png(7), "Content-Location: https://x.example/pie.png"),
        shown(png(9), "Content-ID: <filed@x>", disposition="attachment; filename=filed.png"),
    ]
    path.write_text(message(html, *parts))
    document = parse(path)
    assert told(document) == [ALT, "More."]
    assert sizes(path, document) == [[200, 120], [200, 120]]
    assert document.contained == 1
