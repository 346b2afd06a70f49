"""The format is told by the content; the name is a hint."""

import pytest

from pincite.adapters.parsers.sniff import Media, sniff
from pincite.core.errors import RefusedInput


@pytest.mark.parametrize(
    ("head", "name", "media"),
    [
        (b"%PDF-1.7\n", "report.txt", Media.PDF),
        (b"junk\n" * 100 + b"%PDF-1.4", "report.pdf", Media.PDF),
        (b"\xef\xbb\xbf%PDF-1.4", "", Media.PDF),
        (b"junk\n" * 300 + b"%PDF-1.4", "report.pdf", Media.TEXT),
        (b"A PDF begins with %PDF-1.4", "about.txt", Media.TEXT),
        (b"<!DOCTYPE html><p>x", "page", Media.HTML),
        (b"\n<!-- c --><HTML><p>x", "report.pdf", Media.HTML),
        ("<html>".encode("utf-16"), "page", Media.HTML),
        (b"<p>x</p>", "page.html", Media.HTML),
        (b"a &amp; b", "page.htm", Media.HTML),
        (b"<p>x</p>", "notes", Media.TEXT),
        (b"<script>x</script>", "notes.txt", Media.TEXT),
        (b"# Title", "notes.md", Media.MARKDOWN),
        (b"<html># Title", "NOTES.MARKDOWN", Media.MARKDOWN),
        (b"# Title", "notes", Media.TEXT),
        (b"Subject: x\n\ny", "note.eml", Media.MAIL),
        (b"Received: by x\r\n\tid 1\r\nFrom: a@b\r\nSubject: x\r\n\r\ny", "note", Media.MAIL),
        (b"From a@b Mon Jan 1 00:00:00 2024\nFrom: a@b\nDate: x\nTo: c\n\ny", "report.pdf", Media.MAIL),
        (b"{\\rtf1 x}", "report.doc", Media.RTF),
        (b"X-Note: y\n\nz", "note.eml", Media.TEXT),
        (b"From: a\nTo: b\nSubject: c\n\nd", "letter.txt", Media.TEXT),
        (b"From: a\nDate: b\nSubject: c\n", "letter.yaml", Media.CODE),
        (b"a,b\n1,2", "data.csv", Media.TABLE),
        (b"name,town,age\nAnn,Rome,3\nBo,Oslo,4\n", "report.txt", Media.TABLE),
        ("name;age\nÄnn;3\nBo;4\n".encode("utf-16"), "report", Media.TABLE),
        (b"Rome, Oslo, and Bern.\nWe met in May, June, and July. All came.\nNobody left, slept, or spoke.", "n.txt", Media.TEXT),
        (b"<html><table><tr><td>a,b", "report.xlsx", Media.HTML),
        (b'{"a": [1, 2]}', "data.csv", Media.JSON),
        (b'[{"a": 1}, {"a": 2}]', "notes", Media.JSON),
        (b'{"a": 1}\n{"a": 2}\n', "log.txt", Media.JSON),
        (b'{"a": "' + b"x" * 70_000, "big", Media.JSON),
        (b"[1] Smith, On fees.\n[2] Jones, On fines.", "notes.txt", Media.TEXT),
        (b"{curly} words", "notes.txt", Media.TEXT),
        (b"<?xml version='1.0'?><a>b</a>", "notes.txt", Media.XML),
        ("<?xml version='1.0' encoding='utf-16'?><a/>".encode("utf-16"), "data", Media.XML),
        (b"<feed xmlns='x'><a/></feed>", "news.rss", Media.XML),
        (b"<a>b</a>", "notes.txt", Media.TEXT),
        (b"def fee(): pass", "lib/fees.PY", Media.CODE),
        (b"[tool]\na = 1", "fees.toml", Media.CODE),
        (b"[1, 2].map(x => x)", "fees.js", Media.CODE),
        (b"<?xml version='1.0'?><a/>", "fees.php", Media.XML),
        (b"PK\x03\x04rest", "report.pdf", Media.OFFICE),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", "report.docx", Media.OLD_OFFICE),
    ],
)
def test_the_content_decides(head: bytes, name: str, media: Media) -> None:
    assert sniff(head, name=name) is media


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (b"MZ\x90\x00", "program"),
        (b"\x7fELF\x02", "program"),
        (b"\x1f\x8b\x08", "compressed"),
        (b"\x00\x00\x00\x18ftypmp42", "film"),
    ],
)
def test_other_formats_are_named_and_refused(head: bytes, said: str) -> None:
    with pytest.raises(RefusedInput, match=said) as refused:
        sniff(head, name="report.pdf")
    assert refused.value.code == "unsupported"
    assert "plain text and image files" in refused.value.message


@pytest.mark.parametrize(
    "head",
    [
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0",
        b"GIF89a",
        b"II*\x00",
        b"MM\x00*",
        b"RIFF\x00\x01\x00\x00WEBPVP8 ",
        b"BM" + bytes(12) + b"\x28\x00\x00\x00",
    ],
)
def test_images_are_told_by_their_first_bytes(head: bytes) -> None:
    assert sniff(head, name="letter.docx") is Media.IMAGE


def test_a_text_that_begins_like_a_bitmap_is_a_text() -> None:
    assert sniff(b"BMW is a maker of cars in Munich, and of motorcycles.", name="cars.txt") is Media.TEXT
