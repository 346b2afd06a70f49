"""Words that OCR read in the picture of a page: where they stand, and how sure it is of them."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

DOUBTFUL_BELOW = 0.8
"""A word of which OCR is less sure than this (of 1) is doubtful: it may stand otherwise in the picture."""


IN_PICTURES = 0xC000_0000
"""Index from which on characters are those that OCR read in pictures that stand on a page, beside the page's own text."""


@dataclass(frozen=True, slots=True)
class ReadWord:
    """Characters `[index, index+count)` of what OCR read on a page, with their box as in `Box`; `confidence` is from 0 to 1."""

    page: int
    index: int
    count: int
    x0: float
    y0: float
    x1: float
    y1: float
    confidence: float


def words_in(words: Sequence[ReadWord], page: int, start: int, end: int) -> Sequence[ReadWord]:
    """Return those of sorted words that overlap characters `[start, end)` of what was read on a page."""
    first = bisect_right(words, (page, start), key=lambda word: (word.page, word.index + word.count))
    last = bisect_left(words, (page, end), key=lambda word: (word.page, word.index))
    return words[first:last]


def least_confidence(words: Iterable[ReadWord]) -> float | None:
    """Return how sure OCR is of the word that it is least sure of; None without words, as for text that the file itself holds."""
    return min((word.confidence for word in words), default=None)


def is_doubtful(confidence: float | None) -> bool:
    """Whether text of such a confidence may stand otherwise in the picture; text of the file itself is never doubtful."""
    return confidence is not None and confidence < DOUBTFUL_BELOW
