import pytest

from pincite.answering.cues import lacks_what_is_asked, named_identifiers


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is the default of max_connections?", {"max_connections"}),
        ("What does --path-prefix do?", {"--path-prefix"}),
        ("What does report.pdf say?", set[str]()),
        ("Who is the CEO?", set[str]()),
        ("Is 3.5 e.g. more?", set[str]()),
    ],
)
def test_names_that_a_program_gave_are_recognised(question: str, names: set[str]) -> None:
    assert named_identifiers(question) == names


@pytest.mark.parametrize(
    ("question", "texts", "lacking"),
    [
        ("What is the default of max_connections?", ["wal_level: the default is replica."], True),
        ("What is the default of WAL_LEVEL?", ["wal_level: the default is replica."], False),
        ("How much did the first typewriter cost?", ["Patented in 1868 by Sholes, it spread."], True),
        ("How much does the permit cost?", ["The permit costs 40 euros."], False),
        ("How much does the permit cost?", ["Permit | 40 | 35 | 120"], False),
        ("Was kostet der Eintritt?", ["Der Eintritt beträgt 12 €."], False),
        ("Who patented the typewriter?", ["Patented by Sholes."], False),
    ],
)
def test_an_absent_identifier_or_price_is_noticed(question: str, texts: list[str], lacking: bool) -> None:
    assert lacks_what_is_asked(question, texts) is lacking
