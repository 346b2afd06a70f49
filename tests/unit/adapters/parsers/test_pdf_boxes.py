"""Boxes of text on PDF pages, in points of the displayed page."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pincite.adapters.parsers.pdf import read_pdf
from pincite.adapters.parsers.pdf_boxes import pdf_boxes
from pincite.core.documents import CanonicalText, ParsedDocument

CASES = json.loads((Path(__file__).resolve().parents[4] / "tests" / "data" / "parsing" / "cases.json").read_text())


def parse(path: str) -> ParsedDocument:
    return read_pdf(path, max_pages=100, max_chars=1_000_000)


def occurrences(canonical: CanonicalText, phrase: str) -> list[tuple[int, int]]:
    pattern = r"[\s|]+".join(re.escape(word) for word in phrase.split())
    return [found.span() for found in re.finditer(pattern, canonical.text)]


def boxes(path: str, canonical: CanonicalText, start: int, end: int) -> list[tuple[float, ...]]:
    runs = [(run.page, run.index, run.count) for run in canonical.runs_within(start, end)]
    return [box for found in pdf_boxes(path, runs) for box in found]


@pytest.mark.parametrize("case", CASES, ids=[case["file"] for case in CASES])
def test_a_phrase_is_found_on_its_page_with_its_boxes(case: dict[str, Any], data: Path) -> None:
    path = str(data / case["file"])
    canonical = parse(path).canonical
    assert len(canonical.pages) == case["pages"]
    number: int = case["page"]
    page = canonical.pages[number - 1]
    assert (page.width, page.height) == pytest.approx(case["page_size"], abs=0.1)
    assert number in {canonical.page_spans(*span)[0].page for span in occurrences(canonical, case["phrase"])}
    found = [boxes(path, canonical, *span) for span in occurrences(canonical, " ".join(case["phrase"].split()[:4]))]
    assert any(
        len(group) == len(case["boxes"])
        and all(box == pytest.approx(expected, abs=2) for box, expected in zip(group, case["boxes"], strict=True))
        for group in found
    )


@pytest.mark.parametrize(
    ("rotate", "expected"),
    [(0, (73, 93, 104, 100)), (90, (692, 73, 699, 104)), (180, (508, 692, 539, 699)), (270, (93, 508, 100, 539))],
)
def test_boxes_turn_with_the_page(kit: Any, rotate: int, expected: tuple[float, ...]) -> None:
    path = kit.write(kit.sheet([kit.text(72, 100, "Harbour"), kit.text(72, 300, "More text stands here.")], rotate=rotate))
    canonical = parse(path).canonical
    start = canonical.text.index("Harbou")
    assert boxes(path, canonical, start, start + 6) == [pytest.approx(expected, abs=0.5)]


def test_text_over_two_lines_has_a_box_for_each(kit: Any) -> None:
    path = kit.write(kit.sheet([kit.text(72, 100, "The harbour was built"), kit.text(72, 112, "in the last century.")]))
    canonical = parse(path).canonical
    start = canonical.text.index("built")
    first, second = boxes(path, canonical, start, start + len("built in"))
    assert first[3] < second[1] + 3
    assert first[0] > 140
    assert second[0] == pytest.approx(72, abs=2)


def test_a_wide_gap_parts_the_boxes_of_a_line(kit: Any) -> None:
    path = kit.write(kit.sheet([kit.text(72, 100, "1.1"), kit.text(160, 100, "The intent")]))
    canonical = parse(path).canonical
    assert [round(box[0]) for box in boxes(path, canonical, 0, len(canonical.text))] == [73, 160]


def test_runs_beyond_the_file_have_no_boxes(kit: Any) -> None:
    path = kit.write(kit.sheet([kit.text(72, 100, "Harbour")]))
    assert pdf_boxes(path, [(9, 0, 4), (0, 0, 4), (1, 500, 4), (1, -3, 2)]) == [[], [], [], []]


def test_the_order_of_the_runs_is_kept(kit: Any) -> None:
    path = kit.write(kit.sheet([kit.text(72, 100, "One")]), kit.sheet([kit.text(272, 100, "Two")]))
    assert [round(group[0][0]) for group in pdf_boxes(path, [(2, 0, 3), (1, 0, 3), (2, 0, 3)])] == [272, 72, 272]


def test_runs_that_touch_keep_their_own_boxes(kit: Any) -> None:
    path = kit.write(kit.sheet([kit.text(72, 100, "Harbour towns")]))
    first, second = pdf_boxes(path, [(1, 0, 7), (1, 7, 6)])
    assert len(first) == len(second) == 1
    assert first[0][2] <= second[0][0]


def test_a_quote_of_one_cell_has_the_box_of_the_cell(kit: Any) -> None:
    rows = [("Year", "Ships", "Cost"), ("1921", "", "18,300"), ("1922", "97", "17,950")]
    texts = [kit.text(72 + 120 * c, 200 + 14 * r, cell) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell]
    path = kit.write(kit.sheet(texts))
    canonical = parse(path).canonical
    assert "| 1921 | | 18,300 |" in canonical.text
    cost, row = canonical.text.index("18,300"), canonical.text.index("| 1921")
    assert [round(box[0]) for box in boxes(path, canonical, cost, cost + 6)] == [313]
    assert [round(box[0]) for box in boxes(path, canonical, row, cost + 6)] == [73, 313]
