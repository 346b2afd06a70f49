from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from pincite.retrieval.phrases import MIN_RUN, MIN_SHARE, literal_share, phrase_matcher

WORDS = st.lists(st.sampled_from(["a", "the", "of", "Lease", "fee", "é", "2019", "x"]), max_size=14)


def longest_run(query: Sequence[str], passage: Sequence[str]) -> int:
    starts = [(first, at) for first in range(len(query)) for at in range(len(passage))]
    return max((run_from(query[first:], passage[at:]) for first, at in starts), default=0)


def run_from(query: Sequence[str], passage: Sequence[str]) -> int:
    return next(
        (n for n, (one, other) in enumerate(zip(query, passage, strict=False)) if one != other), min(len(query), len(passage))
    )


@given(WORDS, WORDS)
def test_the_share_is_that_of_the_longest_run(query: list[str], passage: list[str]) -> None:
    run = longest_run(query, passage)
    counts = run >= max(MIN_RUN, MIN_SHARE * len(query))
    assert literal_share(query, passage) == (run / len(query) if counts else 0.0)


@given(WORDS, WORDS, st.sampled_from([" ", "\n", " - ", ", "]))
def test_the_quick_test_rules_out_no_passage_that_holds_a_run(query: list[str], passage: list[str], gap: str) -> None:
    matches = phrase_matcher(" ".join(query))
    if matches and " ".join(query).casefold() not in gap.join(passage).casefold():
        expected = literal_share([word.casefold() for word in query], [word.casefold() for word in passage])
        assert matches(gap.join(passage)) == expected
