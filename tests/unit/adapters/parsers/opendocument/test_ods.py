"""OpenDocument spreadsheets: what a sheet shows, which tables stand on it, and in which cells."""

import pytest
from tests.unit.adapters.parsers.opendocument.conftest import OpenKit

from pincite.core.cells import cell_range
from pincite.core.documents import ParsedDocument
from pincite.core.errors import RefusedInput


def cell(shown: str = "", more: str = "", kind: str = "string") -> str:
    lines = f"<text:p>{shown}</text:p>" if shown else ""
    return f'<table:table-cell office:value-type="{kind}" {more}>{lines}</table:table-cell>'


def row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(each if each.startswith('<') else cell(each) for each in cells)}</table:table-row>"


def sheet(name: str, *rows: str) -> str:
    return f'<table:table table:name="{name}"><table:table-column/>{"".join(rows)}</table:table>'


def read(odf: OpenKit, *sheets: str, **bounds: int) -> ParsedDocument:
    return odf.read(odf.file("spreadsheet", "".join(sheets)), **bounds)


def repeated(what: str, times: int) -> str:
    return f'table:number-{what}-repeated="{times}"'


def cells_of(document: ParsedDocument, text: str) -> str:
    start = document.canonical.text.index(text)
    runs = [run for run in document.canonical.runs if run.start < start + len(text) and start < run.start + run.length]
    return cell_range(runs)


TEAMS = (row("Team", "Town", "Cups"), row("Blues", "STL", cell("1", kind="float")), row("Leafs", "TOR", cell("13", kind="float")))


def test_sheets_are_pages_and_rows_stand_under_their_head(odf: OpenKit) -> None:
    document = read(odf, sheet("Cups", *TEAMS), sheet("Notes", row("Counted by hand.")))
    assert [(page.number, page.label) for page in document.canonical.pages] == [(1, "Cups"), (2, "Notes")]
    assert document.canonical.text == (
        "Cups\n\n| Team | Town | Cups |\n| Blues | STL | 1 |\n| Leafs | TOR | 13 |\n\nNotes\n\nCounted by hand."
    )
    assert document.content_type == "application/vnd.oasis.opendocument.spreadsheet"


def test_a_quote_leads_to_its_cells_behind_blank_and_grouped_ones(odf: OpenKit) -> None:
    blank = row(cell("", repeated("columns", 16384)), more=repeated("rows", 40))
    moved = [each.replace("<table:table-row >", f"<table:table-row >{cell('', repeated('columns', 2))}", 1) for each in TEAMS]
    document = read(odf, sheet("S", blank, f"<table:table-row-group>{moved[0]}{moved[1]}</table:table-row-group>", moved[2]))
    assert cells_of(document, "Leafs | TOR | 13") == "C43:E43"


def test_cells_stand_as_they_are_shown_else_by_value_else_by_formula(odf: OpenKit) -> None:
    shown = cell("13%", 'office:value="0.125"', "percentage")
    value = cell("", 'office:value="0.125"', "float")
    day = cell("", 'office:date-value="2024-02-29"', "date")
    formula = cell("", 'table:formula="of:=SUM([.A1:.A2])"')
    lines = "<table:table-cell><text:p>one</text:p><text:p>two</text:p></table:table-cell>"
    text = read(odf, sheet("S", row("a", "b", "c", "d", "e"), row(shown, value, day, formula, lines))).canonical.text
    assert text.endswith("| 13% | 0.125 | 2024-02-29 | =SUM([.A1:.A2]) | one two |")


def test_merged_cells_are_repeated_downwards_and_what_lies_under_them_is_not_read(odf: OpenKit) -> None:
    covered = "<table:covered-table-cell><text:p>under</text:p></table:covered-table-cell>"
    first = row(cell("North", 'table:number-rows-spanned="2"'), "May", cell("1", kind="float"))
    second = row(covered, "June", cell("2", kind="float"))
    text = read(odf, sheet("S", row("Region", "Month", "Sum"), first, second, row("South", "May", "3"))).canonical.text
    assert text.endswith("| North | May | 1 |\n| North | June | 2 |\n| South | May | 3 |")


def test_comments_come_last_behind_the_names_of_their_cells(odf: OpenKit) -> None:
    note = "<office:annotation><dc:creator>Ann</dc:creator><text:p>checked</text:p><text:p>twice</text:p></office:annotation>"
    noted = f"<table:table-cell><text:p>7</text:p>{note}</table:table-cell>"
    text = read(odf, sheet("S", row("Part", "Price"), row("Pump", noted))).canonical.text
    assert text.endswith("| Pump | 7 |\n\nB2: checked twice")


def test_repeated_cells_and_rows_are_read_as_often_as_is_of_use(odf: OpenKit) -> None:
    document = read(
        odf,
        sheet("S", row("a", "b", "c"), row(cell("x", repeated("columns", 2)), "y", more=repeated("rows", 3)), row("end", "", "z")),
    )
    assert document.canonical.text.count("| x | x | y |") == 3
    assert cells_of(document, "end") == "A5"


def test_a_bomb_of_repetitions_stays_small_and_the_rest_keeps_its_place(odf: OpenKit) -> None:
    bomb = row(cell("x", repeated("columns", 99_999_999)), more=repeated("rows", 1_000_000))
    assert read(odf, sheet("S", bomb)).canonical.text.count("x") == 100 * 1000
    with pytest.raises(RefusedInput) as refused:
        read(odf, sheet("S", bomb.replace("1000000", "1000") * 3))
    assert refused.value.code == "too_large"
    document = read(odf, sheet("S", row(cell("x"), more=repeated("rows", 1_000_000)), row("end")))
    assert document.canonical.text.count("x") == 1000
    assert cells_of(document, "end") == "A1000001"


def test_copies_of_sheets_in_other_files_changes_and_drawings_are_left_out(odf: OpenKit) -> None:
    changes = f"<table:tracked-changes><table:deletion>{row('gone')}</table:deletion></table:tracked-changes>"
    shapes = "<table:shapes><draw:frame><draw:text-box><text:p>drawn</text:p></draw:text-box></draw:frame></table:shapes>"
    copied = sheet("'file:///other/b.ods'#$Sheet1", row("copied"))
    assert read(odf, changes, sheet("S", shapes, row("kept")), copied).canonical.text == "S\n\nkept"


def test_too_many_sheets_are_refused(odf: OpenKit) -> None:
    with pytest.raises(RefusedInput) as refused:
        read(odf, *(sheet(f"S{n}", row("x")) for n in range(4)), max_pages=3)
    assert refused.value.code == "too_many_pages"
