"""OpenDocument presentations: each slide is a page, read as its audience does, with the frames of what stands on it."""

from pathlib import Path

import pytest
from tests.unit.adapters.parsers.opendocument.conftest import OpenKit

from pincite.adapters.parsers.office import office_boxes

LAYOUT = (
    '<style:page-layout style:name="PM">'
    '<style:page-layout-properties fo:page-width="10in" fo:page-height="7.5in"/></style:page-layout>'
)
MASTER = (
    '<style:master-page style:name="Default" style:page-layout-name="PM">'
    "<draw:frame><draw:text-box><text:p>on all</text:p></draw:text-box></draw:frame></style:master-page>"
)


def frame(text: str, at: tuple[float, float, float, float], kind: str = "", more: str = "") -> str:
    x, y, width, height = at
    place = f'svg:x="{x}in" svg:y="{y}in" svg:width="{width}in" svg:height="{height}in"'
    named = f'presentation:class="{kind}"' if kind else ""
    body = text if text.startswith("<") else f"<text:p>{text}</text:p>"
    return f"<draw:frame {named} {place} {more}><draw:text-box>{body}</draw:text-box></draw:frame>"


def page(*shapes: str, notes: str = "") -> str:
    said = f"<presentation:notes><draw:page-thumbnail/>{frame(notes, (0, 0, 1, 1), 'notes')}</presentation:notes>" if notes else ""
    return f'<draw:page draw:name="p">{"".join(shapes)}{said}</draw:page>'


@pytest.fixture
def deck(odf: OpenKit) -> Path:
    items = "".join(f"<text:list-item><text:p>{text}</text:p></text:list-item>" for text in ("cheap", "fast"))
    first = page(
        frame("right", (6, 3, 3, 1)),
        frame(f"<text:list>{items}</text:list>", (1, 3, 3, 1), "outline"),
        frame("Why a pump", (1, 1, 8, 1), "title"),
        frame("7 May 2024", (1, 7, 2, 0.3), "date-time"),
        notes="Say it slowly.",
    )
    inside = "".join(frame(text, (1 + n, 5, 1, 1)) for n, text in enumerate(("one", "two")))
    second = page(
        frame("below", (1, 6.2, 2, 0.5)),
        f"<draw:g>{inside}</draw:g>",
        "<draw:custom-shape><text:p>somewhere</text:p></draw:custom-shape>",
    )
    return odf.file("presentation", first + second, masters=MASTER)


def test_slides_are_read_in_order_with_title_first_and_notes_last(odf: OpenKit, deck: Path) -> None:
    document = odf.read(deck)
    assert odf.blocks(deck) == [
        ("heading", "Why a pump"),
        ("body", "cheap"),
        ("body", "fast"),
        ("body", "right"),
        ("body", "Say it slowly."),
        ("body", "one"),
        ("body", "two"),
        ("body", "below"),
        ("body", "somewhere"),
        ("footer", "7 May 2024"),
    ]
    assert [page.number for page in document.canonical.pages] == [1, 2]
    assert [block.page for block in document.canonical.blocks] == [1, 1, 1, 1, 1, 2, 2, 2, 2, 1]
    assert document.title == "Why a pump"


def test_a_quote_has_the_frame_that_it_stands_in(odf: OpenKit, deck: Path) -> None:
    canonical = odf.read(deck).canonical

    def box(text: str) -> list[list[float]]:
        start = canonical.text.index(text)
        run = next(run for run in canonical.runs if run.start <= start < run.start + run.length)
        return [[round(value, 1) for value in rect] for rect in office_boxes(str(deck), [(run.page, run.index, run.count)])[0]]

    assert box("right") == [[432.0, 216.0, 648.0, 288.0]]
    assert box("two") == [[144.0, 360.0, 216.0, 432.0]]
    assert box("somewhere") == []
    assert box("Say it slowly") == []


def test_turned_shapes_have_the_rectangle_around_them(odf: OpenKit) -> None:
    turned = (
        '<draw:custom-shape svg:width="2in" svg:height="1in" draw:transform="rotate (1.5707963267949) translate (3in 4in)">'
        "<text:p>upwards</text:p></draw:custom-shape>"
    )
    path = odf.file("presentation", page(turned))
    [[rect]] = office_boxes(str(path), [(1, 0, 7)])
    # Turned to the left around its corner: as wide as it was high, and above that corner.
    assert [round(value) for value in rect] == [216, 144, 288, 288]


def test_the_size_of_slides_is_that_of_their_layout(odf: OpenKit) -> None:
    styles = odf.file("presentation", page(frame("x", (0, 0, 1, 1))), masters=MASTER)
    assert (odf.read(styles).canonical.pages[0].width, odf.read(styles).canonical.pages[0].height) == (720.0, 540.0)
    wide = LAYOUT.replace("10in", "254mm").replace("7.5in", "14.2875cm")
    path = odf.file("presentation", page(frame("x", (0, 0, 1, 1))), styles=wide, masters=MASTER)
    found = odf.read(path).canonical.pages[0]
    assert (round(found.width, 2), round(found.height, 2)) == (720.0, 405.0)


def test_a_slide_of_pictures_alone_counts_as_unread(odf: OpenKit) -> None:
    image = '<draw:image xlink:href="Pictures/a.png"/>'
    picture = f'<draw:frame svg:x="1in" svg:y="1in" svg:width="1in" svg:height="1in">{image}</draw:frame>'
    path = odf.file("presentation", page(picture) + page(frame("said", (0, 0, 1, 1))), parts={"Pictures/a.png": b"png"})
    document = odf.read(path)
    assert (document.pages_unread, len(document.canonical.pages)) == (1, 2)
    assert [figure.page for figure in document.figures] == [1]


def test_tables_of_slides_are_tables(odf: OpenKit) -> None:
    cells = "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in ("Part", "Price"))
    table = f"<table:table><table:table-row>{cells}</table:table-row><table:table-row>{cells}</table:table-row></table:table>"
    path = odf.file("presentation", page(f'<draw:frame svg:width="1in" svg:height="1in">{table}</draw:frame>'))
    assert odf.blocks(path) == [("table", "| Part | Price |\n| Part | Price |")]
