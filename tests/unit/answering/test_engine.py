import asyncio
import hashlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import pytest

from pincite.adapters.memory.chat import ScriptedChatModel
from pincite.adapters.memory.query_logs import MemoryQueryLog
from pincite.adapters.memory.records import MemoryLocator, MemoryRecorder
from pincite.adapters.memory.retriever import FixedRetriever
from pincite.answering.answerable import Answerability
from pincite.answering.engine import INSUFFICIENT_MESSAGE, QueryEngine
from pincite.answering.exchange import Ask
from pincite.answering.fold import fold
from pincite.core.answers import AnswerEvent, DoneChunk, SourcesChunk, TokenChunk, Verdict
from pincite.core.documents import Block, BlockRole, CanonicalText, Page, PageSpan, SourceRun
from pincite.core.errors import UpstreamError, UsageError
from pincite.core.evidence import Passage, Signals
from pincite.core.ids import DocumentId, VersionId
from pincite.core.messages import ModelUsage
from pincite.core.querylog import Outcome

LEASE = "The lease runs for two years. Notice to end it is sixty days."
LAW = "Dutch law governs the lease."


def passage(text: str, *, document: str = "d1", page: int = 1, start: int = 0) -> Passage:
    return Passage(
        text,
        document_id=DocumentId(document),
        version_id=VersionId("v-" + document),
        title="Lease",
        start=start,
        end=start + len(text),
        pages=(PageSpan(page, str(page), start, start + len(text)),),
    )


PASSAGES = [passage(LEASE), passage(LAW, page=2, start=100)]


def engine_of(*pieces: str, passages: list[Passage] = PASSAGES, **parts: object) -> QueryEngine:
    return QueryEngine(FixedRetriever(passages), ScriptedChatModel([list(pieces)]), **parts)  # type: ignore[arg-type]  # tests name parts freely


async def events_of(engine: QueryEngine, question: str = "How long?") -> list[AnswerEvent]:
    return [event async for event in engine.stream(question)]


async def test_a_stream_is_sources_then_tokens_then_done_and_ask_is_its_fold() -> None:
    engine = engine_of("Two years ", "[1", "]. Dutch law [2].")
    events = await events_of(engine)
    assert isinstance(events[0], SourcesChunk)
    assert isinstance(events[-1], DoneChunk)
    assert all(isinstance(event, TokenChunk) and event.text for event in events[1:-1])
    answer = await engine.ask("How long?")
    assert (
        answer.text == "".join(event.text for event in events if isinstance(event, TokenChunk)) == "Two years [1]. Dutch law [2]."
    )
    assert [source.n for source in answer.sources] == [1, 2]


async def test_half_a_marker_is_never_in_a_token() -> None:
    events = await events_of(engine_of("It runs two years ", "[", "1", "]", " and more."))
    assert all(event.text.count("[") == event.text.count("]") for event in events if isinstance(event, TokenChunk))


async def test_every_citation_quotes_a_literal_run_of_its_source() -> None:
    answer = await engine_of("The notice is sixty days [1]. The law is Dutch [2].").ask("q")
    quotes = [quote for citation in answer.citations for quote in citation.quotes]
    assert quotes[0].text == LEASE[quotes[0].start : quotes[0].end] == "Notice to end it is sixty days."
    assert quotes[1].text == LAW[quotes[1].start - 100 : quotes[1].end - 100]
    assert [quote.spans[0].page for quote in quotes] == [1, 2]


async def test_claims_cover_the_text_and_point_at_their_citations() -> None:
    answer = await engine_of("Notice to end it is sixty days [1]. Nothing is said of pets.").ask("q")
    assert [answer.text[claim.start : claim.end] for claim in answer.claims] == [
        "Notice to end it is sixty days [1].",
        "Nothing is said of pets.",
    ]
    assert [claim.citations for claim in answer.claims] == [(0,), ()]
    assert [claim.verdict for claim in answer.claims] == [Verdict.SUPPORTED, Verdict.NOT_CHECKED]


async def test_what_a_model_wrote_of_a_picture_is_neither_quoted_nor_vouches_for_a_number() -> None:
    written = replace(passage("The bars rise from 12 to 48 ships."), generated=True)
    alone = await engine_of("The bars rise from 12 to 48 ships [1].", passages=[written]).ask("How many?")
    assert (alone.citations, alone.claims[0].verdict) == ((), Verdict.NOT_CHECKED)
    told = passage("Ships in the harbour by year", start=50)
    beside = await engine_of("The bars rise from 12 to 48 ships [1].", passages=[written, told]).ask("How many?")
    assert [quote.text for each in beside.citations for quote in each.quotes] == [told.text]
    assert (beside.claims[0].verdict, beside.claims[0].reason) == (
        Verdict.NOT_CHECKED,
        "Its sources don't say 12 and 48; compare the claim with its quote.",
    )


