"""What becomes of claims that aren't supported, on the one answering path."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from pincite.adapters.memory.chat import ScriptedChatModel
from pincite.adapters.memory.query_logs import MemoryQueryLog
from pincite.adapters.memory.records import MemoryRecorder
from pincite.adapters.memory.retriever import FixedRetriever
from pincite.adapters.models.e5_words import LazyWords
from pincite.answering.engine import INSUFFICIENT_MESSAGE, QueryEngine
from pincite.answering.exchange import Ask
from pincite.answering.prompts import source_label
from pincite.answering.verify import VERDICTS, Verifier
from pincite.core.answers import TokenChunk, Verdict
from pincite.core.errors import UpstreamError
from pincite.core.evidence import Passage, Query, Retrieval
from pincite.core.ids import CollectionId, DocumentId, VersionId
from pincite.core.policies import WITHHELD, Policy, strictest
from pincite.core.querylog import Outcome

LEASE = "The lease runs for two years. Notice to end it is sixty days."
LAW = "Dutch law governs the lease."
CONTRACTS, LAWS = CollectionId("contracts"), CollectionId("laws")
SECRET = "Zebras graze in the garden for ninety euros"


def passage(text: str, name: str, collection: CollectionId) -> Passage:
    return Passage(
        text,
        document_id=DocumentId(name),
        version_id=VersionId(name),
        title=name,
        end=len(text),
        lang="en",
        collection_id=collection,
    )


PASSAGES = (passage(LEASE, "lease", CONTRACTS), passage(LAW, "law", LAWS))


@dataclass
class PolicedRetriever:
    """Brings passages and the policies of what was searched."""

    policies: dict[CollectionId, Policy]
    passages: Sequence[Passage] = PASSAGES

    async def retrieve(self, query: Query) -> Retrieval:
        return Retrieval(tuple(self.passages), policies=self.policies)


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Verifier:
    return Verifier(LazyWords(tmp_path_factory.mktemp("words")))


def engine_of(verifier: Verifier, policy: Policy, *pieces: str, **parts: object) -> QueryEngine:
    made = QueryEngine(FixedRetriever(PASSAGES), ScriptedChatModel([list(pieces)]), verifier=verifier, policy=policy)
    return replace(made, **parts)  # pyright: ignore[reportArgumentType] tests name parts freely


async def test_under_strict_the_words_of_a_withheld_claim_are_in_no_event_answer_receipt_or_log(verifier: Verifier) -> None:
    recorder, log = MemoryRecorder(), MemoryQueryLog()
    pieces = ["The lease runs for two ", f"years [1]. {SECRET[:9]}", f"{SECRET[9:]} [1]. Dutch law ", "governs the lease [2]."]
    engine = engine_of(verifier, Policy.STRICT, *pieces, recorder=recorder, log=log)
    events = [event async for event in engine.stream("What does the lease say?")]
    tokens = "".join(event.text for event in events if isinstance(event, TokenChunk))
    assert tokens == f"The lease runs for two years [1]. {WITHHELD} Dutch law governs the lease [2]."
    answer = recorder.records[0].answer
    assert (answer.text, answer.policy, answer.withheld, answer.answered) == (tokens, Policy.STRICT, 1, True)
    assert [tokens[claim.start : claim.end] for claim in answer.claims][1] == WITHHELD
    for kept in (events, recorder.records, log.queries):
        assert not {"zebra", "ninety"} & set(repr(kept).lower().replace("'", " ").split())
    assert (log.queries[0].outcome, log.queries[0].withheld) == (Outcome.COMPLETE, 1)


async def test_an_answer_of_which_nothing_is_supported_ends_as_insufficient(verifier: Verifier) -> None:
    log = MemoryQueryLog()
    answer = await engine_of(verifier, Policy.STRICT, f"{SECRET} [1]. ", "Pets vote at noon [2].", log=log).ask("What of zebras?")
    assert (answer.answered, answer.citations, answer.withheld) == (False, (), 2)
    assert answer.text == f"{WITHHELD}\n\n{INSUFFICIENT_MESSAGE}"
    assert log.queries[0].outcome is Outcome.INSUFFICIENT


@pytest.mark.parametrize("reply", [f"{SECRET}.", f"{SECRET} [7]."])
async def test_an_answer_without_any_issued_label_fails_under_strict(verifier: Verifier, reply: str) -> None:
    with pytest.raises(UpstreamError) as caught:
        await engine_of(verifier, Policy.STRICT, reply).ask("What of zebras?")
    assert caught.value.code == "no_citation"
    flagged = await engine_of(verifier, Policy.FLAG, reply).ask("What of zebras?")
    assert (flagged.answered, flagged.claims[0].verdict) == (True, Verdict.NOT_FOUND)


async def test_under_strict_a_model_that_declines_is_insufficient(verifier: Verifier) -> None:
    answer = await engine_of(verifier, Policy.STRICT, "INSUFFICIENT_CONTEXT").ask("What of zebras?")
    assert (answer.answered, answer.text, answer.claims) == (False, INSUFFICIENT_MESSAGE, ())


async def test_under_off_claims_have_citations_and_no_verdict(verifier: Verifier) -> None:
    recorder = MemoryRecorder()
    text = f"The lease runs for two years [1]. {SECRET} [1]. Dutch law governs the lease."
    answer = await engine_of(verifier, Policy.OFF, text, recorder=recorder).ask("What does the lease say?")
    assert (answer.text, answer.policy, answer.withheld) == (text, Policy.OFF, 0)
    assert [(claim.verdict, claim.support) for claim in answer.claims] == [(Verdict.NOT_CHECKED, None)] * 3
    assert all(claim.reason for claim in answer.claims)
    assert [len(claim.citations) for claim in answer.claims] == [1, 1, 0]
    assert recorder.records[0].basis.verifier != VERDICTS


@pytest.mark.parametrize(
    ("policies", "found", "everywhere"),
    [
        ({CONTRACTS: Policy.FLAG, LAWS: Policy.FLAG}, Policy.FLAG, Policy.FLAG),
        ({CONTRACTS: Policy.OFF, LAWS: Policy.FLAG}, Policy.OFF, Policy.FLAG),
        ({CONTRACTS: Policy.OFF, LAWS: Policy.STRICT}, Policy.OFF, Policy.STRICT),
        ({CONTRACTS: Policy.STRICT, LAWS: Policy.OFF}, Policy.STRICT, Policy.STRICT),
    ],
)
async def test_the_strictest_policy_of_what_was_asked_or_of_what_was_found_holds(
    verifier: Verifier, policies: dict[CollectionId, Policy], found: Policy, everywhere: Policy
) -> None:
    text = "The lease runs for two years [1]."
    engine = engine_of(verifier, Policy.FLAG, text, retriever=PolicedRetriever(policies, PASSAGES[:1]))
    assert (await engine.ask(Ask("How long?", policy_of_found=True))).policy is found
    again = engine_of(verifier, Policy.FLAG, text, retriever=PolicedRetriever(policies, PASSAGES[:1]))
    assert (await again.ask(Ask("How long?"))).policy is everywhere


async def test_labels_of_another_surface_are_withheld_with_their_claims(verifier: Verifier) -> None:
    engine = engine_of(verifier, Policy.STRICT, f"{SECRET} [S1]. The lease runs for two years [S1].")
    answer = await engine.ask(Ask("How long?", label=source_label, must_cite=True))
    assert answer.text == f"{WITHHELD} The lease runs for two years [S1]."


def test_flag_holds_where_there_is_no_policy() -> None:
    assert strictest([]) is Policy.FLAG
