"""Words of a text in any script, as they are compared."""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

_NUMBER = r"(?<![\d.,])(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d+(?:\.\d+)+|\d+,\d+)(?![\d,]|\.\d)"
_LETTERS = r"[A-Za-z](?:\.[A-Za-z])+(?![A-Za-z0-9])"
_ASCII = re.compile(rf"(?P<number>{_NUMBER})|(?P<letters>{_LETTERS})|(?P<word>[a-zA-Z0-9]+)")
_PAIRED = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3130-\u318f"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Han, Kana and Hangul: two characters say about as much as a word."""
_TRIPLED = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3"
"""Thai, Lao, Burmese and Khmer: no blanks between words, and a syllable takes two or three characters."""
_FRACTIONS = "¼-¾⅐-⅞"
_INVISIBLE = re.compile("[\u00ad\u0640\u200c\u200d\ufe00-\ufe0f]")


def words(text: str, *, shorter: bool = False) -> list[str]:
    """Return the words in order, NFKC and case-folded, digits as ASCII, combining marks kept.

    `10,000` is `10000`, `2,5` is `2.5`, `U.S.` is `us`; hyphens and apostrophes part words. Runs of Han, Kana and Hangul give
    overlapping pairs of characters, runs of Thai, Lao, Burmese and Khmer triples. With `shorter` also single characters and
    pairs, by which an index answers a question of one short word.
    """
    return [word for word, _, _ in _scan(text, shorter=shorter)]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return where each of `words` stands, `[start, end)` in code points; those of pairs and triples overlap."""
    return [(start, end) for _, start, end in _scan(text, shorter=False)]


def _scan(text: str, *, shorter: bool) -> Iterator[tuple[str, int, int]]:
    pattern = _ASCII if text.isascii() else _unicode_pattern()
    for match in pattern.finditer(text):
        found, start = match.group(), match.start()
        match match.lastgroup:
            case "word":
                yield _normal(found), start, match.end()
            case "number":
                yield _number(_normal(found)), start, match.end()
            case "letters":
                yield found.replace(".", "").lower(), start, match.end()
            case script:
                size = 2 if script == "paired" else 3
                yield from _grams(found, start, size=size, shorter=shorter)


@cache
def _unicode_pattern() -> re.Pattern[str]:
    """Letters and digits with the marks that belong to them; `\\w` alone ends a word at a Hindi vowel sign."""
    marks = [chr(code) for code in range(0x300, 0x12000) if unicodedata.category(chr(code))[0] == "M"]
    joined = "".join(marks) + "\u00ad\u200c\u200d\ufe00-\ufe0f"
    letter = rf"[^\W_{_PAIRED}{_TRIPLED}{_FRACTIONS}]"
    word = rf"{letter}+(?:[{joined}]+{letter}*)*"
    runs = rf"(?P<paired>[{_PAIRED}]+)|(?P<tripled>[{_TRIPLED}]+)"
    return re.compile(rf"(?P<number>{_NUMBER})|(?P<letters>{_LETTERS})|{runs}|(?P<word>{word}|[{_FRACTIONS}])")


def _normal(word: str) -> str:
    if word.isascii():
        return word.lower()
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


def _grams(run: str, start: int, *, size: int, shorter: bool) -> Iterator[tuple[str, int, int]]:
    characters = list(run)
    if unicodedata.normalize("NFKC", run) != run:
        characters = [unicodedata.normalize("NFKC", character) for character in characters]
    size = min(size, len(characters))
    for length in (size, size - 1) if shorter and size > 1 else (size,):
        for index in range(len(characters) - length + 1):
            yield "".join(characters[index : index + length]), start + index, start + index + length
