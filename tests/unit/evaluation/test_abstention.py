"""Figures of abstention."""

import math
from itertools import pairwise

import pytest

from pincite.evaluation.abstention import curve, figures, point

GOOD, BAD = [0.9, 0.8, 0.4, 0.2], [0.7, 0.3, 0.1]


def test_a_threshold_refuses_what_is_below_it() -> None:
    found = point(0.4, GOOD, BAD)
    assert found.coverage == pytest.approx(4 / 7)
    assert found.risk == pytest.approx(1 / 4)
    assert found.caught == pytest.approx(2 / 3)
    assert found.false_refusals == pytest.approx(1 / 4)


def test_the_curve_goes_from_all_questions_to_none() -> None:
    found = curve(GOOD, BAD)
    assert (found[0].coverage, found[0].caught) == (1, 0)
    assert (found[-1].coverage, found[-1].false_refusals) == (0, 1)
    assert math.isnan(found[-1].risk)
    assert found[-1].as_dict()["risk"] is None
    assert all(later.coverage <= earlier.coverage for earlier, later in pairwise(found))


def test_false_refusals_are_told_where_seventy_percent_are_caught() -> None:
    told = figures([0.9, 0.6, 0.55, 0.5], [0.1] * 7 + [0.7] * 3, 0.3)
    assert told["false_refusals_at_70_caught"] == 0
    assert (told["caught"], told["false_refusals"]) == (pytest.approx(0.7), 0)
    assert told["auc"] == pytest.approx(0.7 + 0.3 * 0.25)


def test_probabilities_that_come_true_have_no_calibration_error() -> None:
    assert figures([1.0, 1.0], [0.0], 0.3)["calibration_error"] == 0
    assert figures([0.5, 0.5], [0.5, 0.5, 0.5], 0.3)["calibration_error"] == pytest.approx(0)
    assert figures([0.0], [1.0], 0.3)["calibration_error"] == 1


def test_figures_of_one_class_alone_are_none() -> None:
    told = figures([0.5], [], 0.3)
    assert math.isnan(told["auc"])
    assert math.isnan(told["calibration_error"])
    assert math.isnan(told["caught"])
