"""Real DOCX and PPTX files from adding to search: how each ends, where a phrase stands, and under which headings."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite import Filter, Pincite
from pincite.client import SyncPincite

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
DUCKS = "word_sample.docx"
HEADINGS = "unit_test_headers.docx"
# Its date placeholder has no frame: not in the slide, nor in its layout or master.
WITHOUT_FRAME = "fake-power-point-malformed.pptx"
# Taken by hand from the files as Word shows them.
PHRASES = [
    (HEADINGS, "Paragraph 1.2.3.1", ("Section 1", "Section 1.2", "Section 1.2.3")),
    (HEADINGS, "Paragraph 2.2", ("Section 2",)),
    (HEADINGS, "Paragraph 2.1.1.1", ("Section 2", "Section 2.1.1")),
    (HEADINGS, "Paragraph 2.1.2", ("Section 2", "Section 2.1")),
    (DUCKS, "This is a cute duckling", ("Swimming in the lake",)),
    (DUCKS, "first lay down in a water and try not to drown", ("Let’s swim!",)),
    (DUCKS, "Enjoy summer warmth", ("Let’s swim!",)),
    (DUCKS, "interesting things a respectful duck could eat", ("Let’s swim!", "Let’s eat")),
    (DUCKS, "Blueberry, Strawberry, Cranberry", ("Let’s swim!", "Let’s eat")),
    ("textbox.docx", "Collaborate with the Health Bureau in conducting epidemiological investigations", ()),
    ("equations.docx", "formula a^2+b^2=c^2 is the Pythagorean theorem", ()),
    ("testWORD_sdtInTextBox.docx", "rich-text-content-control_inside-text-box", ()),
]


def rows() -> list[dict[str, Any]]:
    manifest = CORPUS / "MANIFEST.tsv"
    if not manifest.exists():
        return []
    with manifest.open(encoding="utf-8", newline="") as file:
        listed = [row for row in csv.DictReader(file, delimiter="\t") if row["file"].endswith((".docx", ".pptx"))]
    return [{**row, "facts": json.loads(row["facts_json"] or "{}")} for row in listed]


ROWS = rows()
SLIDES = [row for row in ROWS if "phrase" in row["facts"]]
pytestmark = pytest.mark.skipif(not ROWS, reason="the folder of shared documents is not beside the repository")


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SyncPincite, dict[str, Any]]]:
    with Pincite.sync(home=tmp_path_factory.mktemp("home")) as pincite:
        pincite.add(*(CORPUS / row["file"] for row in ROWS))
        yield pincite, {document.path: document for document in pincite.documents()}


@pytest.mark.parametrize("row", ROWS, ids=[row["file"] for row in ROWS])
def test_each_file_ends_as_listed(added: tuple[SyncPincite, dict[str, Any]], row: dict[str, Any]) -> None:
    document = added[1][row["file"]]
    assert str(document.stage) == "ready" or (row["expected"] == "ready_or_failed" and document.reason.message.endswith("."))
    assert document.pages == row["facts"].get("slides", 0)


@pytest.mark.parametrize("row", SLIDES, ids=[row["file"] for row in SLIDES])
def test_a_phrase_is_found_on_its_slide_with_the_box_of_its_shape(
    added: tuple[SyncPincite, dict[str, Any]], row: dict[str, Any]
) -> None:
    pincite, documents = added
    document = documents[row["file"]]
    best = pincite.search(row["facts"]["phrase"], filter=Filter(document_ids=(document.id,)))[0].best
    assert [span.page for span in best.pages] == [row["facts"]["slide"]]
    spans = [span for found in pincite.find(document.id, row["facts"]["phrase"]) for span in found.spans]
    assert {span.page for span in spans} == {row["facts"]["slide"]}
    assert all(bool(span.boxes) == (row["file"] != WITHOUT_FRAME) and span.page_size for span in spans)


@pytest.mark.parametrize(("file", "phrase", "headings"), PHRASES)
def test_a_phrase_is_found_under_its_headings(
    added: tuple[SyncPincite, dict[str, Any]], file: str, phrase: str, headings: tuple[str, ...]
) -> None:
    best = added[0].search(phrase)[0].best
    assert (best.path, best.heading_path) == (file, headings)
    assert phrase in " ".join(best.text.split())
