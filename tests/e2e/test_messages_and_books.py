"""Real messages and books from adding to search: a phrase leads to the file inside, the page and the writer that it belongs to."""

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pincite import Pincite
from pincite.client import SyncPincite
from pincite.settings import load_settings

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
PHRASES = Path(__file__).resolve().parents[1] / "data" / "parsing" / "phrases.tsv"
"""Taken by hand from the files as programs show them."""


def rows() -> list[dict[str, str]]:
    with PHRASES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


ROWS = rows()
pytestmark = pytest.mark.skipif(not CORPUS.exists(), reason="the folder of shared documents is not beside the repository")


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SyncPincite]:
    settings = replace(load_settings(home=str(tmp_path_factory.mktemp("home"))), embedding="none")
    with Pincite.sync(settings=settings) as pincite:
        pincite.add(*sorted({CORPUS / row["file"] for row in ROWS}))
        yield pincite


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['file']}-{number}" for number, row in enumerate(ROWS)])
def test_a_phrase_is_found_first_where_it_stands(added: SyncPincite, row: dict[str, str]) -> None:
    best = added.search(row["phrase"])[0].best
    assert best.path == "/".join(filter(None, (row["file"], row["part"])))
    assert str(best.page or "") == row["page"]
    assert row["heading"] in (*best.heading_path[-1:], "")
    assert " ".join(row["phrase"].split()) in " ".join(best.text.split())


def test_each_file_inside_ends_by_itself(added: SyncPincite) -> None:
    failed = {document.path: document.reason.code for document in added.documents() if document.reason}
    assert failed == {}


def test_removing_a_message_takes_what_is_attached_to_it(added: SyncPincite) -> None:
    before = {document.path for document in added.documents()}
    added.remove("mime-multipart-digest.eml")
    gone = before - {document.path for document in added.documents()}
    assert len(gone) == 4
    assert all(path.startswith("mime-multipart-digest.eml") for path in gone)
    assert not any(source.best.path in gone for source in added.search("This is the second message in the digest."))
