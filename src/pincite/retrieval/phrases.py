"""How much of a query stands word for word in a passage. Pure."""

import math
import re
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
    likely = _likely(words)

    def share(passage: str) -> float:
        text = passage.casefold()
        if not likely(text):
            return 0.0
        text = " ".join(text.split())
        if folded in text:
            return 1.0
        return literal_share(words, _WORD.findall(text)) if len(words) >= MIN_RUN else 0.0

    return share


def _least(words: Sequence[str]) -> int:
    """Return how many words a run must have to count."""
    return min(len(words), max(MIN_RUN, math.ceil(MIN_SHARE * len(words))))


def _likely(words: Sequence[str]) -> Callable[[str], bool]:
    """Return a quick test that rules out most texts without parting them into words, and none that holds a run that counts.

    Such a run takes half the query, so it covers one of the two middle words. The test looks for the words around them, as
    pieces of the text in any place.
    """
    if not words:
        return lambda text: True
    left, right = (len(words) - 1) // 2, len(words) // 2
    least = _least(words)
    before, after = words[left::-1], words[right:]

    def test(text: str) -> bool:
        reach = 0
        for word in after:
            if word not in text:
                break
            reach += 1
        if not reach and left == right:
            return False
        for number, word in enumerate(before):
            if word not in text:
                break
            if number or left != right:  # else the middle word is counted
                reach += 1
        return reach >= least

    return test


def literal_share(query: Sequence[str], passage: Sequence[str]) -> float:
    """Return the share (0–1) of the query's words in the longest run that the passage has in the same order, without gaps.

    0 when that run is shorter than `MIN_RUN` words or than `MIN_SHARE` of the query.
    """
    least, most = _least(query), len(query)
    text = f" {' '.join(passage)} "
    if least < MIN_RUN or not _holds(text, query, least):
        return 0.0
    while least < most:  # a passage that holds a run holds its parts
        middle = (least + most + 1) // 2
        if _holds(text, query, middle):
            least = middle
        else:
            most = middle - 1
    return least / len(query)


def _holds(text: str, query: Sequence[str], size: int) -> bool:
    """Say whether words parted by blanks, with one at either end, hold `size` words of the query in a row."""
    return any(f" {' '.join(query[first : first + size])} " in text for first in range(len(query) - size + 1))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
