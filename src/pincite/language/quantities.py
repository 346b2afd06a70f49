"""What a text says in numbers: amounts with their units, percentages, sums of money, dates."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from itertools import zip_longest

from pincite.language.dates import FoundDate, find_dates
from pincite.language.number_words import UNSPACED, Number, find_numbers, folded, names_of

_SYMBOLS = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "₹": "INR", "₽": "RUB", "₺": "TRY", "฿": "THB", "₩": "KRW", "₫": "VND"}
_CODES = frozenset(("usd", "eur", "gbp", "jpy", "cny", "inr", "rub", "chf", "try", "cad", "aud", "thb", "vnd", "ron", "us$"))
_BEFORE = re.compile(r"(usd|eur|gbp|jpy|cny|inr|rub|chf|cad|aud|us\$|rs\.?|[€$£¥₹₽₺฿₩₫])\s?$")
_PERCENT_BEFORE = re.compile(r"(?:yüzde|ร้อยละ)\s?$|百分之$|%$")
_RANGE = re.compile(r"\s?(?:[-–—~]|to|bis|a|à|până la|до|έως|ile|إلى|से|ถึง|đến|至|到)\s?")
_PLAIN_UNITS = (
    "%",
    "‰",
    "mm",
    "cm",
    "m",
    "km",
    "mg",
    "g",
    "kg",
    "ml",
    "l",
    "ha",
    "km/h",
    "mph",
    "°c",
    "°f",
    "kwh",
    "kcal",
    "kw",
    "mw",
    "kb",
    "mb",
    "gb",
    "tb",
)
_CASED = {"°c": "°C", "°f": "°F", "kwh": "kWh", "kw": "kW", "mw": "MW", "kb": "kB", "mb": "MB", "gb": "GB", "tb": "TB"}
_SQUARED = re.compile(r"\s?(mm|cm|m|km)(?:²|2(?!\d))")
_SCALED: Mapping[str, tuple[str, Decimal]] = {
    unit: (base, Decimal(factor))
    for base, units in {
        "m": {
            "mm": "0.001",
            "cm": "0.01",
            "m": "1",
            "km": "1000",
            "in": "0.0254",
            "ft": "0.3048",
            "yd": "0.9144",
            "mi": "1609.344",
        },
        "kg": {"mg": "0.000001", "g": "0.001", "kg": "1", "t": "1000", "oz": "0.028349523", "lb": "0.45359237"},
        "l": {"ml": "0.001", "l": "1", "gal": "3.785411784"},
        "m2": {"cm2": "0.0001", "m2": "1", "km2": "1000000", "mi2": "2589988.11", "ha": "10000", "acre": "4046.8564"},
        "m/s": {"m/s": "1", "km/h": "0.277777778", "mph": "0.44704"},
        "s": {"s": "1", "min": "60", "h": "3600", "day": "86400", "week": "604800"},
        "month": {"month": "1", "year": "12"},
        "J": {"J": "1", "kWh": "3600000", "kcal": "4184"},
        "W": {"W": "1", "kW": "1000", "MW": "1000000"},
        "MB": {"kB": "0.001", "MB": "1", "GB": "1000", "TB": "1000000"},
        "°C": {"°C": "1"},
    }.items()
    for unit, factor in units.items()
}
_TEXTS = 128
"""A claim is read several times, and so are the sentences that it rests on."""
_CONVERTED = Decimal("0.015")
"""How much two amounts in different units may differ: people round when they convert."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with its unit, `[start, end)` of a text; `unit` is empty where none stands beside it.

    `scales` are what its table counts in, such as millions: its likeliest reading may be meant as so many.
    """

    start: int
    end: int
    values: tuple[Decimal, ...]
    unit: str = ""
    scales: tuple[Decimal, ...] = ()

    def equals(self, other: "Amount") -> bool:
        """Whether the likelier readings of both are one amount."""
        return self._same(self.values[0], other, other.values[0])

    def may_equal(self, other: "Amount") -> bool:
        """Whether any readings of both are one amount."""
        as_written = any(self._same(mine, other, theirs) for mine in self.values for theirs in other.values)
        return as_written or self._same_scaled(other) or other._same_scaled(self)

    def is_comparable(self, other: "Amount") -> bool:
        """Whether both measure one kind of thing."""
        return self.unit == other.unit or (self.unit in _SCALED and other.unit in _SCALED and _base(self) == _base(other))

    def _same_scaled(self, other: "Amount") -> bool:
        return any(self._same(self.values[0] * scale, other, other.values[0]) for scale in self.scales)

    def _same(self, mine: Decimal, other: "Amount", theirs: Decimal) -> bool:
        if self.unit == other.unit or not self.unit or not other.unit:
            return mine == theirs
        if not self.is_comparable(other):
            return False
        mine, theirs = mine * _SCALED[self.unit][1], theirs * _SCALED[other.unit][1]
        return abs(mine - theirs) <= _CONVERTED * max(abs(mine), abs(theirs))


@dataclass(frozen=True, slots=True)
class Figures:
    """The amounts and dates of a text."""

    amounts: tuple[Amount, ...]
    dates: tuple[FoundDate, ...]


@lru_cache(maxsize=_TEXTS)
def figures_of(text: str, lang: str) -> Figures:
    """Return the amounts and dates of a text. `lang` is an ISO 639-1 code; names of units and numbers are that language's."""
    low = folded(text)
    dates = find_dates(low, lang)
    places = [(date.start, date.end) for date in dates] + [match.span() for match in _percent_pattern(lang).finditer(low)]
    amounts = [_with_unit(low, number, lang) for number in find_numbers(_masked(low, places), lang)]
    return Figures(tuple(_spread(low, amounts)), tuple(dates))


