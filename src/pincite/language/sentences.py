"""Sentences of a text as exact offsets."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import cast

from pincite.language.detect import detect

_WINDOW = 4000
"""Characters handed over at once: sentencex takes quadratic time on unclosed quotation marks."""
_ALONE = re.compile(r"[ \t]*\||[ \t]{0,3}#{1,6}[ \t]")
_ITEM = re.compile(
    r"[ \t]*(?:(?:[-*+•‣◦▪●○·–—]|\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})\)|\d{1,3}\.)[ \t]+"
    r"|(?:\d{1,3}|[一二三四五六七八九十]{1,3})、|（(?:\d{1,3}|[一二三四五六七八九十]{1,3})）)"
)
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair, which UTF-8 can't hold: a model may write one."""
_UNMARKED_BLANK = re.compile(r"(?<=[\u0e00-\u0eff])[ \t]+(?=[\u0e00-\u0eff])")
_UNMARKED_LENGTH = 120
"""Thai and Lao sentences end at a blank, but not every blank ends one: pieces are at least this long."""

_BEFORE_NUMBER = re.compile(
    r"(?:^|[\s(\[’'])(?:abb|abs|approx|arts?|ca|chap|ch|eqs?|env|figs?|nos?|nr|núm|pp?|pág|pag|refs?|sect?|secs|tabl?|vols?|рис|табл|стр|ст|с|п)"
    r"\.$",
    re.IGNORECASE,
)
_BEFORE_NAME = re.compile(r"(?:^|[\s(\[])(?:Dr|Dra|Fa|Hon|Messrs|MM?|Mlle|Mme|Prof|Rev|Sig|Sra?)\.$")
_LONGEST_ABBREVIATION = 12
"""Abbreviations that sentencex doesn't know, or takes for an end before a capital. (A lone "M." it takes for an initial.)"""


def sentence_spans(text: str, lang: str = "") -> list[tuple[int, int]]:
    """Return `[start, end)` of the sentences in code points: rising, trimmed of white space, covering all other characters.

    A blank line, the start of a list item, a table row and a heading end a sentence; a single line feed doesn't. `lang` is an
    ISO 639-1 code; without one it is detected. In Thai and Lao, which mark no sentences, long ones end at a blank.
    """
    code = (lang or detect(text)).split("-")[0].lower()
    marks_none = not text.isascii() and _UNMARKED_BLANK.search(text) is not None
    spans: list[tuple[int, int]] = []
    for start, body, end in _blocks(text):
        cuts = _sentences(text, body, end, code)
        found = _joined(text, _trimmed(text, _at_blanks(text, cuts) if marks_none else cuts))
        if body > start:
            found[:1] = _trimmed(text, [(start, found[0][1] if found else end)])
        spans += found
    return spans


def _blocks(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield (start, start behind a list marker, end) of the runs of lines that no sentence leaves."""
    opened: tuple[int, int, int] | None = None
    last = 0
    while last < len(text):
        first, last = last, text.find("\n", last) + 1 or len(text)
        blank = text[first:last].isspace()
        alone = _ALONE.match(text, first, last)
        item = _ITEM.match(text, first, last)
        if opened and (blank or alone or item):
            yield opened
            opened = None
        if alone:
            yield first, first, last
        elif opened:
            opened = (opened[0], opened[1], last)
        elif not blank:
            opened = (first, item.end() if item else first, last)
    if opened:
        yield opened


def _sentences(text: str, start: int, end: int, lang: str) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a block, window by window: the last of a window is begun again in the next."""
    boundaries = _boundaries()
    sentence = start
    while sentence < end:
        stop = _window_end(text, sentence, end)
        bounds = [found["end_index"] for found in boundaries(lang, _HALF.sub("\ufffd", text[sentence:stop]))]
        cuts = [sentence + bound for bound in (bounds if stop == end else bounds[:-1])]
        for cut in cuts or [stop]:
            yield sentence, cut
            sentence = cut


@cache
def _boundaries() -> Callable[[str, str], list[dict[str, int]]]:
    from sentencex import get_sentence_boundaries  # pyright: ignore[reportUnknownVariableType,reportAttributeAccessIssue] no types

    return cast(Callable[[str, str], list[dict[str, int]]], get_sentence_boundaries)


def _window_end(text: str, start: int, end: int) -> int:
    if end - start <= _WINDOW:
        return end
    blank = text.rfind(" ", start + _WINDOW // 2, start + _WINDOW)
    return blank + 1 if blank > 0 else start + _WINDOW


def _at_blanks(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for start, end in spans:
        for blank in _UNMARKED_BLANK.finditer(text, start, end):
            if blank.start() - start >= _UNMARKED_LENGTH:
                yield start, blank.start()
                start = blank.end()
        yield start, end


def _trimmed(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, end in spans:
        piece = text[start:end].rstrip()
        first = start + len(piece) - len(piece.lstrip())
        if piece:
            found.append((first, start + len(piece)))
    return found


def _joined(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Give a span to the one before it when it has no letter or digit, or follows an abbreviation that can't end a sentence."""
    found: list[tuple[int, int]] = []
    for start, end in spans:
        if found and (_is_rest(text[start:end]) or _is_abbreviated(text, found[-1], start)):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _is_rest(piece: str) -> bool:
    return not piece[0].isalnum() and not any(character.isalnum() for character in piece)


def _is_abbreviated(text: str, before: tuple[int, int], start: int) -> bool:
    tail = text[max(before[0], before[1] - _LONGEST_ABBREVIATION) : before[1]]
    if not tail.endswith("."):
        return False
    return bool(_BEFORE_NUMBER.search(tail) if text[start].isdecimal() else _BEFORE_NAME.search(tail) and text[start].isupper())
