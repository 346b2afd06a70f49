"""Values of tables and forms under the labels that they stand at, and what a claim makes of them. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from pincite.answering.figures import Given
from pincite.answering.placing import blocks
from pincite.language.dates import FoundDate
from pincite.language.quantities import Amount, Figures
from pincite.language.stems import stem_all, stop_stems
from pincite.language.words import words

_PAUSE = re.compile(
    r"[,;.،؛]\s|\s(?:and|while|whereas|from|to|than|against|und|von|auf|bis|als|et|de|à|contre|y|a|frente|e|da|og|och|van|naar|z|do"
    r"|și|ve|và|и|с|до|και|από|σε)\s|[，；。、和]"
)
"""Where a claim goes on with something else: each part may say a value of its own."""
_YES = frozenset(
    ("yes", "true", "ja", "oui", "sí", "si", "sim", "да", "так", "evet", "tak", "da", "ναι", "نعم", "हाँ", "是", "はい")
)
_NO = frozenset(
    ("no", "false", "nein", "nee", "non", "não", "nao", "нет", "ні", "hayır", "nie", "nu", "όχι", "لا", "नहीं", "否", "いいえ")
)
_MOST_CELLS = 400
_MOST_VALUE_WORDS = 20
_NAMED_WELL = 0.5
"""A claim that has this share of a value's labels speaks of it, unless it has more of another's."""
_NAMED_WHOLLY = 0.99
_LEAST_HELD = 0.2
"""Labels that are less of a claim don't tell that it speaks of their value."""
_MARGIN = 0.1
"""A sentence that holds more of a claim than labels do, by this, is what the claim speaks of."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value, `[start, end)` of its text, by the stems of its words.

    `label` are the other names of its row, `head` what its column is called: stems, each with a share of 1, the greater the fewer
    other rows or columns of the table have it. `above` are the stems of what names several rows.
    """

    start: int
    end: int
    tokens: frozenset[str]
    label: Mapping[str, float]
    head: Mapping[str, float]
    above: frozenset[str]
    amounts: tuple[Amount, ...]
    dates: tuple[FoundDate, ...]
    table: int
    """The number of its table among those of the text."""
    caption: frozenset[str] = frozenset()
    """The stems of the line before its table."""
    names_row: bool = False
    """Whether it is the first of several in its row."""

    def is_in(self, tokens: Set[str], own: Given, *, negated: bool) -> bool:
        """Say whether a claim with these stems and figures states its value; "yes" is stated by one that doesn't negate."""
        if self.tokens <= _YES or self.tokens <= _NO:
            return self.tokens <= tokens or negated == (self.tokens <= _NO)
        if not self.amounts and not self.dates:
            return self.tokens <= tokens
        return all(map(own.holds_amount, self.amounts)) and all(map(own.holds_date, self.dates))


def cells_of(text: str, lang: str, figures: Figures) -> list[Cell]:
    """Return the values of all tables, forms and lines such as `Commission: 10%` in a text, whose figures are given."""
    stops = stop_stems(lang)
    found: list[Cell] = []
    for number, block in enumerate(blocks(text)):
        labels = _shared_out({one.label for one in block}, lang, stops)
        heads = _shared_out({one.head for one in block}, lang, stops)
        for one in block:
            stems = frozenset(stem_all(words(text[one.start : one.end]), lang))
            tokens = stems - stops or stems
            if 0 < len(tokens) <= _MOST_VALUE_WORDS:
                amounts = tuple(a for a in figures.amounts if one.start <= a.start < one.end)
                dates = tuple(d for d in figures.dates if one.start <= d.start < one.end)
                above = frozenset(stem_all(words(one.above), lang)) - stops
                caption = frozenset(stem_all(words(one.caption), lang)) - stops
                found.append(
                    Cell(
                        one.start,
                        one.end,
                        tokens,
                        labels[one.label],
                        heads[one.head],
                        above,
                        amounts,
                        dates,
                        number,
                        caption,
                        one.names_row,
                    )
                )
        if len(found) >= _MOST_CELLS:
            break
    return found[:_MOST_CELLS]


def _shared_out(labels: Set[str], lang: str, stops: frozenset[str]) -> dict[str, dict[str, float]]:
    """Return for each label of a table its stems with their shares of it."""
    stems = {label: frozenset(stem_all(words(label), lang)) - stops for label in labels}
    count = Counter(token for found in stems.values() for token in found)
    shares: dict[str, dict[str, float]] = {}
    for label, found in stems.items():
        whole = sum(1 / count[token] for token in found)
        shares[label] = {token: 1 / count[token] / whole for token in found}
    return shares


@dataclass(frozen=True, slots=True)
class Laid:
    """A claim as it is laid beside cells: its text and language, the weights of its stems, its figures.

    `in_prose` is the most of its weight, in 0-1, that a sentence outside of tables holds.
    """

    text: str
    lang: str
    weights: Mapping[str, float]
    figures: Figures
    in_prose: float
    negated: bool = False


