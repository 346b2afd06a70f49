"""Numbers as a spreadsheet program shows them."""

import pytest

from pincite.adapters.parsers.number_formats import show_number


@pytest.mark.parametrize(
    ("raw", "code", "shown"),
    [
        ("15", "General", "15"),
        ("0.30000000000000004", "General", "0.3"),
        ("123456789012", "General", "123456789012"),
        ("1.2E-12", "General", "1.2E-12"),
        ("007", "General", "7"),
        ("0.1255", "0.00%", "12.55%"),
        ("1234567.891", "#,##0.00", "1,234,567.89"),
        ("-1234.5", "#,##0.00;(#,##0.00)", "(1,234.50)"),
        ("1234", "#,##0_);(#,##0)", "1,234"),
        ("1234.5", "[$€-407] #,##0.00", "€ 1,234.50"),
        ("1234.5", '#,##0.00\\ "€"', "1,234.50 €"),
        ("-3", "$#,##0;[Red]-$#,##0", "-$3"),
        ("0", "0;-0;-", "-"),
        ("1500000", '0.0,,"M"', "1.5M"),
        ("1.005", "0.00", "1.01"),
        ("-0.001", "0.00", "0.00"),
        ("3", "0.##", "3"),
        ("42", "00000", "00042"),
        ("5551234567", "(000) 000-0000", "(555) 123-4567"),
        ("12345", "0.00E+00", "1.23E+04"),
        ("1.5", "# ?/?", "1 1/2"),
        ("150", '[>=100]"big" 0;[<100]"small" 0', "big 150"),
        ("12", "@", "12"),
        ("3", '"Q"0', "Q3"),
        ("7", ";;;", ""),
    ],
)
def test_a_number_follows_its_format(raw: str, code: str, shown: str) -> None:
    assert show_number(raw, code) == shown


@pytest.mark.parametrize(
    ("raw", "code", "shown"),
    [
        ("44197", "yyyy-mm-dd", "2021-01-01"),
        ("44197.75", "d/m/yyyy h:mm AM/PM", "1/1/2021 6:00 PM"),
        ("44197", "dddd, mmmm d, yyyy", "Friday, January 1, 2021"),
        ("44197", 'yyyy"年"m"月"d"日"', "2021年1月1日"),
        ("45000", "mmm-yy", "Mar-23"),
        ("59", "d mmm yyyy", "28 Feb 1900"),
        ("61", "d mmm yyyy", "1 Mar 1900"),
        ("1.5", "[h]:mm:ss", "36:00:00"),
        ("0.000011574", "mm:ss.0", "00:01.0"),
        ("2958470", "yyyy", "2958470"),
    ],
)
def test_a_date_follows_its_format(raw: str, code: str, shown: str) -> None:
    assert show_number(raw, code) == shown


def test_dates_may_count_from_1904() -> None:
    assert show_number("42735", "yyyy-mm-dd", date1904=True) == "2021-01-01"


@pytest.mark.parametrize(
    "code", ["", "[", '"', "\\", "0" * 2000, "yyyy" * 900, ";" * 50, "[$", "E+", "#/", "[h", "?/?/?", "0E", ".", ",", "%"]
)
@pytest.mark.parametrize("raw", ["1", "-1.5", "1e300", "1e-300", "nan", "inf", "1e999999999", "x", "44197.5"])
def test_no_format_and_no_number_makes_it_stop(raw: str, code: str) -> None:
    assert isinstance(show_number(raw, code), str)
