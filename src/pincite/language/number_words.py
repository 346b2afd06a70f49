"""Numbers as people write them, in figures and in words, read to their values."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

UNSPACED = frozenset(("zh", "ja", "th"))
"""Languages that put no blanks between words."""

HAN = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
HAN_SCALES = {"十": 1, "百": 2, "千": 3, "万": 4, "萬": 4, "亿": 8, "億": 8, "兆": 12}
_DOZEN = 12
_LARGEST_ONE = 1
_AND = frozenset(("and", "und", "y", "et", "e", "en", "i", "și", "και", "và", "och", "og", "ja", "a", "و"))
AFTER_WORD = r"(?<![^\W\u0e01-\u0e4e\u3041-\u30fa\u3400-\u9fff])"
"""No letter stands before, unless its script puts no blanks between words."""
_OTHER_DIGITS = re.compile(r"(?![0-9])\d")
_FIGURES = re.compile(
    rf"{AFTER_WORD}(?<![^\W\d_][-‐‑])(?<!\d[.,٬٫])"
    r"(?:\d{1,3}(?:[\u00a0\u202f\u2009 ’']\d{3})+(?![\d])(?:[.,٫]\d+)?|\d+(?:[.,٬٫]\d+)*)"
    r"(?P<half>½|¼|¾)?"
)
_FRACTIONS = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}


@dataclass(frozen=True, slots=True)
class Number:
    """A number `[start, end)` of a text. `values` are its readings, the likelier first: `1.234` has two."""

    start: int
    end: int
    values: tuple[Decimal, ...]
    in_words: bool = False


@dataclass(frozen=True, slots=True)
class Names:
    """What a language calls months, units, currencies, powers of ten and numbers below a hundred, in folded form."""

    months: Mapping[str, int]
    units: Mapping[str, str]
    currencies: Mapping[str, str]
    scales: Mapping[str, int]
    numbers: Mapping[str, int]
    decimal: str


@cache
def names_of(lang: str) -> Names:
    """Return the names of a language, those of English for one without a table."""
    tables = _tables()
    found = tables.get(lang, tables["en"])
    return Names(**found)


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return json.loads(files("pincite.language").joinpath("quantities.json").read_text(encoding="utf-8"))


def folded(text: str) -> str:
    """Return a text in lower case with figures as ASCII, as long as it was, so that places stay."""
    if text.isascii():
        return text.lower()
    lower = text.lower()
    if len(lower) == len(text) and "Σ" not in text:  # a last sigma depends on what stands around it
        return _OTHER_DIGITS.sub(lambda found: str(unicodedata.decimal(found.group())), lower)
    return "".join(_folded_character(character) for character in text)


def _folded_character(character: str) -> str:
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    lower = character.lower()
    return lower if len(lower) == 1 else character


def find_numbers(text: str, lang: str) -> list[Number]:
    """Return the numbers of a folded text in order: figures, words, and figures with words ("3.5 million")."""
    figures = [Number(match.start(), match.end(), _readings(match, names_of(lang).decimal)) for match in _FIGURES.finditer(text)]
    taken = {place for number in figures for place in range(number.start, number.end)}
    words = [match for match in _word_pattern(lang).finditer(text) if match.start() not in taken]
    return sorted(_joined(text, figures, words, lang), key=lambda number: number.start)


def _readings(match: re.Match[str], decimal: str) -> tuple[Decimal, ...]:
    half = match["half"] or ""
    written = match.group().removesuffix(half).replace("٬", "").replace("٫", ".")
    more = _FRACTIONS.get(half, Decimal(0))
    return tuple(value + more for value in _values(re.sub(r"[\u00a0\u202f\u2009 ’']", "", written), decimal))


def _values(written: str, decimal: str) -> tuple[Decimal, ...]:
    """Return the readings of figures with points and commas."""
    signs = [sign for sign in written if sign in ".,"]
    if not signs:
        return (Decimal(written),)
    plain = re.sub("[.,]", "", written)
    if len(set(signs)) > 1:
        last = max(written.rfind("."), written.rfind(","))
        return (Decimal(f"{re.sub('[.,]', '', written[:last])}.{written[last + 1 :]}"),)
    if len(signs) > 1:
        return (Decimal(plain),)
    whole, part = written.split(signs[0])
    fraction = Decimal(f"{whole}.{part}")
    if len(part) != 3 or len(whole) > 3 or whole == "0":
        return (fraction,)
    if signs[0] == decimal:
        return (fraction, Decimal(plain))
    return (Decimal(plain), fraction) if fraction % 1 else (Decimal(plain),)  # nobody writes twenty as 20,000


@cache
def _word_pattern(lang: str) -> re.Pattern[str]:
    """Match one word of a number: a name of one below a hundred, or of a power of ten."""
    if lang in ("zh", "ja"):
        return re.compile("[" + "".join((*HAN, *HAN_SCALES)) + "]")
    names = names_of(lang)
    every = sorted({*names.numbers, *names.scales}, key=len, reverse=True)
    inner = "|".join(map(re.escape, every)) or r"(?!)"
    behind = r"(?!\w)(?!\s\d{4}(?!\d))" if lang == "vi" else r"(?!\w)"  # "năm" is five, and before a figure the year
    return re.compile(inner if lang in UNSPACED else rf"(?<![\w-])(?:{inner}){behind}")


def _joined(text: str, figures: Sequence[Number], words: Sequence[re.Match[str]], lang: str) -> Iterator[Number]:
    """Join figures and words that follow each other to numbers."""
    items: list[Number | re.Match[str]] = sorted([*figures, *words], key=_start)
    run: _Run | None = None
    for item in items:
        if run is not None and run.takes(text, item):
            continue
        if run is not None:
            yield from run.number()
        run = _Run(lang)
        run.takes(text, item)
    if run is not None:
        yield from run.number()


def _start(item: "Number | re.Match[str]") -> int:
    return item.start if isinstance(item, Number) else item.start()


class _Run:
    """Words of one number, read from left to right: a power of ten multiplies what is smaller than it before it."""

    def __init__(self, lang: str) -> None:
        self._names = names_of(lang)
        self._han = lang in ("zh", "ja")
        self._start = self._end = -1
        self._parts: list[tuple[tuple[Decimal, ...], int]] = []
        self._in_words = True

    def takes(self, text: str, item: "Number | re.Match[str]") -> bool:
        """Take a word if it goes on with the number."""
        start, end = (item.start, item.end) if isinstance(item, Number) else item.span()
        if self._parts and not self._is_near(text[self._end : start]):
            return False
        if isinstance(item, Number):
            if self._parts:
                return False
            self._parts.append((item.values, 0))
            self._in_words = False
        elif not self._take_word(item.group(), text[max(0, start - 2) : start]):
            return False
        self._start = start if self._start < 0 else self._start
        self._end = end
        return True

    def _is_near(self, between: str) -> bool:
        words = between.replace("-", " ").split()
        return len(between) <= 6 and (not words or (len(words) == 1 and words[0] in _AND and self._parts[-1][1] > 0))

    def _take_word(self, word: str, before: str) -> bool:
        scale = HAN_SCALES.get(word) if self._han else self._names.scales.get(word)
        if scale is not None:
            return self._multiply(word, scale)
        value = HAN[word] if self._han else self._names.numbers[word]
        if not self._parts:
            self._parts.append(((Decimal(value),), 0))
            return True
        (last,), exponent = self._parts[-1][0][:1], self._parts[-1][1]
        if self._han and exponent == 0:
            self._parts[-1] = ((last * 10 + value,), 0)
            return self._in_words
        fits = exponent > 0 or (last >= 10 and last % 10 == 0 and value < 10)
        if fits:
            self._parts.append(((Decimal(value),), 0))
        return fits

    def _multiply(self, word: str, scale: int) -> bool:
        factor = Decimal(_DOZEN) if word == "dozen" else Decimal(10) ** scale
        smaller: list[tuple[Decimal, ...]] = []
        while self._parts and self._parts[-1][1] < max(scale, 1):
            smaller.append(self._parts.pop()[0])
        if smaller and len(smaller[0]) > 1 and len(smaller) == 1:
            self._parts.append((tuple(value * factor for value in smaller[0]), scale))
        else:
            total = sum((values[0] for values in smaller), Decimal(0)) if smaller else Decimal(1)
            self._parts.append(((total * factor,), scale))
        return True

    def number(self) -> Iterator[Number]:
        """Yield the number; "one" alone is more often a pronoun and is left out."""
        if len(self._parts) == 1:
            values = self._parts[0][0]
        else:
            values = (sum((part[0][0] for part in self._parts), Decimal(0)),)
        if values and not (self._in_words and values[0] <= _LARGEST_ONE and len(self._parts) == 1 and self._parts[0][1] == 0):
            yield Number(self._start, self._end, values, in_words=self._in_words)
