"""Workbooks: what a sheet shows, which tables stand on it, and in which cells."""

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from pincite.adapters.parsers.media import read_file
from pincite.core.cells import cell_name, cell_range
from pincite.core.documents import BlockRole, ParsedDocument
from pincite.core.errors import RefusedInput

OOXML = "http://schemas.openxmlformats.org"
MAIN = f"{OOXML}/spreadsheetml/2006/main"
RELATED = f"{OOXML}/officeDocument/2006/relationships"
Rows = Sequence[Sequence[str | int | float | None]]
Book = Callable[..., ParsedDocument]
TEAMS: Rows = [["Team", "Town", "Cups"], ["Blues", "STL", 1], ["Maple Leafs", "TOR", 13]]


def cell(row: int, column: int, value: str | float | None) -> str:
    """A cell: a number, a text, or XML that begins with `<c`."""
    name = cell_name(row * 16_384 + column)
    match value:
        case None:
            return ""
        case str() if value.startswith("<"):
            return value.replace("<c", f'<c r="{name}"', 1)
        case str():
            return f'<c r="{name}" t="str"><v>{escape(value)}</v></c>'
        case _:
            return f'<c r="{name}"><v>{value}</v></c>'


def grid(rows: Rows, *, top: int = 0, left: int = 0) -> str:
    """Rows of cells as XML."""
    return "".join(
        f'<row r="{top + at + 1}">{"".join(cell(top + at, left + column, value) for column, value in enumerate(row))}</row>'
        for at, row in enumerate(rows)
    )


def relations(*kinds: tuple[str, str]) -> str:
    items = "".join(
        f'<Relationship Id="r{at}" Type="{RELATED}/{kind}" Target="{target}"/>' for at, (kind, target) in enumerate(kinds)
    )
    return f'<Relationships xmlns="{OOXML}/package/2006/relationships">{items}</Relationships>'


@pytest.fixture
def book(tmp_path: Path) -> Book:
    """Makes a workbook from its sheets (rows as XML) and other parts, and reads it."""

    def read(
        sheets: dict[str, str],
        *,
        behind: str = "",
        about: str = "",
        state: str = "",
        parts: dict[str, str] | None = None,
        max_chars: int = 100_000,
    ) -> ParsedDocument:
        names = list(sheets)
        listed = "".join(f'<sheet name="{escape(name)}" r:id="r{at}"{state if at else ""}/>' for at, name in enumerate(names))
        known = [("worksheet", f"sheet{at}.xml") for at in range(len(names))]
        packed = {
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELATED}">{about}<sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(*known, ("sharedStrings", "texts.xml"), ("styles", "styles.xml")),
            **{
                f"xl/sheet{at}.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData>{behind}</worksheet>'
                for at, rows in enumerate(sheets.values())
            },
            **(parts or {}),
        }
        path = tmp_path / "book.xlsx"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in packed.items():
                archive.writestr(name, text)
        return read_file(
            str(path),
            name="report",
            max_pages=10,
            max_chars=max_chars,
            max_depth=100,
            max_unpacked_bytes=1 << 28,
            on_page=lambda done, total: None,
        )

    return read


def blocks(document: ParsedDocument) -> list[tuple[str, str]]:
    text = document.canonical.text
    kinds = [f"{block.role.value}{block.level or ''}" for block in document.canonical.blocks]
    return list(zip(kinds, (text[block.start : block.end] for block in document.canonical.blocks), strict=True))


def place(document: ParsedDocument, text: str) -> tuple[int, str, str]:
    canonical = document.canonical
    at = canonical.text.index(text)
    span = canonical.page_spans(at, at + len(text))[0]
    return span.page, span.label, cell_range(canonical.runs_within(at, at + len(text)))


