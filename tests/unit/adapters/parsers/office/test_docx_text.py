"""The text of Word paragraphs: what is printed is read, once and in order; what isn't printed is left out."""

import zipfile
from pathlib import Path
from typing import Any

import pytest


def run(content: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr>{content}</w:r>"


def t(text: str) -> str:
    return run(f'<w:t xml:space="preserve">{text}</w:t>')


def char(kind: str) -> str:
    return run(f'<w:fldChar w:fldCharType="{kind}"/>')


def code(text: str) -> str:
    return run(f"<w:instrText>{text}</w:instrText>")


BOX = "<w:txbxContent><w:p><w:r><w:t>In the box.</w:t></w:r></w:p></w:txbxContent>"


@pytest.mark.parametrize(
    ("runs", "printed"),
    [
        (t("One ") + t("sentence.") + run("<w:tab/><w:t>Tab</w:t>"), "One sentence. Tab"),
        (t("Two") + run("<w:br/>") + t("lines"), "Two\nlines"),
        (t("a") + run('<w:br w:type="page"/>') + t("b") + run("<w:cr/>") + t("c"), "a\nb\nc"),
        (t("well") + run("<w:noBreakHyphen/>") + t("known"), "well-known"),
        (t("hy") + run("<w:softHyphen/>") + t("phen") + t("a\u00adtion"), "hyphenation"),
        (t("many    blanks\u00a0 here ") + t(" there"), "many blanks here there"),
        (run('<w:sym w:font="Symbol" w:char="F06D"/>') + t("m"), "μm"),
        (run('<w:sym w:font="Wingdings" w:char="F0FE"/>') + t(" yes"), "☑ yes"),
        (run('<w:sym w:font="Webdings" w:char="F0FE"/>') + t("yes"), "yes"),
        (run("<w:t>\uf061 \uf03d 1</w:t>", '<w:rFonts w:ascii="Symbol"/>'), "α = 1"),
        (t("a ") + f"<w:ins>{t('new ')}</w:ins><w:del>{run('<w:delText>old</w:delText>')}</w:del>" + t("b"), "a new b"),
        (f"<w:moveFrom>{t('gone ')}</w:moveFrom><w:moveTo>{t('come ')}</w:moveTo>" + t("x"), "come x"),
        (f"<w:ins><w:del>{t('never')}</w:del></w:ins>" + t("x"), "x"),
        (f'<w:hyperlink r:id="r9">{t("a link")}</w:hyperlink>' + t("."), "a link."),
        (f"<w:smartTag>{t('smart')}</w:smartTag><w:bdo>{t('bdo')}</w:bdo><w:customXml>{t('xml')}</w:customXml>", "smartbdoxml"),
        (f"<w:sdt><w:sdtPr><w:alias w:val='no'/></w:sdtPr><w:sdtContent>{t('control')}</w:sdtContent></w:sdt>", "control"),
        (char("begin") + code(" PAGE ") + char("separate") + t("7") + char("end") + t(" pages"), "7 pages"),
        (char("begin") + code(" TITLE ") + char("end") + t("x"), "x"),
        (
            char("begin") + code("IF ") + char("begin") + code("MERGEFIELD a") + char("separate") + t("hidden") + char("end")
            + code(' = "a" "b"') + char("separate") + t("shown") + char("end"),
            "shown",
        ),
        (f'<w:fldSimple w:instr="REF x">{t("result")}</w:fldSimple>', "result"),
        (run("<w:t>seen</w:t>") + run("<w:t>unseen</w:t>", "<w:vanish/>") + run("<w:t>!</w:t>", '<w:vanish w:val="0"/>'), "seen!"),
        (run("<w:t>web</w:t>", "<w:webHidden/>"), "web"),
        (t("x") + run('<w:commentReference w:id="0"/>') + run("<w:annotationRef/>"), "x"),
        (run("<w:ruby><w:rt><w:r><w:t>か</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢字</w:t></w:r></w:rubyBase></w:ruby>"), "漢字"),
        (t("a &amp; b &lt;c&gt;"), "a & b <c>"),
    ],
)  # fmt: skip
def test_a_paragraph_reads_as_it_is_printed(office: Any, runs: str, printed: str) -> None:
    assert office.lines(office.docx(office.paragraph(runs=runs))) == [printed]


def test_text_behind_a_field_that_never_ends_is_not_lost(office: Any) -> None:
    endless = office.paragraph(runs=t("a ") + char("begin") + code("PAGE") + t("b"))
    assert office.lines(office.docx(endless, office.paragraph("Next."), endless)) == ["a b", "Next.", "a b"]


def test_a_table_of_contents_over_several_paragraphs_keeps_its_entries(office: Any) -> None:
    first = office.paragraph(runs=char("begin") + code("TOC") + char("separate") + t("Fees") + run("<w:tab/>") + t("3"))
    path = office.docx(first, office.paragraph("Fines 4"), office.paragraph(runs=char("end")), office.paragraph("Text."))
    assert office.lines(path) == ["Fees 3", "Fines 4", "Text."]


def test_a_paragraph_whose_end_was_deleted_goes_on_in_the_next(office: Any) -> None:
    gone = "<w:rPr><w:del/></w:rPr>"
    path = office.docx(office.paragraph("One ", properties=gone), office.paragraph("sentence."), office.paragraph("Next."))
    assert office.lines(path) == ["One sentence.", "Next."]
    alone = office.docx(
        office.paragraph("One", properties=gone), office.table(office.row("a", "b")), office.paragraph("Two", properties=gone)
    )
    assert office.lines(alone) == ["One", "| a | b |", "Two"]


def test_a_style_can_hide_text_and_a_run_can_show_it(office: Any) -> None:
    hide = "<w:rPr><w:vanish/></w:rPr>"
    styles = office.style("H", "Hidden", properties=hide) + office.style("C", "Unseen", properties=hide, kind="character")
    shown = run("<w:t>shown</w:t>", '<w:vanish w:val="false"/>')
    path = office.docx(
        office.paragraph(runs=t("hidden ") + shown, style="H"),
        office.paragraph(runs=t("seen") + run("<w:t>unseen</w:t>", '<w:rStyle w:val="C"/>')),
        styles=styles,
    )
    assert office.lines(path) == ["shown", "seen"]


@pytest.mark.parametrize(
    "drawing",
    [
        f"<w:drawing><wps:txbx>{BOX}</wps:txbx></w:drawing>",
        f"<w:pict><v:textbox>{BOX}</v:textbox></w:pict>",
        (
            "<mc:AlternateContent>"
            f'<mc:Choice Requires="wps"><w:drawing><wps:txbx>{BOX}</wps:txbx></w:drawing></mc:Choice>'
            f"<mc:Fallback><w:pict><v:textbox>{BOX}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent>"
        ),
        (
            '<mc:AlternateContent><mc:Choice Requires="vendor"><w:drawing/></mc:Choice>'
            f"<mc:Fallback><w:pict><v:textbox>{BOX}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent>"
        ),
        f"<w:object><v:shape><v:textbox>{BOX}</v:textbox></v:shape></w:object>",
    ],
)
def test_a_text_box_is_read_once_behind_its_paragraph(office: Any, drawing: str) -> None:
    path = office.docx(office.paragraph(runs=t("Anchor ") + run(drawing) + t("here.")), office.paragraph("After."))
    assert office.lines(path) == ["Anchor here.", "In the box.", "After."]


def test_the_words_of_an_old_wordart_are_read(office: Any) -> None:
    path = office.docx(office.paragraph(runs=t("Text.") + run('<w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict>')))
    assert office.lines(path) == ["Text.", "DRAFT"]


def test_a_text_box_in_a_text_box_and_a_control_in_a_box_are_read_once(office: Any) -> None:
    inner = f"<w:pict><v:textbox>{BOX}</v:textbox></w:pict>"
    control = f"<w:sdt><w:sdtContent>{office.paragraph('Control.')}</w:sdtContent></w:sdt>"
    outer = f"<w:txbxContent>{office.paragraph(runs=t('Outer.') + run(inner))}{control}</w:txbxContent>"
    path = office.docx(office.paragraph(runs=run(f"<w:drawing><wps:txbx>{outer}</wps:txbx></w:drawing>")))
    assert office.lines(path) == ["Outer.", "In the box.", "Control."]


def notes(kind: str, **texts: str) -> str:
    separator = f'<w:{kind} w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:{kind}>'
    return separator + "".join(
        f'<w:{kind} w:id="{key[1:]}"><w:p><w:r><w:{kind}Ref/></w:r><w:r><w:t> {text}</w:t></w:r></w:p></w:{kind}>'
        for key, text in texts.items()
    )


def test_notes_are_lifted_out_in_the_order_of_the_text_with_their_numbers(office: Any) -> None:
    def ref(kind: str, number: int, extra: str = "") -> str:
        return run(f'<w:{kind}Reference w:id="{number}"{extra}/>')

    body = (
        office.paragraph(runs=t("Fees") + ref("footnote", 3) + t(" are due") + ref("endnote", 2) + t(".")),
        office.paragraph(
            runs=t("Fines") + ref("footnote", 1) + t(" too") + ref("footnote", 4, ' w:customMarkFollows="1"') + t("*.")
        ),
    )
    parts = {
        "word/footnotes.xml": office.root("w:footnotes", notes("footnote", n1="One.", n3="Three.", n4="* Star.", n9="Unused.")),
        "word/endnotes.xml": office.root("w:endnotes", notes("endnote", n2="End.")),
    }
    relations = {"f": ("footnotes", "footnotes.xml"), "g": ("endnotes", "endnotes.xml")}
    assert office.blocks(office.docx(*body, parts=parts, relations=relations)) == [
        ("body", 0, "Fees are due."),
        ("body", 0, "Fines too*."),
        ("footnote", 0, "1 Three."),
        ("footnote", 0, "2 One."),
        ("footnote", 0, "* Star."),
        ("footnote", 0, "i End."),
    ]


def math(content: str) -> str:
    return f"<m:oMath>{content}</m:oMath>"


def m(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("equation", "line"),
    [
        (m("A=π") + f"<m:sSup><m:e>{m('r')}</m:e><m:sup>{m('2')}</m:sup></m:sSup>", "A=πr^2"),
        (f"<m:f><m:num>{m('a+b')}</m:num><m:den>{m('2c')}</m:den></m:f>" + m("d"), "(a+b)/2c d"),
        (f"<m:sSub><m:e>{m('x')}</m:e><m:sub>{m('n+1')}</m:sub></m:sSub>{m('y')}", "x_(n+1) y"),
        (f"<m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/><m:e>{m('x+1')}</m:e></m:rad>", "√(x+1)"),
        (f"<m:rad><m:deg>{m('3')}</m:deg><m:e>{m('x')}</m:e></m:rad>", "∛(x)"),
        (
            (
                f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{m("k=0")}</m:sub><m:sup>{m("n")}</m:sup>'
                f"<m:e>{m('k')}</m:e></m:nary>"
            ),
            "∑_(k=0)^n k",
        ),
        (f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>{m("a")}</m:e><m:e>{m("b")}</m:e></m:d>', "[a|b]"),
        (f"<m:func><m:fName>{m('sin')}</m:fName><m:e>{m('x')}</m:e></m:func>", "sin x"),
        (
            f"<m:m><m:mr><m:e>{m('a')}</m:e><m:e>{m('b')}</m:e></m:mr><m:mr><m:e>{m('c')}</m:e><m:e>{m('d')}</m:e></m:mr></m:m>",
            "a, b; c, d",
        ),
        (m("\U0001d465=\U0001d7d1"), "x=3"),
        (f"<m:acc><m:e>{m('x')}</m:e></m:acc>", "x\u0302"),
    ],
)
def test_an_equation_reads_as_one_line(office: Any, equation: str, line: str) -> None:
    path = office.docx(
        office.paragraph(runs=t("So ") + math(equation) + t(" holds.")), f"<m:oMathPara>{math(equation)}</m:oMathPara>"
    )
    assert office.lines(path) == [f"So {line} holds.", line]


def test_every_character_leads_to_its_number_in_the_file(office: Any) -> None:
    path = office.docx(
        office.paragraph(runs=t("One  ") + char("begin") + code("X") + char("separate") + t("two") + char("end")),
        office.item("Three"),
    )
    canonical = office.read(path).canonical
    taken = "One  twoThree"
    assert canonical.text == "One two\n\nThree"
    places = {run.start + at: run.index + at for run in canonical.runs for at in range(run.length)}
    assert all(canonical.text[at] == taken[index] for at, index in places.items())
    assert len(places) == len("OnetwoThree")
    assert {run.page for run in canonical.runs} == {0}


def test_the_strict_form_of_the_standard_reads_the_same(office: Any, tmp_path: Path) -> None:
    path = office.docx(office.paragraph("Fees", style="T"), office.paragraph("Text."), styles=office.style("T", "heading 1"))
    strict = tmp_path / "strict.docx"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(strict, "w") as new:
        for name in old.namelist():
            text = old.read(name).decode()
            for family in ("wordprocessingml", "officeDocument"):
                text = text.replace(f"http://schemas.openxmlformats.org/{family}/2006/", f"http://purl.oclc.org/ooxml/{family}/")
            new.writestr(name, text)
    assert office.blocks(strict) == office.blocks(path) == [("heading", 1, "Fees"), ("body", 0, "Text.")]


HTML = "<h2>Fees</h2><p>The fee is <b>40</b> &euro;.</p><script>no()</script><table><tr><td>a<td>b</table>"
ARCHIVE = f"""MIME-Version: 1.0
Content-Type: multipart/related; boundary="x"

--x
Content-Type: text/html; charset="utf-8"
Content-Transfer-Encoding: quoted-printable

{HTML.replace("=", "=3D")}
--x--
"""


@pytest.mark.parametrize(
    ("name", "content"), [("c.html", HTML), ("c.xhtml", f"<html><body>{HTML}</body></html>"), ("c.mht", ARCHIVE)]
)
def test_a_web_page_inside_a_document_is_read_in_its_place(office: Any, name: str, content: str) -> None:
    path = office.docx(
        office.paragraph("Before."),
        '<w:altChunk r:id="y"/>',
        office.paragraph("After."),
        parts={f"word/{name}": content},
        relations={"y": ("aFChunk", name)},
    )
    assert office.blocks(path) == [
        ("body", 0, "Before."),
        ("heading", 2, "Fees"),
        ("body", 0, "The fee is 40 €."),
        ("table", 0, "| a | b |"),
        ("body", 0, "After."),
    ]
    indexes = [run.index for run in office.read(path).canonical.runs]
    assert indexes == sorted(indexes)


def test_a_text_inside_a_document_is_read_and_other_formats_are_passed_over(office: Any) -> None:
    body = ('<w:altChunk r:id="t"/><w:altChunk r:id="d"/>', office.paragraph("After."))
    relations = {"t": ("aFChunk", "c.txt"), "d": ("aFChunk", "c.rtf")}
    path = office.docx(*body, parts={"word/c.txt": "One.\n\nTwo.", "word/c.rtf": "{\\rtf x}"}, relations=relations)
    assert office.lines(path) == ["One.", "Two.", "After."]


def test_documents_inside_a_document_and_pictures_are_passed_over(office: Any) -> None:
    path = office.docx(
        office.paragraph("Master."),
        '<w:subDoc r:id="x"/><w:altChunk r:id="y"/>',
        office.paragraph(runs=run('<w:drawing><a:blip r:embed="z"/></w:drawing>')),
        office.paragraph("End."),
    )
    assert office.lines(path) == ["Master.", "End."]
