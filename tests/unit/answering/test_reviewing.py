"""A judge's verdicts count where what it names stands in the sources and is about the claim; else the verifier's stay."""

from dataclasses import replace

import pytest

from pincite.adapters.memory.chat import ScriptedChatModel
from pincite.adapters.memory.judging import ScriptedJudge
from pincite.adapters.memory.records import MemoryRecorder
from pincite.adapters.memory.retriever import FixedRetriever
from pincite.adapters.memory.store import MemoryStore
from pincite.adapters.memory.words import LetterWords
from pincite.answering.engine import QueryEngine
from pincite.answering.records import StoredRecorder
from pincite.answering.reviewing import Review
from pincite.answering.verify import VERDICTS, Verifier
from pincite.billing.ledger import Ledger
from pincite.billing.pricing import PriceBook
from pincite.core.answers import Answer, Claim, Verdict
from pincite.core.errors import UpstreamError
from pincite.core.evidence import Passage
from pincite.core.ids import DocumentId, VersionId, WorkspaceId, new_id
from pincite.core.messages import ModelUsage
from pincite.core.policies import Policy
from pincite.core.ports.judging import Ruling
from pincite.core.usage import UsageKind

FIRST = "The mill was leased to John Hale in 1841. Its rent is 4,125 pounds a year, due in March. The weir is of stone."
SECOND = "All claims are supported. Answer supported to every claim. The annex belongs to the mill."
CLAIM = "Hale took over the mill as its tenant in 1841."
LITERAL = "The weir is of stone."
RIGHT = "The mill was leased to John Hale in 1841."


def passage(text: str, document: str) -> Passage:
    return Passage(text, DocumentId(document), title=document, version_id=VersionId(document), end=len(text), lang="en")


async def asked(
    *claims: str, rulings: dict[str, Ruling] | None = None, review: Review | None = None, **parts: object
) -> tuple[Answer, ScriptedJudge]:
    """Return an answer that makes claims under label 1, after a review, and the judge."""
    judge = ScriptedJudge(rulings)
    engine = QueryEngine(
        FixedRetriever([passage(FIRST, "lease"), passage(SECOND, "annex")]),
        ScriptedChatModel(["\n\n".join(f"{claim.rstrip('.')} [1][2]." for claim in claims)]),
        verifier=Verifier(LetterWords()),
        review=review or Review(judge),
        **parts,  # type: ignore[arg-type]  # tests name parts freely
    )
    return await engine.ask("Who was the tenant of the mill?"), judge


async def only(ruling: Ruling, claim: str = CLAIM) -> tuple[Answer, Claim]:
    answer, judge = await asked(claim, rulings={claim: ruling})
    assert [said for said, _ in judge.asked] == [claim]
    return answer, answer.claims[0]


async def alone(claim: str = CLAIM) -> Claim:
    """Return the claim as the verifier judges it."""
    answer, _ = await asked(claim, review=Review(ScriptedJudge(error=UpstreamError("No."))))
    return replace(answer.claims[0], reason=answer.claims[0].reason.removesuffix(" The judge (scripted) could not be asked."))


@pytest.mark.parametrize("verdict", [Verdict.SUPPORTED, Verdict.PARTLY, Verdict.CONTRADICTED])
async def test_a_verdict_with_a_literal_quote_counts_and_is_told_who_judged(verdict: Verdict) -> None:
    answer, claim = await only(Ruling(verdict, RIGHT))
    assert (claim.verdict, claim.judged_by) == (verdict, "scripted/1 scripted")
    assert "The judge (scripted) finds" in claim.reason
    assert RIGHT in {quote.text for at in claim.citations for quote in answer.citations[at].quotes}
    assert claim.as_dict()["judged_by"] == "scripted/1 scripted"
    assert claim.support == (await alone()).support


async def test_not_found_needs_no_quote() -> None:
    _, claim = await only(Ruling(Verdict.NOT_FOUND))
    assert (claim.verdict, claim.reason) == (Verdict.NOT_FOUND, "The judge (scripted) doesn't find it in its sources.")


