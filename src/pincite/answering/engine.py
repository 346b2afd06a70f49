"""The query engine: one stream from a question to a cited answer. `ask` is its fold."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from pincite.answering.citing import Cited, cite, freeze, locate_quotes
from pincite.answering.evidence import EvidenceRule, may_hold_answer
from pincite.answering.fold import finished, fold
from pincite.answering.markers import MarkerTransducer
from pincite.answering.prompts import (
    DEFAULT_RAG_PROMPT,
    INSUFFICIENT_CONTEXT,
    MAX_CONTEXT_CHARACTERS,
    PromptTemplate,
    RenderedPrompt,
    numeric_label,
)
from pincite.answering.sentinel import SentinelFilter
from pincite.answering.sources import group_sources
from pincite.core.answers import Answer, AnswerEvent, AnswerRecord, DoneChunk, SourcesChunk, Timings, TokenChunk
from pincite.core.errors import UsageError
from pincite.core.evidence import Filter, Passage, Query, Retrieval, Strategy
from pincite.core.ids import CollectionId, MessageId, new_id
from pincite.core.messages import ChatMessage, ModelUsage, Turn
from pincite.core.ports.locator import Locator
from pincite.core.ports.models import ChatModel
from pincite.core.ports.records import Recorder
from pincite.core.ports.retriever import Retriever
from pincite.language.detect import detect

MAX_QUESTION_CHARACTERS = 5000
INSUFFICIENT_MESSAGE = "The documents don't support an answer to this question."


@dataclass(frozen=True, slots=True)
class Ask:
    """A question and where to look for its answer. `label` writes the labels of the surface that shows it."""

    question: str
    collection_ids: tuple[CollectionId, ...] = ()
    filter: Filter = field(default_factory=Filter)
    limit: int = 6
    strategy: Strategy = Strategy.HYBRID
    history: tuple[Turn, ...] = ()
    label: Callable[[int], str] = numeric_label


@dataclass(slots=True)
class _Reply:
    """A model's reply while it streams: visible text, usage, and when the first piece came."""

    transducer: MarkerTransducer
    sentinel: SentinelFilter = field(default_factory=lambda: SentinelFilter(INSUFFICIENT_CONTEXT))
    pieces: list[str] = field(default_factory=list[str])
    usage: ModelUsage = field(default_factory=ModelUsage)
    started: float = field(default_factory=time.perf_counter)
    first: float | None = None

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def says_something(self) -> bool:
        """Say whether a letter or digit stands outside the labels."""
        text, start = self.text, 0
        for mark in self.transducer.marks:
            if any(char.isalnum() for char in text[start : mark.position]):
                return True
            start = mark.end
        return any(char.isalnum() for char in text[start:])

    def take(self, piece: str) -> str:
        return self._keep(self.transducer.feed(self.sentinel.feed(piece)))

    def finish(self) -> str:
        rest = "" if self.sentinel.declined else self.transducer.feed(self.sentinel.finish())
        return self._keep(rest + self.transducer.finish())

    def _keep(self, text: str) -> str:
        if text:
            self.first = self.first or time.perf_counter()
            self.pieces.append(text)
        return text


