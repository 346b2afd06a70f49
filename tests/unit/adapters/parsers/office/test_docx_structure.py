"""The structure of Word documents: headings, lists, tables, captions, headers, titles."""

from typing import Any

import pytest

OUTLINE = '<w:pPr><w:outlineLvl w:val="{}"/></w:pPr>'


def roles(blocks: list[tuple[str, int, str]]) -> list[tuple[str, int]]:
    return [(role, level) for role, level, _ in blocks]


def test_headings_are_known_by_their_styles_in_every_language_and_by_derivation(office: Any) -> None:
    styles = "".join(
        (
            office.style("berschrift1", "heading 1"),
            office.style("2", "Heading 2", properties=OUTLINE.format(1)),
            office.style("Eigene", "Eigene Überschrift", based_on="2"),
            office.style("Deeper", "Deeper", based_on="Eigene", properties=OUTLINE.format(3)),
            office.style("Plain", "Plain", based_on="2", properties=OUTLINE.format(9)),
            office.style("Loop", "Loop", based_on="Loop2") + office.style("Loop2", "Loop 2", based_on="Loop"),
            office.style("Lone", "Own outline", properties=OUTLINE.format(0)),
            office.style("TOC", "TOC Heading", based_on="berschrift1", properties=OUTLINE.format(9)),
        )
    )
    used = ("berschrift1", "2", "Eigene", "Deeper", "Plain", "Loop", "Lone", "TOC", "missing")
    path = office.docx(
        *(office.paragraph(name, style=name) for name in used),
        office.paragraph("Direct", properties='<w:outlineLvl w:val="4"/>'),
        styles=styles,
    )
    levels = [1, 2, 2, 4, 0, 0, 1, 1, 0, 5]
    assert roles(office.blocks(path)) == [("heading" if level else "body", level) for level in levels]


def test_built_in_styles_that_the_file_uses_but_does_not_hold_are_known_by_their_ids(office: Any) -> None:
    path = office.docx(*(office.paragraph(name, style=name) for name in ("Title", "Heading1", "heading 3", "Caption", "Heading")))
    assert roles(office.blocks(path)) == [("heading", 1), ("heading", 1), ("heading", 3), ("caption", 0), ("body", 0)]


LEVELS = (
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="{}"/><w:lvlText w:val="%1."/>{}</w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>'
    '<w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="\uf0b7"/></w:lvl>'
)


def abstract(number: int, levels: str) -> str:
    return f'<w:abstractNum w:abstractNumId="{number}">{levels}</w:abstractNum>'


def num(list_id: int, definition: int, override: str = "") -> str:
    return f'<w:num w:numId="{list_id}"><w:abstractNumId w:val="{definition}"/>{override}</w:num>'


def restart(level: int, start: int) -> str:
    return f'<w:lvlOverride w:ilvl="{level}"><w:startOverride w:val="{start}"/></w:lvlOverride>'


def test_items_have_the_numbers_and_bullets_that_are_printed(office: Any) -> None:
    numbering = abstract(0, LEVELS.format("decimal", "")) + num(1, 0) + num(2, 0) + num(3, 0, restart(0, 5))
    path = office.docx(
        office.item("one"),
        office.item("a", level=1),
        office.item("dot", level=2),
        office.item("b", level=1),
        office.paragraph("between"),
        office.item("two"),
        office.item("again a", level=1),
        office.item("same definition", list_id=2),
        office.item("restarted", list_id=3),
        office.item("unknown list", list_id=9),
        office.item("no list", list_id=0),
        numbering=numbering,
    )
    assert office.lines(path) == [
        "1. one",
        "1.a) a",
        "- dot",
        "1.b) b",
        "between",
        "2. two",
        "2.a) again a",
        "3. same definition",
        "5. restarted",
        "unknown list",
        "no list",
    ]


@pytest.mark.parametrize(
    ("style", "printed"),
    [
        ("decimal", "12."),
        ("decimalZero", "12."),
        ("upperRoman", "XII."),
        ("lowerRoman", "xii."),
        ("upperLetter", "L."),
        ("ordinal", "12th."),
        ("chineseCounting", "十二."),
        ("decimalEnclosedCircle", "⑫."),
        ("none", "."),
        ("someDayInvented", "12."),
    ],
)
def test_numbers_are_printed_in_their_style(office: Any, style: str, printed: str) -> None:
    numbering = abstract(0, LEVELS.format(style, "")) + num(1, 0, restart(0, 12))
    assert office.lines(office.docx(office.item("x"), numbering=numbering)) == [f"{printed} x"]


