"""Presentations: slides are pages, shapes are read in the order in which a person reads them, and boxes are their frames."""

from pathlib import Path
from typing import Any

import pytest

from pincite.adapters.parsers.office import office_boxes
from pincite.adapters.parsers.pptx_shapes import reading_order
from pincite.core.documents import PageSpan
from pincite.core.errors import RefusedInput

TITLE = 'type="title"'


def pages(office: Any, path: Path) -> list[tuple[int | None, str, str]]:
    canonical = office.read(path).canonical
    return [(block.page, str(block.role), canonical.text[block.start : block.end]) for block in canonical.blocks]


def boxes(office: Any, path: Path, phrase: str) -> list[tuple[int, list[int]]]:
    """Pages and rounded boxes of a phrase."""
    canonical = office.read(path).canonical
    start = canonical.text.index(phrase)
    runs = canonical.runs_within(start, start + len(phrase))
    found = office_boxes(str(path), [(run.page, run.index, run.count) for run in runs])
    pairs = [(run.page, [round(value) for value in box]) for run, group in zip(runs, found, strict=True) for box in group]
    return [pair for number, pair in enumerate(pairs) if pair not in pairs[:number]]


def test_slides_are_pages_with_their_size_and_number(office: Any) -> None:
    path = office.pptx(office.shape("One."), "", office.shape("Three."), size=(960, 540), attributes='firstSlideNum="7"')
    document = office.read(path)
    assert [(page.number, page.label, page.width, page.height) for page in document.canonical.pages] == [
        (1, "7", 960, 540),
        (2, "8", 960, 540),
        (3, "9", 960, 540),
    ]
    assert document.canonical.page_spans(6, 12) == (PageSpan(3, "9", 6, 12),)


def test_the_title_comes_first_and_the_rest_by_position(office: Any) -> None:
    path = office.pptx(
        office.shape("bottom", at=(50, 400, 200, 50))
        + office.shape("top right", at=(400, 100, 200, 50))
        + office.shape("nowhere", at=None)
        + office.shape("top left", at=(50, 105, 200, 50))
        + office.shape("The title", "in two lines", at=(50, 480, 200, 50), placeholder=TITLE)
    )
    assert pages(office, path) == [
        (1, "heading", "The title\nin two lines"),
        (1, "body", "top left"),
        (1, "body", "top right"),
        (1, "body", "bottom"),
        (1, "body", "nowhere"),
    ]


@pytest.mark.parametrize(
    ("rects", "order"),
    [
        # Two columns of unequal height are read one after the other.
        ([(300, 0, 400, 60), (0, 0, 100, 100), (300, 70, 400, 140), (0, 110, 100, 200), (300, 150, 400, 200)], [1, 3, 0, 2, 4]),
        # A grid is read by rows.
        ([(0, 0, 10, 10), (20, 0, 30, 10), (0, 20, 10, 30), (20, 20, 30, 30)], [0, 1, 2, 3]),
        # Shapes that lie on each other are read from the top.
        ([(5, 5, 50, 50), (0, 0, 50, 50), (10, 10, 40, 40)], [1, 0, 2]),
        ([], []),
    ],
)
def test_columns_are_read_one_after_the_other(rects: list[Any], order: list[int]) -> None:
    assert reading_order(rects) == order


def test_groups_are_read_whole_and_their_boxes_are_scaled(office: Any) -> None:
    half = '<a:chOff x="0" y="0"/><a:chExt cx="12700000" cy="12700000"/>'

    def group(at: tuple[int, int, int, int], content: str) -> str:
        return f"<p:grpSp><p:grpSpPr>{office.transform(at, children=half)}</p:grpSpPr>{content}</p:grpSp>"

    inner = group((0, 200, 1000, 800), office.shape("deep", at=(0, 0, 500, 500)))
    outer = group((100, 100, 500, 300), office.shape("near", at=(0, 0, 200, 100)) + inner)
    path = office.pptx(outer + office.shape("beside", at=(610, 100, 50, 50)) + office.shape("above", at=(0, 0, 50, 50)))
    assert office.lines(path) == ["above", "near", "deep", "beside"]
    assert boxes(office, path, "near") == [(1, [100, 100, 200, 130])]
    assert boxes(office, path, "deep") == [(1, [100, 160, 350, 280])]


def test_lines_and_fields_and_equations_of_a_shape_are_read(office: Any) -> None:
    content = (
        "<a:p><a:r><a:t>One </a:t></a:r><a:r><a:t>line</a:t></a:r><a:br/><a:fld type='slidenum'><a:t>7</a:t></a:fld></a:p><a:p/>"
        "<a:p><mc:AlternateContent><mc:Choice Requires='a14'><a14:m><m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath></a14:m>"
        "</mc:Choice>"
        "<mc:Fallback><a:r><a:t>picture</a:t></a:r></mc:Fallback></mc:AlternateContent></a:p>"
    )
    assert office.lines(office.pptx(office.shape(content=content))) == ["One line\n7", "x=1"]


