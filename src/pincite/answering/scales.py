"""What a table says that its numbers are counted in, such as "(in millions)". Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache

from pincite.language.number_words import UNSPACED, folded, names_of
from pincite.language.quantities import Figures

_LINE = re.compile(r"[^\n]+")
_LONGEST_BEFORE = 120
_IN_BRACKETS = re.compile(r"[(（]([^()（）|\n]{1,60})[)）]")
_IN = re.compile(r"(?<!\w)(?:in|en|em|w|в|i|u)\s([^|\n]{1,40})")
_MORE = {
    "thousands": 3,
    "billions": 9,
    "trillions": 12,
    "'000": 3,
    "000": 3,
    "k": 3,
    "m": 6,
    "tsd": 3,
    "teur": 3,
    "mln": 6,
    "mld": 9,
}
"""As heads of tables write them, in any language."""
_LEAST = 3


def scaled(text: str, lang: str, figures: Figures) -> Figures:
    """Return the figures of a text with what its tables say that they count in: thousands or more."""
    tables = list(_tables(text, lang)) if "|" in text else []
    if not any(scales for *_, scales in tables):
        return figures
    starts = [start for start, _, _ in tables]
    amounts = list(figures.amounts)
    for at, amount in enumerate(amounts):
        table = bisect_right(starts, amount.start) - 1
        if table >= 0 and amount.start < tables[table][1] and amount.unit != "%":
            amounts[at] = replace(amount, scales=tables[table][2])
    return Figures(tuple(amounts), figures.dates)


def _tables(text: str, lang: str) -> Iterator[tuple[int, int, tuple[Decimal, ...]]]:
    """Yield where each table stands, with what it, or a short line before it, says that it counts in."""
    before, start, end = "", -1, 0
    said: list[str] = []
    for line in _LINE.finditer(folded(text)):
        if line.group().lstrip().startswith("|"):
            start, end = (line.start() if start < 0 else start), line.end()
            said.append(line.group())
            continue
        if start >= 0:
            yield start, end, _scales_in([before, *said], lang)
        before, start, said = line.group() if len(line.group()) <= _LONGEST_BEFORE else "", -1, []
    if start >= 0:
        yield start, end, _scales_in([before, *said], lang)


def _scales_in(lines: Sequence[str], lang: str) -> tuple[Decimal, ...]:
    return tuple(dict.fromkeys(scale for line in lines for scale in _named(line, lang)))


def _named(line: str, lang: str) -> Iterator[Decimal]:
    for said in (*_IN_BRACKETS.findall(line), *_IN.findall(line)):
        for name in _pattern(lang).findall(said):
            yield Decimal(10) ** (_scales(lang)[name])


@cache
def _scales(lang: str) -> dict[str, int]:
    return {name: power for name, power in {**_MORE, **names_of("en").scales, **names_of(lang).scales}.items() if power >= _LEAST}


@cache
def _pattern(lang: str) -> re.Pattern[str]:
    names = sorted(_scales(lang), key=len, reverse=True)
    glued = [name for name in names if lang in UNSPACED and not name.isascii()]
    words = "|".join(map(re.escape, [name for name in names if name not in glued]))
    return re.compile("|".join([*map(re.escape, glued), rf"(?<![\w.,])(?:{words})(?!\w)"]))
