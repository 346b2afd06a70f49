"""Numbers as office programs print them before items of a list (ISO/IEC 29500-1, section 17.18.59, ST_NumberFormat)."""

from collections.abc import Callable

_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MOST_ROMAN = 4999
_MOST_LETTERS = 40
_CIRCLED = 20
_CHINESE_DIGITS = "〇一二三四五六七八九"
_CHINESE_UNITS = ((1000, "千"), (100, "百"), (10, "十"))
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщэюя"
_GREEK = "αβγδεζηθικλμνξοπρστυφχψω"


def numeral(value: int, style: str) -> str:
    """Return a number from 0 in a style of the standard; decimal where the style isn't known or has no such number."""
    write = _STYLES.get(style)
    return write(value) if write and value >= 0 else str(value)


def _roman(value: int) -> str:
    if not 0 < value <= _MOST_ROMAN:
        return str(value)
    written = ""
    for amount, letters in _ROMAN:
        count, value = divmod(value, amount)
        written += count * letters
    return written


def _letters(alphabet: str) -> Callable[[int], str]:
    """Return a writer of a, b, … z, aa, bb, … as Word prints them."""

    def write(value: int) -> str:
        times, place = divmod(value - 1, len(alphabet))
        return alphabet[place] * (times + 1) if 0 <= times < _MOST_LETTERS else str(value)

    return write


def _ordinal(value: int) -> str:
    teens = 10 < value % 100 < 14
    return f"{value}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(value % 10, 'th')}"


def _chinese(value: int) -> str:
    if not 0 < value < 10_000:
        return _CHINESE_DIGITS[0] if not value else str(value)
    written, gap = "", False
    for amount, unit in _CHINESE_UNITS:
        digit, value = divmod(value, amount)
        gap = gap or (bool(written) and not digit)
        if digit:
            written += (
                ("〇" if gap else "") + ("" if digit == 1 and unit == "十" and not written else _CHINESE_DIGITS[digit]) + unit
            )
            gap = False
    return written + (("〇" if gap else "") + _CHINESE_DIGITS[value] if value else "")


def _circled(value: int) -> str:
    return chr(0x2460 + value - 1) if 0 < value <= _CIRCLED else str(value)


def _digits(zero: str) -> Callable[[int], str]:
    return lambda value: "".join(chr(ord(zero) + int(digit)) for digit in str(value))


_STYLES: dict[str, Callable[[int], str]] = {
    "none": lambda value: "",
    "decimalZero": lambda value: f"{value:02d}",
    "lowerRoman": _roman,
    "upperRoman": lambda value: _roman(value).upper(),
    "lowerLetter": _letters("abcdefghijklmnopqrstuvwxyz"),
    "upperLetter": _letters("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "russianLower": _letters(_RUSSIAN),
    "russianUpper": _letters(_RUSSIAN.upper()),
    "greek": _letters(_GREEK),
    "ordinal": _ordinal,
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "chineseCounting": _chinese,
    "chineseCountingThousand": _chinese,
    "taiwaneseCounting": _chinese,
    "taiwaneseCountingThousand": _chinese,
    "japaneseCounting": _chinese,
    "koreanDigital": _chinese,
    "ideographDigital": _chinese,
    "decimalFullWidth": _digits("０"),
    "hindiNumbers": _digits("०"),
    "thaiNumbers": _digits("๐"),
}
