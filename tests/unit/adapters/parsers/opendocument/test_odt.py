"""OpenDocument texts: what a program prints of them is read once, in its order, and nothing else."""

import pytest
from tests.unit.adapters.parsers.opendocument.conftest import OpenKit, root

from pincite.core.errors import RefusedInput

LIST_STYLE = """<text:list-style style:name="L">
<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
<text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/>
<text:list-level-style-number text:level="3" style:num-format="i" text:display-levels="3" text:start-value="4"/>
</text:list-style>
<text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style>"""
OUTLINE = """<text:outline-style style:name="Outline">
<text:outline-level-style text:level="1" style:num-format="1"/>
<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>
</text:outline-style>"""


def paragraph(text: str, style: str = "") -> str:
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def heading(text: str, level: int = 1) -> str:
    return f'<text:h text:outline-level="{level}">{text}</text:h>'


def items(*texts: str, style: str = "L", more: str = "") -> str:
    inside = "".join(f"<text:list-item>{text if text.startswith('<') else paragraph(text)}</text:list-item>" for text in texts)
    return f'<text:list text:style-name="{style}" {more}>{inside}</text:list>'


def hiding(name: str, family: str, *, parent: str = "", shown: str = "none") -> str:
    return (
        f'<style:style style:name="{name}" style:family="{family}" style:parent-style-name="{parent}">'
        f'<style:text-properties text:display="{shown}"/></style:style>'
    )


def test_words_and_what_stands_between_them_keep_their_order(odf: OpenKit) -> None:
    inside = 'One<text:s text:c="3"/>two <text:span>three</text:span>-<text:a>four</text:a><text:tab/>five<text:line-break/>six.'
    body = paragraph(inside)
    assert odf.text(body) == [("body", "One two three-four five\nsix.")]


def test_headings_are_numbered_as_the_outline_says(odf: OpenKit) -> None:
    body = heading("Terms") + heading("Notice", 2) + heading("Term", 2) + heading("Price") + heading("Due", 2)
    read = odf.text(body, styles=OUTLINE)
    assert [text for _, text in read] == ["1 Terms", "1.1 Notice", "1.2 Term", "2 Price", "2.1 Due"]
    assert {role for role, _ in read} == {"heading"}


def test_titles_and_captions_are_told_by_styles_derived_from_them(odf: OpenKit) -> None:
    automatic = '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    styles = '<style:style style:name="Figure" style:family="paragraph" style:parent-style-name="Caption"/>'
    body = paragraph("Lease", "P1") + paragraph("Figure 1: The hall", "Figure")
    path = odf.file("text", body, automatic=automatic, styles=styles)
    assert odf.blocks(path) == [("heading", "Lease"), ("caption", "Figure 1: The hall")]
    assert odf.read(path).title == "Lease"


def test_items_have_the_numbers_that_are_printed(odf: OpenKit) -> None:
    inner = paragraph("second") + items("deep", items("deeper", "and more", style="")[0:], style="")
    body = items("first", inner) + paragraph("Between.") + items("third", more='text:continue-numbering="true"') + items("anew")
    assert [text for _, text in odf.text(body, automatic=LIST_STYLE)] == [
        "1. first",
        "2. second",
        "(a) deep",
        "2.a.iv deeper",
        "2.a.v and more",
        "Between.",
        "3. third",
        "1. anew",
    ]


def test_an_item_has_its_bullet_once_and_a_list_goes_on_by_its_name(odf: OpenKit) -> None:
    body = items(paragraph("one") + paragraph("more of it"), style="B") + items("a", more='xml:id="x"') + items("other")
    body += items("b", more='text:continue-list="x"')
    assert [text for _, text in odf.text(body, automatic=LIST_STYLE)] == ["- one", "more of it", "1. a", "1. other", "2. b"]


