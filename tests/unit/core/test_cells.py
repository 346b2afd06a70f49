"""Cells by number and by name."""

import pytest

from pincite.core.cells import cell_index, cell_name, cell_range
from pincite.core.documents import SourceRun


@pytest.mark.parametrize(
    ("row", "column", "name"),
    [
        (0, 0, "A1"),
        (1, 1, "B2"),
        (8, 25, "Z9"),
        (0, 26, "AA1"),
        (0, 701, "ZZ1"),
        (0, 702, "AAA1"),
        (1_048_575, 16_383, "XFD1048576"),
    ],
)
def test_a_cell_has_the_name_that_spreadsheets_show(row: int, column: int, name: str) -> None:
    assert cell_name(cell_index(row, column)) == name


def test_a_range_holds_the_cells_of_all_runs() -> None:
    runs = [
        SourceRun(0, 3, 1, cell_index(4, 3), 1),
        SourceRun(9, 3, 1, cell_index(1, 1), 2),
        SourceRun(20, 9, 1, cell_index(2, 0), 1),
    ]
    assert cell_range(runs) == "A2:D5"
    assert cell_range(runs[:1]) == "D5"
    assert cell_range([]) == ""
