"""Which characters may stand in canonical text, and where they came from."""

import pytest

from pincite.adapters.parsers.cleaning import TEX_LIGATURES, clean, fold


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ("a\x00b\x07c\x7f", "abc"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("no\u00a0break thin\u2009blank line\u2028end", "no break thin blank line end"),
        ("of\ufb01ce \ufb03", "office ffi"),
        ("\ufeffmark", "mark"),
        ("the fee is \u202e40\u202c EUR \u2066x\u2069", "the fee is 40 EUR x"),
        ("\ud800lone", "lone"),
        ("کتاب\u200cها क्\u200dष", "کتاب\u200cها क्\u200dष"),
        ("\ufeb3\ufefc", "سلا"),
        ("\ufdfa", "\ufdfa"),
        ("x\u00b2 ½ Å ﹖", "x\u00b2 ½ Å ﹖"),
        ("tab\tand\nfeed", "tab\tand\nfeed"),
    ],
)
def test_what_may_stand_in_canonical_text(raw: str, kept: str) -> None:
    assert "".join(text for text, _, _ in clean(raw)) == kept


def test_each_piece_says_where_it_was() -> None:
    assert list(clean("of\ufb01ce\x00s")) == [("of", 0, 2), ("fi", 2, 1), ("ce", 3, 2), ("s", 6, 1)]


def test_ligatures_of_tex_fonts_are_read_where_asked_for() -> None:
    assert "".join(text for text, _, _ in clean("signi\x1ccation", controls=TEX_LIGATURES)) == "signification"


@pytest.mark.parametrize(("raw", "kept"), [("\x030.93", "\ufffd0.93"), ("a\x03b", "ab"), ("1\x03", "1"), ("\x000", "0")])
def test_an_unnamed_glyph_before_a_digit_of_a_page_is_not_dropped_unseen(raw: str, kept: str) -> None:
    assert "".join(text for text, _, _ in clean(raw, controls=TEX_LIGATURES)) == kept
    assert "\ufffd" not in "".join(text for text, _, _ in clean(raw))


def test_a_text_that_normalisation_would_swell_stays_as_it_is() -> None:
    assert "".join(text for text, _, _ in clean("\ufdfa" * 1000)) == "\ufdfa" * 1000


def test_printings_of_one_text_fold_to_one_key() -> None:
    assert fold("4.2  Costs & Roads") == fold("4.2 COSTS, ROADS") == "42costsroads"
