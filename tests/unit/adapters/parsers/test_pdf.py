"""PDF files read to canonical text: order, joints, what is lifted, and what is refused."""

from typing import Any

import pytest

from pincite.adapters.parsers.pdf import read_pdf
from pincite.adapters.parsers.pdf_paragraphs import starts_caption
from pincite.core.documents import BlockRole, CanonicalText, ParsedDocument
from pincite.core.errors import RefusedInput

WORDS = (
    "The committee met on the second day of the month and heard the report of the treasurer about the costs of the new harbour "
    "and the state of the roads that lead to it from the north and from the east of the "
    "country, which had not been mended since the war"
)


def parse(path: str) -> ParsedDocument:
    return read_pdf(path, max_pages=100, max_chars=1_000_000)


def blocks(canonical: CanonicalText, role: BlockRole) -> list[str]:
    return [canonical.text[block.start : block.end] for block in canonical.blocks if block.role is role]


def test_lines_of_a_paragraph_are_joined_and_paragraphs_parted(kit: Any) -> None:
    first = kit.column(WORDS + ".", y=100)
    second = kit.column(WORDS + ".", y=first[-1].y + 30)
    canonical = parse(kit.write(kit.sheet([*first, *second]))).canonical
    assert blocks(canonical, BlockRole.BODY) == [WORDS + "."] * 2


def test_each_character_leads_back_to_its_place_on_its_page(kit: Any) -> None:
    canonical = parse(kit.write(kit.sheet(kit.column(WORDS)), kit.sheet(kit.column("Another page follows here.")))).canonical
    start = canonical.text.index("Another")
    assert [span.page for span in canonical.page_spans(start, start + 7)] == [2]
    assert [(run.page, run.index) for run in canonical.runs_within(start, start + 7)] == [(2, 0)]
    assert [span.page for span in canonical.page_spans(0, len(canonical.text))] == [1, 2]


def test_a_word_cut_at_a_line_end_is_whole(kit: Any) -> None:
    lines = [kit.text(72, 100, "The ministers talked about the inter-"), kit.text(72, 112, "national treaty of the harbour towns.")]
    canonical = parse(kit.write(kit.sheet(lines))).canonical
    assert canonical.text == "The ministers talked about the international treaty of the harbour towns."


def test_a_hyphen_that_the_document_writes_elsewhere_stays(kit: Any) -> None:
    lines = [
        kit.text(72, 100, "A well-known harbour, of all harbours the most well-"),
        kit.text(72, 112, "known one of the coast."),
    ]
    assert "most well-known one" in parse(kit.write(kit.sheet(lines))).canonical.text


def test_a_paragraph_cut_by_the_page_goes_on_in_its_block(kit: Any) -> None:
    lines = kit.column(WORDS + ".", y=700)
    first, second = kit.sheet(lines[:2]), kit.sheet([kit.text(72, 100 + 12 * n, line.text) for n, line in enumerate(lines[2:])])
    canonical = parse(kit.write(first, second)).canonical
    assert blocks(canonical, BlockRole.BODY) == [WORDS + "."]
    assert [span.page for span in canonical.page_spans(0, len(canonical.text))] == [1, 2]


def test_a_word_cut_by_the_page_is_whole(kit: Any) -> None:
    first = kit.sheet([kit.text(72, 700, "The ministers of all the towns talked about the inter-")])
    second = kit.sheet([kit.text(72, 100, "national treaty of the harbour towns.")])
    assert "about the international treaty" in parse(kit.write(first, second)).canonical.text


def furnished(kit: Any, number: int, body: str) -> Any:
    header = kit.text(72, 40, f"Report of the Harbour Board, part {number}", 8)
    return kit.sheet([header, *kit.column(body, y=100), kit.text(300, 760, str(number + 4), 8)])


