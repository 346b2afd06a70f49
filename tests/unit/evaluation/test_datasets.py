from pathlib import Path

import pytest

from pincite.core.errors import NotFoundError, UsageError
from pincite.evaluation.datasets import load_dataset


def write(folder: Path, corpus: str, queries: str, qrels: str) -> tuple[Path, Path, Path]:
    paths = folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv"
    for path, text in zip(paths, (corpus, queries, qrels), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


CORPUS = '{"id":"p1","title":"T","text":"one","lang":"en"}\n{"id":"p2","text":"zwei","lang":"de"}\n'
QUERIES = (
    '{"id":"q1","text":"a","lang":"en","answerable":true}\n{"id":"q2","text":"b","lang":"de"}\n{"id":"q3","text":"c","lang":"de"}\n'
)
QRELS = "query-id\tcorpus-id\tscore\nq1\tp1\t1\nq2\tp2\t2\nq3\tp2\t0\n"


def test_a_set_is_read_with_judgements_and_unknown_answerability(tmp_path: Path) -> None:
    dataset = load_dataset(*write(tmp_path, CORPUS, QUERIES, QRELS))
    assert [question.relevant for question in dataset.questions] == [{"p1": 1.0}, {"p2": 2.0}, {}]
    assert [question.answerable for question in dataset.questions] == [True, None, None]


def test_groups_hold_their_own_passages_and_the_limit_counts_per_group(tmp_path: Path) -> None:
    groups = load_dataset(*write(tmp_path, CORPUS, QUERIES, QRELS), limit=1, by_field="lang").groups()
    assert {value: [q.id for q in part.questions] for value, part in groups.items()} == {"en": ["q1"], "de": ["q2"]}
    assert [entry.id for entry in groups["de"].entries] == ["p2"]


@pytest.mark.parametrize(
    ("corpus", "qrels", "message"),
    [
        ("{", "", "line 1 is not JSON"),
        ("[]", "", "not a JSON object"),
        ('{"id":"x"}', "", "no text field"),
        (CORPUS, "q1 p1\n", "line 1"),
    ],
)
def test_a_line_that_isnt_of_the_form_is_named(tmp_path: Path, corpus: str, qrels: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_dataset(*write(tmp_path, corpus, QUERIES, qrels))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"nothing\.jsonl"):
        load_dataset(tmp_path / "nothing.jsonl", *write(tmp_path, CORPUS, QUERIES, QRELS)[1:])
