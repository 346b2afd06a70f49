"""Numbers that count pages, in all the forms in which they are printed, and Bates numbers."""

from typing import Any

import pytest

from pincite.adapters.parsers.pdf import read_pdf
from pincite.core.documents import BlockRole, Page

WORDS = (
    "The committee met on the second day of the month and heard the report of the treasurer about the costs of the new harbour "
    "and the state of the roads that lead to it from the north and from the east of the country"
)


def pages_of(kit: Any, texts: list[str], *, y: float = 760, labels: Any = (), x: float = 300) -> tuple[Page, ...]:
    sheets = [kit.sheet([*kit.column(f"{WORDS} {text}.", y=100), kit.text(x, y, text, 8)]) for text in texts]
    canonical = read_pdf(kit.write(*sheets, labels=labels), max_pages=100, max_chars=1_000_000).canonical
    lifted = {canonical.text[b.start : b.end] for b in canonical.blocks if b.role is not BlockRole.BODY}
    assert {text for text in texts if text} <= lifted
    return canonical.pages


@pytest.mark.parametrize(
    ("printed", "labels"),
    [
        (["7", "8", "9"], ["7", "8", "9"]),
        (["- 7 -", "- 8 -"], ["7", "8"]),
        (["[iv]", "[v]", "[vi]"], ["iv", "v", "vi"]),
        (["XIX", "XX"], ["XIX", "XX"]),
        (["Page 3 of 12", "Page 4 of 12"], ["3", "4"]),
        (["3 / 40", "4 / 40", "5 / 40"], ["3", "4", "5"]),
        (["Seite 11 von 20", "Seite 12 von 20"], ["11", "12"]),
        (["A-3", "A-4"], ["A-3", "A-4"]),
        (["B.17", "B.18", "B.19"], ["B.17", "B.18", "B.19"]),
        (["Page Three", "Page Four"], ["Three", "Four"]),
        (["Twenty-nine", "Thirty"], ["Twenty-nine", "Thirty"]),
        (["Page | 3", "Page | 4"], ["3", "4"]),
        (["3 | Page", "4 | Page"], ["3", "4"]),
        (["1", "2", "3", "1", "2"], ["1", "2", "3", "1", "2"]),
    ],
)
def test_a_page_is_labelled_by_the_number_printed_on_it(kit: Any, printed: list[str], labels: list[str]) -> None:
    assert [page.label for page in pages_of(kit, printed)] == labels


def test_the_printed_number_counts_more_than_the_declared_one(kit: Any) -> None:
    assert [page.label for page in pages_of(kit, ["79", "80", "81"], labels=[(0, "", "D")])] == ["79", "80", "81"]


@pytest.mark.parametrize(
    "stamps",
    [
        ["ABC000123", "ABC000124", "ABC000125"],
        ["DEF-2021-0001234", "DEF-2021-0001235"],
        ["KLM 000998", "KLM 000999", "KLM 001000"],
        ["0001207", "0001208", "0001209"],
        ["SmithCo_00041", "SmithCo_00042"],
        ["ABC9999", "ABC10000"],
    ],
)
def test_a_stamp_that_steps_by_one_is_a_bates_number(kit: Any, stamps: list[str]) -> None:
    pages = pages_of(kit, stamps, x=480)
    assert [page.bates for page in pages] == stamps
    assert [page.label for page in pages] == stamps


def test_a_bates_number_stands_beside_the_page_number(kit: Any) -> None:
    def sheet(number: int) -> Any:
        foot = [kit.text(300, 760, f"Page {number + 3}", 8), kit.text(480, 760, f"ABC{number:06d}", 8)]
        return kit.sheet([*kit.column(f"{number} {WORDS}.", y=100), *foot])

    canonical = read_pdf(kit.write(*map(sheet, range(3))), max_pages=10, max_chars=100_000).canonical
    assert [(page.label, page.bates) for page in canonical.pages] == [("3", "ABC000000"), ("4", "ABC000001"), ("5", "ABC000002")]


@pytest.mark.parametrize(
    "stamps",
    [["ABC000123", "ABC000123", "ABC000123"], ["ABC000123", "ABC000777"], ["Contract 2021", "Contract 2022"], ["2021", "2022"]],
)
def test_what_does_not_step_by_one_or_has_no_form_of_a_stamp_is_none(kit: Any, stamps: list[str]) -> None:
    sheets = [kit.sheet([*kit.column(f"{n} {WORDS}.", y=100), kit.text(480, 760, text, 8)]) for n, text in enumerate(stamps)]
    canonical = read_pdf(kit.write(*sheets), max_pages=10, max_chars=100_000).canonical
    assert [page.bates for page in canonical.pages] == [""] * len(stamps)


def test_a_second_document_in_the_file_has_bates_numbers_of_its_own(kit: Any) -> None:
    stamps = ["ABC000123", "ABC000124", "XYZ000007", "XYZ000008"]
    assert [page.bates for page in pages_of(kit, stamps, x=480)] == stamps