def test_headers_and_page_numbers_are_lifted_behind_the_body(kit: Any) -> None:
    path = kit.write(*(furnished(kit, number, f"{name}. {WORDS}.") for number, name in enumerate(("One", "Two", "Three"), start=1)))
    canonical = parse(path).canonical
    assert blocks(canonical, BlockRole.HEADER) == [f"Report of the Harbour Board, part {number}" for number in (1, 2, 3)]
    assert blocks(canonical, BlockRole.PAGE_NUMBER) == ["5", "6", "7"]
    roles = [block.role for block in canonical.blocks]
    assert roles == [BlockRole.BODY] * 3 + [BlockRole.HEADER, BlockRole.PAGE_NUMBER] * 3


def test_a_single_page_keeps_everything_in_its_flow(kit: Any) -> None:
    canonical = parse(kit.write(furnished(kit, 1, WORDS))).canonical
    assert {block.role for block in canonical.blocks} == {BlockRole.BODY}
    assert "Harbour Board" in canonical.text


def test_body_text_that_comes_back_at_the_top_of_pages_is_not_lifted(kit: Any) -> None:
    sheets = [kit.sheet(kit.column(WORDS + ". " + WORDS, y=72)) for _ in range(3)]
    canonical = parse(kit.write(*sheets)).canonical
    assert {block.role for block in canonical.blocks} == {BlockRole.BODY}


def test_a_header_over_text_that_comes_back_is_lifted_alone(kit: Any) -> None:
    path = kit.write(*(furnished(kit, number, f"{WORDS}. {WORDS}.") for number in (1, 2, 3)))
    canonical = parse(path).canonical
    assert len(blocks(canonical, BlockRole.HEADER)) == 3
    assert blocks(canonical, BlockRole.BODY) == [f"{WORDS}. {WORDS}."] * 3


def test_a_letterhead_far_from_the_edge_of_a_short_document_stays(kit: Any) -> None:
    sheets = [
        kit.sheet([kit.text(200, 190, "Harbour Repairs, 123 Main Street", 16), *kit.column(f"{name}. {WORDS}.", y=300)])
        for name in ("One", "Two")
    ]
    assert blocks(parse(kit.write(*sheets)).canonical, BlockRole.HEADER) == []


def test_the_first_row_of_a_table_that_fills_each_page_stays(kit: Any) -> None:
    def page(number: int) -> Any:
        rows = [("Year", "Ships", "Cost"), *((str(1900 + number * 10 + n), str(n), str(n * 180)) for n in range(4))]
        return kit.sheet([kit.text(72 + 120 * c, 60 + 20 * r, cell) for r, row in enumerate(rows) for c, cell in enumerate(row)])

    canonical = parse(kit.write(*(page(number) for number in range(5)))).canonical
    assert blocks(canonical, BlockRole.HEADER) == []
    assert canonical.text.count("| Year | Ships | Cost |") == 5


def test_numbers_that_do_not_count_with_the_pages_are_not_page_numbers(kit: Any) -> None:
    sheets = [kit.sheet([*kit.column(WORDS, y=100), kit.text(300, 760, number)]) for number in ("17", "940", "3")]
    assert blocks(parse(kit.write(*sheets)).canonical, BlockRole.PAGE_NUMBER) == []


def test_a_footnote_with_its_mark_in_the_text_is_lifted(kit: Any) -> None:
    note = [
        kit.text(72, 700, "1 The treasurer was ill and his deputy spoke for him.", 7),
        kit.text(72, 709, "He is well again.", 7),
    ]
    canonical = parse(kit.write(kit.sheet([*kit.column(f"{WORDS}.1", y=100), *note]))).canonical
    assert blocks(canonical, BlockRole.FOOTNOTE) == ["1 The treasurer was ill and his deputy spoke for him. He is well again."]
    assert canonical.blocks[-1].role is BlockRole.FOOTNOTE


def test_small_print_that_nothing_points_to_stays_in_the_flow(kit: Any) -> None:
    note = [kit.text(72, 700, "1 The treasurer was ill and his deputy spoke for him.", 7)]
    canonical = parse(kit.write(kit.sheet([*kit.column(f"{WORDS}.", y=100), *note]))).canonical
    assert blocks(canonical, BlockRole.FOOTNOTE) == []


