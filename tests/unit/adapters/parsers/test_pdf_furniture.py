"""What is lifted out of the flow of a PDF at the edges of its pages, and what stays in it."""

from typing import Any

import pytest

from pincite.adapters.parsers.pdf import read_pdf
from pincite.core.documents import BlockRole, CanonicalText

TOPICS = ("harbours", "roads", "bridges", "canals", "lighthouses", "ferries")
LIFTED = {BlockRole.HEADER, BlockRole.FOOTER, BlockRole.PAGE_NUMBER}


def prose(number: int) -> str:
    topic = TOPICS[number % len(TOPICS)]
    return (
        f"In the year {1900 + 7 * number} the committee heard the report about {topic} and what they had cost since the war, and "
        f"then talked for a day about the towns of the coast that could not pay for their {topic} any longer without help."
    )


def read(path: str) -> CanonicalText:
    return read_pdf(path, max_pages=100, max_chars=1_000_000).canonical


def texts(canonical: CanonicalText, *roles: BlockRole) -> list[str]:
    return [canonical.text[block.start : block.end] for block in canonical.blocks if block.role in roles]


def pages(kit: Any, heads: list[str], *, y: float = 40, size: float = 8, x: float = 72) -> CanonicalText:
    """Read a document with a row at a height of each page over or under its text."""
    sheets = [
        kit.sheet([*kit.column(prose(n), y=100), *([kit.text(x, y, head, size)] if head else [])]) for n, head in enumerate(heads)
    ]
    return read(kit.write(*sheets))


@pytest.mark.parametrize("size", [8, 10])
@pytest.mark.parametrize("y", [40, 765])
@pytest.mark.parametrize(
    "rows",
    [
        ["Harbour Board", "Report of 1921"],
        ["Harbour Board", "Report of 1921", "Harbour Board"],
        ["Costs of the harbour", "State of the roads", "Plans for the bridge"],
        ["Printed on 3 March 1921", "Printed on 14 April 1921"],
        ["Report · Costs", "Report · Roads and what they cost", "Report · Bridges"],
        ["", "Report of the Harbour Board", "Report of the Harbour Board"],
        ["", "Report of the Harbour Board", "State of the roads", "Report of the Harbour Board"],
    ],
    ids=lambda rows: "; ".join(rows),
)
def test_rows_that_run_with_the_pages_are_lifted(kit: Any, rows: list[str], y: float, size: float) -> None:
    assert texts(pages(kit, rows, y=y, size=size), *LIFTED) == [row for row in rows if row]


def test_a_part_of_a_row_is_enough_when_the_rest_changes(kit: Any) -> None:
    sheets = [
        kit.sheet([kit.text(72, 40, "Harbour Board", 10), kit.text(430, 40, topic, 10), *kit.column(prose(n), y=100)])
        for n, topic in enumerate(("Costs of it", "Roads", "The bridges of the north"))
    ]
    canonical = read(kit.write(*sheets))
    assert texts(canonical, BlockRole.BODY) == [prose(n) for n in range(3)]


def test_pages_of_different_size_share_their_running_foot(kit: Any) -> None:
    sheets = [
        kit.sheet([*kit.column(prose(0), y=100), kit.text(72, 765, "Harbour Board", 8)]),
        kit.sheet([*kit.column(prose(1), y=100, chars=100), kit.text(72, 765, "Harbour Board", 8)], rotate=180),
    ]
    assert texts(read(kit.write(*sheets)), *LIFTED) == ["Harbour Board"] * 2


def crossing(kit: Any, *, head: str, foot: str = "", size: float = 10) -> CanonicalText:
    """Read two pages whose sentence goes on, with rows on one of them that come back nowhere."""
    first = kit.column(prose(0), y=700)
    lower = [kit.text(72, 100 + 12 * n, line.text) for n, line in enumerate(first[2:])]
    more = kit.column(prose(1), y=148)
    upper = [*first[:2], *([kit.text(72, 765, foot, size)] if foot else [])]
    return read(kit.write(kit.sheet(upper), kit.sheet([kit.text(72, 50, head, size), *lower, *more])))


@pytest.mark.parametrize("size", [7, 10])
@pytest.mark.parametrize("foot", ["", "Not for publication"])
def test_a_row_between_the_halves_of_a_sentence_is_lifted_though_it_stands_once(kit: Any, size: float, foot: str) -> None:
    canonical = crossing(kit, head="Report of the Harbour Board", foot=foot, size=size)
    assert texts(canonical, BlockRole.BODY) == [prose(0), prose(1)]
    assert set(texts(canonical, *LIFTED)) == {"Report of the Harbour Board", foot} - {""}


def test_a_slanted_watermark_parts_no_sentence(kit: Any) -> None:
    mark = b"BT /F2 60 Tf 0.64 0.77 -0.77 0.64 200 250 Tm (DRAFT ONLY) Tj ET\n"
    sheets = [kit.sheet(kit.column(f"{prose(n)} {prose(n + 2)}", y=100), drawing=mark) for n in range(2)]
    canonical = read(kit.write(*sheets))
    assert texts(canonical, BlockRole.BODY) == [f"{prose(n)} {prose(n + 2)}" for n in range(2)]
    assert texts(canonical, BlockRole.HEADER) == ["DRAFT ONLY"] * 2