def test_what_nobody_sees_is_left_out(odf: OpenKit) -> None:
    automatic = hiding("H", "text") + hiding("PH", "paragraph") + hiding("Child", "text", parent="H", shown="true")
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion></text:changed-region></text:tracked-changes>"
        '<text:p>Seen<text:span text:style-name="H"> secret <text:span text:style-name="Child">shown</text:span></text:span>'
        "<office:annotation><text:p>comment</text:p></office:annotation><text:change/> and told"
        '<text:hidden-text text:is-hidden="true">hidden field</text:hidden-text>.</text:p>'
        + paragraph("hidden paragraph", "PH")
        + '<text:p><text:hidden-paragraph text:is-hidden="true"/>hidden by a field</text:p>'
        '<text:section text:display="none"><text:p>hidden section</text:p></text:section>'
        "<text:section><text:p>Open section.</text:p></text:section>"
    )
    assert odf.text(body, automatic=automatic) == [("body", "Seenshown and told."), ("body", "Open section.")]


def test_notes_come_last_with_their_marks(odf: OpenKit) -> None:
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>{}</text:note-citation>'
        "<text:note-body><text:p>{}</text:p></text:note-body></text:note>"
    )
    body = f"<text:p>Rent{note.format(1, 'In euros.')} is due{note.format('*', 'Monthly.')} soon.</text:p><text:p>End.</text:p>"
    assert odf.text(body) == [
        ("body", "Rent is due soon."),
        ("body", "End."),
        ("footnote", "1 In euros."),
        ("footnote", "* Monthly."),
    ]


def test_headers_and_footers_of_the_pages_in_use_are_read_once(odf: OpenKit) -> None:
    masters = "".join(
        f'<style:master-page style:name="{name}"><style:header><text:p>{name} head</text:p></style:header>'
        f'<style:header-left style:display="false"><text:p>never</text:p></style:header-left>'
        "<style:footer><text:p>House</text:p></style:footer></style:master-page>"
        for name in ("Standard", "Cover", "Unused")
    )
    automatic = '<style:style style:name="P1" style:family="paragraph" style:master-page-name="Cover"/>'
    read = odf.text(paragraph("Text.", "P1"), automatic=automatic, masters=masters)
    assert read == [("body", "Text."), ("header", "Standard head"), ("header", "Cover head"), ("footer", "House")]


def test_tables_have_their_merged_and_repeated_cells(odf: OpenKit) -> None:
    def cell(text: str, more: str = "") -> str:
        return f"<table:table-cell {more}>{paragraph(text)}</table:table-cell>"

    head = cell("Part") + cell("Price") + cell("Stock")
    first = cell("Pump", 'table:number-rows-spanned="2"') + cell("7") + cell("x")
    second = "<table:covered-table-cell/>" + cell("8", 'table:number-columns-repeated="2"')
    rows = "".join(f"<table:table-row>{each}</table:table-row>" for each in (first, second))
    rows = f"<table:table-header-rows><table:table-row>{head}</table:table-row></table:table-header-rows>{rows}"
    assert odf.text(f"<table:table>{rows}</table:table>") == [
        ("table", "| Part | Price | Stock |\n| Pump | 7 | x |\n| Pump | 8 | 8 |")
    ]


def test_what_is_drawn_is_read_behind_its_paragraph(odf: OpenKit) -> None:
    chart = root(
        "document-content",
        "<office:body><office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title>"
        "<table:table><table:table-row><table:table-cell/><table:table-cell><text:p>2024</text:p></table:table-cell></table:table-row>"
        "<table:table-row><table:table-cell><text:p>North</text:p></table:table-cell><table:table-cell><text:p>12</text:p></table:table-cell>"
        "</table:table-row></table:table></chart:chart></office:chart></office:body>",
    )
    formula = '<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac><mi>a</mi><mi>b</mi></mfrac></math>'
    frame = '<draw:frame><draw:object xlink:href="./{}"/><draw:image xlink:href="./Pictures/stand-in.png"/></draw:frame>'
    body = (
        "<text:p>Before<draw:frame><draw:text-box><text:p>In a box.</text:p></draw:text-box></draw:frame> and after.</text:p>"
        f"<text:p>{frame.format('Chart 1')}</text:p><text:p>{frame.format('Formula')}</text:p>"
        '<text:p><draw:frame><draw:image xlink:href="Pictures/one.png"/><svg:desc>told</svg:desc></draw:frame></text:p>'
        '<text:p><draw:frame><draw:image xlink:href="https://elsewhere.example/two.png"/></draw:frame></text:p>'
    )
    parts = {
        "Chart 1/content.xml": chart,
        "Formula/content.xml": formula,
        "Pictures/one.png": b"png",
        "Pictures/stand-in.png": b"p",
    }
    document = odf.read(odf.file("text", body, parts=parts))
    assert document.canonical.text.split("\n\n") == [
        "Before and after.",
        "In a box.",
        "Sales",
        "| | 2024 |\n| North | 12 |",
        "a/b",
    ]
    assert [figure.source for figure in document.figures] == ["Pictures/one.png"]


