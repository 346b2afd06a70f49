import pytest

from pincite.answering.evidence import EvidenceRule, may_hold_answer, rule_for, strength
from pincite.core.evidence import Signals

RULE = EvidenceRule()


def test_strength_grows_with_each_signal_and_stays_in_bounds() -> None:
    weak, strong = Signals(0.81, 2.0, 20.0), Signals(0.9, 25.0, 20.0)
    assert 0 < strength(weak, RULE) < strength(strong, RULE) <= 1


def test_one_side_alone_decides_where_the_other_is_missing() -> None:
    assert strength(Signals(None, 22.0, 20.0), RULE) == pytest.approx(0.5)
    assert strength(Signals(0.86), RULE) == pytest.approx(0.5)
    assert strength(Signals(), RULE) == 0


def test_a_question_that_stands_literally_in_a_passage_is_evidence() -> None:
    assert strength(Signals(0.7, 0.0, 9.0, literal=1.0), RULE) == 1
    assert strength(Signals(0.7, 0.0, 9.0, literal=0.6), RULE) == 0


@pytest.mark.parametrize(
    ("signals", "asked"),
    [
        (Signals(0.78, 0.0, 20.0), True),  # another language: no word in common
        (Signals(0.70, 0.0, 20.0), False),
        (Signals(0.70, 30.0, 20.0), True),  # every word of the question
        (Signals(None, 1.0, 40.0), False),
    ],
)
def test_the_gate_keeps_a_model_only_from_passages_that_cant_hold_an_answer(signals: Signals, asked: bool) -> None:
    assert may_hold_answer(signals, RULE) is asked


def test_the_cosines_of_a_model_that_was_not_measured_refuse_nothing() -> None:
    assert may_hold_answer(Signals(0.05, 0.0, 20.0), rule_for("maker/unknown"))
    assert not may_hold_answer(Signals(None, 0.0, 20.0), rule_for(None))
