import pytest

from pincite.retrieval.phrases import literal_share


@pytest.mark.parametrize(
    ("query", "passage", "share"),
    [
        ("into the activation record during", "copied into the activation record during execution", 1.0),
        ("into the activation record during", "the activation record during trace", 0.8),
        ("the activation record", "the activation record", 0.0),
        ("a b c d e f", "a b c x d e f", 0.0),
        ("a a a a b", "a a a a a b", 1.0),
        ("a b c d", "", 0.0),
        ("what is the fee of the lease of Elkhorn", "the lease of Elkhorn", 0.0),
    ],
)
def test_the_longest_run_of_at_least_four_words_counts(query: str, passage: str, share: float) -> None:
    assert literal_share(query.split(), passage.split()) == pytest.approx(share)
