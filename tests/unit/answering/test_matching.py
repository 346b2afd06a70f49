"""Folding a text maps every folded character back to where it came from."""

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.answering.matching import fold

TEXTS = st.text(
    st.one_of(
        st.sampled_from("aAéßİΣςﬁǅЙй가ＡＢ１½Ⅻ_'’“-–… \t\n|\u00ad\u200dक्षि的ไท🙂"),
        st.characters(exclude_categories=("Cs",)),
    )
)


@given(TEXTS, TEXTS)
@settings(max_examples=300, deadline=None)
def test_a_text_folds_like_its_parts(left: str, right: str) -> None:
    whole, first, second = fold(f"{left} x{right}"), fold(f"{left} "), fold(f"x{right}")
    assert whole.text == first.text + second.text
    assert whole.offsets == (*first.offsets, *(len(left) + 1 + offset for offset in second.offsets))


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_each_word_folds_to_its_own_letters(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.offsets)
    assert list(folded.offsets) == sorted(folded.offsets)
    for char, offset in zip(folded.text, folded.offsets, strict=True):
        if text[offset].isalpha():
            assert char in unicodedata.normalize("NFKD", text[offset]).casefold() + "'-"
