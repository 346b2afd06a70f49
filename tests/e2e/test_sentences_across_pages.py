"""Forty generated PDFs with a sentence that crosses a page: one quote, a span on each page, boxes within 2 pt, no other word."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from crossing.cases import CASES, forty
from crossing.check import faults
from crossing.made import Made

from pincite import Pincite
from pincite.client import SyncPincite
from pincite.core.evidence import Filter
from pincite.settings import load_settings


@pytest.fixture(scope="module")
def documents() -> list[Made]:
    return list(forty())


@pytest.fixture(scope="module")
def client(documents: list[Made], tmp_path_factory: pytest.TempPathFactory) -> Iterator[SyncPincite]:
    files, home = tmp_path_factory.mktemp("made"), tmp_path_factory.mktemp("home")
    for made in documents:
        (files / made.name).write_bytes(made.data)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PINCITE_", "CHAT_", "OPENAI_"))}
    environment = kept | {"PINCITE_HOME": str(home), "PINCITE_EMBEDDING": "none"}
    command = [sys.executable, "-m", "pincite", "add", str(files)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    with Pincite.sync(settings=load_settings(environment)) as client:
        yield client


def test_the_forty_hold_every_combination(documents: list[Made]) -> None:
    designs = [made.design for made in documents]
    kinds = {(d.head == "none", d.foot == "none", d.note == "none", d.hyphen == "none") for d in designs}
    assert (len(documents), len(kinds), min(len(made.parts) for made in documents)) == (CASES, 16, 2)


def test_each_sentence_is_found_once_with_a_span_on_each_page(client: SyncPincite, documents: list[Made]) -> None:
    wrong: dict[int, list[str]] = {}
    for made in documents:
        found = client.find(made.name, made.sentence)
        problems = [fault for item in found for fault in faults(made, item.as_dict())]
        if problems or len(found) != 1:
            wrong[made.design.seed] = problems or [f"found {len(found)} times"]
    print(f"sentences across pages, found: {CASES - len(wrong)} of {CASES}")
    assert wrong == {}


def test_each_answer_quotes_the_whole_sentence_once(client: SyncPincite, documents: list[Made]) -> None:
    ids = {document.path.rsplit("/", 1)[-1]: document.id for document in client.documents()}
    wrong: dict[int, list[str]] = {}
    for made in documents:
        answer = client.ask(made.sentence, filter=Filter(document_ids=(ids[made.name],)))
        quotes = [quote.as_dict() for citation in answer.citations for quote in citation.quotes]
        same = [quote for quote in quotes if not list(faults(made, quote))]
        if len(same) != 1 or any(made.foreign & set(quote["text"].split()) for quote in quotes):
            wrong[made.design.seed] = [quote["text"][:200] for quote in quotes]
    print(f"sentences across pages, asked: {CASES - len(wrong)} of {CASES}")
    assert wrong == {}