def test_places_are_the_same_each_time_and_hold_what_is_read(odf: OpenKit) -> None:
    path = odf.file("text", heading("Terms") + paragraph("Rent is due <text:span>monthly</text:span>."))
    first, second = odf.read(path).canonical, odf.read(path).canonical
    assert first == second
    assert first.runs[-1].index + first.runs[-1].count == len("TermsRent is due monthly.")


def test_locked_files_are_named(odf: OpenKit) -> None:
    locked = (
        '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>',
        '<manifest:file-entry manifest:full-path="encrypted-package"><manifest:encryption-data/></manifest:file-entry>',
    )
    for entry in locked:
        manifest = root("manifest", entry).replace("office:manifest", "manifest:manifest")
        path = odf.file("text", paragraph("x"), parts={"META-INF/manifest.xml": manifest})
        with pytest.raises(RefusedInput, match="password") as refused:
            odf.read(path)
        assert refused.value.code == "encrypted"


def test_a_broken_list_of_parts_keeps_nobody_from_the_text(odf: OpenKit) -> None:
    path = odf.file("text", paragraph("Still here."), parts={"META-INF/manifest.xml": "<manifest:manifest/>"})
    assert odf.blocks(path) == [("body", "Still here.")]


@pytest.mark.parametrize("variant", ["text-template", "text-master", "text-web"])
def test_variants_of_a_kind_are_read_like_it(odf: OpenKit, variant: str) -> None:
    path = odf.file("text", paragraph("A letter."), parts={"mimetype": f"application/vnd.oasis.opendocument.{variant}"})
    assert odf.blocks(path) == [("body", "A letter.")]


def test_files_without_text_of_their_own_are_named(odf: OpenKit) -> None:
    path = odf.file("text", paragraph("x"), parts={"mimetype": "application/vnd.oasis.opendocument.formula"})
    with pytest.raises(RefusedInput, match="OpenDocument file without text") as refused:
        odf.read(path)
    assert refused.value.code == "unsupported"


HOSTILE = {
    "entities": ('<!DOCTYPE x [<!ENTITY a "aaaa">]>' + root("document-content", "<office:body>&a;</office:body>"), "corrupt"),
    "an outer entity": (
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + root("document-content", "<office:body>&a;</office:body>"),
        "corrupt",
    ),
    "depth": (
        root("document-content", "<office:body><office:text>" + "<text:section>" * 5000 + "</text:section>" * 5000)
        + "</office:text></office:body>",
        "too_deep",
    ),
    "a cut": (root("document-content", "<office:body><office:text><text:p>x</text:p>")[:-40], "corrupt"),
}


@pytest.mark.parametrize(("content", "code"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_are_refused(odf: OpenKit, content: str, code: str) -> None:
    path = odf.file("text", "", parts={"content.xml": content})
    with pytest.raises(RefusedInput) as refused:
        odf.read(path)
    assert refused.value.code == code


def test_numbers_that_lie_about_their_size_are_bounded(odf: OpenKit) -> None:
    huge = 'table:number-columns-repeated="99999999" table:number-columns-spanned="99999999"'
    cell = f"<table:table-cell {huge}>{paragraph('x')}</table:table-cell>"
    row = f'<table:table-row table:number-rows-repeated="99999999">{cell * 3}</table:table-row>'
    style = '<style:style style:name="A" style:family="paragraph" style:parent-style-name="A"/>'
    body = f'<table:table>{row}</table:table><text:p text:style-name="A">end<text:s text:c="999999999"/>.</text:p>'
    blocks = odf.text(body, automatic=style)
    assert blocks[-1] == ("body", "end .")
    assert sum(len(text) for _, text in blocks) < 200_000