def test_a_phrase_may_run_through_items_of_a_list(office: Any) -> None:
    properties = '<a:pPr><a:buAutoNum type="arabicPeriod"/></a:pPr>'
    items = "".join(f"<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>" for text in ("List1", "List2"))
    assert office.lines(office.pptx(office.shape(content=items))) == ["List1", "List2"]


def test_hidden_shapes_and_empty_placeholders_are_left_out_and_hidden_slides_are_kept(office: Any) -> None:
    path = office.pptx(office.shape("unseen", hidden=True) + office.shape(placeholder='type="body" idx="1"') + office.shape("seen"))
    assert office.lines(path) == ["seen"]
    hidden = {"ppt/slides/slide1.xml": office.slide(office.shape("kept")).replace("<p:sld ", '<p:sld show="0" ')}
    assert office.lines(office.pptx("", parts=hidden)) == ["kept"]


def test_tables_are_read_with_their_merged_cells_and_each_cell_has_its_box(office: Any) -> None:
    def cell(text: str, attributes: str = "") -> str:
        return f"<a:tc {attributes}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    grid = "<a:tblGrid><a:gridCol w='1270000'/><a:gridCol w='635000'/><a:gridCol w='635000'/></a:tblGrid>"
    rows = (
        f"<a:tr h='254000'>{cell('Item')}{cell('Price', 'gridSpan=&quot;2&quot;').replace('&quot;', chr(34))}"
        f"{cell('', f'hMerge={chr(34)}1{chr(34)}')}</a:tr>"
        f"<a:tr h='508000'>{cell('Tea', f'rowSpan={chr(34)}2{chr(34)}')}{cell('small')}{cell('1')}</a:tr>"
        f"<a:tr h='508000'>{cell('', f'vMerge={chr(34)}1{chr(34)}')}{cell('large')}{cell('2')}</a:tr>"
    )
    path = office.pptx(office.graphic(f"<a:tbl>{grid}{rows}</a:tbl>", at=(100, 50, 200, 100)))
    assert pages(office, path) == [(1, "table", "| Item | Price | |\n| Tea | small | 1 |\n| Tea | large | 2 |")]
    assert boxes(office, path, "Price") == [(1, [200, 50, 300, 70])]
    assert boxes(office, path, "large") == [(1, [200, 110, 250, 150])]


def test_notes_stand_on_their_slide_without_a_box(office: Any) -> None:
    notes = (
        office.shape("Slide 1", placeholder='type="sldNum"')
        + office.shape("Say hello.", "Then wait.", placeholder='type="body" idx="1"')
        + office.shape("12.3.2020", placeholder='type="dt"')
    )
    parts = {"ppt/notesSlides/n.xml": office.root("p:notes", f"<p:cSld><p:spTree>{notes}</p:spTree></p:cSld>")}
    path = office.pptx(
        office.shape("Title", placeholder=TITLE), "", parts=parts, relations={1: {"n": ("notesSlide", "../notesSlides/n.xml")}}
    )
    assert pages(office, path) == [(1, "heading", "Title"), (1, "body", "Say hello."), (1, "body", "Then wait.")]
    assert boxes(office, path, "Say hello.") == []


def test_edges_of_slides_are_lifted_when_they_repeat_or_count(office: Any) -> None:
    def edges(number: int, footer: str, date: str) -> str:
        return (
            office.shape(str(number), placeholder='type="sldNum" idx="12"')
            + office.shape(footer, placeholder='type="ftr" idx="11"')
            + office.shape(date, placeholder='type="dt" idx="10"')
        )

    path = office.pptx(
        office.shape("One.") + edges(1, "Confidential", "3 May"),
        office.shape("Two.") + edges(2, "Confidential", "Date of the talk"),
        office.shape("Three.") + edges(3, "Source: the archive", "3 May"),
    )
    assert pages(office, path) == [
        (1, "body", "One."),
        (2, "body", "Two."),
        (2, "body", "Date of the talk"),
        (3, "body", "Three."),
        (3, "body", "Source: the archive"),
        (1, "page_number", "1"),
        (1, "footer", "Confidential"),
        (1, "footer", "3 May"),
        (2, "page_number", "2"),
        (2, "footer", "Confidential"),
        (3, "page_number", "3"),
        (3, "footer", "3 May"),
    ]