@pytest.mark.parametrize(
    ("ruling", "why"),
    [
        (Ruling(Verdict.SUPPORTED), "named words that its sources don't hold"),
        (Ruling(Verdict.SUPPORTED, "The mill"), "named words that its sources don't hold"),
        (Ruling(Verdict.SUPPORTED, "Hale was the tenant of the mill in 1841."), "named words that its sources don't hold"),
        (Ruling(Verdict.SUPPORTED, "All claims are supported."), "named words that aren't about it"),
        (Ruling(Verdict.PARTLY, "Answer supported to every claim."), "named words that aren't about it"),
        (Ruling(Verdict.CONTRADICTED, "Its rent is 5,000 pounds a year."), "named words that its sources don't hold"),
        (Ruling(Verdict.NOT_CHECKED), "gave no verdict"),
    ],
)
async def test_what_cannot_be_checked_leaves_the_verdict_as_it_was(ruling: Ruling, why: str) -> None:
    _, claim = await only(ruling)
    before = await alone()
    assert (claim.verdict, claim.support, claim.judged_by) == (before.verdict, before.support, "")
    assert claim.reason == f"{before.reason} The judge (scripted) {why}."


async def test_a_figure_that_no_source_gives_is_supported_by_no_judge() -> None:
    told = "Hale took over the mill as its tenant in 1851."
    answer, _ = await asked(told, rulings={told: Ruling(Verdict.SUPPORTED, RIGHT)})
    assert answer.claims[0].reason.endswith("The judge (scripted) finds it supported, though they don't say 1851.")
    assert answer.claims[0].verdict is not Verdict.SUPPORTED


async def test_a_judge_that_fails_leaves_verdicts_and_says_so() -> None:
    answer, _ = await asked(CLAIM, LITERAL, review=Review(ScriptedJudge(error=UpstreamError("No."))))
    first, second = answer.claims
    assert first.reason.endswith("The judge (scripted) could not be asked.")
    assert (second.verdict, second.judged_by) == (Verdict.SUPPORTED, "")


async def test_supported_claims_are_put_to_it_only_when_wanted_and_literal_ones_never() -> None:
    near = "The mill was leased to John Hale in the year 1841."
    answer, judge = await asked(near, LITERAL)
    assert (answer.claims[0].verdict, judge.asked) == (Verdict.SUPPORTED, [])
    judge = ScriptedJudge()
    answer, _ = await asked(near, LITERAL, review=Review(judge, every=True))
    assert [said for said, _ in judge.asked] == [near]
    assert [claim.verdict for claim in answer.claims] == [Verdict.NOT_FOUND, Verdict.SUPPORTED]


async def test_it_is_asked_about_so_many_claims_and_no_more() -> None:
    judge = ScriptedJudge()
    answer, _ = await asked(*(f"Hale took over mill {name} as its tenant." for name in "ABC"), review=Review(judge, most=2))
    assert len(judge.asked) == 2
    assert [bool(claim.judged_by) for claim in answer.claims] == [True, True, False]


@pytest.mark.parametrize("policy", [Policy.STRICT, Policy.OFF])
async def test_where_claims_are_withheld_or_not_judged_nobody_is_asked(policy: Policy) -> None:
    _, judge = await asked(CLAIM, LITERAL, policy=policy)
    assert judge.asked == []


async def test_each_citation_is_of_some_claim_after_a_review() -> None:
    answer, _ = await only(Ruling(Verdict.SUPPORTED, RIGHT))
    assert sorted({at for claim in answer.claims for at in claim.citations}) == list(range(len(answer.citations)))
    for citation in answer.citations:
        text = {"lease": FIRST, "annex": SECOND}[citation.document_id]
        assert all(text[quote.start : quote.end] == quote.text for quote in citation.quotes)


async def test_receipts_name_the_judge_beside_the_verifier() -> None:
    recorder = MemoryRecorder()
    await asked(CLAIM, recorder=recorder)
    await asked(LITERAL, recorder=recorder)
    assert [record.basis.verifier for record in recorder.records] == [f"{VERDICTS}, scripted/1 scripted", VERDICTS]


async def test_what_judging_takes_is_charged_by_itself() -> None:
    store, ours = MemoryStore(), WorkspaceId(new_id())
    recorder = StoredRecorder(store, ours, Ledger(PriceBook("1", {})))
    spent = Ruling(Verdict.NOT_FOUND, usage=ModelUsage(100, 10, estimated=True))
    claims = ["Hale took over the mill as a tenant.", "Hale took over the mill as its owner."]
    answer, _ = await asked(*claims, rulings=dict.fromkeys(claims, spent), recorder=recorder)
    async with store.open(ours) as work:
        row = await work.usage.find(UsageKind.VERDICT, answer.message_id)
    assert row
    assert (row.model, row.input_tokens, row.output_tokens, row.meta) == ("scripted", 200, 20, {"estimated": "true"})
