import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.answering.claims import ClaimSpan, claim_text, split_claims
from pincite.answering.markers import Mark, MarkerTransducer
from pincite.answering.prompts import source_label

DATA = Path(__file__).parents[2] / "data" / "claims"


def load() -> Iterator[Any]:
    for path in sorted(DATA.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row: dict[str, Any] = json.loads(line)
            yield pytest.param(row, id=f"{path.stem}: {row['name']}")


def marked(text: str, issued: list[int]) -> tuple[str, tuple[Mark, ...]]:
    transducer = MarkerTransducer(issued)
    written = transducer.feed(text) + transducer.finish()
    return written, tuple(transducer.marks)


@pytest.mark.parametrize("row", list(load()))
def test_a_text_is_split_into_the_expected_claims_with_their_labels(row: dict[str, Any]) -> None:
    text, marks = marked(row["text"], row["issued"])
    claims = split_claims(text, marks, row["lang"])
    assert [[claim_text(text, claim, marks), list(claim.labels)] for claim in claims] == row["expected"]


def test_a_claim_reaches_from_its_first_word_to_its_last_label() -> None:
    text, marks = marked("So. The sky is blue. [1][2] Then - yes.", [1, 2])
    sky = split_claims(text, marks, "en")[1]
    assert text[sky.start : sky.end] == "The sky is blue. [1][2]"


def test_claims_are_the_same_under_the_labels_of_another_surface() -> None:
    text = "The sky is blue. [1] The grass is green [2].\n\n- It is high [1, 2]"
    other = MarkerTransducer((1, 2), label=source_label)
    written = other.feed(text) + other.finish()
    plain, marks = marked(text, [1, 2])
    words = [claim_text(plain, claim, marks) for claim in split_claims(plain, marks, "en")]
    claims = split_claims(written, other.marks, "en")
    assert [claim_text(written, claim, other.marks) for claim in claims] == words
    assert [claim.labels for claim in claims] == [(1,), (2,), (1, 2)]


FRAGMENTS = (
    "The sky is blue",
    "It rose. ",
    "[1]",
    " [2]",
    "\n",
    "\n\n",
    "- ",
    "| a | b |",
    "|---|---|\n",
    "```\n",
    "# ",
    "> ",
    "天空。",
    "है। ",
    ".",
    "$$",
    "**",
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join))
def test_claims_rise_without_overlap_hold_words_and_name_only_written_labels(source: str) -> None:
    text, marks = marked(source, [1, 2])
    claims = split_claims(text, marks, "en")
    end = 0
    for claim in claims:
        assert end <= claim.start < claim.end <= len(text)
        assert any(map(str.isalnum, claim_text(text, claim, marks)))
        assert set(claim.labels) <= {mark.n for mark in marks}
        end = claim.end


def test_the_text_of_a_claim_leaves_out_labels_and_nothing_else() -> None:
    text = "Paris[1] is big [2], not [1] small."
    marks = (Mark(1, 5, 8), Mark(2, 16, 19), Mark(1, 25, 28))
    assert claim_text(text, ClaimSpan(0, len(text), (1, 2)), marks) == "Paris is big, not small."


@pytest.mark.parametrize(
    "text", ["The fee is 5%. Source: [1]", "The fee is 5%.\n\nSources: [1]", "Die Gebühr ist 5%. (Quelle: [1])"]
)
def test_what_only_names_a_source_is_no_claim_and_its_label_is_that_of_the_sentence_before(text: str) -> None:
    marked = MarkerTransducer({1})
    shown = marked.feed(text) + marked.finish()
    claims = split_claims(shown, marked.marks)
    assert [claim.labels for claim in claims] == [(1,)]
    assert claim_text(shown, claims[0], marked.marks).endswith("5%.")
