import pytest

from pincite.retrieval.phrases import literal_share, phrase_matcher


@pytest.mark.parametrize(
    ("query", "passage", "share"),
    [
        ("into the activation record during", "copied into the activation record during execution", 1.0),
        ("into the activation record during", "the activation record during trace", 0.8),
        ("a b c d e f", "a b c x d e f", 0.0),
        ("a a a a b", "a a a a a b", 1.0),
        ("a b c d", "", 0.0),
        ("what is the fee of the lease of Elkhorn", "the lease of Elkhorn", 0.0),
    ],
)
def test_the_longest_run_of_at_least_four_words_and_half_the_query_counts(query: str, passage: str, share: float) -> None:
    assert literal_share(query.split(), passage.split()) == pytest.approx(share)


def test_case_white_space_and_punctuation_dont_count() -> None:
    matches = phrase_matcher("Into the  activation-record, during")
    assert matches
    assert matches("copied INTO the\nactivation record during execution") == 1.0


def test_a_phrase_in_a_script_without_blanks_is_found() -> None:
    matches = phrase_matcher("黑豹队的防守只丢了")
    assert matches
    assert matches("昨天黑豹队的防守只丢了 308分") == 1.0
    assert matches("黑豹队") == 0.0


@pytest.mark.parametrize("query", ["", "two words", "three short words", "短い"])
def test_a_query_of_a_few_words_is_no_phrase(query: str) -> None:
    assert phrase_matcher(query) is None
