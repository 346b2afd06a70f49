"""Negations, opposites and what isn't one."""

import pytest

from pincite.language.polarity import Signs, knows, opposites_of, signs_of
from pincite.language.stems import stem_all
from pincite.language.words import words

LANGUAGES = ("ar", "de", "el", "en", "es", "hi", "ro", "ru", "th", "tr", "vi", "zh")


def read(text: str, lang: str) -> Signs:
    found = words(text)
    return signs_of(found, stem_all(found, lang), lang)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_language_has_opposites_of_two_sides(lang: str) -> None:
    assert knows(lang)
    assert all(one and other for one, other in opposites_of(lang))


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "The board did not approve it"),
        ("en", "They aren't ready"),
        ("de", "Der Vertrag gilt nicht"),
        ("es", "El contrato no es válido"),
        ("ro", "Contractul nu este valabil"),
        ("ru", "Договор не действует"),
        ("el", "Η σύμβαση δεν ισχύει"),
        ("tr", "Sözleşme geçerli değil"),
        ("vi", "Hợp đồng không có hiệu lực"),
        ("ar", "العقد ليس ساريا"),
        ("hi", "अनुबंध मान्य नहीं है"),
        ("zh", "合同没有生效"),
        ("th", "สัญญาไม่มีผล"),
    ],
)
def test_a_negation_is_found_where_it_stands(lang: str, text: str) -> None:
    assert len(read(text, lang).negations) == 1


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("en", "It is not only cheap but good"),
        ("ru", "Тем не менее договор действует"),
        ("es", "Sin embargo el contrato vale"),
        ("zh", "特别的未来不同"),
        ("th", "เดือนมิถุนายน"),
        ("en", "The t-shirt in question"),
    ],
)
def test_what_looks_like_a_negation_is_none(lang: str, text: str) -> None:
    assert read(text, lang).negations == ()


@pytest.mark.parametrize(
    ("lang", "left", "right"),
    [
        ("en", "Revenue increased", "Revenue fell"),
        ("en", "Birth weight was positively associated", "Birth weight was negatively associated"),
        ("de", "Der Umsatz stieg", "Der Umsatz sank"),
        ("ru", "до войны", "после войны"),
        ("zh", "收入增加", "收入减少"),
        ("th", "รายได้เพิ่มขึ้น", "รายได้ลดลง"),
        ("ar", "قبل الحرب", "بعد الحرب"),
    ],
)
def test_opposites_are_of_one_family_and_two_sides(lang: str, left: str, right: str) -> None:
    mine = {(sign.family, sign.side) for sign in read(left, lang).opposites}
    theirs = {(sign.family, -sign.side) for sign in read(right, lang).opposites}
    assert mine & theirs


def test_a_language_without_lists_has_no_signs() -> None:
    assert not knows("sw")
    assert read("Mkataba haufanyi kazi", "sw") == Signs()
