"""Numbers, units, money and dates in the languages that people write."""

from decimal import Decimal

import pytest

from pincite.language.dates import Day
from pincite.language.quantities import Amount, figures_of

AMOUNTS = [
    ("en", "It cost $3.5 million.", "3500000", "USD"),
    ("en", "two hundred and fifty thousand people", "250000", ""),
    ("en", "twenty-five percent of it", "25", "%"),
    ("en", "a 5-year plan", "5", "year"),
    ("en", "12,34,567.89 in all", "1234567.89", ""),
    ("en", "6½ sacks", "6.5", ""),
    ("en", "7 km² of land", "7", "km2"),
    ("en", "USD 300 a day", "300", "USD"),
    ("de", "Das sind 1.234,56 Euro.", "1234.56", "EUR"),
    ("de", "rund 3,5 Mio. Euro", "3500000", "EUR"),
    ("de", "zwölf Prozent", "12", "%"),
    ("es", "3,5 millones de euros", "3500000", "EUR"),
    ("es", "el 25 por ciento", "25", "%"),
    ("ro", "douăzeci și cinci la sută", "25", "%"),
    ("ru", "двадцать пять лет", "25", "year"),
    ("ru", "3,5 млн рублей", "3500000", "RUB"),
    ("el", "3,5 εκατομμύρια ευρώ", "3500000", "EUR"),
    ("tr", "yirmi beş kişi", "25", ""),
    ("tr", "yüzde 25", "25", "%"),
    ("ar", "٣٫٥ مليون دولار", "3500000", "USD"),
    ("ar", "خمسة وأربعون", "45", ""),
    ("hi", "१२ लाख रुपये", "1200000", "INR"),
    ("th", "สองแสนห้าหมื่น", "250000", ""),
    ("th", "ร้อยละ ๒๕", "25", "%"),
    ("vi", "hai mươi lăm phần trăm", "25", "%"),
    ("zh", "三百二十万人", "3200000", ""),
    ("zh", "百分之五", "5", "%"),
    ("zh", "两千零五", "2005", ""),
]
DATES = [
    ("en", "on 12 March 2020", Day(2020, 3, 12)),
    ("en", "March 12, 2020 was", Day(2020, 3, 12)),
    ("en", "since 2020-03-12", Day(2020, 3, 12)),
    ("en", "in the 1990s", Day(1990, decade=True)),
    ("en", "in 1998.", Day(1998)),
    ("de", "am 3. Oktober 1990", Day(1990, 10, 3)),
    ("de", "am 12.03.2020", Day(2020, 3, 12)),
    ("es", "el 12 de marzo de 2020", Day(2020, 3, 12)),
    ("el", "στις 12 Μαρτίου 2020", Day(2020, 3, 12)),
    ("ro", "la 12 martie 2020", Day(2020, 3, 12)),
    ("ru", "12 марта 2020 года", Day(2020, 3, 12)),
    ("tr", "12 Mart 2020", Day(2020, 3, 12)),
    ("ar", "في 12 مارس 2020", Day(2020, 3, 12)),
    ("hi", "12 मार्च 2020 को", Day(2020, 3, 12)),
    ("th", "12 มีนาคม 2563", Day(2020, 3, 12)),
    ("vi", "ngày 12 tháng 3 năm 2020", Day(2020, 3, 12)),
    ("zh", "2020年3月12日", Day(2020, 3, 12)),
]


@pytest.mark.parametrize(("lang", "text", "value", "unit"), AMOUNTS)
def test_an_amount_is_read_however_it_is_written(lang: str, text: str, value: str, unit: str) -> None:
    found = figures_of(text, lang)
    assert [(amount.values[0], amount.unit) for amount in found.amounts] == [(Decimal(value), unit)]
    assert not found.dates


@pytest.mark.parametrize(("lang", "text", "day"), DATES)
def test_a_date_is_read_however_it_is_written(lang: str, text: str, day: Day) -> None:
    found = figures_of(text, lang)
    assert [date.readings for date in found.dates] == [(day,)]
    assert not found.amounts


def test_a_written_form_that_leaves_readings_open_keeps_them() -> None:
    assert figures_of("1,234 of them", "en").amounts[0].values == (Decimal(1234), Decimal("1.234"))
    assert figures_of("1.234 Teile", "de").amounts[0].values == (Decimal(1234), Decimal("1.234"))
    assert figures_of("20,000 of them", "en").amounts[0].values == (Decimal(20_000),)
    assert figures_of("20.000 davon", "de").amounts[0].values == (Decimal(20_000),)
    assert figures_of("on 3/4/2020", "en").dates[0].readings == (Day(2020, 3, 4), Day(2020, 4, 3))
    assert figures_of("on 13/4/2020", "en").dates[0].readings == (Day(2020, 4, 13),)


@pytest.mark.parametrize(
    "text", ["COVID-19 and PD-1", "one of them", "the B2 form", "he may mar it", "no numbers", "", "٫", "1." * 0]
)
def test_names_and_pronouns_are_no_figures(text: str) -> None:
    found = figures_of(text, "en")
    assert (found.amounts, found.dates) == ((), ())


def test_a_range_gives_both_ends_their_unit() -> None:
    found = figures_of("between 10 to 20 km of road, 5–7 %", "en").amounts
    assert [(amount.values[0], amount.unit) for amount in found] == [(10, "km"), (20, "km"), (5, "%"), (7, "%")]


def test_amounts_are_compared_across_units_of_one_kind() -> None:
    def amount(value: str, unit: str) -> Amount:
        return Amount(0, 1, (Decimal(value),), unit)

    assert amount("5", "kg").equals(amount("5000", "g"))
    assert amount("5", "mi").equals(amount("8", "km"))
    assert amount("12", "month").equals(amount("1", "year"))
    assert amount("5", "").equals(amount("5", "USD"))
    assert not amount("5", "kg").equals(amount("5", "g"))
    assert not amount("5", "kg").equals(amount("5", "km"))
    assert not amount("5", "USD").equals(amount("5", "EUR"))


def test_a_date_holds_what_says_less_and_differs_from_what_says_otherwise() -> None:
    assert Day(2020, 3, 12).holds(Day(2020, 3))
    assert Day(2020, 3, 12).holds(Day(2020))
    assert Day(1994).holds(Day(1990, decade=True))
    assert not Day(2020).holds(Day(2020, 3))
    assert Day(2020, 3, 12).differs(Day(2020, 4))
    assert not Day(2020, 3).differs(Day(None, 3, 12))


def test_places_are_those_of_the_text_as_written() -> None:
    text = "İstanbul'da 12 Mart 2020 günü yüzde 25"
    found = figures_of(text, "tr")
    assert text[found.dates[0].start : found.dates[0].end] == "12 Mart 2020"
    assert text[found.amounts[0].start : found.amounts[0].end] == "25"
