from concurrent.futures import ThreadPoolExecutor

import pytest

from pincite.language.bm25 import chunk_languages, question_tokens
from pincite.language.stems import index_tokens, query_tokens, stem
from pincite.language.stopwords import stop_words
from pincite.language.words import words


@pytest.mark.parametrize(
    ("lang", "one", "other"),
    [
        ("en", "flooding", "floods"),
        ("de", "häuser", "haus"),
        ("fr", "nationales", "national"),
        ("es", "canciones", "canción"),
        ("ru", "мосты", "моста"),
        ("tr", "köprüler", "köprü"),
        ("ar", "المدينة", "مدينة"),
        ("hi", "किताबें", "किताब"),
        ("el", "γέφυρες", "γέφυρα"),
        ("no", "bilene", "bil"),
        ("nb", "bilene", "bil"),
    ],
)
def test_forms_of_a_word_share_a_stem(lang: str, one: str, other: str):
    assert stem(one, lang) == stem(other, lang)


def test_a_language_without_stemmer_leaves_words_but_for_diacritics():
    assert stem("running", "xx") == "running"
    assert stem("running", "") == "running"
    assert stem("škoda", "sk") == "skoda"
    assert stem("ısı", "") == "isi"


def test_diacritics_part_words_in_vietnamese_and_vowel_signs_in_hindi():
    assert stem("bán", "vi") != stem("bạn", "vi")
    assert stem("की", "") == "की"


def test_stems_are_safe_in_many_threads():
    def stems(_: int) -> list[str]:
        return [stem("flooding", "en"), stem("häuser", "de"), stem("мосты", "ru")]

    with ThreadPoolExecutor(8) as pool:
        assert len({tuple(found) for found in pool.map(stems, range(200))}) == 1


def test_an_index_keeps_stop_words():
    assert index_tokens("The floods of the river", "en") == ["the", "flood", "of", "the", "river"]


def test_a_question_drops_stop_words_and_repeats():
    assert query_tokens("What are the floods of the river, the floods?", ["en"]) == [("flood",), ("river",)]


def test_a_question_of_stop_words_alone_keeps_them():
    assert query_tokens("Who is it?", ["en"]) == [("who",), ("is",), ("it",)]


def test_each_language_gives_an_alternative_where_it_differs():
    assert query_tokens("Siemens Berlin", ["en", "de"]) == [("siemen", "siem"), ("berlin",)]
    assert query_tokens("floods", []) == [("floods",)]


def test_forms_of_one_word_are_one_word_whatever_other_languages_make_of_them():
    assert query_tokens("published publishing", ["de", "en"], asked="en") == [("published", "publishing", "publish")]


def test_only_what_all_languages_drop_is_dropped_where_the_questions_own_is_unknown():
    kept = {alternatives[0] for alternatives in query_tokens("war in Rom", ["en", "de"])}
    assert kept == {"war", "rom"}
    assert query_tokens("war in Rom", ["en", "de"], asked="de") == [("rom",)]


def test_a_question_is_stemmed_for_all_languages_present_and_dropped_by_its_own():
    assert question_tokens("What were the floods?", {"de", "en"}) == [("flood",)]
    assert question_tokens("What did Siemens do?", {"de", "en"}) == [("siem", "siemen")]
    assert question_tokens("Wann waren die Fluten?", {"en"}) == [("fluten",)]
    assert question_tokens("floods", {"en", ""}) == [("flood", "floods")]
    assert question_tokens("?", {"en"}) == []


def test_a_chunk_of_no_known_language_counts_to_the_usual_one():
    chunks = [("", "| a | 1 |"), ("de-AT", "Haus"), ("de", "Maus"), ("en", "mouse"), ("", "This is the house that they built.")]
    assert chunk_languages(chunks, {}) == ["de", "de", "de", "en", "en"]
    assert chunk_languages(chunks[:1], {"fr": 2, "": 9}) == ["fr"]
    assert chunk_languages(chunks[:1], {}) == [""]


@pytest.mark.parametrize("lang", ["ar", "de", "en", "es", "fr", "hi", "ro", "ru", "tr", "vi", "zh"])
def test_stop_words_are_in_the_form_of_words(lang: str):
    assert {word for word in stop_words(lang) if words(word) != [word]} - {"吗"} == set()


def test_stop_words_hold_no_content_words():
    assert not stop_words("en") & {"system", "end", "us", "case", "first", "world", "state", "right", "many", "help"}
    assert stop_words("xx") == frozenset()