@dataclass(frozen=True)
class QueryEngine:
    """Composes a retriever, a chat model and a prompt.

    `locator` adds boxes to quotes, `recorder` keeps answers; both may be left out. `evidence` decides when the model isn't
    asked at all because nothing that was found can hold the answer.
    """

    retriever: Retriever
    llm: ChatModel
    prompt: PromptTemplate = DEFAULT_RAG_PROMPT
    locator: Locator | None = None
    recorder: Recorder | None = None
    evidence: EvidenceRule = EvidenceRule()
    max_context_characters: int = MAX_CONTEXT_CHARACTERS

    async def ask(self, question: str | Ask) -> Answer:
        """Return the finished answer. Raises `UsageError`, `NotFoundError`, `ConflictError`, `UpstreamError`, `StoreError`."""
        return await fold(self.stream(question))

    async def stream(self, question: str | Ask) -> AsyncGenerator[AnswerEvent, None]:
        """Yield one `SourcesChunk`, then `TokenChunk`s, then one `DoneChunk`. Raises as `ask`.

        Closing the generator early stops the model.
        """
        ask = _checked(question if isinstance(question, Ask) else Ask(question))
        message_id = MessageId(new_id())
        began = time.perf_counter()
        retrieval = _retrieval(await self.retriever.retrieve(_query(ask)), time.perf_counter() - began)
        rendered = self._render(ask, retrieval)
        start = SourcesChunk(rendered.sources, message_id, retrieval.strategy, retrieval.scope)
        yield start
        reply = _Reply(MarkerTransducer({source.n for source in rendered.sources}, label=ask.label))
        if rendered.sources and self._may_hold_answer(retrieval):
            async with aclosing(self._reply(reply, rendered.messages)) as pieces:
                async for piece in pieces:
                    yield TokenChunk(piece)
        answered = reply.says_something
        if not answered:
            text = f"\n\n{INSUFFICIENT_MESSAGE}" if reply.text else INSUFFICIENT_MESSAGE
            reply.pieces.append(text)
            yield TokenChunk(text)
        cited = await self._cite(reply, rendered) if answered else Cited((), ())
        done = self._done(message_id, reply, cited, answered=answered, retrieval=retrieval, began=began)
        await self._record(ask, start, reply.text, done)
        yield done

    def _render(self, ask: Ask, retrieval: Retrieval) -> RenderedPrompt:
        sources = group_sources([passage for passage in retrieval.passages if passage.text.strip()])
        return self.prompt.prepare(
            sources, ask.question, history=ask.history, max_context_characters=self.max_context_characters, label=ask.label
        )

    def _may_hold_answer(self, retrieval: Retrieval) -> bool:
        """Let a retriever that gives no raw signals decide by what it brings."""
        return retrieval.signals is None or may_hold_answer(retrieval.signals, self.evidence)

    async def _reply(self, reply: _Reply, messages: Sequence[ChatMessage]) -> AsyncGenerator[str, None]:
        """Yield the visible pieces of the model's reply; its stream is closed in any case."""
        stream = self.llm.stream(messages)
        try:
            async for piece in stream:
                if isinstance(piece, ModelUsage):
                    reply.usage = piece
                elif text := reply.take(piece):
                    yield text
            if text := reply.finish():
                yield text
        finally:
            await _close(stream)

    async def _cite(self, reply: _Reply, rendered: RenderedPrompt) -> Cited:
        cited = cite(reply.text, reply.transducer.marks, rendered.sources, lang=detect(reply.text))
        if self.locator is None or not cited.citations:
            return cited
        return Cited(cited.claims, await locate_quotes(cited.citations, self.locator))

    def _done(
        self, message_id: MessageId, reply: _Reply, cited: Cited, *, answered: bool, retrieval: Retrieval, began: float
    ) -> DoneChunk:
        first = None if reply.first is None else (reply.first - began) * 1000
        timings = Timings(
            embedding_ms=round(retrieval.embedding_ms, 2),
            retrieval_ms=round(retrieval.retrieval_ms, 2),
            time_to_first_token_ms=None if first is None else round(first, 2),
            generation_ms=round((time.perf_counter() - reply.started) * 1000, 2),
        )
        return DoneChunk(answered, cited.claims, cited.citations, message_id, self.llm.name, reply.usage, timings)

    async def _record(self, ask: Ask, start: SourcesChunk, text: str, done: DoneChunk) -> None:
        if self.recorder is not None:
            answer = finished(start, text, done)
            await self.recorder.record(AnswerRecord(ask.question, answer, freeze(done.citations)))


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
    return Query(ask.question, ask.collection_ids, ask.filter, ask.limit, ask.strategy)


def _retrieval(found: Retrieval | Sequence[Passage], elapsed_s: float) -> Retrieval:
    return found if isinstance(found, Retrieval) else Retrieval(tuple(found), retrieval_ms=elapsed_s * 1000)


async def _close(stream: AsyncIterator[str | ModelUsage]) -> None:
    if isinstance(stream, AsyncGenerator):
        await stream.aclose()
