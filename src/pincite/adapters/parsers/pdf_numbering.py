"""Numbers printed at the edges of PDF pages that count with them: page numbers in many forms, and Bates numbers."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pincite.adapters.parsers.pdf_rows import Row, Zone, rows_by_height

_COUNTING_SHARE = 0.1
_FEW_PAGES = 3
_MOST_NUMBERS = 4
_PAGE_WORD = (
    r"(?:page|seite|página|pagina|pagine|strona|side|sida|sheet|folio|стр(?:аница|\.)?|pag\.|pág\.|p\.|pp\.|pg\.?|s\.|bl\.)"
)
_TOTAL = r"(?:(?:/|\||of|von|de|sur|di|av|van|из|z)\s*\d{1,5})"
_NUMBER_ONLY = re.compile(
    rf"[\W_]*(?:{_PAGE_WORD})?[\s|:]*"
    r"(?:(?P<prefix>[a-z]{1,3}\d?|\d{1,3})\s?[-–.]\s?(?P<suffix>\d{1,4})|(?P<digits>\d{1,5})|(?P<roman>[ivxlcdm]{1,9})|(?P<word>[a-zäöüß-]{3,14}))"
    rf"\s*(?:\|?\s*{_PAGE_WORD})?\s*{_TOTAL}?[\W_]*",
    re.IGNORECASE,
)
_SPACED_PAGE = re.compile(rf"^{_PAGE_WORD}\s*", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.,/-])\d{1,5}(?![\w/]|[.,]\d)")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_NUMERALS = ((100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_UNITS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
    "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf",
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"


def _number_words() -> dict[str, int]:
    words = {word: value for names in _UNITS for value, word in enumerate(names.split(), start=1)}
    tens = {word: 20 + 10 * number for number, word in enumerate(_TENS.split())}
    units = _UNITS[0].split()[:9]
    return words | tens | {f"{ten}-{unit}": tens[ten] + words[unit] for ten in tens for unit in units}


_WORDS = _number_words()
# The prefix ends with no figure, so that all figures at the end count: ABC000123, DEF-2021-0001234, KLM 000123, 0000123.
_BATES = re.compile(r"(?<![\w-])((?:[A-Z][A-Z0-9&_.-]{0,30} |(?:[A-Z][A-Za-z0-9&_.-]{0,30})?[A-Za-z&_.-]|[A-Z]|))(\d{4,12})(?!\w)")
_PADDED_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a row that may count pages. `kind` tells apart forms that don't count on each other.

    `alone` says that the number, perhaps with the word page and the total, is all there is in its part of the row.
    """

    kind: str
    value: int
    label: str
    alone: bool


def numbers_of(row: Row) -> Iterator[Number]:
    """Yield the numbers of a row that may be its page's."""
    for part in row.parts:
        if (found := _alone(part)) is not None:
            yield found
            continue
        for match in list(_NUMBER.finditer(part))[:_MOST_NUMBERS]:
            yield Number("digits", int(match.group()), match.group(), alone=False)


def is_number(row: Row) -> bool:
    """Whether the row is nothing but numbers that may be its page's."""
    return all(_alone(part) is not None for part in row.parts)


def _alone(part: str) -> Number | None:
    found = _NUMBER_ONLY.fullmatch(part)
    if found is None:
        return None
    if digits := found.group("digits"):
        return Number("digits", int(digits), digits, alone=True)
    if prefix := found.group("prefix"):
        label = part[found.start("prefix") : found.end("suffix")]
        return Number(f"prefix {prefix.casefold()}", int(found.group("suffix")), label, alone=True)
    word = (found.group("roman") or found.group("word")).casefold()
    if found.group("roman") and (value := _roman(word)):
        return Number("roman", value, found.group("roman"), alone=True)
    return Number("word", _WORDS[word], found.group("roman") or found.group("word"), alone=True) if word in _WORDS else None


def _roman(text: str) -> int:
    """Return the value of well-formed roman numerals, else 0."""
    values = [_ROMAN[letter] for letter in text]
    value = sum(-value if value < after else value for value, after in zip(values, [*values[1:], 0], strict=True))
    return value if _in_roman(value) == text else 0


def _in_roman(value: int) -> str:
    text = "m" * (value // 1000)
    value %= 1000
    for step, letters in ((900, "cm"), (500, "d"), (400, "cd"), *_NUMERALS):
        text += letters * (value // step)
        value %= step
    return text


def counting_numbers(zones: Sequence[Zone], *, page_count: int) -> dict[int, tuple[int, Number]]:
    """Return by row on how many pages its number counts, and the number: number minus page is the same there, at one height."""
    groups: dict[tuple[object, ...], list[tuple[Row, Number]]] = defaultdict(list)
    for row in _rows(zones):
        for number in numbers_of(row):
            groups[row.is_top, number.alone, number.kind, number.value - row.page.number].append((row, number))
    found: dict[int, tuple[int, Number]] = {}
    least = max(2.0, _COUNTING_SHARE * page_count)
    for items in groups.values():
        enough = least if items[0][1].alone else max(3.0, least)
        if len(items) < enough:
            continue
        pages = rows_by_height([row for row, _ in items])
        for row, number in items:
            count = len(pages.near(row))
            if count >= enough and (number.alone or row.has_words) and count > found.get(id(row), (0, number))[0]:
                found[id(row)] = (count, number)
    return found


def lone_numbers(zones: Sequence[Zone], *, page_count: int) -> dict[int, Number]:
    """Return by row the number that stands alone at the edge of one page of a short document, whose other pages have none."""
    rows = [row for zone in zones for row in zone.rows[: zone.apart] if is_number(row)]
    if page_count > _FEW_PAGES or len({row.page.number for row in rows}) != 1:
        return {}
    return {id(row): next(numbers_of(row)) for row in rows}


def bates_numbers(zones: Sequence[Zone]) -> dict[int, str]:
    """Return by row the Bates number in it: a prefix or leading zeros, and figures that step by one from page to page."""
    groups: dict[tuple[str, int], dict[int, list[tuple[Row, str]]]] = defaultdict(lambda: defaultdict(list))
    for row in _rows(zones):
        for part in row.parts:
            for found in _BATES.finditer(part):
                prefix, figures = found.groups()
                if _is_stamp(prefix, figures) and (prefix or len(found.group()) == len(part)):
                    step = int(figures) - row.page.number
                    groups[prefix, step][row.page.number].append((row, found.group().strip()))
    best: dict[int, tuple[int, str]] = {}
    for by_page in groups.values():
        for items in by_page.values() if len(by_page) > 1 else ():
            for row, text in items:
                if len(by_page) > best.get(id(row), (0, ""))[0]:
                    best[id(row)] = (len(by_page), text)
    return {key: text for key, (_, text) in best.items()}


def _is_stamp(prefix: str, figures: str) -> bool:
    if any(character.isalpha() for character in prefix):
        return figures.startswith("0") or (not prefix.endswith(" ") and not _SPACED_PAGE.match(prefix))
    return figures.startswith("0") and len(figures) >= _PADDED_DIGITS


def _rows(zones: Iterable[Zone]) -> Iterator[Row]:
    return (row for zone in zones for row in zone.rows)