def test_larger_and_bold_lines_over_text_are_headings_with_levels(kit: Any) -> None:
    sheet = kit.sheet(
        [
            kit.text(72, 80, "The Harbour of the North", 20, "Helvetica-Bold"),
            kit.text(72, 110, "What it costs", 14),
            *kit.column(WORDS, y=140),
            kit.text(72, 220, "Roads to the harbour", 10, "Helvetica-Bold"),
            *kit.column(WORDS, y=240),
        ]
    )
    document = parse(kit.write(sheet))
    headings = [block for block in document.canonical.blocks if block.role is BlockRole.HEADING]
    assert [block.level for block in headings] == [1, 2, 3]
    assert document.title == "The Harbour of the North"


def test_the_outline_makes_headings_that_print_does_not_show(kit: Any) -> None:
    sheets = [kit.sheet([kit.text(72, 80, f"{n}. {name}"), *kit.column(WORDS, y=92)]) for n, name in ((1, "Costs"), (2, "Roads"))]
    canonical = parse(kit.write(*sheets, outline=[("Costs", 0), ("Roads", 1)])).canonical
    assert blocks(canonical, BlockRole.HEADING) == ["1. Costs", "2. Roads"]


@pytest.mark.parametrize(
    ("declared", "title"),
    [
        ("Harbour report 1921", "Harbour report 1921"),
        ("Microsoft Word - harbour.docx", "Costs and Roads"),
        ("Untitled", "Costs and Roads"),
    ],
)
def test_a_declared_title_counts_when_it_is_one(kit: Any, declared: str, title: str) -> None:
    sheet = kit.sheet([kit.text(72, 80, "Costs and Roads", 18), *kit.column(WORDS, y=120)])
    assert parse(kit.write(sheet, title=declared)).title == title


@pytest.mark.parametrize(
    ("text", "is_caption"),
    [
        ("Figure 7. Control flow of a loop", True),
        ("Table 3: Ships by year", True),
        ("Fig. 2.1 - Roads", True),
        ("Table 3", True),
        ("Tabelle 4 Schiffe nach Jahren", True),
        ("Figure 8 (a) Roads before the war", True),
        ("Figure 7 shows the control flow of a loop.", False),
        ("Figure 7.5 shows the control flow.", False),
        ("Table 3 lists the ships by year.", False),
        ("Figure 10 (left) breaks down the time.", False),
        ("Table 3-column layouts are rare.", False),
    ],
)
def test_a_sentence_that_begins_with_a_figure_is_no_caption(text: str, is_caption: bool) -> None:
    assert starts_caption(text) is is_caption


def test_a_sentence_that_ends_with_a_figure_is_not_broken(kit: Any) -> None:
    lines = ["The costs of the harbour and of its roads are to be seen in the plan of", "Figure 3. The costs rose after the war."]
    texts = [kit.text(72, 100 + 12 * n, line) for n, line in enumerate(lines)]
    canonical = parse(kit.write(kit.sheet(texts))).canonical
    assert blocks(canonical, BlockRole.BODY) == [" ".join(lines)]


def test_rows_of_cells_are_a_table_with_a_row_in_a_line(kit: Any) -> None:
    rows = [("Year", "Ships", "Cost"), ("1921", "104", "18,300"), ("1922", "97", "17,950")]
    texts = [kit.text(72 + 120 * c, 200 + 14 * r, cell) for r, row in enumerate(rows) for c, cell in enumerate(row)]
    canonical = parse(kit.write(kit.sheet([*kit.column(WORDS, y=100), *texts]))).canonical
    assert blocks(canonical, BlockRole.TABLE) == ["| Year | Ships | Cost |\n| 1921 | 104 | 18,300 |\n| 1922 | 97 | 17,950 |"]


def test_lines_of_code_keep_their_ends(kit: Any) -> None:
    code = ["def cost(ships):", "    return ships * 180", "print(cost(104))"]
    texts = [kit.text(72, 200 + 12 * n, line, font="Courier") for n, line in enumerate(code)]
    canonical = parse(kit.write(kit.sheet([*kit.column(WORDS, y=100), *texts]))).canonical
    assert "def cost(ships):\nreturn ships * 180\nprint(cost(104))" in canonical.text