def test_headings_carry_the_number_that_their_style_gives_them(office: Any) -> None:
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:pStyle w:val="H{level + 1}"/><w:numFmt w:val="{style}"/><w:isLgl/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for level, style, text in ((0, "upperRoman", "Article %1"), (1, "decimal", "%1.%2"))
    )
    styles = "".join(
        office.style(f"H{level}", f"heading {level}", properties='<w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr>')
        for level in (1, 2)
    )
    off = '<w:numPr><w:numId w:val="0"/></w:numPr>'
    path = office.docx(
        office.paragraph("Fees", style="H1"),
        office.paragraph("Amount", style="H2"),
        office.paragraph("Date", style="H2"),
        office.paragraph("Annex", style="H1", properties=off),
        office.paragraph("Fines", style="H1"),
        styles=styles,
        numbering=abstract(3, levels) + num(7, 3),
    )
    assert office.blocks(path) == [
        ("heading", 1, "Article 1 Fees"),
        ("heading", 2, "1.1 Amount"),
        ("heading", 2, "1.2 Date"),
        ("heading", 1, "Annex"),
        ("heading", 1, "Article 2 Fines"),
    ]


def test_a_numbering_style_and_a_level_that_never_restarts_are_followed(office: Any) -> None:
    linked = '<w:numStyleLink w:val="S"/>'
    never = '<w:lvl w:ilvl="0"><w:lvlText w:val="%1."/></w:lvl>'
    never += '<w:lvl w:ilvl="1"><w:lvlRestart w:val="0"/><w:lvlText w:val="(%2)"/></w:lvl>'
    numbering = abstract(0, linked) + abstract(1, never) + num(1, 0) + num(5, 1)
    styles = office.style("S", "My list", kind="numbering", properties='<w:pPr><w:numPr><w:numId w:val="5"/></w:numPr></w:pPr>')
    path = office.docx(
        *(office.item("x", level=level) for level in (0, 1, 0, 1)),
        numbering=numbering,
        styles=styles,
    )
    assert office.lines(path) == ["1. x", "(1) x", "2. x", "(2) x"]


MERGED_DOWN, MERGED_ON = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"


def test_merged_cells_keep_their_columns_and_are_repeated_down(office: Any) -> None:
    wide = '<w:gridSpan w:val="2"/>'
    path = office.docx(
        office.table(
            office.row("Item", office.cell("Price", wide)),
            office.row(office.cell("Tea", MERGED_DOWN), "small", "1"),
            office.row(office.cell("", MERGED_ON), "large", "2"),
            office.row(office.cell("", MERGED_ON), "", ""),
            "<w:tr><w:trPr><w:gridBefore w:val='1'/></w:trPr>" + office.cell("only") + office.cell("3") + "</w:tr>",
        )
    )
    assert office.blocks(path) == [
        ("table", 0, "| Item | Price | |\n| Tea | small | 1 |\n| Tea | large | 2 |\n| | only | 3 |"),
    ]


def test_rows_and_cells_in_controls_are_read_and_deleted_rows_are_not(office: Any) -> None:
    control = "<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>"
    gone = f"<w:tr><w:trPr><w:del/></w:trPr>{office.cell('gone')}{office.cell('gone')}</w:tr>"
    kept = f"<w:tr>{control.format(office.cell('a'))}{office.cell('b' + '')}</w:tr>"
    path = office.docx(office.table(control.format(office.row("1", "2")), gone, kept))
    assert office.lines(path) == ["| 1 | 2 |\n| a | b |"]


def test_several_paragraphs_of_a_cell_stand_in_one_row_with_their_bullets(office: Any) -> None:
    cell = office.cell(office.paragraph("First.") + office.item("point") + office.paragraph("Last.", style="Caption"))
    numbering = abstract(0, '<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl>') + num(1, 0)
    path = office.docx(office.table(office.row("Key", cell)), numbering=numbering)
    assert office.blocks(path) == [("table", 0, "| Key | First. - point Last. |")]


def test_a_table_that_only_frames_text_is_read_as_text(office: Any) -> None:
    framed = office.table(office.row(office.paragraph("A note.") + office.paragraph("Its second paragraph.")))
    headed = office.table(office.row(office.paragraph("Left", style="Heading1") + office.paragraph("Text."), "Right"))
    nested = office.table(office.row("Outer", office.table(office.row("1", "2")) + office.paragraph("Behind.")))
    assert office.blocks(office.docx(framed, headed, nested)) == [
        ("body", 0, "A note."),
        ("body", 0, "Its second paragraph."),
        ("heading", 1, "Left"),
        ("body", 0, "Text."),
        ("body", 0, "Right"),
        ("body", 0, "Outer"),
        ("table", 0, "| 1 | 2 |"),
        ("body", 0, "Behind."),
    ]


def test_captions_are_captions(office: Any) -> None:
    styles = office.style("Beschriftung", "caption") + office.style("Own", "Figure text", based_on="Beschriftung")
    path = office.docx(office.paragraph("Figure 1", style="Beschriftung"), office.paragraph("Figure 2", style="Own"), styles=styles)
    assert office.blocks(path) == [("caption", 0, "Figure 1"), ("caption", 0, "Figure 2")]


def section(*references: tuple[str, str, str], first: bool = False) -> str:
    listed = "".join(f'<w:{kind}Reference w:type="{which}" r:id="{key}"/>' for kind, which, key in references)
    return f"<w:sectPr>{listed}{'<w:titlePg/>' if first else ''}</w:sectPr>"


