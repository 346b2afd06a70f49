"""The language of a text, from its letters and function words."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from math import fsum

from pincite.language.stopwords import stop_words
from pincite.language.words import words

_SAMPLE = 1000
"""Characters that are looked at: enough to be sure, and a bound on the time."""
_LATIN = "ca cs da de en es fi fr hu id it nl no pl pt ro sv tr vi"
_ARABIC = "ar fa ur"
_CYRILLIC = "bg ru uk"
_SCRIPTS: tuple[tuple[int, int, str], ...] = (
    (0x41, 0x5A, _LATIN), (0x61, 0x7A, _LATIN), (0xC0, 0x24F, _LATIN), (0x370, 0x3FF, "el"), (0x400, 0x52F, _CYRILLIC),
    (0x531, 0x587, "hy"), (0x5D0, 0x5F4, "he"), (0x620, 0x6FF, _ARABIC), (0x750, 0x77F, _ARABIC), (0x900, 0x97F, "hi"),
    (0x980, 0x9FF, "bn"), (0xA00, 0xA7F, "pa"), (0xA80, 0xAFF, "gu"), (0xB00, 0xB7F, "or"), (0xB80, 0xBFF, "ta"),
    (0xC00, 0xC7F, "te"), (0xC80, 0xCFF, "kn"), (0xD00, 0xD7F, "ml"), (0xD80, 0xDFF, "si"), (0xE01, 0xE4E, "th"),
    (0xE81, 0xEDE, "lo"), (0x1000, 0x109F, "my"), (0x10A0, 0x10FF, "ka"), (0x1100, 0x11FF, "ko"), (0x1200, 0x137F, "am"),
    (0x1780, 0x17D3, "km"), (0x1E00, 0x1EFF, _LATIN), (0x1F00, 0x1FFF, "el"), (0x3041, 0x30FF, "ja"), (0x3130, 0x318F, "ko"),
    (0x3400, 0x4DBF, "zh"), (0x4E00, 0x9FFF, "zh"), (0xAC00, 0xD7A3, "ko"), (0xF900, 0xFAFF, "zh"), (0xFB50, 0xFDFF, _ARABIC),
    (0xFE70, 0xFEFF, _ARABIC), (0xFF66, 0xFF9F, "ja"), (0x20000, 0x3FFFF, "zh"),
)  # fmt: skip
_STARTS = [first for first, _, _ in _SCRIPTS]
_ASCII_LETTER = re.compile("[A-Za-z]")
_DENSE = {"ja", "ko", "zh"}
"""Scripts in which one character says as much as two or three letters."""
_LETTERS: Mapping[str, str] = {
    "ca": "àçèéíïòóúü", "cs": "áčďéěíňóřšťúůýž", "da": "æøå", "de": "äöüß", "en": "", "es": "áéíñóúü", "fi": "äö",
    "fr": "àâæçèéêëîïôœùûü", "hu": "áéíóöőúüű", "id": "", "it": "àèéìòù", "nl": "ëï", "no": "æøå", "pl": "ąćęłńóśźż",
    "pt": "àáâãçéêíóôõú", "ro": "ăâîșțşţ", "sv": "äåö", "tr": "çğıöşüâ",
    "vi": "àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ", "ar": "ةىيكأإآؤئء", "fa": "پچژگکیآ",
    "ur": "پچژگکیآٹڈڑںےہھ", "bg": "", "ru": "ыэё", "uk": "іїєґ",
}  # fmt: skip
"""Letters beyond the plain ones that the languages of a script share."""
_LETTER_WEIGHT = 0.7
_LEAD = 1.3
"""How far the best language must be ahead of the next."""
_LEAST_SHARE = 0.05
"""Least score per distinct word: a text in a language without a list stays below it."""
_FEW = 3
"""Among so few languages one word is evidence enough."""


def detect(text: str, among: Collection[str] = ()) -> str:
    """Return the ISO 639-1 code of a text's language, one of `among` when given; "" when unsure.

    The script decides first, then function words and letters, of which it takes two where many languages share the script.
    Only the first 1,000 characters are looked at.
    """
    sample = text[:_SAMPLE]
    candidates = [code for code in _script(sample).split() if not among or code in among]
    if len(candidates) < 2:
        return candidates[0] if candidates else ""
    found = {word for word in words(sample) if len(word) > 1 or not word.isascii()}  # letters stand in formulas and lists
    scores, evidence = _scores(found, candidates)
    (best, code), (second, _) = sorted(((score, code) for code, score in scores.items()), reverse=True)[:2]
    enough = evidence[code] >= (1 if len(candidates) <= _FEW else 2)
    sure = enough and best >= _LEAST_SHARE * len(found) and best >= _LEAD * second
    return code if sure else ""


def _script(sample: str) -> str:
    """Return the languages of the script that most letters belong to."""
    if sample.isascii():
        return _LATIN if _ASCII_LETTER.search(sample) else ""
    counts: Counter[str] = Counter()
    for character, count in Counter(sample).items():
        if script := _script_of(character):
            counts[script] += count * (2 if script in _DENSE else 1)
    if not counts:
        return ""
    best = counts.most_common(1)[0][0]
    return "ja" if best == "zh" and counts["ja"] * 20 > counts["zh"] else best


@lru_cache(maxsize=4096)
def _script_of(character: str) -> str:
    """Return the languages of the script that a letter belongs to; nothing for what is no letter."""
    code = ord(character)
    first, last, script = _SCRIPTS[max(0, bisect_right(_STARTS, code) - 1)]
    return script if first <= code <= last else ""


def _scores(found: Collection[str], candidates: Sequence[str]) -> tuple[dict[str, float], dict[str, int]]:
    """Return the score of each language, and how many words speak for it.

    A function word counts 1, a word with letters beyond the plain ones less, shared among the languages that have it.
    """
    listed = _shared_lists(tuple(candidates))
    votes = [(listed[word], 1.0) for word in listed.keys() & found]
    votes += [(_owners(word, candidates), _LETTER_WEIGHT) for word in found if not word.isascii()]
    weights: dict[str, list[float]] = {code: [] for code in candidates}
    for languages, weight in votes:
        for code in languages:
            weights[code].append(weight / len(languages))
    # A sum that rounds once: words come out of a set in another order in each process, and the answer must be the same.
    return {code: fsum(weights[code]) for code in candidates}, {code: len(weights[code]) for code in candidates}


def _owners(word: str, candidates: Collection[str]) -> Collection[str]:
    """Return which of the candidates have all the letters beyond the plain ones in a word; none when it has no such letter."""
    owners = _letter_owners()
    marked = [owners[letter] for letter in word if letter in owners]
    return marked[0].intersection(candidates, *marked[1:]) if marked else ()


@lru_cache(maxsize=64)
def _shared_lists(candidates: tuple[str, ...]) -> Mapping[str, Collection[str]]:
    """Return which of the candidates have each function word."""
    return _inverted({code: stop_words(code) for code in candidates})


@cache
def _letter_owners() -> Mapping[str, frozenset[str]]:
    return _inverted(_LETTERS)


def _inverted(lists: Mapping[str, Iterable[str]]) -> Mapping[str, frozenset[str]]:
    owners: dict[str, set[str]] = {}
    for code, entries in lists.items():
        for entry in entries:
            owners.setdefault(entry, set()).add(code)
    return {entry: frozenset(codes) for entry, codes in owners.items()}