def test_text_drawn_twice_for_boldness_stands_once(kit: Any) -> None:
    doubled = [kit.text(72, 100, "Preface to the standard"), kit.text(72.2, 100, "Preface to the standard")]
    assert parse(kit.write(kit.sheet(doubled))).canonical.text == "Preface to the standard"


def test_two_columns_are_read_one_after_the_other(kit: Any) -> None:
    left, right = kit.column(f"Left. {WORDS}.", chars=40, x=60), kit.column(f"Right. {WORDS}.", chars=40, x=330)
    assert blocks(parse(kit.write(kit.sheet([*left, *right]))).canonical, BlockRole.BODY) == [f"Left. {WORDS}.", f"Right. {WORDS}."]


def test_a_page_of_text_that_runs_sideways_is_read_in_lines(kit: Any) -> None:
    drawing = b"".join(
        b"BT /F1 10 Tf 0 1 -1 0 %d 72 Tm (Line %d of the turned page, read upwards) Tj ET\n" % (100 + 12 * n, n) for n in range(4)
    )
    canonical = parse(kit.write(kit.sheet(drawing=drawing))).canonical
    assert canonical.text == " ".join(f"Line {n} of the turned page, read upwards" for n in range(4))


def test_page_labels_are_those_of_the_file(kit: Any) -> None:
    sheets = [kit.sheet(kit.column(f"{n}. {WORDS}")) for n in range(3)]
    pages = parse(kit.write(*sheets, labels=[(0, "", "r"), (2, "A-", "D")])).canonical.pages
    assert [(page.number, page.label) for page in pages] == [(1, "i"), (2, "ii"), (3, "A-1")]


def test_the_page_size_is_that_of_the_turned_page(kit: Any) -> None:
    page = parse(kit.write(kit.sheet(kit.column(WORDS), rotate=90))).canonical.pages[0]
    assert (page.width, page.height) == (792, 612)


def test_pages_that_draw_without_text_are_counted(kit: Any) -> None:
    picture = kit.sheet(drawing=b"0 0 100 100 re f\n")
    document = parse(kit.write(kit.sheet(kit.column(WORDS)), picture, kit.sheet()))
    assert (document.pages_unread, document.unread) == (1, (2,))
    assert len(document.canonical.pages) == 3


def test_a_file_of_pictures_leaves_its_pages_to_ocr(kit: Any) -> None:
    document = parse(kit.write(kit.sheet(drawing=b"0 0 100 100 re f\n"), kit.sheet()))
    assert (document.canonical.text, document.unread, document.pages_unread) == ("", (1,), 1)
    assert [(page.width, page.height) for page in document.canonical.pages] == [(612, 792)] * 2


def test_a_blank_file_is_refused_with_its_reason(kit: Any) -> None:
    with pytest.raises(RefusedInput, match="is blank") as refused:
        parse(kit.write(kit.sheet()))
    assert refused.value.code == "no_text"


def test_progress_ends_with_all_pages(kit: Any) -> None:
    seen: list[tuple[int, int]] = []
    path = kit.write(*(kit.sheet(kit.column(WORDS)) for _ in range(3)))
    read_pdf(path, max_pages=10, max_chars=10_000, on_page=lambda done, total: seen.append((done, total)))
    assert seen[:3] == [(1, 3), (2, 3), (3, 3)]


def test_too_many_pages_and_too_much_text_are_refused(kit: Any) -> None:
    path = kit.write(*(kit.sheet(kit.column(WORDS)) for _ in range(3)))
    with pytest.raises(RefusedInput) as refused:
        read_pdf(path, max_pages=2, max_chars=10_000)
    assert refused.value.code == "too_many_pages"
    with pytest.raises(RefusedInput) as refused:
        read_pdf(path, max_pages=3, max_chars=300)
    assert refused.value.code == "too_large"