def margins(office: Any) -> dict[str, Any]:
    names = ("h1", "h2", "h3", "f1")
    tags = {"h": "w:hdr", "f": "w:ftr"}
    return {
        "parts": {f"word/{name}.xml": office.root(tags[name[0]], office.paragraph(f"Text of {name}")) for name in names},
        "relations": {name: ("header" if name[0] == "h" else "footer", f"{name}.xml") for name in names},
    }


@pytest.mark.parametrize(
    ("first", "settings", "headers"),
    [
        (False, "", ["Text of h1"]),
        (True, "", ["Text of h1", "Text of h2"]),
        (False, "<w:evenAndOddHeaders/>", ["Text of h1", "Text of h3"]),
    ],
)
def test_headers_and_footers_are_lifted_out_as_far_as_they_are_shown(
    office: Any, first: bool, settings: str, headers: list[str]
) -> None:
    references = (
        ("header", "default", "h1"),
        ("header", "first", "h2"),
        ("header", "even", "h3"),
        ("footer", "default", "f1"),
        ("footer", "default", "lost"),
    )
    path = office.docx(
        office.paragraph("Body.", properties=section(*references, first=first)),
        office.paragraph("More."),
        section(("header", "default", "h1")),
        settings=settings,
        **margins(office),
    )
    expected = [("body", 0, "Body."), ("body", 0, "More.")]
    expected += [("header", 0, text) for text in headers] + [("footer", 0, "Text of f1")]
    assert sorted(office.blocks(path)) == sorted(expected)
    assert [role for role, _, _ in office.blocks(path)] == [role for role, _, _ in expected]


@pytest.mark.parametrize(
    ("declared", "styled", "title"),
    [
        ("Annual report", "", "Annual report"),
        ("Annual report", "Annual Report", "Annual report"),
        ("Template of 2003", "Annual report", "Annual report"),
        ("", "Annual report", "Annual report"),
        ("Microsoft Word Document", "Annual report", "Annual report"),
        ("report final.docx", "", "First heading"),
        ("Document1", "", "First heading"),
    ],
)
def test_the_title_is_the_declared_or_the_printed_one(office: Any, declared: str, styled: str, title: str) -> None:
    path = office.docx(
        office.paragraph(styled, style="Title") if styled else "",
        office.paragraph("Contents", style="Heading2"),
        office.paragraph("First heading", style="Heading1"),
        office.paragraph("Text."),
        title=declared,
    )
    assert office.read(path).title == title


def test_a_title_is_cut_where_it_is_longer_than_any_title(office: Any) -> None:
    title = office.read(office.docx(office.paragraph("long " * 2000, style="Title"))).title
    assert title is not None
    assert 200 < len(title) <= 300


def test_a_chart_and_a_diagram_say_what_they_show(office: Any) -> None:
    series = (
        "<c:ser><c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>{}</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        "<c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>North</c:v></c:pt><c:pt idx='1'><c:v>South</c:v></c:pt></c:strCache>"
        "</c:strRef></c:cat><c:val><c:numRef><c:numCache><c:formatCode>{}</c:formatCode><c:pt idx='0'><c:v>{}</c:v></c:pt>"
        "<c:pt idx='1'><c:v>{}</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>"
    )
    rows = series.format("Sales", "General", "4.4000000000000004", "12.0") + series.format("Share", "0%", "0.25", "0.75")
    rows += series.format("Since", "d/m/yyyy", "37261", "")
    chart = f"<c:title><a:p><a:r><a:t>Harvest</a:t></a:r></a:p></c:title>{rows}"
    points = (
        "<dgm:ptLst><dgm:pt type='doc'><dgm:t><a:p/></dgm:t></dgm:pt>"
        "<dgm:pt><dgm:t><a:p><a:r><a:t>Step one</a:t></a:r></a:p></dgm:t></dgm:pt>"
        "<dgm:pt type='pres'><dgm:t><a:p><a:r><a:t>again</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst>"
    )
    path = office.docx(
        office.paragraph(runs='<w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r>'),
        office.paragraph(runs='<w:r><w:drawing><dgm:relIds r:dm="d"/></w:drawing></w:r>'),
        office.paragraph(runs='<w:r><w:drawing><c:chart r:id="lost"/></w:drawing></w:r>'),
        parts={
            "word/charts/c.xml": office.root("c:chartSpace", chart),
            "word/diagrams/d.xml": office.root("dgm:dataModel", points),
        },
        relations={"c": ("chart", "charts/c.xml"), "d": ("diagramData", "diagrams/d.xml"), "lost": ("chart", "none.xml")},
    )
    assert office.blocks(path) == [
        ("caption", 0, "Harvest"),
        ("table", 0, "| | Sales | Share | Since |\n| North | 4.4 | 25% | 2002-01-05 |\n| South | 12 | 75% | |"),
        ("body", 0, "Step one"),
    ]