def test_a_sheet_is_a_page_with_its_name_and_a_quote_has_cells(book: Book) -> None:
    document = book({"Notes": grid([["Read me first."]]), "Cups": grid([["Stanley Cups"], *TEAMS])})
    assert blocks(document) == [
        ("heading1", "Notes"),
        ("body", "Read me first."),
        ("heading1", "Cups"),
        ("heading2", "Stanley Cups"),
        ("table", "| Team | Town | Cups |\n| Blues | STL | 1 |\n| Maple Leafs | TOR | 13 |"),
    ]
    assert place(document, "TOR") == (2, "Cups", "B4")
    assert place(document, "Maple Leafs | TOR | 13") == (2, "Cups", "A4:C4")
    assert [(page.number, page.label) for page in document.canonical.pages] == [(1, "Notes"), (2, "Cups")]


def test_tables_beside_and_under_each_other_are_told_apart(book: Book) -> None:
    prices: Rows = [["Item", "Price"], ["Pen", 2], ["Ink", 3], ["Pad", 4]]
    rows = "".join(
        f'<row r="{at + 1}">{"".join(cell(at, column, value) for column, value in enumerate(left))}'
        f"{''.join(cell(at, column + 4, value) for column, value in enumerate(right))}</row>"
        for at, (left, right) in enumerate(zip([*TEAMS, []], prices, strict=True))
    )
    document = book({"S": rows + grid([["Year", "Sum"], [2023, 5]], top=6)})
    assert [text.split("\n")[0] for kind, text in blocks(document) if kind == "table"] == [
        "| Team | Town | Cups |",
        "| Item | Price |",
        "| Year | Sum |",
    ]
    assert place(document, "Ink") == (1, "S", "E3")


def test_a_blank_column_or_row_inside_a_table_takes_no_row_apart(book: Book) -> None:
    rows = [["Account", None, "2023", "2022"], ["Sales", None, 5, 4], [], ["Costs", None, 3, 2]]
    document = book({"S": grid(rows)})
    assert blocks(document)[1:] == [("table", "| Account | 2023 | 2022 |\n| Sales | 5 | 4 |\n| Costs | 3 | 2 |")]


def test_a_line_over_one_table_does_not_hold_for_the_next(book: Book) -> None:
    document = book({"S": grid([["In 2023"], *TEAMS]) + grid([["Item", "Price"], ["Pen", 2]], top=8)})
    assert [kind for kind, _ in blocks(document)] == ["heading1", "heading2", "table", "heading1", "table"]


def test_numbers_stand_as_they_are_shown(book: Book) -> None:
    styles = (
        f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="170" formatCode="#,##0.00\\ &quot;€&quot;"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="170"/><xf numFmtId="14"/></cellXfs></styleSheet>'
    )
    values = [
        '<c s="1"><v>0.125</v></c>',
        '<c s="2"><v>1234.5</v></c>',
        '<c s="3"><v>42735</v></c>',
        '<c t="b"><v>1</v></c>',
        '<c t="e"><v>#DIV/0!</v></c>',
        "<c><f>A1+1</f><v>7</v></c>",
        "<c><f>SUM(A1:A2)</f></c>",
    ]
    document = book({"S": grid([values])}, about='<workbookPr date1904="1"/>', parts={"xl/styles.xml": styles})
    assert blocks(document)[1][1] == "| 13% | 1,234.50 € | 2021-01-01 | TRUE | #DIV/0! | 7 | =SUM(A1:A2) |"


def test_shared_and_inline_texts_are_read_without_the_readings_over_them(book: Book) -> None:
    texts = (
        f'<sst xmlns="{MAIN}"><si><r><t>Gre</t></r><r><t xml:space="preserve">en  tea_x000D_</t></r><rPh><t>no</t></rPh></si></sst>'
    )
    cells = ['<c t="s"><v>0</v></c>', '<c t="inlineStr"><is><t>a\nb</t></is></c>', '<c t="s"><v>9</v></c>']
    assert blocks(book({"S": grid([cells])}, parts={"xl/texts.xml": texts}))[1][1] == "| Green tea | a b |"


def test_a_cell_merged_over_rows_stands_in_each_of_them(book: Book) -> None:
    rows: Rows = [["Group", "Name", "Age"], ["North", "Ann", 3], [None, "Bo", 4], ["South", "Cy", 5]]
    document = book({"S": grid(rows)}, behind='<mergeCells><mergeCell ref="A2:A3"/></mergeCells>')
    assert "| North | Ann | 3 |\n| North | Bo | 4 |\n| South | Cy | 5 |" in document.canonical.text


