"""The query engine: one stream from a question to a cited answer. `ask` is its fold."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from pincite.answering.answerable import WORDS_ALONE, Answerability
from pincite.answering.basis import basis_of
from pincite.answering.citing import Cited, Citing, cite, doubt, freeze, locate_quotes
from pincite.answering.conflicts import conflicts_of, locate_conflicts
from pincite.answering.coverage import uncited_claims, uncited_sources
from pincite.answering.exchange import Ask, Exchange
from pincite.answering.fold import finished, fold
from pincite.answering.prompts import (
    DEFAULT_RAG_PROMPT,
    MAX_CONTEXT_CHARACTERS,
    PromptTemplate,
    RenderedPrompt,
)
from pincite.answering.quotes import QUOTES
from pincite.answering.reviewing import Review
from pincite.answering.sources import group_sources
from pincite.answering.verify import VERDICTS, Verifier
from pincite.answering.withholding import Withholding
from pincite.core.answers import Answer, AnswerEvent, AnswerRecord, DoneChunk, TokenChunk
from pincite.core.errors import UpstreamError, UsageError
from pincite.core.evidence import Query, Retrieval, Source
from pincite.core.messages import ChatMessage, ModelUsage
from pincite.core.policies import Policy, strictest
from pincite.core.ports.locator import Locator
from pincite.core.ports.models import ChatModel
from pincite.core.ports.querylog import QueryLog
from pincite.core.ports.records import Recorder
from pincite.core.ports.retriever import Retriever
from pincite.language.detect import detect

MAX_QUESTION_CHARACTERS = 5000
INSUFFICIENT_MESSAGE = "The documents don't support an answer to this question."


@dataclass(frozen=True)
class QueryEngine:
    """Composes a retriever, a chat model and a prompt.

    `locator` adds boxes to quotes, `recorder` keeps answers, `log` takes note of questions; all may be left out. `answerability`
    tells when the model isn't asked at all because what was found hardly holds the answer. Without a `verifier` only
    claims that stand word for word in their sources get a verdict. `policy` says what becomes of claims that aren't supported where
    the retriever names no policies of collections. `review` has a judge look at claims that the verifier isn't sure of, once the
    text is out: not where claims are withheld.
    """

    retriever: Retriever
    llm: ChatModel
    prompt: PromptTemplate = DEFAULT_RAG_PROMPT
    locator: Locator | None = None
    recorder: Recorder | None = None
    answerability: Answerability = WORDS_ALONE
    max_context_characters: int = MAX_CONTEXT_CHARACTERS
    log: QueryLog | None = None
    verifier: Verifier | None = None
    policy: Policy = Policy.FLAG
    review: Review | None = None

    async def ask(self, question: str | Ask) -> Answer:
        """Return the finished answer. Raises `UsageError`, `NotFoundError`, `ConflictError`, `UpstreamError`, `StoreError`."""
        return await fold(self.stream(question))

    async def stream(self, question: str | Ask) -> AsyncGenerator[AnswerEvent, None]:
        """Yield one `SourcesChunk`, then `TokenChunk`s, then one `DoneChunk`. Raises as `ask`.

        Closing the generator early stops the model.
        """
        ask = _checked(question if isinstance(question, Ask) else Ask(question))
        exchange = Exchange(ask, self.llm.name)
        try:
            retrieval = exchange.retrieved(await self.retriever.retrieve(_query(ask)))
            rendered = self._render(ask, retrieval)
            policy = self._policy(ask, retrieval, rendered.sources)
            yield exchange.start(rendered.sources, policy, self._withholding(ask, policy, rendered.sources))
            reply = exchange.reply
            likely = exchange.judged(await self.answerability.of(ask.question, retrieval))
            messages = rendered.messages if rendered.sources and self.answerability.is_enough(likely, ask.question) else ()
            if messages:
                async with _closed(self.llm.stream(messages)) as pieces:
                    async for piece in pieces:
                        if text := reply.take(piece):
                            yield TokenChunk(text)
                if text := reply.finish():
                    yield TokenChunk(text)
            cited = await self._cite(exchange, rendered) if reply.says_something else Cited((), ())
            answered = _is_answer(exchange, cited)
            if not answered:
                yield TokenChunk(reply.decline(INSUFFICIENT_MESSAGE))
            done = await self._compare(exchange, exchange.finish(cited, answered=answered), rendered.sources)
            await self._record(exchange, done, messages)
            yield done
        except Exception as error:
            exchange.fail(error)
            raise
        finally:
            # Not before the last event is out, and without waiting for the row.
            if self.log is not None:
                self.log.note(exchange.logged())

    def _render(self, ask: Ask, retrieval: Retrieval) -> RenderedPrompt:
        sources = group_sources([passage for passage in retrieval.passages if passage.text.strip()])
        return self.prompt.prepare(
            sources, ask.question, history=ask.history, max_context_characters=self.max_context_characters, label=ask.label
        )

    def _policy(self, ask: Ask, retrieval: Retrieval, sources: Sequence[Source]) -> Policy:
        """Return the strictest policy of what was searched, or of what was found."""
        policies = retrieval.policies
        if ask.policy_of_found:
            found = {passage.collection_id for source in sources for passage in source.passages}
            policies = {each: policy for each, policy in policies.items() if each in found}
        return strictest(policies.values()) if policies else self.policy

    def _withholding(self, ask: Ask, policy: Policy, sources: Sequence[Source]) -> Withholding | None:
        return Withholding(Citing(sources, self.verifier, ask.question), ask.question) if policy is Policy.STRICT else None

    async def _cite(self, exchange: Exchange, rendered: RenderedPrompt) -> Cited:
        reply, question = exchange.reply, exchange.ask.question
        if reply.withholding:
            cited = reply.withholding.cited
        else:
            judging = exchange.policy is not Policy.OFF
            marks, lang = reply.transducer.marks, detect(reply.text)
            verifier = self.verifier if judging else None
            cited = cite(reply.text, marks, rendered.sources, lang=lang, verifier=verifier, question=question, judging=judging)
            if self.review and judging:
                cited, exchange.judging = await self.review.of(cited, reply.text, marks, rendered.sources, question=question)
        if self.locator is None or not cited.citations:
            return cited
        return doubt(Cited(cited.claims, await locate_quotes(cited.citations, self.locator)))

    async def _compare(self, exchange: Exchange, done: DoneChunk, sources: Sequence[Source]) -> DoneChunk:
        """Add to the last event what its sources say otherwise, and what was left out."""
        done = replace(done, uncited_claims=uncited_claims(exchange.reply.text, done.claims))
        if not done.answered or exchange.policy is Policy.OFF:
            return done
        question = exchange.ask.question
        conflicts = conflicts_of(question, done.citations, sources)
        if self.locator and conflicts:
            conflicts = await locate_conflicts(conflicts, self.locator)
        return replace(done, conflicts=conflicts, uncited=uncited_sources(question, done.citations, sources))

    async def _record(self, exchange: Exchange, done: DoneChunk, messages: Sequence[ChatMessage]) -> None:
        if self.recorder is not None:
            answer = finished(exchange.started, exchange.reply.text, done)
            judge = VERDICTS if self.verifier and exchange.policy is not Policy.OFF else QUOTES
            if self.review and exchange.judging:
                judge = f"{judge}, {self.review.name}"
            limit = self.max_context_characters
            basis = basis_of(exchange.ask, self.prompt, messages, max_context_characters=limit, verifier=judge)
            evidence = freeze(done.citations)
            await self.recorder.record(AnswerRecord(exchange.ask.question, answer, evidence, basis, exchange.judging))


def _is_answer(exchange: Exchange, cited: Cited) -> bool:
    """Say whether a reply that is complete answers. Raises `UpstreamError` for one that cites nothing where it must."""
    reply = exchange.reply
    if not reply.says_something:
        return False
    is_strict = exchange.policy is Policy.STRICT
    if (exchange.ask.must_cite or is_strict) and not cited.citations and not (is_strict and reply.transducer.marks):
        raise UpstreamError("The chat model's answer cites none of its sources.", code="no_citation", retryable=True)
    return bool(cited.citations) or not is_strict


def _checked(ask: Ask) -> Ask:
    question = ask.question.strip()
    if not question:
        raise UsageError("The question is empty. Write what you want to know.", code="question_empty")
    if len(question) > MAX_QUESTION_CHARACTERS:
        raise UsageError(
            f"The question has {len(question):,} characters; {MAX_QUESTION_CHARACTERS:,} are the most. Shorten it.",
            code="question_too_long",
        )
    return replace(ask, question=question)


def _query(ask: Ask) -> Query:
    return Query(ask.question, ask.collection_ids, ask.filter, ask.limit, ask.strategy, ask.history)


@asynccontextmanager
async def _closed(stream: AsyncIterator[str | ModelUsage]) -> AsyncGenerator[AsyncIterator[str | ModelUsage]]:
    """Close a model's stream in any case, if it can be closed."""
    try:
        yield stream
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
