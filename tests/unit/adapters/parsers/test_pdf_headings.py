"""Headings that neither an outline nor large print shows, and large print that is no heading."""

from typing import Any

import pytest

from pincite.adapters.parsers.pdf import read_pdf
from pincite.adapters.parsers.pdf_heading_forms import is_no_heading
from pincite.core.documents import BlockRole

PROSE = "The supplier delivers the goods that the annex names to the place that the buyer names, and bears the risk until then. "


def blocks(path: str) -> list[tuple[BlockRole, str]]:
    canonical = read_pdf(path, max_pages=10, max_chars=100_000).canonical
    return [(block.role, canonical.text[block.start : block.end]) for block in canonical.blocks]


def headings(path: str) -> list[str]:
    return [text for role, text in blocks(path) if role is BlockRole.HEADING]


def test_a_bold_title_that_runs_into_its_text_is_a_heading_of_its_own(kit: Any) -> None:
    texts: list[Any] = []
    for number, title in enumerate(("1. Scope.", "2. Delivery.")):
        y = 100 + 80 * number
        texts += [
            kit.text(72, y, title, font="Helvetica-Bold"),
            kit.text(76 + 5 * len(title), y, "These terms govern every order that the buyer places with him, and"),
        ]
        texts += kit.column("t" + (PROSE * 2)[1:], y=y + 12)
    found = blocks(kit.write(kit.sheet(texts)))
    assert [text for role, text in found if role is BlockRole.HEADING] == ["1. Scope.", "2. Delivery."]
    assert found[1][1].startswith("These terms govern every order that the buyer places with him, and the supplier delivers")


@pytest.mark.parametrize("label", ["Date:", "Note", "Dr.", "Figure 2."])
def test_a_bold_label_before_text_is_no_heading(kit: Any, label: str) -> None:
    texts = [
        kit.text(72, 100, label, font="Helvetica-Bold"),
        kit.text(130, 100, "It was on the fifth of May that the parties met again here."),
    ]
    assert headings(kit.write(kit.sheet([*texts, *kit.column(PROSE * 3, y=112)]))) == []


@pytest.mark.parametrize("title", ["CONFIDENTIALITY", "ARTICLE V - TERM", "4. Warranties", "Section 4.2 Notice of Defects"])
def test_a_line_in_capitals_or_behind_a_number_over_text_is_a_heading(kit: Any, title: str) -> None:
    texts = [*kit.column(PROSE * 2, y=80), kit.text(72, 140, title), *kit.column(PROSE * 2, y=160)]
    assert headings(kit.write(kit.sheet(texts))) == [title]


def test_short_items_of_a_numbered_list_are_no_headings(kit: Any) -> None:
    items = [kit.text(72, 140 + 14 * number, f"{number + 1}. Item of the List") for number in range(4)]
    assert headings(kit.write(kit.sheet([*kit.column(PROSE, y=80), *items, *kit.column(PROSE * 2, y=210)]))) == []


def test_a_form_in_capitals_has_no_headings_for_them(kit: Any) -> None:
    texts = [kit.text(72, 100 + 20 * number, f"NAME OF THE APPLICANT NUMBER {number}") for number in range(10)]
    assert headings(kit.write(kit.sheet([*texts, *kit.column(PROSE, y=320)]))) == []


@pytest.mark.parametrize(
    "text",
    [
        "12 March 2024",
        "Dated: March 12, 2024",
        "Stand: 05.03.2024",
        "2024-03-12",
        "le 3 mars 2021",
        "1200 Market Street, Suite 5",
        "10115 Berlin",
        "Invalidenstraße 44",
        "Springfield, IL 62704",
        "London SW1A 2AA",
        "office@example.org",
        "www.example.org",
        "+49 30 1234567",
        "Tel. 030 12345",
    ],
)
def test_a_large_date_or_address_on_a_cover_is_no_heading(kit: Any, text: str) -> None:
    texts = [kit.text(72, 100, "Annual Report", size=24), kit.text(72, 180, text, size=14), *kit.column(PROSE * 5, y=300)]
    assert headings(kit.write(kit.sheet(texts))) == ["Annual Report"]


@pytest.mark.parametrize(
    "text", ["The Budget of 2024", "March of the Penguins", "7 Ways to Save", "1984", "12 Results", "Street Law"]
)
def test_a_title_with_figures_or_such_words_stays_one(text: str) -> None:
    assert not is_no_heading(text)
