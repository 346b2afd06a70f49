"""What a search may be asked for."""

from pincite.core.errors import UsageError
from pincite.core.evidence import Strategy

MAX_SOURCES = 100
"""The largest limit of a search or answer."""


def strategy_of(limit: int, strategy: Strategy | str) -> Strategy:
    """Return the strategy. Raises `UsageError` when one of the two can't be."""
    if not 1 <= limit <= MAX_SOURCES:
        raise UsageError(f"The limit is {limit}. Ask for 1 to {MAX_SOURCES} sources.", code="limit")
    if strategy not in list(Strategy):
        raise UsageError(f"There is no strategy {strategy!r}. Take one of: {', '.join(Strategy)}.", code="strategy")
    return Strategy(strategy)
