"""How a page is named on a console."""

import pytest

from pincite.cli.render import page_place, span_place
from pincite.core.answers import Span


@pytest.mark.parametrize(
    ("page", "label", "bates", "named"),
    [
        (3, "3", "", "page 3"),
        (4, "iv", "", "page iv (4)"),
        (3, "3", "ABC000123", "page 3 (ABC000123)"),
        (3, "ABC000123", "ABC000123", "page 3 (ABC000123)"),
        (4, "iv", "ABC000123", "page iv (4, ABC000123)"),
        (4, "", "", "page 4"),
        (None, None, "", ""),
    ],
)
def test_a_page_is_named_by_its_number_its_label_and_its_bates_number(
    page: int | None, label: str | None, bates: str, named: str
) -> None:
    assert page_place(page, label, bates) == named


def test_a_label_that_would_command_the_terminal_is_made_harmless() -> None:
    assert "\x1b" not in page_place(1, "\x1b[2J", "")


@pytest.mark.parametrize(
    ("span", "named"),
    [
        (Span(2, "Fees", "", cells="B2:D9"), "sheet Fees, B2:D9"),
        (Span(None, None, "", cells="B2"), "cells B2"),
        (Span(4, "iv", ""), "page iv (4)"),
        (Span(None, None, ""), ""),
    ],
)
def test_a_quote_in_cells_is_placed_by_its_sheet_and_range(span: Span, named: str) -> None:
    assert span_place(span) == named
