"""Workbooks, rows and structured files from adding to an answer: the right sheet first, and the cells of what is quoted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pincite import Filter, Pincite
from pincite.client import SyncPincite
from pincite.core.documents import Document

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus"
# Taken by hand from the files as a spreadsheet program shows them.
PHRASES: list[dict[str, Any]] = json.loads((ROOT / "tests/data/parsing/sheet_phrases.json").read_text(encoding="utf-8"))
FILES = sorted({phrase["file"] for phrase in PHRASES})
FAR = "sparse_corners.xlsx"
STAFF = "Name,Team,Phone\n" + "".join(f"Person {n},Team {n % 7},555-{n:04d}\n" for n in range(400))
ORDERS = json.dumps({"orders": [{"number": f"A-{n}", "customer": {"name": f"Buyer {n}"}, "sum": n * 3} for n in range(100)]})
CODE = "RATE = 3\n\n\nclass Book:\n    def overdue_fee(self, days):\n        return days * RATE\n"


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SyncPincite, dict[str, Document]]]:
    own = tmp_path_factory.mktemp("own")
    made = {"staff.csv": STAFF, "orders.json": ORDERS, "fees.py": CODE}
    for name, text in made.items():
        (own / name).write_text(text, encoding="utf-8")
    with Pincite.sync(home=tmp_path_factory.mktemp("home")) as pincite:
        pincite.add(*(own / name for name in made), *(CORPUS / name for name in [*FILES, FAR] if CORPUS.exists()))
        yield pincite, {document.path: document for document in pincite.documents()}


@pytest.mark.skipif(not CORPUS.exists(), reason="the folder of shared documents is not beside the repository")
@pytest.mark.parametrize("row", PHRASES, ids=[f"{row['file']} {row['phrase']}" for row in PHRASES])
def test_a_phrase_is_found_on_its_sheet_and_in_its_cells(
    added: tuple[SyncPincite, dict[str, Document]], row: dict[str, Any]
) -> None:
    pincite, documents = added
    document = documents[row["file"]]
    best = pincite.search(row["phrase"], filter=Filter(document_ids=(document.id,)))[0].best
    assert [[span.page, span.label] for span in best.pages] == ([row["sheet"]] if row["sheet"] else [])
    found = [span for found in pincite.find(document.id, row["phrase"]) for span in found.spans]
    page, label = row["sheet"] or (None, None)
    assert (page, label, row["cells"]) in [(span.page, span.page_label, span.cells) for span in found]


@pytest.mark.skipif(not CORPUS.exists(), reason="the folder of shared documents is not beside the repository")
def test_a_cell_in_the_last_row_and_column_keeps_its_place(added: tuple[SyncPincite, dict[str, Document]]) -> None:
    found = added[0].find(added[1][FAR].id, "2")
    assert "XFD1048576" in [span.cells for item in found for span in item.spans]


def test_a_question_for_one_value_finds_its_row_and_quotes_it_with_its_cells(
    added: tuple[SyncPincite, dict[str, Document]],
) -> None:
    answer = added[0].ask("What is the phone of Person 237?")
    spans = [(quote.text, span.cells) for citation in answer.citations for quote in citation.quotes for span in quote.spans]
    assert any("Person 237 | Team 6 | 555-0237" in text and "239" in cells for text, cells in spans)


@pytest.mark.parametrize(
    ("question", "path", "said"),
    [
        ("Which team is Person 311 in?", "staff.csv", "| Name | Team | Phone |"),
        ("Buyer 42", "orders.json", "| number | customer › name | sum |"),
    ],
)
def test_a_row_is_found_under_the_head_of_its_columns(
    added: tuple[SyncPincite, dict[str, Document]], question: str, path: str, said: str
) -> None:
    best = added[0].search(question)[0].best
    assert best.path == path
    assert said in best.text
    assert best.chunk_type.value == "table"


def test_code_is_found_under_the_names_of_its_definitions(added: tuple[SyncPincite, dict[str, Document]]) -> None:
    best = added[0].search("overdue fee", filter=Filter(document_ids=(added[1]["fees.py"].id,)))[0].best
    assert best.heading_path[-2:] == ("Book", "overdue_fee")
    assert "        return days * RATE" in best.text
