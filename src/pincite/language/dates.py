"""Dates as people write them, read to year, month and day."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from pincite.language.number_words import AFTER_WORD, names_of

_BUDDHIST_ERA = 543
_FIRST_YEAR, _LAST_YEAR = 1000, 2199
_MONTH_FIRST = frozenset(("en",))
_FIGURES = re.compile(AFTER_WORD + r"(?<![.,/-])(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?![\w/-]|[.,]\d)")
_SIGNS = re.compile(r"(?:(\d{4})\s?[年년]\s?)?(\d{1,2})\s?[月월](?:\s?(\d{1,2})\s?[日일号])?|(\d{4})\s?[年년]")
_VIETNAMESE = re.compile(r"(?:(?:ngày\s)?(\d{1,2})\s)?tháng\s(\d{1,2})(?:,?\s(?:năm\s)?(\d{4}))?")
_YEAR = re.compile(
    AFTER_WORD + r"(?<![.,/$€£-])(?:1[0-9]|2[01])\d\d(?![^\W\u0e01-\u0e4e\u3041-\u30fa\u3400-\u9fff]|/|[.,]\d|-\d{3})"
)
_DECADE = re.compile(r"(?<!\w)((?:1[0-9]|20)\d0)(?:['’]?s|er|-?х(?: годах| годов)?)(?!\w)")
_LAST_DAY, _LAST_MONTH = 31, 12
_CENTURY_TURN = 50
_DAY_END = r"(?:st|nd|rd|th|er|\.|º|ª)?"


@dataclass(frozen=True, slots=True)
class Day:
    """A date as far as it is given."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    decade: bool = False

    def holds(self, other: "Day") -> bool:
        """Whether this date says at least as much as another, and the same."""
        if other.decade:
            return self.year is not None and other.year is not None and self.year // 10 == other.year // 10
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return not self.decade and all(theirs is None or mine == theirs for mine, theirs in pairs)

    def differs(self, other: "Day") -> bool:
        """Whether both give something that can't be true of one date."""
        if self.decade or other.decade:
            return bool(self.year and other.year and self.year // 10 != other.year // 10)
        pairs = ((self.year, other.year), (self.month, other.month), (self.day, other.day))
        return any(mine is not None and theirs is not None and mine != theirs for mine, theirs in pairs)


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date `[start, end)` of a text; more readings than one where the written form leaves them open (`3/4/2020`)."""

    start: int
    end: int
    readings: tuple[Day, ...]

    def differs(self, other: "FoundDate") -> bool:
        """Whether both can't be one date, however they are read."""
        return all(mine.differs(theirs) for mine in self.readings for theirs in other.readings)


def find_dates(text: str, lang: str) -> list[FoundDate]:
    """Return the dates of a folded text in order, without overlap; a year alone is one where it looks like a year."""
    found: list[FoundDate] = []
    taken: set[int] = set()
    for date in _every(text, lang):
        if date.readings and taken.isdisjoint(range(date.start, date.end)):
            taken.update(range(date.start, date.end))
            found.append(date)
    return sorted(found, key=lambda date: date.start)


def _every(text: str, lang: str) -> Iterator[FoundDate]:
    for match in _FIGURES.finditer(text):
        yield FoundDate(match.start(), match.end(), tuple(_numeric(match, lang)))
    for match in _month_pattern(lang).finditer(text):
        yield FoundDate(match.start(), match.end(), tuple(_named(match, lang)))
    for match in _SIGNS.finditer(text):
        parts = (match[1] or match[4], match[2], match[3])
        yield FoundDate(match.start(), match.end(), tuple(_day(*(int(part) if part else None for part in parts))))
    for match in _VIETNAMESE.finditer(text) if lang == "vi" else ():
        parts = (match[3], match[2], match[1])
        yield FoundDate(match.start(), match.end(), tuple(_day(*(int(part) if part else None for part in parts))))
    for match in _DECADE.finditer(text):
        yield FoundDate(match.start(), match.end(), (Day(int(match[1]), decade=True),))
    last = _LAST_YEAR + (_BUDDHIST_ERA if lang == "th" else 0)
    for match in re.finditer(r"(?<![\d.,])2[45]\d\d(?![\d.,])", text) if lang == "th" else ():
        yield FoundDate(match.start(), match.end(), tuple(_day(int(match.group()), None, None)))
    for match in _YEAR.finditer(text):
        if int(match.group()) <= last:
            yield FoundDate(match.start(), match.end(), (Day(int(match.group())),))


def _numeric(match: re.Match[str], lang: str) -> Iterator[Day]:
    """Yield the readings of `2020-03-12`, `12.03.2020`, and of `3/4/2020`, which is two dates in English."""
    head, sign, middle, tail = match.groups()
    first, second, third = int(head), int(middle), int(tail)
    if len(head) == 4:
        yield from _day(first, second, third)
        return
    if len(tail) not in (2, 4) or len(head) > 2:
        return
    year = third + (0 if len(tail) == 4 else 2000 if third < _CENTURY_TURN else 1900)
    if lang in _MONTH_FIRST and sign != ".":
        yield from _day(year, first, second)
    if first != second or lang not in _MONTH_FIRST or sign == ".":
        yield from _day(year, second, first)


def _day(year: int | None, month: int | None, day: int | None) -> Iterator[Day]:
    if year is not None and year > _LAST_YEAR:
        year -= _BUDDHIST_ERA
    fits = (year is None or _FIRST_YEAR <= year <= _LAST_YEAR) and (month is None or 1 <= month <= _LAST_MONTH)
    if fits and (day is None or 1 <= day <= _LAST_DAY):
        yield Day(year, month, day)


@cache
def _month_pattern(lang: str) -> re.Pattern[str]:
    names = sorted({*names_of(lang).months, *names_of("en").months}, key=len, reverse=True)
    month = "|".join(re.escape(name) for name in names)
    before = rf"(?:(?<!\w)(?P<day1>\d{{1,2}}){_DAY_END}(?:\s?(?:de|of)\s|\s?[-–]\s?\d{{1,2}}{_DAY_END}\s|\s|-)?)?"
    behind = rf"(?:\.?,?[\s-]?(?P<day2>\d{{1,2}}){_DAY_END}(?!\w|[.,]\d))?"
    year = r"(?:\.?,?\s?(?:de[l]?\s|พ\.ศ\.\s?|ค\.ศ\.\s?|-)?(?P<year>\d{4})(?!\w|[.,]\d))?"
    edge = r"" if lang == "th" else r"(?<![^\W\d])"
    return re.compile(rf"{before}{edge}(?P<month>{month})(?![^\W\d_]){behind}{year}")


def _named(match: re.Match[str], lang: str) -> Iterator[Day]:
    """Yield the reading of a month's name with a day or a year; alone it may be a verb ("may", "mar")."""
    day = match["day1"] or match["day2"]
    if not day and not match["year"] and len(match["month"]) < 5:
        return
    month = names_of(lang).months.get(match["month"]) or names_of("en").months[match["month"]]
    yield from _day(int(match["year"]) if match["year"] else None, month, int(day) if day else None)
