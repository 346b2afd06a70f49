"""OpenDocument spreadsheets (ODS) read to canonical text: each sheet is a page, each table in it rows under their head."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.grid_writer import GridWriter, shown
from pincite.adapters.parsers.grids import GridCell, GridRow, plan_grid
from pincite.adapters.parsers.islands import islands
from pincite.adapters.parsers.office_title import choose_title
from pincite.adapters.parsers.open_document import CONTENT, OpenDocument
from pincite.adapters.parsers.open_inline import plain
from pincite.adapters.parsers.open_tables import OpenCell, repeated, row_cells
from pincite.adapters.parsers.sheets import sheet_page, write_sheet
from pincite.adapters.parsers.xml_parts import Selection
from pincite.core.cells import COLUMNS, cell_index, cell_name
from pincite.core.documents import Page, ParsedDocument
from pincite.core.errors import RefusedInput

CONTENT_TYPE = "application/vnd.oasis.opendocument.spreadsheet"
VERSION = "1"
_MAX_ROWS = 1_048_576
_MAX_REPEATED_ROWS = 1000
_MAX_REPEATED_COLUMNS = 100
_MAX_REPEATED_CHARS = 200
_ROW_LEVEL = 4
_SHEETS = Selection(
    skipped=frozenset(
        {
            *("office_automatic-styles", "office_font-face-decls", "office_scripts", "office_forms", "table_tracked-changes"),
            *("table_shapes", "table_named-expressions", "table_database-ranges", "table_data-pilot-tables", "table_dde-links"),
        }
    ),
    opened=frozenset({"table_table-row-group", "table_table-rows", "table_table-header-rows"}),
    announced=frozenset({"table_table"}),
)
_VALUES = ("office_value", "office_date-value", "office_time-value", "office_boolean-value", "office_string-value")
_CACHED = "'file:"


@dataclass(slots=True)
class _Sheet:
    """A sheet as far as it is read: its filled rows, its comments, the number of the next row, and cells that go on downwards."""

    name: str
    rows: list[GridRow] = field(default_factory=list[GridRow])
    comments: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    next_row: int = 0
    chars: int = 0
    above: dict[int, tuple[int, GridCell]] = field(default_factory=dict[int, tuple[int, GridCell]])


def read_ods(
    package: OpenDocument, *, max_pages: int, max_chars: int, on_page: Callable[[int, int], None] = lambda done, total: None
) -> ParsedDocument:
    """Read a spreadsheet. A page is a sheet, its label the sheet's name; a run's index is the number of its cell.

    Raises `RefusedInput` (`corrupt`, `too_deep`, `too_large`, `too_many_pages`).
    """
    builder = CanonicalBuilder(max_chars=max_chars)
    pages: list[Page] = []
    title = ""
    for number, sheet in enumerate(_sheets(package, max_chars), start=1):
        if number > max_pages:
            raise RefusedInput(f"The file has more than {max_pages:,} sheets. Split it and add the parts.", code="too_many_pages")
        on_page(number, 0)
        pages.append(sheet_page(number, sheet.name))
        writer = GridWriter(builder, page=number)
        tables = ((table, plan_grid(table)) for table in (islands(sheet.rows) if sheet.rows else ()))
        write_sheet(writer, sheet.name, tables, sheet.comments)
        title = title or writer.title or ""
    canonical = builder.build(tuple(pages))
    return ParsedDocument(
        canonical=canonical,
        content_type=CONTENT_TYPE,
        parser="ods",
        parser_version=VERSION,
        title=choose_title(package.declared_title, "", opening=canonical.text[:2000], otherwise=title),
    )


def _sheets(package: OpenDocument, max_chars: int) -> Iterator[_Sheet]:
    """Yield the sheets in their order, hidden ones too; copies of sheets in other files are left out."""
    sheet: _Sheet | None = None
    for element in package.children(CONTENT, level=_ROW_LEVEL, selection=_SHEETS):
        if element.tag == "table_table":
            if sheet and not sheet.name.startswith(_CACHED):
                yield sheet
            sheet = _Sheet(" ".join(element.get("table_name", "").split()))
        elif element.tag == "table_table-row" and sheet:
            package.beat()
            _add_row(sheet, element)
            if sheet.chars > max_chars:
                raise RefusedInput(
                    f"A sheet holds more than {max_chars:,} characters. Split it and add the parts.", code="too_large"
                )
    if sheet and not sheet.name.startswith(_CACHED):
        yield sheet


def _add_row(sheet: _Sheet, element: Element) -> None:
    """Add a row as often as it is there. Of very many equal ones the first are kept, as the others say nothing else."""
    times = repeated(element, "rows")
    cells = _cells(sheet, element)
    for number in range(sheet.next_row, sheet.next_row + min(times, _MAX_REPEATED_ROWS if cells or sheet.above else 0)):
        if number >= _MAX_ROWS:
            return
        filled = _with_those_above(sheet, cells) if cells else cells
        if filled:
            sheet.rows.append(GridRow(number, filled))
            sheet.chars += sum(len(cell.text) + 3 for cell in filled)
        _go_down(sheet)
    sheet.next_row += times
    if times > _MAX_REPEATED_ROWS:
        sheet.above.clear()


def _cells(sheet: _Sheet, row: Element) -> list[GridCell]:
    """Return the filled cells of a row, and note its comments and the cells that go on in the rows below."""
    cells: list[GridCell] = []
    column = 0
    for cell in row_cells(row):
        if column >= COLUMNS:
            break
        _note_comment(sheet, cell, column)
        text, is_text = ("", True) if cell.is_covered else _value(cell.element)
        if text := shown(text):
            last = min(column + min(cell.repeated, _MAX_REPEATED_COLUMNS), COLUMNS)
            cells += (GridCell(each, text, is_text) for each in range(column, last))
            if cell.rows > 1 and len(text) <= _MAX_REPEATED_CHARS:
                # One row more, as the first to be passed is this one.
                sheet.above[column] = (cell.rows, GridCell(column, text, is_text))
        column += cell.repeated
    return cells


def _with_those_above(sheet: _Sheet, cells: list[GridCell]) -> list[GridCell]:
    """Return cells with those merged over several rows, so that the row can be read alone."""
    taken = {cell.column for cell in cells}
    added = [cell for column, (_, cell) in sheet.above.items() if column not in taken]
    return sorted([*cells, *added]) if added else cells


def _go_down(sheet: _Sheet) -> None:
    sheet.above = {column: (left - 1, cell) for column, (left, cell) in sheet.above.items() if left > 1}


def _value(cell: Element) -> tuple[str, bool]:
    """Return what a cell shows, and whether it is a text: its lines; without any its value, else its formula."""
    kind = cell.get("office_value-type", "string")
    lines = [plain(child) for child in cell if child.tag in ("text_p", "text_h")]
    text = "\n".join(lines) or next((cell.get(name, "") for name in _VALUES if cell.get(name)), "")
    if not text:
        formula = cell.get("table_formula", "")
        return formula[formula.find("=") :] if "=" in formula else "", True
    return text, kind == "string"


def _note_comment(sheet: _Sheet, cell: OpenCell, column: int) -> None:
    for annotation in cell.element.findall("office_annotation"):
        said = " ".join(" ".join(plain(line) for line in annotation.iter("text_p")).split())
        if said:
            at = cell_index(min(sheet.next_row, _MAX_ROWS - 1), column)
            sheet.comments.append((at, f"{cell_name(at)}: {said}"))
