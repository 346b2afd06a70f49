"""The figures of verdicts."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pincite.adapters.memory.words import LetterWords
from pincite.answering.verify import Verifier
from pincite.core.errors import UsageError
from pincite.evaluation.claims import measure_claims
from pincite.evaluation.datasets import load_claims

CORPUS = [{"id": "t", "title": "", "text": "The notice period is sixty days. The rent is due on the first day of each month."}]
CLAIMS = [
    {"id": "a", "text": "The notice period is sixty days.", "binary": "supported", "src": "x"},
    {"id": "b", "text": "The notice period is ninety days.", "binary": "unsupported", "src": "x"},
    {"id": "c", "text": "Elephants were sold to the zoo in Berlin.", "binary": "unsupported", "src": "y"},
]


def written(folder: Path, claims: Sequence[dict[str, Any]]) -> tuple[Path, Path, Path]:
    corpus, queries, qrels = folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in CORPUS))
    queries.write_text("".join(json.dumps(row) + "\n" for row in claims))
    qrels.write_text("query-id\tcorpus-id\tscore\n" + "".join(f"{row['id']}\tt\t1\n" for row in claims))
    return corpus, queries, qrels


def test_right_verdicts_give_full_marks_and_groups_are_told_apart(tmp_path: Path) -> None:
    report = measure_claims(load_claims(*written(tmp_path, CLAIMS)), Verifier(LetterWords()))
    assert report.n == 3
    assert report.metrics["balanced_accuracy"] == 1
    assert report.metrics["macro_f1"] == 1
    assert report.metrics["auc"] == 1
    assert (report.metrics["supported_precision"], report.metrics["supported_recall"]) == (1, 1)
    assert 0 <= report.metrics["calibration_error"] < 0.5
    assert {group: part.n for group, part in report.by.items()} == {"x": 2, "y": 1}
    assert math.isnan(report.by["y"].metrics["sensitivity"])
    assert report.as_dict()["by"]["y"]["metrics"]["sensitivity"] is None


def test_a_limit_takes_the_first(tmp_path: Path) -> None:
    assert [claim.id for claim in load_claims(*written(tmp_path, CLAIMS), limit=2)] == ["a", "b"]


def test_a_claim_that_cites_nothing_is_an_error_that_names_its_line(tmp_path: Path) -> None:
    corpus, queries, qrels = written(tmp_path, CLAIMS)
    qrels.write_text("query-id\tcorpus-id\tscore\na\tt\t1\n")
    with pytest.raises(UsageError, match=r"queries\.jsonl, line 2 cites no text of corpus\.jsonl"):
        load_claims(corpus, queries, qrels)


def test_a_claim_without_a_label_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="binary"):
        load_claims(*written(tmp_path, [{"id": "a", "text": "Anything"}]))
