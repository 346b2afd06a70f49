"""How much of a query stands word for word in a passage. Pure."""

from collections import defaultdict
from collections.abc import Sequence

MIN_RUN = 4
"""Words in a row that count as quoted; shorter runs are common in any language."""

MIN_SHARE = 0.5
"""A run must be at least this part of the query: a name inside a longer question is no quotation."""


def literal_share(query: Sequence[str], passage: Sequence[str]) -> float:
    """Return the share (0–1) of the query's words in the longest run that the passage has in the same order, without gaps.

    0 when that run is shorter than `MIN_RUN` words or than `MIN_SHARE` of the query.
    """
    if len(query) < MIN_RUN:
        return 0.0
    places: dict[str, list[int]] = defaultdict(list)
    for position, word in enumerate(query):
        places[word].append(position)
    best = 0
    ending: dict[int, int] = {}
    for word in passage:
        ending = {position: ending.get(position - 1, 0) + 1 for position in places.get(word, ())}
        best = max(best, max(ending.values(), default=0))
    return best / len(query) if best >= max(MIN_RUN, MIN_SHARE * len(query)) else 0.0