async def test_labels_that_were_not_issued_never_become_citations() -> None:
    answer = await engine_of("Two years [7]. Sixty days [1].").ask("q")
    assert "[7]" not in answer.text
    assert {citation.n for citation in answer.citations} == {1}


@pytest.mark.parametrize("reply", [["INSUFFICIENT_CONTEXT"], ["INSUFF", "ICIENT", "_CONTEXT. Maybe 3 [1]."], ["  \n"], ["[9]"]])
async def test_a_model_that_declines_or_says_nothing_is_an_insufficient_answer(reply: list[str]) -> None:
    answer = await engine_of(*reply).ask("q")
    assert (answer.answered, answer.text, answer.citations, answer.claims) == (False, INSUFFICIENT_MESSAGE, (), ())


async def test_labels_alone_are_no_answer() -> None:
    answer = await engine_of("[1] [2].").ask("q")
    assert (answer.answered, answer.citations) == (False, ())
    assert INSUFFICIENT_MESSAGE in answer.text


async def test_passages_without_text_are_no_evidence() -> None:
    model = ScriptedChatModel(["never"])
    answer = await QueryEngine(FixedRetriever([Passage(""), Passage(" \n")]), model).ask("q")
    assert (answer.answered, answer.sources, model.calls) == (False, (), [])


async def test_without_passages_or_evidence_the_model_is_not_called() -> None:
    model = ScriptedChatModel(["never"])
    nothing = await QueryEngine(FixedRetriever([]), model).ask("q")
    weak = await QueryEngine(FixedRetriever(PASSAGES, Signals(None, 0.0, 20.0)), model).ask("q")
    assert not nothing.answered
    assert not weak.answered
    assert (nothing.answerable, weak.answerable) == (None, pytest.approx(0.05, abs=0.05))
    assert model.calls == []


@pytest.mark.parametrize(
    ("question", "code"), [("", "question_empty"), ("  \n", "question_empty"), ("x" * 5001, "question_too_long")]
)
async def test_a_malformed_question_is_refused_before_anything_is_searched(question: str, code: str) -> None:
    retriever = FixedRetriever(PASSAGES)
    with pytest.raises(UsageError) as caught:
        await QueryEngine(retriever, ScriptedChatModel(["x"])).ask(question)
    assert caught.value.code == code
    assert retriever.queries == []


async def test_a_question_of_exactly_the_limit_is_taken_and_trimmed() -> None:
    retriever = FixedRetriever(PASSAGES)
    await QueryEngine(retriever, ScriptedChatModel(["x [1]."])).ask(" " + "x" * 5000 + " ")
    assert len(retriever.queries[0].text) == 5000


async def test_the_model_is_closed_when_the_listener_leaves_and_when_it_fails() -> None:
    model = ScriptedChatModel([["one ", "two ", "three "]])
    async with aclosing(QueryEngine(FixedRetriever(PASSAGES), model).stream("q")) as events:
        async for event in events:
            if isinstance(event, TokenChunk):
                break
    assert model.open_streams == 0
    failing = ScriptedChatModel([["one ", "two "]], fail_at=1)
    with pytest.raises(UpstreamError):
        await QueryEngine(FixedRetriever(PASSAGES), failing).ask("q")
    assert failing.open_streams == 0


async def test_the_answer_is_recorded_with_frozen_quotes_and_commitments_before_done() -> None:
    recorder = MemoryRecorder()
    engine = engine_of("Notice is sixty days [1].", recorder=recorder)
    events: list[AnswerEvent] = []
    async for event in engine.stream("q"):
        events.append(event)
        assert bool(recorder.records) == isinstance(event, DoneChunk)
    frozen = recorder.records[0].evidence[0]
    assert frozen.commitment == hashlib.sha256(bytes.fromhex(frozen.nonce) + frozen.text.encode()).hexdigest()
    assert recorder.records[0].answer == await fold(_replay(events))


async def _replay(events: list[AnswerEvent]) -> AsyncGenerator[AnswerEvent]:
    for event in events:
        yield event


