"""Amounts and dates of a claim that its sources don't give. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pincite.language.dates import Day, FoundDate
from pincite.language.quantities import Amount, Figures, figures_of


@dataclass(frozen=True, slots=True)
class Given:
    """The figures of all sources of a claim."""

    amounts: tuple[Amount, ...]
    dates: tuple[FoundDate, ...]

    def holds_amount(self, amount: Amount) -> bool:
        """Whether a source gives an amount, also in another form or a unit that converts; a year may be one."""
        years = {day.year for date in self.dates for day in date.readings}
        return any(other.may_equal(amount) for other in self.amounts) or any(value in years for value in amount.values)

    def holds_date(self, date: FoundDate) -> bool:
        """Whether a source gives a date at least as closely; what looks like a year may be an amount."""
        days = [day for other in self.dates for day in other.readings]
        if any(day.holds(asked) for day in days for asked in date.readings):
            return True
        return any(_is_year(asked) and asked.year in amount.values for asked in date.readings for amount in self.amounts)


def together(figures: Iterable[Figures]) -> Given:
    """Return what several texts give."""
    every = list(figures)
    return Given(tuple(a for one in every for a in one.amounts), tuple(d for one in every for d in one.dates))


def lacking(claim: str, given: Given, lang: str) -> list[str]:
    """Return the amounts and dates of a claim, as it writes them, that the sources don't give."""
    figures = figures_of(claim, lang)
    places = [(amount.start, amount.end) for amount in figures.amounts if not given.holds_amount(amount)]
    places += [(date.start, date.end) for date in figures.dates if not given.holds_date(date)]
    return [claim[start:end] for start, end in sorted(places)]


def listed(found: Sequence[str]) -> str:
    """Return what was found as words of a sentence."""
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"


def _is_year(day: Day) -> bool:
    return day.month is None and not day.decade