def test_a_level_watermark_that_comes_back_over_the_text_parts_no_sentence(kit: Any) -> None:
    sheets = [kit.sheet([*kit.column(prose(n), y=100)[:2], kit.text(150, 140, "DRAFT", 60)]) for n in range(2)]
    assert texts(read(kit.write(*sheets)), BlockRole.HEADER) == ["DRAFT"] * 2


def test_slanted_words_of_a_page_that_has_little_else_stay(kit: Any) -> None:
    mark = b"BT /F2 30 Tf 0.64 0.77 -0.77 0.64 200 250 Tm (Sale of the harbour) Tj ET\n"
    canonical = read(kit.write(kit.sheet(drawing=mark), kit.sheet(drawing=mark)))
    assert texts(canonical, *LIFTED) == []


@pytest.mark.parametrize(
    "row",
    [
        "Signature: ______________________   Date: ____________",
        "Name of the harbour master ......................................",
        "Table 3 (continued)",
        "Signed:",
    ],
)
@pytest.mark.parametrize("y", [50, 760])
def test_a_row_to_fill_in_or_the_title_of_a_table_stays_though_it_comes_back(kit: Any, row: str, y: float) -> None:
    canonical = pages(kit, [row, row], y=y, size=10)
    assert sum(" ".join(row.split()) in " ".join(text.split()) for text in texts(canonical, *LIFTED)) == 0


def test_the_head_of_a_table_that_fills_each_page_stays_even_with_two_columns(kit: Any) -> None:
    def page(number: int) -> Any:
        rows = [("Harbour", "Ships"), *((f"Harbour {10 * number + n}", str(n * 180)) for n in range(8))]
        return kit.sheet([kit.text(72 + 220 * c, 60 + 18 * r, cell) for r, row in enumerate(rows) for c, cell in enumerate(row)])

    assert texts(read(kit.write(*map(page, range(4)))), *LIFTED) == []


def test_a_list_that_comes_back_at_the_edge_of_pages_stays(kit: Any) -> None:
    items = ["1. Pay the fee.", "2. Sign the paper.", "3. Wait for an answer."]
    sheets = [
        kit.sheet([kit.text(72, 50 + 18 * n, item) for n, item in enumerate([*items, f"4. Ask for {topic}."])]) for topic in TOPICS
    ]
    assert texts(read(kit.write(*sheets)), *LIFTED) == []


def test_a_title_that_opens_each_page_stays(kit: Any) -> None:
    sheets = [kit.sheet([kit.text(72, 60, f"The {topic}", 16), *kit.column(prose(n), y=100)]) for n, topic in enumerate(TOPICS)]
    canonical = read(kit.write(*sheets))
    assert texts(canonical, *LIFTED) == []
    assert texts(canonical, BlockRole.HEADING) == [f"The {topic}" for topic in TOPICS]


def test_the_short_last_line_of_a_paragraph_at_the_edge_of_a_page_stays(kit: Any) -> None:
    first = [*kit.column(prose(0), y=650), kit.text(72, 722, "and no more was said.")]
    second = [kit.text(72, 60, "the end of it."), *kit.column(prose(1), y=90)]
    canonical = read(kit.write(kit.sheet(first), kit.sheet(second)))
    assert texts(canonical, *LIFTED) == []


def test_a_paragraph_of_one_line_before_a_page_that_goes_on_stays(kit: Any) -> None:
    lines = kit.column(prose(0), y=640)
    first = [*lines[:2], kit.text(72, 700, lines[2].text)]
    second = [
        kit.text(72, 60, "Other matters of that year, of which the report has nothing to say, were heard on the day after"),
        *kit.column("that and on the day after the next. " + prose(1), y=90),
    ]
    assert texts(read(kit.write(kit.sheet(first), kit.sheet(second))), *LIFTED) == []


def test_a_letterhead_that_was_drawn_last_stands_before_its_page(kit: Any) -> None:
    sheet = kit.sheet([*kit.column(prose(0), y=140), kit.text(72, 50, "Harbour Repairs, 123 Main Street", 12)])
    canonical = read(kit.write(sheet, kit.sheet(kit.column(prose(1), y=100))))
    assert canonical.text.startswith("Harbour Repairs")


def test_a_row_far_from_the_edge_counts_only_in_a_long_document(kit: Any) -> None:
    canonical = pages(kit, ["Harbour Board", "Harbour Board"], y=190)
    assert texts(canonical, *LIFTED) == []


def test_a_lone_number_at_the_edge_of_the_second_page_of_two_is_its_number(kit: Any) -> None:
    sheets = [kit.sheet(kit.column(prose(0), y=100)), kit.sheet([*kit.column(prose(1), y=100), kit.text(300, 765, "A-2", 8)])]
    canonical = read(kit.write(*sheets))
    assert (texts(canonical, BlockRole.PAGE_NUMBER), [page.label for page in canonical.pages]) == (["A-2"], ["1", "A-2"])
