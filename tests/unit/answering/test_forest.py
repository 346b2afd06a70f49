"""Trees are walked for many rows at once."""

import numpy as np

from pincite.answering.forest import Forest

LEAF_ALONE = [[0.25]]
TWO_LEVELS = [[0, 0.5, 1, 2], [-1.0], [1, 2.0, 3, 4], [0.5], [2.0]]
ROWS = np.array([[0.5, 9.0], [0.6, 2.0], [0.6, 2.1], [0.4, 0.0]])


def test_each_row_comes_to_its_own_leaves() -> None:
    found = Forest.of([TWO_LEVELS, LEAF_ALONE]).sums_of_leaves(ROWS)
    assert found.tolist() == [-0.75, 0.75, 2.25, -0.75]


def test_a_row_among_others_comes_to_the_same_leaves_as_alone() -> None:
    forest = Forest.of([LEAF_ALONE, TWO_LEVELS, TWO_LEVELS])
    assert forest.sums_of_leaves(ROWS).tolist() == [float(forest.sums_of_leaves(row[None])[0]) for row in ROWS]


def test_no_rows_give_no_sums() -> None:
    assert Forest.of([TWO_LEVELS]).sums_of_leaves(np.empty((0, 2))).tolist() == []
