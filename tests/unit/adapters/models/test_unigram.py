import math
import random
import unicodedata
from itertools import product
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.adapters.models.unigram import UnigramTokenizer, composed, sort_pieces

PIECES = ("<s>", "</s>", "<unk>", "▁", "▁a", "a", "b", "ab", "▁ab", "abb", "ba", "é", "漢", "漢字", "字", "<", "s", ">")
SCORES = (0.0, 0.0, 0.0, -3.0, -2.5, -3.1, -3.3, -4.0, -4.2, -5.0, -4.4, -2.0, -6.0, -6.5, -6.1, -5.0, -5.1, -5.2)
UNKNOWN = 2
CHARACTERS = MappingProxyType({ord("\n"): " ", ord("Ａ"): "a", 0xAD: ""})


@pytest.fixture
def tokenizer() -> UnigramTokenizer:
    table = sort_pieces([piece.encode() for piece in PIECES], SCORES, control=frozenset({0, 1, 2}))
    return UnigramTokenizer(table, characters=CHARACTERS, unknown_id=UNKNOWN)


def pieces(tokenizer: UnigramTokenizer, text: str, *, limit: int = 1000) -> list[str]:
    return [PIECES[number] for number in tokenizer.encode(text, limit=limit)]


def best_score(word: str) -> float:
    """The best sum over all ways to divide a word, by trying every one."""
    known: dict[str, float] = dict(zip(PIECES[3:], SCORES[3:], strict=True))
    unknown = min(SCORES) - 10.0
    totals: list[float] = []
    for cuts in product((False, True), repeat=len(word) - 1):
        parts, start = list[str](), 0
        for place, cut in enumerate((*cuts, True), start=1):
            if cut:
                parts.append(word[start:place])
                start = place
        totals.append(sum(known.get(part, unknown if len(part) == 1 else -math.inf) for part in parts))
    return max(totals)


def test_the_likeliest_pieces_win(tokenizer: UnigramTokenizer):
    assert pieces(tokenizer, "abb ba") == ["▁ab", "b", "▁", "ba"]


@given(st.text("abé漢字x", min_size=1, max_size=9))
def test_no_other_division_of_a_word_scores_better(word: str):
    table = sort_pieces([piece.encode() for piece in PIECES], SCORES, control=frozenset({0, 1, 2}))
    found = UnigramTokenizer(table, characters={}, unknown_id=UNKNOWN).encode(word, limit=100)
    score = sum(min(SCORES) - 10.0 if number == UNKNOWN else SCORES[number] for number in found)
    assert score == pytest.approx(best_score("▁" + word))


def test_every_piece_of_a_large_table_is_found():
    names = ["<unk>", *("▁" + "".join(letters) for letters in product("abcdefgh", repeat=3))]
    table = sort_pieces([name.encode() for name in names], [0.0, *[-5.0] * 512], control=frozenset({0}))
    tokenizer = UnigramTokenizer(table, characters={}, unknown_id=0)
    assert [tokenizer.encode(name.removeprefix("▁"), limit=9) for name in names[1:]] == [[number] for number in range(1, 513)]


def test_characters_are_mapped_and_dropped_and_blanks_collapse(tokenizer: UnigramTokenizer):
    assert pieces(tokenizer, "  Ａ\u00adb\n\n a  ") == pieces(tokenizer, "ab a")


def test_a_letter_with_a_separate_accent_equals_the_composed_one(tokenizer: UnigramTokenizer):
    assert pieces(tokenizer, "e\u0301") == ["▁", "é"]


def test_special_tokens_in_text_are_plain_text(tokenizer: UnigramTokenizer):
    assert pieces(tokenizer, "<s>") == ["▁", "<", "s", ">"]


def test_an_unknown_character_is_one_unknown_piece(tokenizer: UnigramTokenizer):
    assert tokenizer.encode("xy", limit=9) == [3, UNKNOWN, UNKNOWN]


def test_half_of_a_surrogate_pair_and_a_zero_byte_do_not_fail(tokenizer: UnigramTokenizer):
    assert tokenizer.encode("\ud800\x00", limit=9) == [3, UNKNOWN]


@pytest.mark.parametrize("text", ["", " ", "\n", "\u00ad"])
def test_a_text_of_nothing_has_no_pieces(tokenizer: UnigramTokenizer, text: str):
    assert (tokenizer.encode(text, limit=9), tokenizer.count(text)) == ([], 0)


def test_the_limit_cuts_and_equals_the_start_of_the_whole(tokenizer: UnigramTokenizer):
    text = "abb ba 漢字 aab " * 20
    whole = tokenizer.encode(text, limit=1000)
    assert [tokenizer.encode(text, limit=n) for n in (1, 7, 50)] == [whole[:1], whole[:7], whole[:50]]
    assert tokenizer.count(text) == len(whole)


@pytest.mark.parametrize("word", ["ab" * 50_000, "漢字" * 50_000, "x" * 100_000])
def test_a_word_without_end_is_cut_and_counted(tokenizer: UnigramTokenizer, word: str):
    assert len(tokenizer.encode(word, limit=510)) == 510
    assert tokenizer.count(word) >= 50_000


def test_counts_add_up_over_words(tokenizer: UnigramTokenizer):
    words = ["ab", "abb", "漢字", "xx"]
    assert tokenizer.count(" ".join(words)) == sum(map(tokenizer.count, words))


def test_more_words_than_are_kept_change_nothing(tokenizer: UnigramTokenizer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("pincite.adapters.models.unigram.CACHED_WORDS", 2)
    monkeypatch.setattr("pincite.adapters.models.unigram.CACHED_HEADS", 2)
    texts = ["ab ba abb", "漢字 ab", "ab ba abb"]
    table = sort_pieces([piece.encode() for piece in PIECES], SCORES, control=frozenset({0, 1, 2}))
    fresh = [UnigramTokenizer(table, characters={}, unknown_id=UNKNOWN).encode(text, limit=99) for text in texts]
    assert [tokenizer.encode(text, limit=99) for text in texts] == fresh


def test_composition_of_a_long_text_equals_that_of_the_whole():
    chosen = random.Random(7)
    for _ in range(20):
        text = "".join(chosen.choice("ae\u0301\u0316 ก\u0e4dक\u093c한漢x") for _ in range(4000))
        assert composed(text) == unicodedata.normalize("NFC", text)


def test_a_run_of_accents_without_end_is_composed_in_parts():
    assert len(composed("a" + "\u0316\u0301" * 50_000)) > 99_000
