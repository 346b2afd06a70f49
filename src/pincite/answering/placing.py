"""Where the values of tables and forms stand in a text, and what stands over and beside them. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pincite.answering.rows import cells, is_number, table_heads
from pincite.answering.segments import Segment, SegmentKind
from pincite.language.words import words

_LINE = re.compile(r"[^\n]+")
_NAMED = re.compile(r"\s*(?P<label>[^\s:|][^:|\n]{0,60}?)\s*:\s+(?P<value>[^\s|][^\n]{0,120})$")
_MOST_PLACED, _MOST_ROWS = 800, 200
"""Values and rows of a table that are looked at."""
_MOST_NAMES, _LONGEST_NAME = 20, 400
"""Names of a row that are labels of its other values, and their characters: wide tables have hundreds."""
_LONGEST_CAPTION = 120
_MOST_LABEL_WORDS = 6


@dataclass(frozen=True, slots=True)
class Placed:
    """A value as a table or form has it, before its words are looked at."""

    start: int
    end: int
    label: str
    head: str = ""
    above: str = ""
    caption: str = ""
    names_row: bool = False


def blocks(text: str) -> Iterator[list[Placed]]:
    """Yield the values of each table of a text, and of all its lines with a label such as `Commission: 10%`."""
    rows: list[tuple[int, str]] = []
    named: list[Placed] = []
    last, caption = 0, ""
    for match in _LINE.finditer(text):
        line = match.group()
        if line.lstrip().startswith("|"):
            if rows and match.start() > last + 1 and _may_be_head(line):
                yield list(islice(_of_table(rows, caption), _MOST_PLACED))
                rows, caption = [], ""
            rows += [(match.start(), line)] if len(rows) < _MOST_ROWS else []
            last = match.end()
            continue
        if rows:
            yield list(islice(_of_table(rows, caption), _MOST_PLACED))
            rows = []
        caption = line if len(line) <= _LONGEST_CAPTION else ""
        found = _NAMED.match(line)
        if found and len(words(found["label"])) <= _MOST_LABEL_WORDS:
            named.append(Placed(match.start() + found.start("value"), match.start() + found.end("value"), found["label"]))
    yield list(islice(_of_table(rows, caption), _MOST_PLACED))
    yield named


def _may_be_head(line: str) -> bool:
    """Say whether a row after an empty line may begin another table: it has names alone."""
    row = cells(Segment(0, len(line), line, SegmentKind.ROW))
    return any(row[1:]) and not any(map(is_number, row[1:]))


def _of_table(rows: Sequence[tuple[int, str]], caption: str) -> Iterator[Placed]:
    parts = [Segment(start, start + len(line), line, SegmentKind.ROW) for start, line in rows]
    split = [cells(part) for part in parts]
    is_form = 2 * sum(row[0].endswith(":") for row in split) > len(split)
    first = table_heads(parts, len(parts) - 1) if parts and not is_form else ()
    for index, (start, line) in enumerate(rows):
        row = split[index]
        if index in first and any(row[1:]):
            continue
        places = _places(start, line, row)
        if is_form:
            yield from _of_form(row, places)
            continue
        heads = [split[head] for head in table_heads(parts, index)]
        above = " ".join(head[0] for head in heads if not any(head[1:]))
        names = [(at, cell[:_LONGEST_NAME]) for at, cell in enumerate(row) if cell and (not at or not is_number(cell))][
            :_MOST_NAMES
        ]
        columns = _columns([head for head in heads if any(head[1:])])
        for at, (cell, place) in enumerate(zip(row, places, strict=True)):
            if cell:
                label = " ".join(name for other, name in names if other != at)
                head = columns[at] if at < len(columns) else ""
                yield Placed(*place, label, head, above, caption, names_row=not at and any(row[1:]))


def _columns(heads: Sequence[Sequence[str]]) -> list[str]:
    """Return what heads each column: what a row of heads says above another goes for the columns after it that it leaves empty.

    What stands in brackets tells units, and is left out.
    """
    width = max(map(len, heads), default=0)
    found: list[list[str]] = [[] for _ in range(width)]
    for number, row in enumerate(heads):
        over = ""
        for at, cell in enumerate("" if cell.startswith("(") else cell[:_LONGEST_NAME] for cell in row):
            over = cell or (over if at > 1 and number < len(heads) - 1 else "")
            found[at].append(over)
    return [" ".join(filter(None, parts)) for parts in found]


def _of_form(row: Sequence[str], places: Sequence[tuple[int, int]]) -> Iterator[Placed]:
    label = ""
    for cell, place in zip(row, places, strict=True):
        if cell.endswith(":"):
            label = cell
        elif cell and label:
            yield Placed(*place, label)
            label = ""


def _places(start: int, line: str, row: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the cells of a row stand in their text."""
    found: list[tuple[int, int]] = []
    at = 0
    for cell in row:
        at = line.find(cell, at) if cell else at
        found.append((start + at, start + at + len(cell)))
        at += len(cell)
    return found
