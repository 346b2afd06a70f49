"""The rows of a worksheet as a spreadsheet program shows them: values by their formats, merged cells, comments."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.grid_writer import shown
from pincite.adapters.parsers.grids import GridCell, GridRow
from pincite.adapters.parsers.number_formats import BUILT_IN, show_number
from pincite.adapters.parsers.office_package import OfficePackage
from pincite.core.cells import COLUMNS
from pincite.core.errors import RefusedInput

_MAX_ROWS = 1_048_576
_MAX_MERGES = 100_000
_MAX_REPEATED_CHARS = 200
_MAX_REPEATS = 500_000
_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_ROW_LEVEL = 2


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle of cells, rows and columns from 0, both ends included."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True)
class Workbook:
    """What the sheets of a workbook share: texts, formats of cells, and the day from which dates count."""

    texts: Sequence[str] = ()
    formats: Sequence[str] = ()
    date1904: bool = False


@dataclass(slots=True)
class Worksheet:
    """The filled rows of a sheet, in order, and its merged areas."""

    rows: list[GridRow] = field(default_factory=list[GridRow])
    merges: list[Area] = field(default_factory=list[Area])


def parse_cell(name: str) -> tuple[int, int] | None:
    """Return row and column of a cell's name, both from 0; None when it names no cell of a sheet."""
    found = _CELL.fullmatch(name)
    if not found:
        return None
    column = 0
    for letter in found.group(1).upper():
        column = column * 26 + ord(letter) - ord("A") + 1
    row = int(found.group(2))
    return (row - 1, column - 1) if 1 <= row <= _MAX_ROWS and column <= COLUMNS else None


@lru_cache(maxsize=COLUMNS)
def column_of(letters: str) -> int | None:
    """Return the column that letters name, None when they name none."""
    place = parse_cell(f"{letters}1")
    return place[1] if place else None


def parse_area(reference: str) -> Area | None:
    """Return the area of a reference such as `B2:D9` or `B2`, None when it is none."""
    first, _, last = reference.partition(":")
    start, end = parse_cell(first), parse_cell(last or first)
    if start is None or end is None:
        return None
    return Area(min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1]))


def read_texts(package: OfficePackage) -> list[str]:
    """Return the texts that the cells of a workbook share."""
    part = package.related(package.main, "sharedStrings")
    return [rich_text(item) for item in package.children(part) if item.tag == "x_si"]


def rich_text(element: Element) -> str:
    """Return a text of one or several runs, without the readings printed over it."""
    parts = [child for child in element if child.tag in ("x_t", "x_r")]
    texts = [part.text if part.tag == "x_t" else "".join(t.text or "" for t in part.iterfind("x_t")) for part in parts]
    joined = "".join(text or "" for text in texts)
    return _ESCAPE.sub(lambda found: chr(int(found.group(1), 16)), joined) if "_x" in joined else joined


def read_formats(package: OfficePackage) -> list[str]:
    """Return the number format of each style of cells."""
    codes = dict(BUILT_IN)
    styles: list[str] = []
    for element in package.children(package.related(package.main, "styles")):
        if element.tag == "x_numFmts":
            codes |= {_whole(item.get("numFmtId", "")): item.get("formatCode", "") for item in element}
        elif element.tag == "x_cellXfs":
            styles = [codes.get(_whole(item.get("numFmtId", "")), "General") for item in element if item.tag == "x_xf"]
    return styles


