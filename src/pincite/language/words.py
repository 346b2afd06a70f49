"""Words of a text in any script, as they are compared."""

import re
import unicodedata
from functools import cache, lru_cache

_NUMBER = r"(?=\d)(?<![\d.,])(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d+(?:\.\d+)+|\d+,\d+)(?![\d,]|\.\d)"
_ABBREVIATION = r"[A-Za-z](?:\.[A-Za-z])+(?![A-Za-z0-9])"
_ASCII = re.compile(rf"[a-zA-Z]{{2,}}[a-zA-Z0-9]*|{_NUMBER}|{_ABBREVIATION}|[a-zA-Z0-9]+")
# Sets of characters stay within the first plane: with one range beyond it, re compares range by range, twenty times slower.
_PAIRED = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f"
)
"""Han, Kana and Hangul: two characters say about as much as a word."""
_RARE_HAN = "\U00020000-\U0003ffff"
_TRIPLED = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3"
"""Thai, Lao, Burmese and Khmer: no blanks between words, and a syllable takes two or three characters."""
_RUN = re.compile(rf"(?P<paired>[{_PAIRED}]|[{_RARE_HAN}])|[{_TRIPLED}]")
_FIRST_OF_RUNS = "\u0e01"
_FRACTIONS = "¼-¾⅐-⅞"
_INVISIBLE = re.compile("[\u00ad\u0640\u200c\u200d\ufe00-\ufe0f]")
_LAST_MARK = 0xFB50


def words(text: str, *, shorter: bool = False) -> list[str]:
    """Return the words in order, NFKC and case-folded, digits as ASCII, combining marks kept.

    `10,000` is `10000`, `2,5` is `2.5`, `U.S.` is `us`; hyphens and apostrophes part words. Runs of Han, Kana and Hangul give
    overlapping pairs of characters, runs of Thai, Lao, Burmese and Khmer triples. With `shorter` also single characters and
    pairs, by which an index answers a question of one short word.
    """
    if text.isascii():
        return [token if token.isalnum() else _plain(token) for token in _ASCII.findall(text.lower())]
    found: list[str] = []
    for token in _unicode_pattern().findall(text):
        run = _RUN.match(token) if token >= _FIRST_OF_RUNS else None
        if run:
            found += _grams(token, 2 if run["paired"] else 3, shorter=shorter)
        else:
            found.append(_plain(token))
    return found


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return where each of `words` stands, `[start, end)` in code points; those of pairs and triples overlap."""
    spans: list[tuple[int, int]] = []
    for match in (_ASCII if text.isascii() else _unicode_pattern()).finditer(text):
        start, end = match.span()
        run = _RUN.match(match.group())
        size = min(2 if run["paired"] else 3, end - start) if run else end - start
        spans += [(first, first + size) for first in range(start, end - size + 1)]
    return spans


@cache
def _unicode_pattern() -> re.Pattern[str]:
    """Letters and digits with the marks that belong to them; `\\w` alone ends a word at a Hindi vowel sign."""
    marks = [chr(code) for code in range(0x300, _LAST_MARK) if unicodedata.category(chr(code))[0] == "M"]
    joined = "".join(marks) + "\u00ad\u200c\u200d\ufe00-\ufe0f"
    letter = rf"[^\W_{_PAIRED}{_TRIPLED}{_FRACTIONS}]"
    word = rf"{letter}+(?:[{joined}]+{letter}*)*"
    runs = rf"(?:[{_PAIRED}]|[{_RARE_HAN}])+|[{_TRIPLED}]+"
    plain = rf"[a-zA-Z]{{2,}}(?![^\W_]|[{joined}])"
    return re.compile(rf"{plain}|(?=\w)(?:{_NUMBER}|{_ABBREVIATION}|{runs}|{word}|[{_FRACTIONS}])")


@lru_cache(maxsize=50_000)
def _plain(found: str) -> str:
    """Bring a word, a number or an abbreviation to the form in which it is compared."""
    word = found.lower() if found.isascii() else _folded(found)
    if word.isalnum() or not ("." in word or "," in word):
        return word
    return _number(word) if word[0].isdecimal() else word.replace(".", "")


def _folded(word: str) -> str:
    folded = unicodedata.normalize("NFKC", _INVISIBLE.sub("", word)).casefold().replace("i\u0307", "i")
    folded = unicodedata.normalize("NFKC", folded)
    if folded.isascii() or not any(character.isdecimal() for character in folded):
        return folded
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in folded)


def _number(found: str) -> str:
    """Bring a number to digits and one decimal point: a comma before exactly three digits groups thousands."""
    if re.fullmatch(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?", found):
        return found.replace(",", "")
    if "," in found:
        return found.replace(".", "").replace(",", ".")
    return found.replace(".", "") if re.fullmatch(r"\d{1,3}(?:\.\d{3}){2,}", found) else found


def _grams(run: str, size: int, *, shorter: bool) -> list[str]:
    normal = unicodedata.is_normalized("NFKC", run)
    characters = run if normal else [unicodedata.normalize("NFKC", character) for character in run]
    size = min(size, len(characters))
    sizes = (size, size - 1) if shorter and size > 1 else (size,)
    return ["".join(characters[first : first + length]) for length in sizes for first in range(len(characters) - length + 1)]
