"""Sentences that were tampered with by rule, beside their twins: how well does a verifier notice? Pure.

A rule changes one thing: a number, a unit, a date, a name, a negation, a comparison or a quantifier. Both halves of a pair can
then be rewritten alike, so that neither stands word for word in the source.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from random import Random
from typing import cast

from pincite.language.number_words import UNSPACED, names_of
from pincite.language.quantities import Figures, figures_of
from pincite.language.sentences import sentence_spans

KINDS = ("number", "unit", "date", "name", "negation", "comparison", "quantifier")
_WORD_RULES = ("comparison", "quantifier")
_WITHOUT_CAPITALS = frozenset(("ar", "hi", "th", "zh"))
_SHORTEST, _SHORTEST_UNSPACED, _LONGEST = 30, 12, 400
_MOST_SYNONYMS = 3
_LEAST_REWRITINGS = 2
_LEAST_CLAUSE = 15
_NAME = re.compile(r"(?<=[^\W\d_] )(?:[A-ZΑ-ΩΆΈΉΊΌΎΏА-ЯȘȚĂÎÂÁÉÍÓÚÑÇĞİÖŞÜ][\w’'-]{2,}(?: (?=[A-ZА-ЯΑ-Ω]))?)+")
_PLAIN_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d{3})+(?![.,\d])|\d+(?![.,\d½¼¾])")
_BESIDE = re.compile(r"\s?[-–—/⁄:'’.]?\s?\d|[-–—/⁄:'’]")
"""What shows that a number goes on behind it, in front of it."""
_JOINED = (*"-–—/⁄:'’.,", *(digit + blank for digit in "0123456789" for blank in " \u00a0\u202f"))
_COMMA = re.compile(r"[,،，]\s?")
_DIGITS = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence, and what a rule of `kind` made of it; `claim` is true of the source and `tampered` isn't."""

    kind: str
    lang: str
    source: str
    claim: str
    tampered: str