def _base(amount: Amount) -> str:
    return _SCALED[amount.unit][0]


def _masked(text: str, places: list[tuple[int, int]]) -> str:
    """Return a text with places blotted out, as long as it was."""
    for start, end in places:
        text = text[:start] + "\n" * (end - start) + text[end:]
    return text


@cache
def _percent_pattern(lang: str) -> re.Pattern[str]:
    """Match what a language calls percent: "por ciento" and "la sută" hold a number's name."""
    names = [name for name, unit in names_of(lang).units.items() if unit == "%" and name[0].isalnum()]
    return re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)")


def _with_unit(text: str, number: Number, lang: str) -> Amount:
    before = text[max(0, number.start - 10) : number.start]
    if money := _BEFORE.search(before):
        return Amount(number.start - len(money.group()), number.end, number.values, _money(money[1]))
    if _PERCENT_BEFORE.search(before):
        return Amount(number.start, number.end, number.values, "%")
    if squared := _SQUARED.match(text, number.end):
        return Amount(number.start, squared.end(), number.values, f"{squared[1]}2")
    if unit := _unit_pattern(lang).match(text, number.end):
        return Amount(number.start, unit.end(), number.values, _unit(unit[1], lang))
    return Amount(number.start, number.end, number.values)


def _money(sign: str) -> str:
    return "USD" if sign == "us$" else "INR" if sign.startswith("rs") else _SYMBOLS.get(sign, sign.upper())


def _unit(name: str, lang: str) -> str:
    names = names_of(lang)
    if name in _SYMBOLS or name in _CODES:
        return _money(name)
    found = names.currencies.get(name) or names.units.get(name) or _CASED.get(name)
    return found or names_of("en").units.get(name, name)


@cache
def _unit_pattern(lang: str) -> re.Pattern[str]:
    names = names_of(lang)
    english = {name for name in names_of("en").units if name.isascii() and len(name) > 1}
    every = {*names.units, *names.currencies, *_PLAIN_UNITS, *_SYMBOLS, *_CODES, *english}
    words = "|".join(re.escape(name) for name in sorted(every, key=len, reverse=True))
    return re.compile(rf"\.?[\s\u00a0-]?(?:de\s|d['’])?({words})" + ("" if lang in UNSPACED else r"(?!\w)"))


def _spread(text: str, amounts: list[Amount]) -> Iterator[Amount]:
    """Give the first number of a range the unit of the second: "10–20 %", "$10 to 20 million" keeps its own."""
    for amount, after in zip_longest(amounts, amounts[1:]):
        if after and not amount.unit and after.unit and _RANGE.fullmatch(text[amount.end : after.start]):
            yield Amount(amount.start, amount.end, amount.values, after.unit)
        else:
            yield amount
