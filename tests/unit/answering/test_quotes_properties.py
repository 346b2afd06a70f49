"""What holds of a quote whatever the texts are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.answering.matching import find_literal, fold
from pincite.answering.quotes import find_quote
from pincite.core.evidence import Passage, Source

WORDS = st.sampled_from(
    [
        "notice",
        "Frist",
        "sixty",
        "60",
        "1,000",
        "2019",
        "दिन",
        "通知期为",
        "ไทย",
        "ﬁrst",
        "é",
        "e\u0301",
        "“x”",
        "[3]",
        "\u00ad",
        "\u2060",
        "🙂",
        "İ",
        "ß",
    ]
)
PIECES = st.lists(
    st.one_of(WORDS, st.sampled_from([". ", "\n", "\n\n", "。", "| ", "\t", "? ", " - "]), st.text(max_size=4)), max_size=30
)
TEXTS = PIECES.map(" ".join)


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=3), TEXTS)
def test_a_quote_is_always_a_literal_run_at_its_offsets(texts: list[str], claim: str) -> None:
    passages = tuple(Passage(text, start=1000 * i, chunk_index=i) for i, text in enumerate(texts))
    found = find_quote(claim, Source(1, passages))
    if found is None:
        assert all(not any(char.isalnum() for char in text) for text in texts)
        return
    local = found.start - found.passage.start
    assert found.text
    assert found.text == found.passage.text[local : found.end - found.passage.start]
    assert 0 <= found.support <= 1
    assert found.literal == (found.support == 1)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.data())
def test_every_run_of_words_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    words = text.split()
    if not words:
        return
    first = data.draw(st.integers(0, len(words) - 1))
    needle = " ".join(words[first : first + data.draw(st.integers(1, 5))])
    place = find_literal(needle, fold(text))
    stripped = fold(needle).text.strip(" .。।؟?!;:,")
    assert (place is None) == (not stripped)
    if place:
        assert fold(text[place[0] : place[1]]).text.strip() == stripped


@pytest.mark.parametrize(("needle", "text"), [("¸", "Ç"), ("e", "é"), ("e", "e\u0301"), ("f", "ﬁ")])
def test_a_part_of_a_letter_is_not_found_in_it(needle: str, text: str) -> None:
    assert find_literal(needle, fold(text)) is None
    assert find_literal(needle, fold(f"{text} {needle}")) == (len(text) + 1, len(text) + 1 + len(needle))


@pytest.mark.parametrize("text", ["㏘", "⒈", "…a…", "½"])
def test_a_letter_that_stands_for_several_is_found(text: str) -> None:
    assert find_literal(text, fold(f"x {text} y"))