@dataclass(frozen=True, slots=True)
class Material:
    """A passage that pairs are made from, and names that occur in it; `group` holds translations of one passage together."""

    group: str
    lang: str
    text: str
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A pair, the same rewritten where enough of it could be, and the passage that it is to be judged by."""

    material: Material
    pair: Pair
    rewritten: Pair | None


def suite(material: Sequence[Material], lang: str, *, seed: int) -> Iterator[Item]:
    """Yield all pairs that can be made of the passages of one language."""
    random = Random(f"{seed} {lang}")
    mine = [passage for passage in material if passage.lang == lang]
    capital = lang not in _WITHOUT_CAPITALS
    pool = sorted({name for passage in mine for name in passage.names if name[:1].isupper() or not capital})
    pool = pool or sorted({match.group() for passage in mine for match in _NAME.finditer(passage.text)})
    for passage in mine:
        others = [name for name in pool if name not in passage.text]
        for start, end in sentence_spans(passage.text, lang):
            sentence = passage.text[start:end].strip()
            if (_SHORTEST_UNSPACED if lang in UNSPACED else _SHORTEST) <= len(sentence) <= _LONGEST:
                names = [name for name in passage.names if name in sentence and name in pool]
                for pair in tamper(sentence, lang, names=names, others=others, random=random):
                    yield Item(passage, pair, rewrite(pair))


def languages() -> Sequence[str]:
    """Return the languages that rules are written for."""
    return sorted(_rules())


def tamper(sentence: str, lang: str, *, names: Sequence[str], others: Sequence[str], random: Random) -> Iterator[Pair]:
    """Yield at most one pair of every kind that can be made of a sentence.

    `names` are names that may stand in it, those with a capital when there are none; one of `others` takes their place.
    """
    figures = figures_of(sentence, lang)
    made = {
        "number": _other_number(sentence, figures, random),
        "unit": _replaced(sentence, _rules()[lang]["units"], lang, random, places=_behind_numbers(sentence, figures)),
        "date": _other_date(sentence, lang, figures, random),
        "name": _other_name(sentence, names, others, random),
        "negation": _negated(sentence, lang, random),
        **{kind: _replaced(sentence, _rules()[lang][kind], lang, random) for kind in _WORD_RULES},
    }
    for kind, text in made.items():
        if text and text != sentence:
            yield Pair(kind, lang, sentence, sentence, text)


def rewrite(pair: Pair) -> Pair | None:
    """Return the pair with both halves rewritten in other words, clauses and formats; None where too little can be done."""
    claim, changes = _rewritten(pair.claim, pair.lang)
    tampered, others = _rewritten(pair.tampered, pair.lang)
    if min(changes, others) < _LEAST_REWRITINGS or tampered == claim:
        return None
    return Pair(pair.kind, pair.lang, pair.source, claim, tampered)


def _negated(sentence: str, lang: str, random: Random) -> str:
    """Take a negation away where there is one, else put one in."""
    rules = _rules()[lang]["negation"]
    return _replaced(sentence, [(new, old) for old, new in rules], lang, random) or _replaced(sentence, rules, lang, random)


def _other_number(sentence: str, figures: Figures, random: Random) -> str:
    found = [amount for amount in figures.amounts if _DIGITS.search(sentence[amount.start : amount.end])]
    if not found:
        return ""
    amount = random.choice(found)
    return _other_digit(sentence, [m.start() + amount.start for m in _DIGITS.finditer(sentence[amount.start : amount.end])], random)


def _other_digit(text: str, places: Sequence[int], random: Random) -> str:
    at = random.choice(places[:2])
    old = unicodedata.decimal(text[at])
    digit = random.choice([value for value in range(1, 10) if value != old])
    return text[:at] + chr(ord(text[at]) - old + digit) + text[at + 1 :]


def _other_date(sentence: str, lang: str, figures: Figures, random: Random) -> str:
    if not figures.dates:
        return ""
    date = random.choice(figures.dates)
    written = sentence[date.start : date.end]
    months = names_of(lang).months
    named = [name for name in months if len(name) > 2 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", written.lower())]
    if named and random.random() < 0.5:
        old = max(named, key=len)
        new = random.choice(sorted(name for name, month in months.items() if month != months[old] and len(name) > 3))
        written = re.sub(re.escape(old), new.capitalize(), written, flags=re.IGNORECASE)
        return sentence[: date.start] + written + sentence[date.end :]
    places = [date.start + match.start() for match in _DIGITS.finditer(written)]
    return _other_digit(sentence, places[-2:], random) if places else ""


def _other_name(sentence: str, names: Sequence[str], others: Sequence[str], random: Random) -> str:
    found = [name for name in names if name in sentence] or [match.group() for match in _NAME.finditer(sentence)]
    free = [other for other in others if other not in sentence]
    if not found or not free:
        return ""
    old = random.choice(found)
    return sentence.replace(old, random.choice(free), 1)


def _behind_numbers(sentence: str, figures: Figures) -> set[int]:
    """Return the places at which a unit may stand: those of amounts and a little behind."""
    return {at for amount in figures.amounts for at in range(amount.start, min(len(sentence), amount.end + 3))}


def _replaced(text: str, rules: Sequence[tuple[str, str]], lang: str, random: Random, *, places: set[int] | None = None) -> str:
    """Return the text with one word of one rule replaced."""
    found = [(at, old, new) for old, new in rules for at in _places(text, old, lang) if places is None or at in places]
    if not found:
        return ""
    at, old, new = random.choice([item for item in found if not any(_covers(other, item) for other in found)])
    return text[:at] + _like(text[at : at + len(old)], new) + text[at + len(old) :]


def _covers(other: tuple[int, str, str], item: tuple[int, str, str]) -> bool:
    """Whether a longer word stands where another one begins."""
    return other[0] <= item[0] < other[0] + len(other[1]) and len(other[1]) > len(item[1])


def _places(text: str, word: str, lang: str) -> list[int]:
    """Return where a word stands as a word."""
    low, wanted = text.lower(), word.lower()
    if len(low) != len(text):
        low, wanted = text, word
    found: list[int] = []
    at = low.find(wanted)
    while at >= 0:
        if lang in UNSPACED or not (_joins(low, at) or _joins(low, at + len(wanted))):
            found.append(at)
        at = low.find(wanted, at + 1)
    return found


def _joins(text: str, at: int) -> bool:
    """Whether the characters around a place belong to one word."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    marked = unicodedata.category(after)[0] == "M"
    return marked or (_in_word(before) and after.isalnum() and before.isdigit() == after.isdigit())