async def test_a_quote_over_a_page_break_has_a_span_on_each_page() -> None:
    text = "The fee is due within thirty days of the invoice."
    canonical = CanonicalText(
        text,
        (Block(BlockRole.BODY, 0, len(text), 1),),
        (Page(1, "i"), Page(2, "ii", bates="ABC000124")),
        (SourceRun(0, 21, 1, 0, 21), SourceRun(22, len(text) - 22, 2, 0, len(text) - 22)),
    )
    locator = MemoryLocator({VersionId("v-d1"): canonical})
    answer = await engine_of(
        "The fee is due within thirty days of the invoice [1].", passages=[passage(text)], locator=locator
    ).ask("q")
    spans = answer.citations[0].quotes[0].spans
    assert [(span.page, span.page_label, span.bates) for span in spans] == [(1, "i", ""), (2, "ii", "ABC000124")]
    assert [span.as_dict()["bates"] for span in spans] == [None, "ABC000124"]


async def test_usage_and_timings_are_on_the_last_event() -> None:
    model = ScriptedChatModel(["Two years [1]."], usage=ModelUsage(11, 4))
    answer = await QueryEngine(FixedRetriever(PASSAGES), model).ask("q")
    assert (answer.usage, answer.model) == (ModelUsage(11, 4), "scripted")
    assert answer.timings.time_to_first_token_ms is not None


async def test_the_context_that_didnt_fit_may_not_be_cited() -> None:
    engine = engine_of("Two years [1], Dutch law [2].", max_context_characters=260)
    answer = await engine.ask(Ask("q"))
    assert [source.n for source in answer.sources] == [1]
    assert {citation.n for citation in answer.citations} == {1}


async def test_a_stream_without_its_last_event_is_no_answer() -> None:
    events = await events_of(engine_of("Two years [1]."))
    with pytest.raises(UpstreamError):
        await fold(_replay(events[:-1]))


async def test_two_questions_at_once_dont_mix() -> None:
    answers = await asyncio.gather(*(engine_of(f"Answer {n} [1].").ask("q") for n in range(20)))
    assert [answer.text for answer in answers] == [f"Answer {n} [1]." for n in range(20)]


async def test_every_question_is_noted_however_it_ends() -> None:
    log = MemoryQueryLog()
    whole = QueryEngine(FixedRetriever(PASSAGES), ScriptedChatModel(["Two years [1]."], usage=ModelUsage(11, 4)), log=log)
    await whole.ask(Ask("q", surface="test"))
    await QueryEngine(FixedRetriever([]), ScriptedChatModel(["x"]), log=log).ask("q")
    pieces = ScriptedChatModel([["Two ", "years ", "[1]."]])
    async with aclosing(QueryEngine(FixedRetriever(PASSAGES), pieces, log=log).stream("q")) as events:
        await anext(events)
        await anext(events)
    failing = ScriptedChatModel([["Two ", "years "]], fail_at=1)
    with pytest.raises(UpstreamError):
        await QueryEngine(FixedRetriever(PASSAGES), failing, log=log).ask("q")
    outcomes = [(query.outcome, query.received.strip(), query.error) for query in log.queries]
    assert outcomes == [
        (Outcome.COMPLETE, "", ""),
        (Outcome.INSUFFICIENT, "", ""),
        (Outcome.PARTIAL, "Two", ""),
        (Outcome.FAILED, "Two", "upstream"),
    ]
    assert (log.queries[0].surface, log.queries[0].model, log.queries[0].usage) == ("test", "scripted", ModelUsage(11, 4))


async def test_a_question_that_is_refused_is_not_noted() -> None:
    log = MemoryQueryLog()
    with pytest.raises(UsageError):
        await QueryEngine(FixedRetriever(PASSAGES), ScriptedChatModel(["x"]), log=log).ask(" ")
    assert log.queries == []


async def test_how_likely_an_answer_was_is_told_logged_and_decides_whether_a_model_is_asked() -> None:
    log = MemoryQueryLog()
    model = ScriptedChatModel(["Sixty days [1]."])
    retriever = FixedRetriever(PASSAGES, Signals(None, 6.0, 9.0, lexical_next=3.0))
    asked = await QueryEngine(retriever, model, log=log, answerability=Answerability(least=0.0)).ask("How long is the notice?")
    assert asked.answerable is not None
    assert 0 < asked.answerable < 1
    refused = await QueryEngine(retriever, model, log=log, answerability=Answerability(least=1.0)).ask("How long is the notice?")
    assert (asked.answered, refused.answered, refused.text) == (True, False, INSUFFICIENT_MESSAGE)
    assert (refused.answerable, len(model.calls)) == (asked.answerable, 1)
    assert [query.answerable for query in log.queries] == [asked.answerable] * 2
    assert refused.as_dict()["answerable"] == asked.answerable
