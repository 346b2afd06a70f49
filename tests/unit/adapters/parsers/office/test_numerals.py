"""Numbers of lists in the styles of the standard."""

import pytest

from pincite.adapters.parsers.numerals import numeral


@pytest.mark.parametrize(
    ("style", "value", "printed"),
    [
        ("decimal", 0, "0"),
        ("decimalZero", 7, "07"),
        ("lowerRoman", 1994, "mcmxciv"),
        ("upperRoman", 4, "IV"),
        ("upperRoman", 0, "0"),
        ("upperRoman", 10**9, "1000000000"),
        ("lowerLetter", 26, "z"),
        ("lowerLetter", 27, "aa"),
        ("lowerLetter", 53, "aaa"),
        ("lowerLetter", 0, "0"),
        ("upperLetter", 10**6, "1000000"),
        ("russianLower", 1, "а"),
        ("ordinal", 1, "1st"),
        ("ordinal", 22, "22nd"),
        ("ordinal", 113, "113th"),
        ("chineseCounting", 10, "十"),
        ("chineseCounting", 21, "二十一"),
        ("chineseCountingThousand", 105, "一百〇五"),
        ("chineseCountingThousand", 1010, "一千〇一十"),
        ("chineseCounting", 0, "〇"),
        ("decimalEnclosedCircle", 20, "⑳"),
        ("decimalEnclosedCircle", 21, "21"),
        ("thaiNumbers", 10, "๑๐"),
        ("none", 3, ""),
        ("unheardOf", 3, "3"),
    ],
)
def test_a_number_is_printed_in_its_style_or_in_decimals(style: str, value: int, printed: str) -> None:
    assert numeral(value, style) == printed
