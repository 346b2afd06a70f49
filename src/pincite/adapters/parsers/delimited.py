"""Files of rows and separators (CSV, TSV; RFC 4180 and what programs make of it) read to canonical text."""

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.grid_writer import GridWriter, shown
from pincite.adapters.parsers.grids import GridCell, GridRow, shows_text
from pincite.core.cells import COLUMNS
from pincite.core.documents import ParsedDocument
from pincite.core.errors import RefusedInput

CONTENT_TYPE = "text/csv"
TABS_TYPE = "text/tab-separated-values"
VERSION = "2"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_DECLARED = re.compile(r"sep=(.)(?:\r\n|\r|\n)", re.IGNORECASE)
_DELIMITERS = "\t;|,"
_MAX_FIELD_CHARS = 1_000_000
_MANY_CHARS = 2000
_MAX_FIELD_LINES = 1000
_SAMPLE_CHARS = 65_536
_SAMPLE_ROWS = 200
_CONSISTENT = 0.9
_LEAST_ROWS = 3
_MAX_USUAL_CHARS = 40
_PROSE = re.compile(r"[a-z]{2}[.!?] +[A-Z]")
_ROWS_A_REPORT = 1000


@dataclass(frozen=True, slots=True)
class Dialect:
    """How rows are written: the separator, and whether quotation marks frame fields."""

    delimiter: str = ","
    quoted: bool = True


def read_delimited(text: str, *, max_chars: int, on_row: Callable[[int, int], None] = lambda done, total: None) -> ParsedDocument:
    """Read rows of fields. A run's index is the number of its cell: row and column as a spreadsheet program counts them.

    `on_row` is told now and then how many rows are read, of about how many. Raises `RefusedInput` (`too_large`).
    """
    declared = _DECLARED.match(text)
    dialect = Dialect(declared.group(1)) if declared else choose_dialect(text[:_SAMPLE_CHARS])
    start = declared.end() if declared else 0
    try:
        builder, title = _build(text, start, dialect, max_chars, on_row)
    except csv.Error:
        # A quotation mark that nothing closes swallows everything behind it: then it is a mark like any other.
        builder, title = _build(text, start, Dialect(dialect.delimiter, quoted=False), max_chars, on_row)
    return ParsedDocument(
        canonical=builder.build(),
        content_type=TABS_TYPE if dialect.delimiter == "\t" else CONTENT_TYPE,
        parser="delimited",
        parser_version=VERSION,
        title=title,
    )


def _build(
    text: str, start: int, dialect: Dialect, max_chars: int, on_row: Callable[[int, int], None]
) -> tuple[CanonicalBuilder, str | None]:
    builder = CanonicalBuilder(max_chars=max_chars)
    writer = GridWriter(builder)
    writer.write(_grid_rows(text, start, dialect, on_row), level=1)
    return builder, writer.title


def _grid_rows(text: str, start: int, dialect: Dialect, on_row: Callable[[int, int], None]) -> Iterator[GridRow]:
    total = max(1, text.count("\n"), text.count("\r"))
    for number, fields in enumerate(_fields(text, start, dialect)):
        if number % _ROWS_A_REPORT == 0:
            on_row(min(number + 1, total), total)
        if len(fields) > COLUMNS:
            raise RefusedInput(
                f"Row {number + 1:,} of the file has more than {COLUMNS:,} columns. Turn rows and columns around, or split it.",
                code="too_large",
            )
        if dialect.quoted and max(map(len, fields), default=0) > _MANY_CHARS and _is_swallowed(fields):
            raise csv.Error("a quotation mark that nothing closes")
        cells = [
            GridCell(column, value, number > _SAMPLE_ROWS or shows_text(value))
            for column, field in enumerate(fields)
            if (value := shown(field))
        ]
        if cells:
            yield GridRow(number, cells)


def _is_swallowed(fields: list[str]) -> bool:
    """Whether a field holds so many lines that a quotation mark must have opened it by mistake."""
    return any(field.count("\n") > _MAX_FIELD_LINES or field.count("\r") > _MAX_FIELD_LINES for field in fields)


def _fields(text: str, start: int, dialect: Dialect) -> Iterator[list[str]]:
    csv.field_size_limit(_MAX_FIELD_CHARS)
    lines = (found.group() for found in _LINE.finditer(text, start))
    quoting = csv.QUOTE_MINIMAL if dialect.quoted else csv.QUOTE_NONE
    return csv.reader(lines, delimiter=dialect.delimiter, quoting=quoting, skipinitialspace=True)


def choose_dialect(sample: str) -> Dialect:
    """Tell the separator from the beginning of a file: the one that cuts its rows into equally many fields."""
    widths = {delimiter: _widths(sample, delimiter) for delimiter in _DELIMITERS}
    for delimiter, counts in widths.items():
        if counts and _usual(counts) > 1 and _share(counts) >= _CONSISTENT:
            return Dialect(delimiter)
    # Ragged rows: the separator that stands in most of them.
    present = {delimiter: sum(count > 1 for count in counts) for delimiter, counts in widths.items()}
    best = max(_DELIMITERS, key=lambda delimiter: (present[delimiter], delimiter == ","))
    return Dialect(best if present[best] else ",")


def looks_delimited(sample: str) -> bool:
    """Whether a text that no name calls a table is one: all its rows have equally many short fields, without sentences."""
    if _PROSE.search(sample):
        return False
    for delimiter, least in (("\t", 2), (";", 2), (",", 3)):
        counts = _widths(sample, delimiter)
        if len(counts) < _LEAST_ROWS or _usual(counts) < least or _share(counts) < 1:
            continue
        return len(sample) / sum(counts) <= _MAX_USUAL_CHARS
    return False


def _widths(sample: str, delimiter: str) -> list[int]:
    """Return how many fields each row of a sample has; its last row, which may be cut, is left out."""
    counts: list[int] = []
    try:
        for fields in _fields(sample, 0, Dialect(delimiter)):
            if any(fields):
                counts.append(len(fields))
            if len(counts) > _SAMPLE_ROWS:
                break
    except csv.Error:
        return []
    is_cut = len(sample) >= _SAMPLE_CHARS and len(counts) > 1
    return counts[:-1] if is_cut else counts


def _usual(counts: list[int]) -> int:
    return max(set(counts), key=lambda count: (counts.count(count), count))


def _share(counts: list[int]) -> float:
    return counts.count(_usual(counts)) / len(counts)
