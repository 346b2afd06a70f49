"""Word stems, and the tokens that an index keeps and a question asks for."""

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from threading import Lock
from typing import Protocol, cast

from pincite.language.stopwords import stop_words
from pincite.language.words import words

_ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french",
    "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    "yi": "yiddish",
}  # fmt: skip


_DIACRITICS_PART_WORDS = ("vi",)
_PLAIN_LETTERS = str.maketrans("ıđłøŧħ", "idloth")
_FIRST_INDIC = "\u0900"
"""From here on marks are vowels, not decoration."""


class _Stemmer(Protocol):
    def stemWords(self, words: Sequence[str], /) -> list[str]: ...  # noqa: N802


_stemmers: dict[str, _Stemmer | None] = {}
_stemming = Lock()
"""A stemmer's state isn't safe to share. One for all threads, since each keeps the stems of 10,000 words."""


def stem(word: str, lang: str) -> str:
    """Return the Snowball stem of a word in the form of `words`, without diacritics; where the language has no stemmer, the word.

    Vietnamese keeps its diacritics, which part words there.
    """
    return stem_all([word], lang)[0]


def stem_all(found: Sequence[str], lang: str) -> list[str]:
    """Return the stem of each word, in order."""
    with _stemming:
        stemmer = _stemmer(lang)
        stems = stemmer.stemWords(found) if stemmer else found
    return [word if word.isascii() or lang in _DIACRITICS_PART_WORDS else _plain(word) for word in stems]


def index_tokens(text: str, lang: str) -> list[str]:
    """Return the tokens under which a text of one language is indexed; stop words stay."""
    return stem_all(words(text, shorter=True), lang)


def query_tokens(text: str, langs: Sequence[str], *, asked: str = "") -> list[tuple[str, ...]]:
    """Return for each distinct word of a question the tokens that stand for it: a stem per language it may be in.

    Words that have one stem in the language that the question is `asked` in, failing that in the first, are one word. Stop
    words of that language, where it is unknown those of all `langs` in common, are dropped, unless nothing else remains.
    """
    distinct = list(dict.fromkeys(words(text)))
    lists = [stop_words(code) for code in ([asked] if asked else langs) if code]
    stops = lists[0].intersection(*lists[1:]) if lists else frozenset[str]()
    kept = [word for word in distinct if word not in stops] or distinct
    own = stem_all(kept, asked if asked in langs or not langs else langs[0])
    alternatives: dict[str, dict[str, None]] = {word: {} for word in own}
    for stems in [stem_all(kept, code) for code in langs] or [own]:
        for word, found in zip(own, stems, strict=True):
            alternatives[word][found] = None
    return [tuple(tokens) for tokens in alternatives.values()]


@lru_cache(maxsize=50_000)
def _plain(word: str) -> str:
    if word[0] >= _FIRST_INDIC:
        return word
    parts = unicodedata.normalize("NFD", word.translate(_PLAIN_LETTERS))
    return "".join(character for character in parts if unicodedata.category(character) != "Mn")


def _stemmer(lang: str) -> _Stemmer | None:
    if lang not in _stemmers:
        name = _ALGORITHMS.get(lang)
        _stemmers[lang] = _load(name) if name else None
    return _stemmers[lang]


def _load(name: str) -> _Stemmer:
    import Stemmer

    return cast(_Stemmer, Stemmer.Stemmer(name))  # pyright: ignore[reportUnknownMemberType] C extension without types


@cache
def stop_stems(lang: str) -> frozenset[str]:
    """Return the stems of a language's function words."""
    return frozenset(stem_all(sorted(stop_words(lang)), lang))
