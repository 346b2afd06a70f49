import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from pincite.answering.markers import Mark, MarkerTransducer
from pincite.answering.prompts import numeric_label, source_label

DATA = Path(__file__).parents[2] / "data" / "markers"
LABELS = {"n": numeric_label, "S": source_label}


@dataclass(frozen=True)
class Case:
    name: str
    input: str
    issued: Sequence[int]
    label: Callable[[int], str]
    expected_text: str
    expected_citations: list[list[int]]


def load() -> Iterator[Any]:
    for path in sorted(DATA.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row: dict[str, Any] = json.loads(line)
            row["label"] = LABELS[row["label"]]
            yield pytest.param(Case(**row), id=f"{path.stem}: {row['name']}")


CASES = list(load())


def run(case: Case, pieces: Sequence[str | bytes]) -> tuple[str, list[list[int]]]:
    transducer = MarkerTransducer(case.issued, label=case.label)
    written = [transducer.feed(piece) if isinstance(piece, str) else transducer.feed_bytes(piece) for piece in pieces]
    written.append(transducer.finish())
    text = "".join(written)
    assert [text[mark.position : mark.end] for mark in transducer.marks] == [case.label(mark.n) for mark in transducer.marks]
    ends = set(accumulate(map(len, written)))
    assert ends.isdisjoint(at for mark in transducer.marks for at in range(mark.position + 1, mark.end)), "half a label was shown"
    return text, [[mark.n, mark.position] for mark in transducer.marks]


def test_the_suite_holds_at_least_three_hundred_cases_with_distinct_names() -> None:
    assert len(CASES) >= 300
    assert len({parameter.id for parameter in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES)
def test_a_case_comes_out_as_expected_however_it_is_cut_and_never_with_half_a_label(case: Case) -> None:
    expected = case.expected_text, case.expected_citations
    data = case.input.encode()
    assert run(case, [case.input]) == expected
    assert run(case, list(case.input)) == expected
    assert run(case, [data[at : at + 1] for at in range(len(data))]) == expected
    for cut in range(len(data) + 1):
        assert run(case, [data[:cut], data[cut:]]) == expected, cut


def test_marks_tell_number_and_place_in_the_emitted_text() -> None:
    transducer = MarkerTransducer({1, 2}, label=source_label)
    text = transducer.feed("Blue [2, 1].") + transducer.finish()
    assert text == "Blue [S2][S1]."
    assert transducer.marks == (Mark(2, 5, 9), Mark(1, 9, 13))


def test_bytes_that_are_no_utf8_become_replacement_characters() -> None:
    transducer = MarkerTransducer({1})
    text = transducer.feed_bytes(b"a\xff [1") + transducer.feed_bytes(b"] \xe2\x82") + transducer.finish()
    assert text == "a\ufffd [1] \ufffd"
    assert transducer.marks == (Mark(1, 3, 6),)
