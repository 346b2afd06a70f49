from hypothesis import given
from hypothesis import strategies as st

from pincite.retrieval.phrases import literal_share, phrase_matcher

WORDS = st.lists(st.sampled_from(["a", "the", "of", "Lease", "fee", "é", "2019", "x"]), max_size=14)


@given(WORDS, WORDS, st.sampled_from([" ", "\n", " - ", ", "]))
def test_the_quick_test_rules_out_no_passage_that_holds_a_run(query: list[str], passage: list[str], gap: str) -> None:
    matches = phrase_matcher(" ".join(query))
    if matches and " ".join(query).casefold() not in gap.join(passage).casefold():
        expected = literal_share([word.casefold() for word in query], [word.casefold() for word in passage])
        assert matches(gap.join(passage)) == expected
