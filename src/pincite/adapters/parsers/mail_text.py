"""Plain text of messages: paragraphs, with how deep each is quoted (RFC 3676)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pincite.adapters.parsers.leaves import Leaf
from pincite.adapters.parsers.plain_text import Line, lines_of, wrapped_lines
from pincite.adapters.parsers.tables import BLANK

SIGNATURE_MARK = "--"
_MARKS = re.compile(r">(?: ?>)* ?")
_MOST_INTRO_LINES = 3


@dataclass(frozen=True, slots=True)
class Flow:
    """How the lines of a text were broken: with `flowed` a blank at its end says that a line goes on (`format=flowed`).

    `drops_blank` takes that blank away (`DelSp=yes`).
    """

    flowed: bool = False
    drops_blank: bool = False


FIXED = Flow()
"""Lines end where they end."""


def plain_items(text: str, flow: Flow, *, index: int) -> list[Leaf]:
    """Return the paragraphs of a text whose characters count from `index`."""
    leaves: list[Leaf] = []
    groups = [(depth, [line for _, line in lines]) for depth, lines in groupby(_quoted_lines(text), key=lambda each: each[0])]
    for number, (depth, lines) in enumerate(groups):
        paragraphs = _flowed(text, lines) if flow.flowed else _wrapped(lines)
        if number + 1 < len(groups) and groups[number + 1][0] > depth:
            paragraphs = _join_introduction(paragraphs)
        glue = not flow.drops_blank
        leaves += [_leaf(each, depth, index, glue=glue) for each in paragraphs if each[0][1]]
    return leaves


def _quoted_lines(text: str) -> Iterator[tuple[int, Line]]:
    """Yield each line with how deep it is quoted, without its marks. An empty line belongs to what stands before it."""
    depth = 0
    for at, line in lines_of(text):
        marks = _MARKS.match(line)
        if marks or line:
            depth = marks.group().count(">") if marks else 0
        inner = line[marks.end() :] if marks else line
        blanks = len(inner) - len(inner.lstrip())
        yield depth, (at + len(line) - len(inner) + blanks, inner.strip())


def _wrapped(lines: Sequence[Line]) -> list[list[Line]]:
    return _paragraphs(lines, wrapped_lines(list(lines)))


def _flowed(text: str, lines: Sequence[Line]) -> list[list[Line]]:
    """A line goes on when it ends with a blank, unless it is the mark of a signature."""
    ends = [text[at + len(line) : at + len(line) + 1] == " " and line not in ("", SIGNATURE_MARK) for at, line in lines]
    return _paragraphs(lines, [*ends[:-1], False])


def _paragraphs(lines: Sequence[Line], goes_on: Sequence[bool]) -> list[list[Line]]:
    paragraphs: list[list[Line]] = []
    is_open = False
    for line, more in zip(lines, goes_on, strict=True):
        if is_open and line[1]:
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
        is_open = more
    return paragraphs


def _join_introduction(paragraphs: list[list[Line]]) -> list[list[Line]]:
    """Make one of the lines that say who is quoted next (`On Monday Ann <ann@example.org>` / `wrote:`)."""
    last = len(paragraphs) - 1
    while last >= 0 and not paragraphs[last][0][1]:
        last -= 1
    if last < 0 or not paragraphs[last][-1][1].endswith((":", "：")):
        return paragraphs
    first = last
    while first > 0 and last - first + 1 < _MOST_INTRO_LINES and paragraphs[first - 1][0][1] and not _says_who(paragraphs[first]):
        first -= 1
    if not _says_who(paragraphs[first]):
        return paragraphs
    joined = [line for paragraph in paragraphs[first : last + 1] for line in paragraph]
    return [*paragraphs[:first], joined, *paragraphs[last + 1 :]]


def _says_who(paragraph: Sequence[Line]) -> bool:
    """Whether the beginning of an introduction stands in it: a date or an address, and no end of a sentence."""
    line = paragraph[0][1]
    return bool(re.search(r"\d|@", line)) and not line.endswith((".", "!", "?"))


def _leaf(lines: Sequence[Line], depth: int, index: int, *, glue: bool) -> Leaf:
    leaf = Leaf(quoted=depth)
    for at, line in lines:
        if leaf.pieces and glue:
            leaf.pieces.append(BLANK)
        leaf.pieces.append((line, index + at, len(line)))
    return leaf
