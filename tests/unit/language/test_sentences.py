import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.language.sentences import sentence_spans


def cut(text: str, lang: str = "en") -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, lang)]


CASES = {
    "abbreviations, initials and decimals don't end one": (
        "Dr. Smith et al. paid 2.5% in the U.S. market, see Fig. 3 and p. 7. J. K. Rowling agreed.",
        ["Dr. Smith et al. paid 2.5% in the U.S. market, see Fig. 3 and p. 7.", "J. K. Rowling agreed."],
    ),
    "quotation marks and brackets stay with theirs": (
        'He said "Go away." Then he left (at last). Why?!  Nobody knows…',
        ['He said "Go away."', "Then he left (at last).", "Why?!", "Nobody knows…"],
    ),
    "a line feed inside a paragraph doesn't end one": (
        "The long\nsentence goes on. The next",
        ["The long\nsentence goes on.", "The next"],
    ),
    "a blank line ends one": ("No mark here\n\nNext paragraph\n \t\nThird", ["No mark here", "Next paragraph", "Third"]),
    "list items end one, with their marks": (
        "Items:\n- one. Two\n* three\n  goes on\n1. First\n2) Second\n(a) third\n• fourth",
        ["Items:", "- one.", "Two", "* three\n  goes on", "1. First", "2) Second", "(a) third", "• fourth"],
    ),
    "table rows stand alone": (
        "| a. B | c |\n|---|---|\n| d | e |\nText after.",
        ["| a. B | c |", "|---|---|", "| d | e |", "Text after."],
    ),
    "headings stand alone": ("# Title\nText. More\n## Next\nEnd", ["# Title", "Text.", "More", "## Next", "End"]),
    "Windows line ends count like others": ("One\r\nline. Two\r\n\r\nThree", ["One\r\nline.", "Two", "Three"]),
    "a year at the start of a line is no list item": ("It was in\n1990. Then came more.", ["It was in\n1990.", "Then came more."]),
    "abbreviations before numbers and names don't end one": (
        "See Eq. 5 and Tab. 2. We met Dr. No. He likes art. The end of Vol. 3.",
        ["See Eq. 5 and Tab. 2.", "We met Dr. No.", "He likes art.", "The end of Vol. 3."],
    ),
    "reference marks stay with what they mark": (
        "It is true.[1] And this. [2] Third [3].",
        ["It is true.[1]", "And this. [2]", "Third [3]."],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_in_english(case: str):
    text, wanted = CASES[case]
    assert cut(text) == wanted


@pytest.mark.parametrize(
    ("lang", "text", "count"),
    [
        ("de", "Das kostet z.B. 3,50 Euro. Am 3. Mai 2020 kam Dr. Müller. Gut!", 3),
        ("fr", "M. Dupont est arrivé. Il a dit : « Bonjour. » Puis il partit.", 3),
        ("es", "¿Qué es esto? ¡Hola! El Sr. García llegó.", 3),
        ("ru", "Он родился в 1990 г. в Москве. Потом уехал.", 2),
        ("ar", "وصل الرجل. كيف حالك؟ بخير.", 3),
        ("hi", "यह पहला वाक्य है। यह दूसरा है। क्या?", 3),
        ("zh", "这是第一句。这是第二句！真的吗？", 3),
        ("ja", "これは一つ目です。二つ目です。本当？", 3),
        ("el", "Πού είναι; Εδώ είναι. Καλά.", 3),
        ("ur", "یہ پہلا جملہ ہے۔ یہ دوسرا ہے۔", 2),
    ],
)
def test_other_languages_end_sentences_their_way(lang: str, text: str, count: int):
    assert len(cut(text, lang)) == count


def test_without_a_language_it_is_detected():
    text = "Das ist am 3. Mai gewesen und nicht am 4. Juni. Danach war es aus."
    assert cut(text, "") == cut(text, "de") == ["Das ist am 3. Mai gewesen und nicht am 4. Juni.", "Danach war es aus."]


def test_long_thai_runs_end_at_blanks():
    pieces = cut("กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทย " * 12, "th")
    assert len(pieces) > 2
    assert all(100 < len(piece) < 200 for piece in pieces)


@pytest.mark.parametrize("lang", ["xx", "tlh", "en-GB", "EN", "zh-Hant", "???"])
def test_any_language_code_will_do(lang: str):
    assert len(cut("The first is here. The second is there.", lang)) == 2


@pytest.mark.parametrize("text", ["", " ", "\n\n\n", "\t \r\n"])
def test_blank_text_has_none(text: str):
    assert sentence_spans(text) == []


@given(
    st.text(alphabet=st.sampled_from('aB.! ?\n|-#1)("“”’।。ก\r\t’é'), max_size=200), st.sampled_from(["", "en", "th", "zh", "de"])
)
def test_spans_rise_are_trimmed_and_cover_all_that_is_not_blank(text: str, lang: str):
    spans = sentence_spans(text, lang)
    covered = "".join(text[start:end] for start, end in spans)
    assert "".join(covered.split()) == "".join(text.split())
    assert all(start < end and text[start:end] == text[start:end].strip() for start, end in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))


HOSTILE = {
    "dots": "." * 100_000,
    "one word": "a" * 1_000_000,
    "combining marks": "a" + "\u0301" * 100_000,
    "unclosed quotation marks": "“a. " * 30_000,
    "brackets": "(. " * 30_000,
    "line feeds": "\n" * 100_000,
    "blanks": " " * 200_000,
    "bars": "|" * 100_000,
    "blanks before a bar": (" " * 100 + "\n") * 1_000,
    "items": "- \n" * 30_000,
    "words": "hello world " * 60_000,
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_text_is_covered_too(case: str):
    text = HOSTILE[case]
    covered = "".join(text[start:end] for start, end in sentence_spans(text, "en"))
    assert "".join(covered.split()) == "".join(text.split())


def test_what_never_ends_is_cut_so_that_no_span_is_monstrous():
    draw = random.Random(3)
    text = " ".join("".join(draw.choices("abcdef", k=draw.randint(1, 9))) for _ in range(20_000))
    assert max(end - start for start, end in sentence_spans(text, "en")) <= 4_000


def test_half_a_surrogate_pair_is_a_character_like_others() -> None:
    text = "One \ud800 ends here. Another 😀 begins \udc00 there."
    assert cut(text) == ["One \ud800 ends here.", "Another 😀 begins \udc00 there."]
