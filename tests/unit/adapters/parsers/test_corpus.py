"""Every shared document of a format that is read ends as its manifest says, and its phrase stands where the manifest says."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite.adapters.parsers.isolation import IsolatedParser
from pincite.adapters.parsers.limits import ParseLimits
from pincite.core.documents import ParsedDocument
from pincite.core.errors import RefusedInput

MANIFEST = Path(__file__).resolve().parents[5] / "shared" / "corpus" / "MANIFEST.tsv"
KINDS = (".pdf", ".docx", ".pptx", ".html", ".md", ".txt", ".eml", ".csv", ".epub", ".msg", ".xlsx", ".json", ".xml", ".png")
# A page that is truly blank; and pictures of text, which are read by OCR.
BLANK = {"empty.pdf"}
PICTURES = {"ocr_test.pdf", "loremipsum-flat.pdf", "invoice_image.png", "simple_table.png", "english_and_korean.png"}


def rows() -> list[dict[str, str]]:
    if not MANIFEST.exists():
        return []
    with MANIFEST.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["file"].endswith(KINDS)]


ROWS = rows()
PHRASES = [row for row in ROWS if "phrase" in row["facts_json"] and row["expected"] != "failed:encrypted"]
pytestmark = pytest.mark.skipif(not ROWS, reason="the folder of shared documents is not beside the repository")


@pytest.fixture(scope="module")
def parser() -> Iterator[IsolatedParser]:
    parser = IsolatedParser(ParseLimits(memory_bytes=320 * 1024 * 1024))
    yield parser
    parser.close()


READ: dict[str, ParsedDocument | str] = {}


async def read(parser: IsolatedParser, name: str) -> ParsedDocument | str:
    """Return a parsed file, or the code of its refusal; read once for all tests."""
    if name not in READ:
        try:
            READ[name] = await parser.parse(MANIFEST.parent / name, name=name)
        except RefusedInput as error:
            READ[name] = error.code if error.message.endswith(".") else "without a reason"
    return READ[name]


@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
async def test_each_file_ends_as_expected(parser: IsolatedParser, row: dict[str, str]) -> None:
    result = await read(parser, row["file"])
    ending = result if isinstance(result, str) else "ready"
    match row["expected"]:
        case "failed:encrypted":
            assert ending == "encrypted"
        case "ready":
            assert ending == ("no_text" if row["file"] in BLANK else "ready")
            assert isinstance(result, str) or bool(result.unread and not result.canonical.text) == (row["file"] in PICTURES)
        case _:
            assert ending in {"ready", "corrupt", "crashed", "memory", "timeout", "no_text", "too_deep"}
    facts: dict[str, Any] = json.loads(row["facts_json"] or "{}")
    pages = facts.get("pages") or facts.get("slides") or facts.get("spine")
    if isinstance(result, ParsedDocument) and row["expected"] == "ready" and pages:
        assert len(result.canonical.pages) == pages


def occurrences(document: ParsedDocument, phrase: str) -> list[tuple[int, int]]:
    pattern = r"[\s|]+".join(re.escape(word) for word in phrase.split())
    return [found.span() for found in re.finditer(pattern, document.canonical.text)]


@pytest.mark.parametrize("row", PHRASES, ids=[row["file"] for row in PHRASES])
async def test_each_phrase_stands_on_its_page_with_its_boxes(parser: IsolatedParser, row: dict[str, str]) -> None:
    facts: dict[str, Any] = json.loads(row["facts_json"])
    document = await read(parser, row["file"])
    assert isinstance(document, ParsedDocument)
    canonical = document.canonical
    page = facts.get("page") or facts["slide"]
    assert page in {canonical.page_spans(*span)[0].page for span in occurrences(document, facts["phrase"])}
    expected = facts.get("boxes_first4words")
    if expected is None:
        return
    found: list[list[list[float]]] = []
    for start, end in occurrences(document, " ".join(facts["phrase"].split()[:4])):
        runs = [run for run in canonical.runs_within(start, end) if run.page == facts["page"]]
        groups = await parser.boxes(MANIFEST.parent / row["file"], content_type=document.content_type, runs=runs)
        found.append([box.as_list() for group in groups for box in group])
    assert any(is_near(boxes, expected) for boxes in found), (found, expected)


def is_near(boxes: list[list[float]], expected: list[list[float]]) -> bool:
    if len(boxes) != len(expected):
        return False
    return all(abs(a - b) <= 2 for box, wanted in zip(boxes, expected, strict=True) for a, b in zip(box, wanted, strict=True))
