"""What the command line says of claims that their sources don't bear out."""

import pytest

from pincite.cli.render import print_doubts
from pincite.core.answers import Claim, Verdict

TEXT = "Payment is due in 45 days [1]. The rent is high [1]. It ends on Friday."


def claim(start: int, end: int, verdict: Verdict, reason: str) -> Claim:
    return Claim(start, end, verdict, 0.2, reason)


def test_the_worst_come_first_with_their_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    claims = [
        claim(31, 52, Verdict.PARTLY, "They don't have high."),
        claim(53, 71, Verdict.NOT_FOUND, "No source says it."),
        claim(0, 30, Verdict.CONTRADICTED, "It says 45 days where its source says thirty days."),
    ]
    print_doubts(TEXT, claims)
    assert capsys.readouterr().out.splitlines() == [
        "Contradicted: “Payment is due in 45 days [1].” It says 45 days where its source says thirty days.",
        "Not found: “It ends on Friday.” No source says it.",
        "Partly supported: “The rent is high [1].” They don't have high.",
    ]


@pytest.mark.parametrize("verdict", [Verdict.SUPPORTED, Verdict.NOT_CHECKED])
def test_nothing_is_said_of_the_others(capsys: pytest.CaptureFixture[str], verdict: Verdict) -> None:
    print_doubts(TEXT, [claim(0, 30, verdict, "…")])
    assert capsys.readouterr().out == ""