def _in_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _like(old: str, new: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _rewritten(text: str, lang: str) -> tuple[str, int]:
    """Return a text in other formats, words and order, and how many things changed."""
    changes = 0
    for change in (_dates_rewritten, _numbers_rewritten, _units_rewritten, _synonyms, _turned):
        text, count = change(text, lang)
        changes += count
    return text, changes


def _dates_rewritten(text: str, lang: str) -> tuple[str, int]:
    """Write whole dates as 2010-03-12."""
    count = 0
    for date in reversed(figures_of(text, lang).dates):
        day = date.readings[0]
        if len(date.readings) == 1 and day.year and day.month and day.day:
            text = f"{text[: date.start]}{day.year}-{day.month:02}-{day.day:02}{text[date.end :]}"
            count += 1
    return text, count


def _numbers_rewritten(text: str, lang: str) -> tuple[str, int]:
    """Write small numbers in words, and large ones without what groups their digits."""
    words = {value: word for word, value in sorted(names_of(lang).numbers.items(), key=lambda item: -len(item[0]))}
    count = 0
    for amount in reversed(figures_of(text, lang).amounts):
        match = _PLAIN_NUMBER.match(text, amount.start, amount.end)
        if not match or len(amount.values) != 1 or _BESIDE.match(text, match.end()) or text[: amount.start].endswith(_JOINED):
            continue
        value = re.sub(r"\D", "", match.group())
        new = words.get(int(value), "") if len(value) < 3 and not amount.unit and lang not in UNSPACED else value
        if new and new != match.group():
            text = text[: amount.start] + new + text[match.end() :]
            count += 1
    return text, count


def _units_rewritten(text: str, lang: str) -> tuple[str, int]:
    places = _behind_numbers(text, figures_of(text, lang))
    for old, new in _rules()[lang]["unit_forms"]:
        at = next((at for at in _places(text, old, lang) if at in places and text[at + len(old) :].lstrip()[:1] != "/"), -1)
        if at >= 0:
            blank = " " if at and text[at - 1].isdigit() and lang not in UNSPACED else ""
            return text[:at] + blank + new + text[at + len(old) :], 1
    return text, 0


def _synonyms(text: str, lang: str) -> tuple[str, int]:
    changes = [(old, new) for old, new in _rules()[lang]["synonyms"] if _places(text, old, lang)]
    count = 0
    for old, new in islice(changes, _MOST_SYNONYMS):
        at = next(iter(_places(text, old, lang)), -1)
        if at >= 0:
            text = text[:at] + _like(text[at : at + len(old)], new) + text[at + len(old) :]
            count += 1
    return text, count


def _turned(text: str, lang: str) -> tuple[str, int]:
    """Put the second of two clauses first."""
    body = text.rstrip(" .。।!")
    commas = [match for match in _COMMA.finditer(body) if not body[match.start() - 1 : match.start()].isdigit()]
    if not 1 <= len(commas) <= 2:
        return text, 0
    comma = commas[0]
    first, second = body[: comma.start()], body[comma.end() :]
    least = _LEAST_CLAUSE // 3 if lang in UNSPACED else _LEAST_CLAUSE
    if min(len(first), len(second)) < least:
        return text, 0
    return f"{second[:1].upper()}{second[1:]}{comma.group()}{first}{text[len(body) :]}", 1


@cache
def _rules() -> Mapping[str, Mapping[str, Sequence[tuple[str, str]]]]:
    text = files("pincite.evaluation").joinpath("tampering.json").read_text(encoding="utf-8")
    return cast(Mapping[str, Mapping[str, Sequence[tuple[str, str]]]], json.loads(text))
