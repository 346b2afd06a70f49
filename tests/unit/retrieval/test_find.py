from pincite.retrieval.find import occurrences


def test_every_occurrence_is_found_white_space_and_case_apart() -> None:
    text = "The notice\nperiod is long. Notice period again."
    assert [text[a:b] for a, b in occurrences(text, "notice  period")] == ["notice\nperiod", "Notice period"]


def test_missing_blanks_and_ligatures_are_found_when_nothing_else_is() -> None:
    assert occurrences("costs 10%of sales", "10% of") == [(6, 11)]
    assert occurrences("an office here", "oﬃce") == [(3, 9)]


def test_nothing_is_found_of_nothing_and_signs_are_literal() -> None:
    assert occurrences("abc", "  ") == []
    assert occurrences("a.c abc", "a.c") == [(0, 3)]