@dataclass(frozen=True, slots=True)
class InCells:
    """What cells make of a claim: numbers, and a figure of the claim with what its labels have instead, as both are written."""

    features: Mapping[str, float]
    instead: tuple[str, str] | None = None
    there: str = ""
    """A value whose labels the claim names, where it states none of a label that it names."""
    misplaced: tuple[str, str] | None = None
    """A figure of the claim that stands under other labels, although its own look named, with what is in its place."""


NOTHING = InCells(dict.fromkeys(("cells", "cell said", "cell said least", "cell labelled", "cell held", "cell instead"), 0.0))


def in_cells(claim: Laid, texts: Sequence[tuple[str, Sequence[Cell]]]) -> InCells:
    """Compare a claim with the values of some texts under their labels."""
    if not any(found for _, found in texts):
        return NOTHING
    return _Compared(claim, texts).told()


@dataclass(frozen=True, slots=True)
class _Named:
    """A value beside a claim. In 0-1: how well its labels are named beside the table's others (`score`), how much of its label is,
    and how much of the claim its labels hold.
    """

    cell: Cell
    text: str
    score: float
    labelled: float
    held: float

    @property
    def value(self) -> str:
        """The value as its text writes it."""
        return self.text[self.cell.start : self.cell.end]

    def gives(self, amount: Amount) -> bool:
        """Say whether the value is an amount."""
        return any(other.may_equal(amount) for other in self.cell.amounts)


