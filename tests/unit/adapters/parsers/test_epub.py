"""EPUB books read to canonical text."""

import zipfile
from pathlib import Path

import pytest

from pincite.adapters.parsers.media import read_file
from pincite.core.documents import ParsedDocument
from pincite.core.errors import RefusedInput

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="EPUB/book.opf"/></rootfiles></container>'
)
XHTML = (
    '<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
)


def page(content: str) -> str:
    return f'{XHTML}<head><title/><script src="x.js"/></head><body>{content}</body></html>'


def package(*parts: str, more: str = "", spine: str = "", metadata: str = "<dc:title>Fees</dc:title>") -> str:
    items = "".join(f'<item id="{part}" href="{part}" media-type="application/xhtml+xml"/>' for part in parts)
    refs = "".join(f'<itemref idref="{part}"/>' for part in parts)
    return (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"{metadata}</metadata><manifest>{items}{more}</manifest><spine {spine}>{refs}</spine></package>"
    )


class Kit:
    """Writes books and reads them."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "made.epub"

    def read(self, parts: dict[str, str], opf: str = "", **others: str) -> ParsedDocument:
        content = {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "EPUB/book.opf": opf or package(*parts),
            **{f"EPUB/{name}": page(text) for name, text in parts.items()},
            **others,
        }
        with zipfile.ZipFile(self.path, "w") as archive:
            for name, text in content.items():
                archive.writestr(name, text)
        bounds = {"max_pages": 50, "max_chars": 100_000, "max_depth": 50, "max_unpacked_bytes": 10_000_000}
        return read_file(str(self.path), name="made.epub", on_page=lambda done, total: None, **bounds)


@pytest.fixture
def kit(tmp_path: Path) -> Kit:
    return Kit(tmp_path)


def blocks(document: ParsedDocument) -> list[tuple[int, int | None, str]]:
    text = document.canonical.text
    return [(block.level, block.page, text[block.start : block.end]) for block in document.canonical.blocks]


def labels(document: ParsedDocument) -> list[str]:
    return [each.label for each in document.canonical.pages]


NAV = '<item id="n" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
NCX = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'


def test_parts_come_in_the_order_of_the_spine_and_empty_elements_swallow_nothing(kit: Kit) -> None:
    parts = {"b.xhtml": '<h1>Two<a id="x"/></h1><p/>More.', "a.xhtml": "<h1>One</h1><p>The fee is 40 EUR.</p>"}
    document = kit.read(
        parts, package("a.xhtml", "b.xhtml", metadata="<dc:title>Fees</dc:title><dc:date>2024-03-01T00:00Z</dc:date>")
    )
    assert blocks(document) == [(1, 1, "One"), (0, 1, "The fee is 40 EUR."), (1, 2, "Two"), (0, 2, "More.")]
    assert (document.title, document.doc_date, labels(document)) == ("Fees", "2024-03-01", ["a", "b"])


def test_places_are_characters_of_the_part(kit: Kit) -> None:
    canonical = kit.read({"a.xhtml": "<p>One</p>", "b.xhtml": "<p>The fee</p>"}).canonical
    last = canonical.runs[-1]
    assert (last.page, page("<p>The fee</p>")[last.index : last.index + last.count]) == (2, "The fee")


def test_the_table_of_contents_gives_labels_and_headings_that_the_text_lacks(kit: Kit) -> None:
    nav = page(
        '<nav epub:type="toc"><ol><li><a href="a.xhtml">Costs</a><ol><li><a href="a.xhtml#s">Fees</a></li></ol></li></ol></nav>'
    )
    opf = package("a.xhtml", more=NAV)
    document = kit.read({"a.xhtml": '<p>All is dear.</p><p id="s">Fees</p><p>40 EUR</p>'}, opf, **{"EPUB/nav.xhtml": nav})
    assert blocks(document) == [(1, 1, "Costs"), (0, 1, "All is dear."), (2, 1, "Fees"), (0, 1, "40 EUR")]
    assert labels(document) == ["Costs"]


def test_an_older_table_of_contents_may_name_its_type(kit: Kit) -> None:
    ncx = (
        '<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/z3986/2005/ncx-2005-1.dtd">'
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Costs</text></navLabel>'
        '<content src="a.xhtml"/></navPoint></navMap></ncx>'
    )
    document = kit.read({"a.xhtml": "<p>x</p>"}, package("a.xhtml", more=NCX, spine='toc="ncx"'), **{"EPUB/toc.ncx": ncx})
    assert blocks(document) == [(1, 1, "Costs"), (0, 1, "x")]


def test_printed_pages_are_pages_where_the_book_lists_them(kit: Kit) -> None:
    listed = "".join(f'<li><a href="{link}">{label}</a></li>' for link, label in (("a.xhtml#p", "9"), ("b.xhtml#q", "10")))
    nav = page(f'<nav epub:type="page-list"><ol>{listed}</ol></nav>')
    parts = {"a.xhtml": '<p>before</p><p><span id="p"/>nine</p>', "b.xhtml": '<p>still nine</p><p>and <a id="q"/>ten</p>'}
    document = kit.read(parts, package(*parts, more=NAV), **{"EPUB/nav.xhtml": nav})
    canonical = document.canonical
    shown = {
        word: canonical.page_spans(at, at + 3)[0].label
        for word in ("nine", "still", "ten")
        if (at := canonical.text.index(word)) >= 0
    }
    assert shown == {"nine": "9", "still": "9", "ten": "10"}


def test_a_book_with_locked_text_is_refused_and_one_with_scrambled_fonts_is_not(kit: Kit) -> None:
    locks = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">'
        '<enc:EncryptedData><enc:EncryptionMethod Algorithm="{}"/><enc:CipherData><enc:CipherReference URI="{}"/></enc:CipherData>'
        "</enc:EncryptedData></encryption>"
    )
    font = locks.format("http://www.idpf.org/2008/embedding", "EPUB/f.otf")
    assert kit.read({"a.xhtml": "<p>x</p>"}, **{"META-INF/encryption.xml": font}).canonical.text == "x"
    with pytest.raises(RefusedInput) as refused:
        kit.read(
            {"a.xhtml": "<p>x</p>"},
            **{"META-INF/encryption.xml": locks.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "EPUB/a.xhtml")},
        )
    assert refused.value.code == "encrypted"


def test_a_part_of_pictures_counts_as_unread_and_a_missing_one_refuses_the_book(kit: Kit) -> None:
    assert kit.read({"a.xhtml": "<img src='x'/>", "b.xhtml": "<p>x</p>", "c.xhtml": ""}).pages_unread == 1
    with pytest.raises(RefusedInput) as refused:
        kit.read({"a.xhtml": "<p>x</p>"}, package("a.xhtml", "gone.xhtml"))
    assert refused.value.code == "corrupt"


def test_formulas_are_read_on_one_line(kit: Kit) -> None:
    fence = "<msup><mfenced><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfenced><mn>2</mn></msup>"
    quotient = "<mfrac><mn>1</mn><mrow><mn>2</mn><mi>y</mi></mrow></mfrac><mo>-</mo><msqrt><mn>3</mn></msqrt>"
    formula = f'<math xmlns="http://www.w3.org/1998/Math/MathML"> <mi>x</mi> <mo>=</mo> {fence}<mo>+</mo>{quotient}</math>'
    assert kit.read({"a.xhtml": f"<p>So {formula} holds.</p>"}).canonical.text == "So x=(a+b)^2+1/(2y)-√(3) holds."


@pytest.mark.parametrize("declared", ["[<!ENTITY x SYSTEM 'file:///etc/passwd'>]", "[<!ENTITY x 'y'>]"])
def test_entities_of_its_own_refuse_a_book(kit: Kit, declared: str) -> None:
    with pytest.raises(RefusedInput) as refused:
        kit.read({"a.xhtml": "<p>x</p>"}, f"<!DOCTYPE package {declared}>" + package("a.xhtml"))
    assert refused.value.code == "corrupt"
