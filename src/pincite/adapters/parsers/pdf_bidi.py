"""The order of reading of a line whose glyphs are known from left to right: the Unicode Bidirectional Algorithm (UAX 9) backwards.

A line of one direction reorders back by the same runs that reordered it: words and numbers of the other direction keep their
own order, and what stands between takes that of its neighbours, else of the line.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">", "«": "»", "‹": "›", "（": "）", "【": "】"}
_MIRRORED = _PAIRS | {close: opening for opening, close in _PAIRS.items()}
# Of the classes of characters: letters L and R, numbers N, what may stand inside a number (s between any, e between European
# ones alone, t at a European one) and the rest, which takes the direction of its neighbours.
_CLASSES = {
    "L": "L",
    "R": "R",
    "AL": "A",
    "EN": "N",
    "AN": "N",
    "CS": "s",
    "ES": "e",
    "ET": "t",
}
_EUROPEAN_NUMBER = re.compile("t*N+(?:[se]N+)*t*")
_ARABIC_NUMBER = re.compile("N+(?:sN+)*")


def logical_order(text: Sequence[str], *, is_rtl: bool) -> list[int]:
    """Return the positions of a line's characters in the order of reading. They are given as they stand from left to right.

    Each may be several letters that stand together, in their own order.
    """
    classes = [_class_of(part) for part in text]
    positions = list(range(len(text)))
    if is_rtl:
        classes.reverse()
        positions.reverse()
    kinds = "".join(classes)
    order: list[int] = []
    for start, end in _turned_runs(kinds, is_rtl=is_rtl):
        run = positions[start:end]
        if not is_rtl:
            run = _within_rtl_run(run[::-1], kinds[start:end][::-1])
        elif "L" in kinds[start:end]:
            run.reverse()
        else:
            run = _within_rtl_run(run, kinds[start:end])
        order += run
    return order


def _class_of(part: str) -> str:
    return next((_CLASSES[kind] for kind in map(unicodedata.bidirectional, part) if kind in _CLASSES), "o")


def _turned_runs(kinds: str, *, is_rtl: bool) -> Iterator[tuple[int, int]]:
    """Cut a line into runs of the other direction and what stands between them."""
    turned = r"L(?:[^RA]*[LN])?|[Nt][^RA]*L(?:[^RA]*[LN])?" if is_rtl else "[RA](?:[^L]*[RA])?"
    at = 0
    for found in re.finditer(turned, kinds):
        if found.start() > at:
            yield from _pieces(at, found.start(), is_rtl=is_rtl)
        yield found.span()
        at = found.end()
    if at < len(kinds):
        yield from _pieces(at, len(kinds), is_rtl=is_rtl)


def _pieces(start: int, end: int, *, is_rtl: bool) -> Iterator[tuple[int, int]]:
    """Yield what runs the way of the line: as one where numbers in it run the other way, else one by one."""
    if is_rtl:
        yield start, end
    else:
        yield from ((number, number + 1) for number in range(start, end))


def _within_rtl_run(run: list[int], kinds: str) -> list[int]:
    """Return a run that is read from right to left with its numbers turned back."""
    number = _ARABIC_NUMBER if "A" in kinds else _EUROPEAN_NUMBER
    for found in number.finditer(kinds):
        if "N" in found.group():
            run[found.start() : found.end()] = reversed(run[found.start() : found.end()])
    return run


def with_brackets_turned(text: str) -> str:
    """Return a line in the order of reading with brackets that open where they should.

    Some fonts name a bracket by what it means, some by how it looks in text from right to left. One behind a blank opens.
    """
    found = list(text)
    for at, character in enumerate(text):
        if character not in _MIRRORED:
            continue
        before, after = text[at - 1 : at] if at else " ", text[at + 1 : at + 2] or " "
        is_behind = not _is_border(before)
        if is_behind == (not _is_border(after)):
            continue
        opens = not is_behind
        if opens != (character in _PAIRS):
            found[at] = _MIRRORED[character]
    return "".join(found)


def _is_border(character: str) -> bool:
    """Whether a character is none of the words in a bracket."""
    return character.isspace() or (character not in _MIRRORED and unicodedata.category(character) in {"Po", "Pd"})