class _Compared:
    """A claim beside cells: `said` are those whose value it states, `others` those whose labels it names without their value."""

    def __init__(self, claim: Laid, texts: Sequence[tuple[str, Sequence[Cell]]]) -> None:
        self.claim = claim
        self.whole = sum(claim.weights.values()) or 1.0
        tokens = claim.weights.keys()
        own = Given(claim.figures.amounts, claim.figures.dates)
        self.said: list[_Named] = []
        self.others: list[_Named] = []
        self.labels: set[str] = set()
        for text, found in texts:
            for _, table in groupby(found, key=lambda cell: cell.table):
                for one in self._named(text, list(table)):
                    self.labels.update(one.cell.label, one.cell.head, one.cell.above)
                    if one.cell.is_in(tokens, own, negated=claim.negated):
                        self.said.append(one)
                    elif one.score >= _NAMED_WELL and one.held + _MARGIN >= claim.in_prose:
                        self.others.append(one)
        self.stated = [amount for amount in claim.figures.amounts if not self._is_label(amount)]
        if not self._has_value():
            self.others = [one for one in self.others if not one.cell.amounts and not one.cell.dates]

    def _has_value(self) -> bool:
        """Say whether a claim gives a figure beside dates that are labels: "more in 2019 than in 2018" has no value instead."""
        dates = self.claim.figures.dates
        written = {self.claim.text[date.start : date.end] for date in dates}
        return bool(self.claim.figures.amounts) or len(written) < len(dates) or not all(map(self._is_label, dates))

    def _named(self, text: str, table: Sequence[Cell]) -> Iterator[_Named]:
        """Yield the values of a table.

        Labels of rows don't count where the claim names none of the table's rows, nor heads where it names no column.
        """
        tokens = self.claim.weights.keys()
        labels = [_share(cell.label, tokens) for cell in table]
        heads = [_share(cell.head, tokens) for cell in table]
        most_label, most_head = max(labels), max(heads)
        for cell, label, head in zip(table, labels, heads, strict=True):
            shares = [label / most_label] if cell.label and most_label else []
            shares += [head / most_head] if cell.head and most_head else []
            held = self._weight({*cell.label, *cell.head})
            yield _Named(cell, text, sum(shares) / len(shares) if shares else 0.0, label if most_label else head, held)

    def told(self) -> InCells:
        if self.claim.in_prose > _MARGIN + max((self._held(one.cell) for one in self.said), default=0.0) and not self.others:
            return NOTHING
        best = max((one.score for one in self.said), default=0.0)
        least = self._least(best)
        other = max((one.score for one in self.others), default=0.0)
        features = {
            "cells": 1.0,
            "cell said": best,
            "cell said least": least,
            "cell labelled": max((one.labelled for one in self.said if one.score == best), default=0.0),
            "cell held": max((self._held(one.cell) for one in self.said if one.score == best), default=0.0),
            "cell instead": max(0.0, other - min(best, least)),
        }
        there = self._there() if min(best, least) < _NAMED_WHOLLY else ""
        return InCells(features, self._instead(), there, self._of_another() or self._swapped())

    def _of_another(self) -> tuple[str, str] | None:
        """Return the only figure of a claim that names all labels of it that another value has, and others of that one's.

        "Revenue in Asia was 100" isn't said by the revenue of Europe, nor "total revenue was 100" by a part of the total.
        """
        if len(self.stated) != 1:
            return None
        amount = self.stated[0]
        said = [one for one in self.said if one.gives(amount)]
        meant = [
            one for one in self.others if one.score >= _NAMED_WHOLLY and len(one.cell.amounts) == 1 and self._wholly_labelled(one)
        ]
        for other in meant:
            named = self._names(other.cell)
            if said and all(one.text is other.text and self._names(one.cell) < named for one in said):
                return self._written(amount), other.value
        return None

    def _wholly_labelled(self, one: _Named) -> bool:
        return bool(one.cell.label) and one.cell.label.keys() <= self.claim.weights.keys()

    def _swapped(self) -> tuple[str, str] | None:
        """Return a figure of a claim of two that stand under each other's labels: "5 in May and 7 in June" for 7 and 5.

        Each must stand with a label in a part of the claim of its own.
        """
        if len(self.stated) != 2:
            return None
        first, second = self.stated
        whole = [one for one in self.said if one.score >= _NAMED_WHOLLY]
        mine = [one for one in whole if one.gives(first)]
        theirs = [one for one in whole if one.gives(second)]
        parts = [self._part_of(first), self._part_of(second)]
        if not mine or not theirs or parts[0] == parts[1]:
            return None
        crossed: tuple[str, str] | None = None
        for one in mine:
            for other in theirs:
                own, its = self._names(one.cell) - self._names(other.cell), self._names(other.cell) - self._names(one.cell)
                if not own or not its or one.text is not other.text or one.cell.table != other.cell.table:
                    continue
                if not own <= parts[1] or own & parts[0] or not its <= parts[0] or its & parts[1]:
                    return None
                crossed = self._written(first), other.value
        return crossed

    def _part_of(self, amount: Amount) -> frozenset[str]:
        """Return the stems of the part of the claim that an amount stands in, between commas and words such as "and"."""
        ends = [0, *(end for match in _PAUSE.finditer(self.claim.text) for end in match.span()), len(self.claim.text)]
        start = max(end for end in ends if end <= amount.start)
        stop = min(end for end in ends if end >= amount.end)
        return frozenset(stem_all(words(self.claim.text[start:stop]), self.claim.lang))

    def _names(self, cell: Cell) -> Set[str]:
        return self.claim.weights.keys() & {*cell.label, *cell.head, *cell.above, *cell.caption}

    def _written(self, amount: Amount) -> str:
        return self.claim.text[amount.start : amount.end].strip()

    def _held(self, cell: Cell) -> float:
        return self._weight(cell.tokens.union(cell.label, cell.head, cell.above))

    def _weight(self, tokens: Set[str]) -> float:
        """Return the share in 0-1 of the claim's weight that stems hold."""
        return sum(weight for token, weight in self.claim.weights.items() if token in tokens) / self.whole

    def _meant(self) -> list[_Named]:
        """Return the values that a claim speaks of by their labels without stating them, that of which it names most first."""
        found = [
            one for one in self.others if one.score >= _NAMED_WHOLLY and one.labelled >= _NAMED_WELL and one.held >= _LEAST_HELD
        ]
        return sorted(found, key=lambda one: -one.held)

    def _there(self) -> str:
        return next((one.value for one in self._meant() if not one.cell.names_row), "")

    def _least(self, best: float) -> float:
        """Return how well the labels of the worst labelled figure are named; a figure that is a label is named itself."""
        figures = self.claim.figures
        scores = [self._of_amount(amount) for amount in figures.amounts if not self._is_label(amount)]
        scores += [self._of_date(date) for date in figures.dates if not self._is_label(date)]
        return min(scores, default=best)

    def _of_amount(self, amount: Amount) -> float:
        return max((one.score for one in self.said if one.gives(amount)), default=0.0)

    def _of_date(self, date: FoundDate) -> float:
        return max((one.score for one in self.said if any(not other.differs(date) for other in one.cell.dates)), default=0.0)

    def _is_label(self, figure: Amount | FoundDate) -> bool:
        return self.labels.issuperset(stem_all(words(self.claim.text[figure.start : figure.end]), self.claim.lang))

    def _instead(self) -> tuple[str, str] | None:
        """Return the first amount that no labels the claim names have, with the value that they have."""
        meant = self._meant()
        for amount in self.claim.figures.amounts:
            if self._is_label(amount) or self._of_amount(amount) >= _NAMED_WHOLLY:
                continue
            for one in meant:
                if len(one.cell.amounts) == 1 and one.cell.amounts[0].is_comparable(amount):
                    return self._written(amount), one.value
        return None


def _share(label: Mapping[str, float], tokens: Set[str]) -> float:
    return sum((share for token, share in label.items() if token in tokens), 0.0)
