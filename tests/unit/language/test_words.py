import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.language.words import word_spans, words


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The Quick, brown fox!", ["the", "quick", "brown", "fox"]),
        ("snake_case don't l'école", ["snake", "case", "don", "t", "l", "école"]),
        ("10,000 and 1,234,567.89 and 12,34,567", ["10000", "and", "1234567.89", "and", "1234567"]),
        ("2.5% 2,5 1.234,56 1.234.567", ["2.5", "2.5", "1234.56", "1234567"]),
        ("$831.7 (3.1) -5 3.", ["831.7", "3.1", "5", "3"]),
        ("[1,2,3] 192.168.1.1 1.2.2020", ["1", "2", "3", "192.168.1.1", "1.2.2020"]),
        ("the U.S. and e.g. a.m.", ["the", "us", "and", "eg", "am"]),
        ("ISO-9001 c2 4-bit 3D COVID-19", ["iso", "9001", "c2", "4", "bit", "3d", "covid", "19"]),
        ("Straße ﬁne Ｆｕｌｌ ① 6½ x²", ["strasse", "fine", "full", "1", "6", "1⁄2", "x2"]),
        ("İstanbul ISTANBUL ısı", ["istanbul", "istanbul", "ısı"]),
        ("cafe\u0301 co\u00adop", ["café", "coop"]),
        ("हिन्दी में २०१९", ["हिन्दी", "में", "2019"]),
        ("العربيـة ٢٠١٩", ["العربية", "2019"]),
        ("你好世界 a 年 2008年", ["你好", "好世", "世界", "a", "年", "2008", "年"]),
        ("カタカナ と 한국어", ["カタ", "タカ", "カナ", "と", "한국", "국어"]),
        ("สวัสดี ปี", ["สวั", "วัส", "ัสด", "สดี", "ปี"]),
        ("", []),
        ("?! … — 😀", []),
    ],
)
def test_words_are_what_is_compared(text: str, wanted: list[str]):
    assert words(text) == wanted


def test_an_index_gets_shorter_runs_too():
    assert words("你好吗", shorter=True) == ["你好", "好吗", "你", "好", "吗"]
    assert words("ปี", shorter=True) == ["ปี", "ป", "ี"]
    assert words("plain words", shorter=True) == ["plain", "words"]


ANY = st.text(alphabet=st.sampled_from("aZ09.,'_- é\u0301ßİ½ﬁ你好カｶﾞ한กัี\u0937\u093f\u200dﷺ😀\u00ad①"), max_size=60)


@given(ANY)
def test_spans_go_with_the_words_one_by_one(text: str):
    found, spans = words(text), word_spans(text)
    assert len(found) == len(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


@given(ANY)
def test_a_word_alone_gives_itself(text: str):
    for start, end in word_spans(text):
        piece = text[start:end]
        assert words(piece), piece


@pytest.mark.parametrize(
    "text", ["1," * 100_000, "1.1." * 50_000, "a." * 100_000, "a" + "\u0301" * 200_000, "1" * 300_000, "字" * 100_000]
)
def test_hostile_text_takes_linear_time(text: str):
    assert len(words(text)) == len(word_spans(text))
