"""Excel workbooks (XLSX, XLSM) read to canonical text: each sheet is a page, each table in it rows under their head."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from pincite.adapters.parsers.assembly import CanonicalBuilder
from pincite.adapters.parsers.grid_writer import GridWriter
from pincite.adapters.parsers.grids import GridCell, GridPlan, GridRow, plan_grid
from pincite.adapters.parsers.islands import islands
from pincite.adapters.parsers.office_package import OfficePackage
from pincite.adapters.parsers.office_title import choose_title, declared_title
from pincite.adapters.parsers.sheets import sheet_page, write_sheet
from pincite.adapters.parsers.xlsx_rows import (
    Area,
    Workbook,
    parse_area,
    parse_cell,
    read_formats,
    read_sheet,
    read_texts,
    rich_text,
)
from pincite.core.cells import cell_index
from pincite.core.documents import Page, ParsedDocument
from pincite.core.errors import RefusedInput

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
VERSION = "2"
_THREADED = re.compile(r"\[Threaded comment\].*?\n\s*Comment:\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Sheet:
    name: str
    part: str


def read_xlsx(
    package: OfficePackage, *, max_pages: int, max_chars: int, on_page: Callable[[int, int], None] = lambda done, total: None
) -> ParsedDocument:
    """Read a workbook. A page is a sheet, its label the sheet's name; a run's index is the number of its cell.

    Raises `RefusedInput` (`corrupt`, `too_deep`, `too_large`, `too_many_pages`).
    """
    root = package.tree(package.main)
    sheets = list(_sheets(package, root))
    if len(sheets) > max_pages:
        raise RefusedInput(f"The workbook has more than {max_pages:,} sheets. Split it and add the parts.", code="too_many_pages")
    workbook = Workbook(read_texts(package), read_formats(package), _counts_from_1904(root))
    builder = CanonicalBuilder(max_chars=max_chars)
    pages: list[Page] = []
    title = ""
    for number, sheet in enumerate(sheets, start=1):
        on_page(number, len(sheets))
        pages.append(sheet_page(number, sheet.name))
        writer = GridWriter(builder, page=number)
        if package.has(sheet.part):
            _write_sheet(package, sheet, workbook, writer, max_chars)
        title = title or writer.title or ""
    canonical = builder.build(tuple(pages))
    return ParsedDocument(
        canonical=canonical,
        content_type=CONTENT_TYPE,
        parser="xlsx",
        parser_version=VERSION,
        title=choose_title(declared_title(package), "", opening=canonical.text[:2000], otherwise=title),
    )


def _sheets(package: OfficePackage, root: Element) -> Iterator[_Sheet]:
    """Yield the sheets in their order, hidden ones too; those that no menu of the program shows are left out."""
    relations = package.relations(package.main)
    for element in root.iterfind("x_sheets/x_sheet"):
        relation = relations.get(element.get("r_id", ""))
        if relation and element.get("state") != "veryHidden":
            yield _Sheet(" ".join(element.get("name", "").split()), relation.target or "")


def _counts_from_1904(root: Element) -> bool:
    properties = root.find("x_workbookPr")
    return properties is not None and properties.get("date1904", "0") in ("1", "true", "on")


def _write_sheet(package: OfficePackage, sheet: _Sheet, workbook: Workbook, writer: GridWriter, max_chars: int) -> None:
    content = read_sheet(package, sheet.part, workbook, max_chars=max_chars)
    comments = list(_comments(package, sheet.part))
    write_sheet(writer, sheet.name, _tables(content.rows, list(_declared(package, sheet.part))), comments)


def _tables(rows: list[GridRow], declared: Sequence[tuple[Area, int]]) -> Iterator[tuple[list[GridRow], GridPlan]]:
    """Yield the tables of a sheet from top to bottom: those that the file declares, and the others by where they stand."""
    found: list[tuple[list[GridRow], GridPlan]] = []
    for area, heads in declared:
        inside = _cut(rows, area, keep=True)
        rows = _cut(rows, area, keep=False)
        if inside:
            found.append((inside, plan_grid(inside, declared_heads=heads)))
    found += [(table, plan_grid(table)) for table in (islands(rows) if rows else ())]
    yield from sorted(found, key=lambda item: (item[0][0].number, item[0][0].cells[0].column))


def _cut(rows: list[GridRow], area: Area, *, keep: bool) -> list[GridRow]:
    """Return rows with the cells inside an area, or without them."""

    def is_kept(row: GridRow, cell: GridCell) -> bool:
        return (area.top <= row.number <= area.bottom and area.left <= cell.column <= area.right) is keep

    parts = (GridRow(row.number, [cell for cell in row.cells if is_kept(row, cell)]) for row in rows)
    return [row for row in parts if row.cells]


def _declared(package: OfficePackage, part: str) -> Iterator[tuple[Area, int]]:
    """Yield the tables that a sheet declares, each with how many rows its head has."""
    for relation in package.relations(part).values():
        if relation.kind == "table" and relation.target and package.has(relation.target):
            root = package.tree(relation.target)
            area = parse_area(root.get("ref", ""))
            if area:
                yield area, 0 if root.get("headerRowCount") == "0" else 1


def _comments(package: OfficePackage, part: str) -> Iterator[tuple[int, str]]:
    """Yield the comments of a sheet in their order: the number of the cell, and what is said with the cell's name before it."""
    for element in package.children(package.related(part, "comments"), level=2):
        place = parse_cell(element.get("ref", ""))
        text = element.find("x_text")
        if element.tag == "x_comment" and place and text is not None:
            said = _THREADED.sub("", rich_text(text)).strip()
            if said:
                yield cell_index(*place), f"{element.get('ref', '')}: {said}"
