"""The meaning of single words, from the word rows and the tokenizer of the local embedding model."""

from functools import lru_cache
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pincite.adapters.models.e5_file import dequantize
from pincite.adapters.models.e5_weights import E5Data, find_weights, load_e5_data
from pincite.adapters.models.unigram import UnigramTokenizer
from pincite.core.errors import ConfigurationError

_MOST_PIECES = 12
_CACHED = 20_000
_SAMPLE = slice(5, 60_000, 15)
"""Rows whose mean every row has in common, which says nothing of meaning."""
_UNKNOWN = 20.0


class E5Words:
    """Likeness is the cosine between the sums of two texts' rows, without what all rows share."""

    def __init__(self, data: E5Data) -> None:
        self._data = data
        self._tokenizer = UnigramTokenizer(data.pieces, characters=data.characters, unknown_id=data.special.unknown)
        self._mean: NDArray[np.float32] = np.asarray(dequantize(data.words[_SAMPLE]).mean(axis=0), np.float32)
        self._row = lru_cache(maxsize=_CACHED)(self._sum_of_rows)
        self._ids = lru_cache(maxsize=_CACHED)(self._pieces)

    def likeness(self, left: str, right: str) -> float:
        """Return the cosine of two words or short phrases."""
        return float(self._row(left) @ self._row(right))

    def rarity(self, text: str) -> float:
        """Return minus the logarithm of the probability of the text's pieces."""
        ids = self._ids(text)
        return -float(sum(self._data.pieces.scores[number] for number in ids)) if ids else _UNKNOWN

    def _pieces(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer.encode(text, limit=_MOST_PIECES))

    def _sum_of_rows(self, text: str) -> NDArray[np.float32]:
        ids = self._ids(text)
        if not ids:
            return np.zeros(self._mean.shape, np.float32)
        row = np.zeros(self._mean.shape, np.float32)
        row += dequantize(self._data.words[list(ids)]).sum(axis=0) - len(ids) * self._mean
        row /= float(np.linalg.norm(row)) or 1.0
        return row


class LazyWords:
    """The words of the installed local model, loaded when the first is asked for. Threads may share one."""

    def __init__(self, cache_dir: Path) -> None:
        self._cache_dir = cache_dir
        self._loading = Lock()
        self._words: E5Words | None = None

    @staticmethod
    def is_installed() -> bool:
        """Say whether there is anything to load."""
        try:
            find_weights()
        except ConfigurationError:
            return False
        return True

    def likeness(self, left: str, right: str) -> float:
        """Return the cosine of two words or short phrases."""
        return self._loaded().likeness(left, right)

    def rarity(self, text: str) -> float:
        """Return minus the logarithm of the probability of the text's pieces."""
        return self._loaded().rarity(text)

    def _loaded(self) -> E5Words:
        with self._loading:
            if self._words is None:
                self._words = load_words(self._cache_dir)
            return self._words


def load_words(cache_dir: Path | None = None) -> E5Words:
    """Return the words of the installed local model. Raises `ConfigurationError` (`no_local_model`)."""
    return E5Words(load_e5_data(find_weights(), cache_dir=cache_dir))
