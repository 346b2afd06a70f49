"""How much of a query stands word for word in a passage. Pure."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence

MIN_RUN = 4
"""Words in a row that count as quoted; shorter runs are common in any language."""

MIN_SHARE = 0.5
"""A run must be at least this part of the query: a name inside a longer question is no quotation."""

MIN_CHARACTERS = 8
"""Length from which a query without blanks counts as a phrase, as in Chinese, Japanese or Thai."""

_WORD = re.compile(r"\w+")


def phrase_matcher(query: str) -> Callable[[str], float] | None:
    """Return a function from a passage to the share (0–1) of the query that it holds literally; None when the query is too short.

    White space, case and punctuation between words don't count. A share is that of the longest run of words without gaps.
    """
    folded = _folded(query)
    words = _WORD.findall(folded)
    if len(words) < MIN_RUN and (" " in folded or len(folded) < MIN_CHARACTERS):
        return None
    # A run of half the query covers one of its middle words: most passages are ruled out by looking for those alone.
    middle = {words[(len(words) - 1) // 2], words[len(words) // 2]} if words else {folded}

    def share(passage: str) -> float:
        text = _folded(passage)
        if folded in text:
            return 1.0
        if len(words) < MIN_RUN or not any(word in text for word in middle):
            return 0.0
        return literal_share(words, _WORD.findall(text))

    return share


def literal_share(query: Sequence[str], passage: Sequence[str]) -> float:
    """Return the share (0–1) of the query's words in the longest run that the passage has in the same order, without gaps.

    0 when that run is shorter than `MIN_RUN` words or than `MIN_SHARE` of the query.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for position, word in enumerate(query):
        places[word].append(position)
    best = 0
    ending: dict[int, int] = {}
    for word in passage:
        ending = {position: ending.get(position - 1, 0) + 1 for position in places.get(word, ())}
        best = max(best, max(ending.values(), default=0))
    return best / len(query) if best >= max(MIN_RUN, MIN_SHARE * len(query)) else 0.0


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
