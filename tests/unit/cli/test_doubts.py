"""What the command line says of claims that their sources don't bear out."""

import pytest

from pincite.cli.conflicts import print_conflicts
from pincite.cli.render import print_doubts
from pincite.core.answers import Citation, Claim, Conflict, Quote, Span, Verdict
from pincite.core.ids import ChunkId, DocumentId, VersionId

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


def test_sources_that_disagree_are_printed_with_both_figures_and_quotes(capsys: pytest.CaptureFixture[str]) -> None:
    quotes = ("Notice is 30 days.", "Notice is 60 days.")
    sides = tuple(
        Citation(n, DocumentId("d"), VersionId("v"), ChunkId("c"), (Quote(text, 0, len(text), (Span(n, None, ""),)),))
        for n, text in enumerate(quotes, 1)
    )
    print_conflicts([Conflict(("30 days", "60 days"), sides)])
    assert capsys.readouterr().out.splitlines() == [
        "Sources disagree: 30 days or 60 days?",
        "    [1] page 1: “Notice is 30 days.”",
        "    [2] page 2: “Notice is 60 days.”",
    ]
