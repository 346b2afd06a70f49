"""Quotes beside gold sentences."""

import json
import math
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pincite.adapters.memory.index import MemoryDenseIndex, MemoryLexicalIndex
from pincite.adapters.memory.store import MemoryStore
from pincite.core.errors import UsageError
from pincite.core.ids import WorkspaceId
from pincite.evaluation.datasets import GoldSet, load_gold
from pincite.evaluation.quotes import GIVEN, WHOLE, Quoted, figures, measure_quotes
from pincite.evaluation.runs import Bench, Evaluator
from pincite.retrieval.searcher import Searcher

LEASE = ["The lease runs for ten years.", "Rent is due on the first day of each month.", "The notice period is sixty days."]
FRUIT = ["Bananas are yellow when ripe.", "Apples keep for months in a cool cellar."]
CORPUS = [
    {"id": "lease", "title": "Lease", "text": " ".join(LEASE), "sentences": LEASE},
    {"id": "fruit", "title": "Fruit", "text": " ".join(FRUIT)},
]


def gold_set(folder: Path, queries: Sequence[Mapping[str, Any]], qrels: Mapping[str, str], *, limit: int = 0) -> GoldSet:
    paths = folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv"
    paths[0].write_text("".join(json.dumps(row) + "\n" for row in CORPUS))
    paths[1].write_text("".join(json.dumps(row) + "\n" for row in queries))
    paths[2].write_text("".join(f"{query}\t{entry}\t1\n" for query, entry in qrels.items()))
    return load_gold(*paths, limit=limit)


def evaluator() -> Evaluator:
    @asynccontextmanager
    async def open_bench() -> AsyncGenerator[Bench, None]:
        store, workspace = MemoryStore(), WorkspaceId("w")
        retriever = Searcher(store, MemoryDenseIndex(store.changes), MemoryLexicalIndex(store.changes), lambda _: None, workspace)
        yield Bench(store, retriever, workspace)

    return Evaluator(open_bench, None)


ASKED = {"id": "q", "text": "How long is the notice period of the lease?", "evidence_sentences": [LEASE[2]]}


async def test_a_question_is_put_to_the_whole_corpus_and_to_its_right_passages(tmp_path: Path) -> None:
    report = await measure_quotes(evaluator(), gold_set(tmp_path, [ASKED], {"q": "lease"}), strategy="hybrid")
    assert set(report.by) == {WHOLE, GIVEN}
    for figures_ in (report.metrics, report.by[GIVEN].metrics):
        assert (figures_["precision"], figures_["recall"], figures_["hit"], figures_["complete"]) == (1, 1, 1, 1)


async def test_a_claim_is_looked_for_in_the_passage_that_it_cites(tmp_path: Path) -> None:
    claims: list[dict[str, Any]] = [
        {"id": "a", "text": "Sixty days is the notice period.", "rationales": [[2]]},
        {"id": "b", "text": "Rent is due each month.", "rationales": [[0]]},
        {"id": "c", "text": "Elephants may be kept.", "rationales": []},
    ]
    found = gold_set(tmp_path, claims, dict.fromkeys("abc", "lease"))
    assert found.claims
    report = await measure_quotes(evaluator(), found, strategy="hybrid")
    assert report.n == 2
    assert (report.metrics["precision"], report.metrics["recall"]) == (0.5, 0.5)


async def test_an_answer_that_is_declined_quotes_nothing(tmp_path: Path) -> None:
    asked = {"id": "q", "text": "Who invented the telephone?", "supporting_facts": [["fruit", 1]]}
    report = await measure_quotes(evaluator(), gold_set(tmp_path, [asked], {"q": "fruit"}), strategy="hybrid")
    assert math.isnan(report.metrics["precision"])
    assert (report.metrics["recall"], report.metrics["quoted"]) == (0, 0)


def test_sentences_that_the_set_does_not_part_are_parted_as_the_product_does(tmp_path: Path) -> None:
    asked = {"id": "q", "text": "How long do apples keep?", "supporting_facts": [["fruit", 1]]}
    found = gold_set(tmp_path, [asked], {"q": "fruit"})
    text = CORPUS[1]["text"]
    assert [str(text)[start:end].strip() for start, end in found.spans["fruit"]] == FRUIT


def test_precision_recall_and_alternatives_are_counted_over_sentences() -> None:
    one = Quoted(frozenset({("p", 0), ("p", 1)}), (frozenset({("p", 0)}), frozenset({("p", 2), ("p", 3)})), 1.0)
    two = Quoted(frozenset({("p", 4)}), (frozenset({("p", 4)}),), 1.0)
    counted = figures([one, two])
    assert counted["precision"] == pytest.approx(2 / 3)
    assert counted["recall"] == pytest.approx(2 / 4)
    assert counted["macro_precision"] == pytest.approx(3 / 4)
    assert counted["macro_recall"] == pytest.approx((1 / 3 + 1) / 2)
    assert (counted["hit"], counted["complete"], counted["quoted"]) == (1, 1, 1)


def test_a_limit_takes_the_first_queries_with_gold_sentences(tmp_path: Path) -> None:
    queries = [{"id": "x", "text": "Anything?"}, ASKED, {**ASKED, "id": "r"}]
    found = gold_set(tmp_path, queries, dict.fromkeys("xqr", "lease"), limit=1)
    assert [question.id for question in found.dataset.questions] == ["q"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"supporting_facts": [["lease", 3]]}, r"queries\.jsonl, line 1 names gold sentences that aren't there"),
        ({"supporting_facts": [["nowhere", 0]]}, "line 1 names gold sentences that aren't there"),
        ({"rationales": ["x"]}, "line 1 names gold sentences that aren't there"),
        ({"evidence_sentences": ["Something else."]}, "No query of the set names gold sentences"),
        ({}, "No query of the set names gold sentences"),
    ],
)
def test_gold_sentences_that_are_not_there_are_an_error(tmp_path: Path, query: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        gold_set(tmp_path, [{"id": "q", "text": "What?", **query}], {"q": "lease"})