def layouts(office: Any, layout: str, master: str) -> dict[str, Any]:
    tree = "<p:cSld><p:spTree>{}</p:spTree></p:cSld>"
    return {
        "parts": {
            "ppt/slideLayouts/l.xml": office.root("p:sldLayout", tree.format(layout)),
            "ppt/slideLayouts/_rels/l.xml.rels": office.rels({"m": ("slideMaster", "../slideMasters/m.xml")}),
            "ppt/slideMasters/m.xml": office.root("p:sldMaster", tree.format(master)),
        },
        "relations": {1: {"l": ("slideLayout", "../slideLayouts/l.xml")}},
    }


def test_placeholders_take_their_place_from_the_layout_or_the_master_and_no_prompt(office: Any) -> None:
    layout = office.shape("Click to add text", at=(10, 200, 300, 100), placeholder='type="body" idx="13"') + office.shape(
        "Click to add title", at=None, placeholder='type="ctrTitle"'
    )
    master = office.shape("Master title", at=(10, 10, 400, 60), placeholder=TITLE) + office.shape(
        "Drawn on the master", at=(0, 500, 99, 20)
    )
    slide = (
        office.shape("In the body", at=None, placeholder='idx="13"')
        + office.shape("The title", at=None, placeholder='type="ctrTitle"')
        + office.shape("Between", at=(10, 100, 50, 50))
    )
    path = office.pptx(slide, **layouts(office, layout, master))
    assert office.lines(path) == ["The title", "Between", "In the body"]
    assert boxes(office, path, "The title") == [(1, [10, 10, 410, 70])]
    assert boxes(office, path, "In the body") == [(1, [10, 200, 310, 300])]


def test_boxes_are_turned_with_their_shape_and_end_at_the_edge_of_the_slide(office: Any) -> None:
    path = office.pptx(
        office.shape("turned", at=(100, 100, 200, 100), turn=5_400_000)
        + office.shape("beyond", at=(700, 500, 100, 100))
        + office.shape("outside", at=(900, 0, 100, 100)),
        office.shape("second", at=(1, 2, 3, 4)),
    )
    assert boxes(office, path, "turned") == [(1, [150, 50, 250, 250])]
    assert boxes(office, path, "beyond") == [(1, [700, 500, 720, 540])]
    assert boxes(office, path, "outside") == []
    assert boxes(office, path, "second") == [(2, [1, 2, 4, 6])]
    assert office_boxes(str(path), [(9, 0, 3), (0, 0, 3), (1, 9999, 3)]) == [[], [], []]


@pytest.mark.parametrize(
    ("declared", "title"),
    [("PowerPoint Presentation", "First title"), ("Slide 1", "First title"), ("", "First title"), ("First Title", "First Title")],
)
def test_the_title_is_that_of_the_first_slide_that_has_one(office: Any, declared: str, title: str) -> None:
    path = office.pptx(office.shape("x"), office.shape("First title", placeholder='type="ctrTitle"'), title=declared)
    assert office.read(path).title == title


def test_slides_of_pictures_alone_are_told_as_unread(office: Any) -> None:
    picture = f"<p:pic><p:spPr>{office.transform((0, 0, 100, 100))}</p:spPr></p:pic>"
    assert office.read(office.pptx(picture, picture + office.shape("x"), "")).pages_unread == 1
    with pytest.raises(RefusedInput) as refused:
        office.read(office.pptx(picture))
    assert refused.value.code == "no_text"


def test_a_slide_whose_part_is_missing_keeps_its_number_and_too_many_are_refused(office: Any) -> None:
    path = office.pptx("", office.shape("Second."), parts={"ppt/slides/slide1.xml": office.slide(office.shape("First."))})
    lost = office.pptx(
        "",
        office.shape("Second."),
        parts={"ppt/_rels/presentation.xml.rels": office.rels({"rId2": ("slide", "slides/slide2.xml")})},
    )
    assert pages(office, lost) == [(2, "body", "Second.")]
    with pytest.raises(RefusedInput) as refused:
        office.read(path, max_pages=1)
    assert refused.value.code == "too_many_pages"


def test_frames_that_make_no_sense_cost_the_box_and_not_the_text(office: Any) -> None:
    strange = '<a:xfrm rot="x"><a:off x="left" y="0"/><a:ext cx="-5" cy="99999999999999999999"/></a:xfrm>'
    shapes = "".join(
        office.shape(text).replace(office.transform((0, 0, 100, 50)), frame)
        for text, frame in (("one", strange), ("two", "<a:xfrm/>"), ("three", '<a:xfrm><a:off x="0" y="0"/></a:xfrm>'))
    )
    path = office.pptx(shapes)
    assert office.lines(path) == ["one", "two", "three"]
    assert boxes(office, path, "one") == []