def _whole(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else -1


def read_sheet(package: OfficePackage, part: str, workbook: Workbook, *, max_chars: int) -> Worksheet:
    """Return what a worksheet shows. Raises `RefusedInput` (`corrupt`, `too_large`: more than `max_chars` in its cells)."""
    sheet = Worksheet()
    taken = 0
    previous = -1
    for element in package.children(part, level=_ROW_LEVEL):
        if element.tag == "x_row":
            previous = _row_number(element, previous)
            cells = list(_cells(element, workbook))
            taken += sum(len(cell.text) + 3 for cell in cells)
            if taken > max_chars:
                raise RefusedInput(
                    f"A sheet holds more than {max_chars:,} characters. Split it and add the parts.", code="too_large"
                )
            if cells:
                sheet.rows.append(GridRow(previous, cells))
        elif element.tag == "x_mergeCell" and len(sheet.merges) < _MAX_MERGES and (area := parse_area(element.get("ref", ""))):
            sheet.merges.append(area)
    if any(one.number >= other.number for one, other in pairwise(sheet.rows)):
        sheet.rows = _in_order(sheet.rows)
    _repeat_downwards(sheet)
    return sheet


def _row_number(element: Element, previous: int) -> int:
    declared = _whole(element.get("r", ""))
    return declared - 1 if 1 <= declared <= _MAX_ROWS else min(previous + 1, _MAX_ROWS - 1)


def _in_order(rows: list[GridRow]) -> list[GridRow]:
    """Return rows that a file holds in another order, or twice, as a sheet shows them: the later one counts."""
    cells: dict[int, dict[int, GridCell]] = {}
    for row in rows:
        cells.setdefault(row.number, {}).update({cell.column: cell for cell in row.cells})
    return [GridRow(number, [found[column] for column in sorted(found)]) for number, found in sorted(cells.items())]


def _cells(row: Element, workbook: Workbook) -> Iterator[GridCell]:
    column, last, is_sorted = -1, -1, True
    found: list[GridCell] = []
    for element in row:
        if element.tag != "x_c":
            continue
        named = column_of(element.get("r", "").rstrip("0123456789"))
        column = column + 1 if named is None else named
        if column >= COLUMNS:
            break
        text, is_text = _value(element, workbook)
        if text := shown(text):
            is_sorted = is_sorted and column > last
            last = column
            found.append(GridCell(column, text, is_text))
    return iter(found if is_sorted else sorted({cell.column: cell for cell in found}.values()))


def _value(cell: Element, workbook: Workbook) -> tuple[str, bool]:
    """Return what a cell shows, and whether it is a text. Of a formula it is the value stored with it, else the formula itself."""
    kind = cell.get("t", "n")
    value = cell.find("x_v")
    raw = "" if value is None else value.text or ""
    if kind == "inlineStr":
        inline = cell.find("x_is")
        raw = "" if inline is None else rich_text(inline)
    elif value is None:
        formula = cell.find("x_f")
        raw, kind = f"={formula.text}" if formula is not None and formula.text else "", "str"
    elif kind == "n" and raw:
        style = _whole(cell.get("s", "0"))
        code = workbook.formats[style] if 0 <= style < len(workbook.formats) else "General"
        return show_number(raw, code, date1904=workbook.date1904), code == "@"
    return _typed(raw, kind, workbook)


def _typed(raw: str, kind: str, workbook: Workbook) -> tuple[str, bool]:
    match kind:
        case "s":
            at = _whole(raw.strip())
            return workbook.texts[at] if 0 <= at < len(workbook.texts) else "", True
        case "b":
            return "TRUE" if raw.strip() in ("1", "true") else "FALSE", False
        case "e" | "d":
            return raw.removesuffix("T00:00:00").replace("T", " ") if kind == "d" else raw, False
        case _:
            return _ESCAPE.sub(lambda found: chr(int(found.group(1), 16)), raw) if "_x" in raw else raw, True


def _repeat_downwards(sheet: Worksheet) -> None:
    """Put what a cell merged over several rows says into each row that holds something else, so that the row can be read alone."""
    by_number = {row.number: row for row in sheet.rows}
    left = _MAX_REPEATS
    for area in sheet.merges:
        top = by_number.get(area.top)
        cell = next((cell for cell in top.cells if cell.column == area.left), None) if top else None
        if area.bottom == area.top or cell is None or len(cell.text) > _MAX_REPEATED_CHARS:
            continue
        for number in range(area.top + 1, min(area.bottom, area.top + left) + 1):
            left -= 1
            row = by_number.get(number)
            if row and not any(area.left <= other.column <= area.right for other in row.cells):
                row.cells.append(cell)
                row.cells.sort()
        if left <= 0:
            return
