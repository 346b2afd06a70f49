"""Hostile files: each is read or refused with a reason, alone and within its bounds."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.adapters.parsers.isolation import IsolatedParser
from pincite.adapters.parsers.limits import ParseLimits
from pincite.core.errors import RefusedInput

FOLDER = Path(__file__).resolve().parents[5] / "shared" / "attacks" / "files"
FORMATS = ("text", "md", "html", "pdf", "empty", "poly", "code", "image", "archive", "office", "email", "csv", "json", "xml", "svg")
CODES = {
    *("empty_file", "no_text", "encrypted", "unsupported", "corrupt", "too_large"),
    *("too_many_pages", "too_deep", "encoding", "timeout", "memory", "crashed"),
}


def rows() -> list[dict[str, str]]:
    manifest = FOLDER / "MANIFEST.tsv"
    if not manifest.exists():
        return []
    with manifest.open(encoding="utf-8", newline="") as file:
        listed = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row for row in listed if row["path"].startswith(FORMATS)]


ROWS = rows()
pytestmark = pytest.mark.skipif(not ROWS, reason="the folder of shared attacks is not beside the repository")


@pytest.fixture(scope="module")
def parser() -> Iterator[IsolatedParser]:
    parser = IsolatedParser(ParseLimits(memory_bytes=320 * 1024 * 1024))
    yield parser
    parser.close()


async def read(parser: IsolatedParser, file: str, name: str) -> tuple[str, str]:
    """Return how a file ends, and its text; one in which only OCR could find text ends without."""
    try:
        document = await parser.parse(FOLDER / file, name=name)
        return ("no_text" if document.unread and not document.canonical.text else "parse"), document.canonical.text
    except RefusedInput as error:
        return (error.code if error.code in CODES and error.message.endswith(".") else "without a reason"), ""


@pytest.mark.parametrize("row", ROWS, ids=[row["path"] for row in ROWS])
async def test_each_file_is_read_or_refused_as_expected(parser: IsolatedParser, row: dict[str, str]) -> None:
    name = json.loads(row["upload_name_json"])
    ending, _ = await read(parser, row["path"], name)
    assert ending in {"parse", *CODES}
    if row["expected"] == "parse":
        is_later_format = row["path"].startswith(("archive/bomb", "archive/evil"))
        is_image = row["path"].startswith("image")
        assert ending == ("unsupported" if is_later_format else "no_text" if is_image else "parse")
    elif row["expected"] == "reject":
        assert ending != "parse"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("encrypted", "encrypted"),
        ("bomb_300mb", "too_large"),
        ("bomb_lying_size", "corrupt"),
        ("truncated", "corrupt"),
        ("bad_crc", "corrupt"),
        ("deep_tables", "too_deep"),
        ("xxe_rels", "corrupt"),
        ("xxe_content_types", "corrupt"),
    ],
)
async def test_hostile_office_files_are_refused_for_what_they_are(parser: IsolatedParser, name: str, code: str) -> None:
    assert await read(parser, f"office/{name}.docx", "report.pdf") == (code, "")


@pytest.mark.parametrize(
    ("name", "code"),
    [("nested_12", "too_deep"), ("many_10000", "too_large"), ("traversal", "corrupt"), ("encrypted_flag", "encrypted")],
)
async def test_hostile_archives_are_refused_for_what_they_are(parser: IsolatedParser, name: str, code: str) -> None:
    assert await read(parser, f"archive/{name}.zip", "files.zip") == (code, "")


@pytest.mark.parametrize(
    ("name", "code"), [("bomb_50000x50000.png", "too_large"), ("dims_65535.gif", "too_large"), ("ifd_loop.tif", "corrupt")]
)
async def test_hostile_images_are_refused_by_their_header(parser: IsolatedParser, name: str, code: str) -> None:
    assert await read(parser, f"image/{name}", "photo.jpg") == (code, "")


async def test_messages_nested_beyond_measure_are_refused_for_that(parser: IsolatedParser) -> None:
    assert await read(parser, "email/nested_rfc822_1000.eml", "note.eml") == ("too_deep", "")


@pytest.mark.parametrize(
    ("file", "said", "unsaid"),
    [
        (
            "html/hidden.html",
            ["the fee is 40 EUR"],
            ["HIDDEN-A", "HIDDEN-B", "HIDDEN-D", "HIDDEN-E", "HIDDEN-G", "HIDDEN-H", "HIDDEN-I"],
        ),
        ("html/active.html", ["TEXT-OK"], ["PWNED", "alert", "fetch", "127.0.0.1"]),
        ("html/entities.html", ["<script>alert(1)</script>"], ["&amp;", "\x00"]),
        ("text/bidi.txt", ["BIDI-OK"], ["\u202e", "\u2066"]),
        ("text/latin1.txt", ["LATIN-OK café"], []),
        ("text/utf32.txt", ["UTF32-OK"], ["\x00"]),
        ("pdf/two_eof_update.pdf", ["SECOND"], ["FIRST"]),
        ("pdf/header_at_900.pdf", ["BASELINE-OK"], []),
        ("email/attachments.eml", ["MAIL-OK", "reliab_eml.txt"], ["\u202e", "127.0.0.1", "../", "script"]),
        ("email/crlf_inject.eml", ["hi Bcc: x@x.test", "body MAIL-OK"], []),
    ],
)
async def test_what_is_said_and_what_is_not(parser: IsolatedParser, file: str, said: list[str], unsaid: list[str]) -> None:
    _, text = await read(parser, file, Path(file).name)
    assert [part for part in said if part not in text] == []
    assert [part for part in unsaid if part in text] == []