def test_a_declared_table_keeps_its_head_and_comments_follow_the_sheet(book: Book) -> None:
    parts = {
        "xl/_rels/sheet0.xml.rels": relations(("table", "table.xml"), ("comments", "comments.xml")),
        "xl/table.xml": f'<table xmlns="{MAIN}" ref="A1:B3"/>',
        "xl/comments.xml": (
            f'<comments xmlns="{MAIN}"><commentList><comment ref="B2"><text><t>checked in May</t></text></comment>'
            "</commentList></comments>"
        ),
    }
    document = book({"S": grid([["Ann", "Bo"], ["Ann", "Bo"], ["Ann", "Cy"], ["Sum", "9"]])}, parts=parts)
    assert blocks(document)[1:] == [
        ("table", "| Ann | Bo |\n| Ann | Bo |\n| Ann | Cy |"),
        ("table", "| Sum | 9 |"),
        ("body", "B2: checked in May"),
    ]
    assert place(document, "checked in May") == (1, "S", "B2")


@pytest.mark.parametrize(("state", "is_read"), [(' state="hidden"', True), (' state="veryHidden"', False)])
def test_hidden_sheets_are_read_unless_no_menu_shows_them(book: Book, state: str, is_read: bool) -> None:
    document = book({"S": grid([["seen"]]), "T": grid([["hidden"]])}, state=state)
    assert ("hidden" in document.canonical.text) is is_read


def test_the_strict_form_and_cells_without_places_are_read(book: Book) -> None:
    strict = "http://purl.oclc.org/ooxml/spreadsheetml/main"
    rows = '<row><c t="str"><v>a</v></c><c><v>1</v></c></row><row><c/><c><v>2</v></c></row>'
    sheet = f'<worksheet xmlns="{strict}"><sheetData>{rows}</sheetData></worksheet>'
    document = book({"S": ""}, parts={"xl/sheet0.xml": sheet})
    assert place(document, "2") == (1, "S", "B2")


def test_rows_in_another_order_are_put_in_theirs(book: Book) -> None:
    document = book({"S": grid([["Blues", 1]], top=1) + grid([["Team", "Cups"]])})
    assert blocks(document)[1][1] == "| Team | Cups |\n| Blues | 1 |"


def test_two_cells_at_far_corners_take_no_space_between_them(book: Book) -> None:
    document = book({"S": grid([["near"]]) + grid([["far"]], top=1_048_575, left=16_383)})
    assert place(document, "far") == (1, "S", "XFD1048576")
    assert len(document.canonical.text) < 50


@pytest.mark.parametrize("ref", ["A0", "ZZZZ1", "A1048577", "1", "", "$", "A1B2"])
def test_names_that_name_no_cell_are_counted_on(book: Book, ref: str) -> None:
    document = book({"S": f'<row r="x"><c r="{ref}" t="str"><v>word</v></c></row>'})
    assert place(document, "word") == (1, "S", "A1")


def test_a_workbook_without_text_and_one_with_too_much_are_refused(book: Book) -> None:
    with pytest.raises(RefusedInput) as refused:
        book({"S": ""})
    assert refused.value.code == "no_text"
    with pytest.raises(RefusedInput, match="10,000 characters") as refused:
        book({"S": grid([["word " * 500]] * 10)}, max_chars=10_000)
    assert refused.value.code == "too_large"


def test_more_sheets_than_pages_may_be_are_refused(book: Book) -> None:
    with pytest.raises(RefusedInput) as refused:
        book({f"S{number}": grid([["x"]]) for number in range(11)})
    assert refused.value.code == "too_many_pages"


def test_a_table_block_holds_rows_alone(book: Book) -> None:
    document = book({"S": grid([["No", "Name"], *([number, f"name {number}"] for number in range(300))])})
    tables = [block for block in document.canonical.blocks if block.role is BlockRole.TABLE]
    assert len(tables) > 5
    assert all(document.canonical.text[block.start :].startswith("| No | Name |\n") for block in tables)
