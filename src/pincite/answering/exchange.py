"""One question on its way to its answer: what was asked, what came of it so far, and what the log keeps."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from pincite.answering.citing import Cited
from pincite.answering.markers import MarkerTransducer
from pincite.answering.prompts import INSUFFICIENT_CONTEXT, numeric_label
from pincite.answering.sentinel import SentinelFilter
from pincite.answering.withholding import Withholding
from pincite.core.answers import DoneChunk, JudgeUse, SourcesChunk, Timings
from pincite.core.errors import PinciteError
from pincite.core.evidence import Filter, Passage, Retrieval, Source, Strategy, Turn
from pincite.core.ids import CollectionId, MessageId, new_id
from pincite.core.messages import ModelUsage
from pincite.core.policies import Policy
from pincite.core.querylog import LoggedQuery, Outcome
from pincite.core.redacting import documents_of


@dataclass(frozen=True, slots=True)
class Ask:
    """A question and where to look for its answer. `label` writes the labels of the `surface` that shows it.

    With `must_cite` an answer that cites nothing is a failure. The strictest policy of all collections that are searched holds;
    with `policy_of_found`, of those in which something was found.
    """

    question: str
    collection_ids: tuple[CollectionId, ...] = ()
    filter: Filter = field(default_factory=Filter)
    limit: int = 6
    strategy: Strategy = Strategy.HYBRID
    history: tuple[Turn, ...] = ()
    label: Callable[[int], str] = numeric_label
    surface: str = "library"
    must_cite: bool = False
    policy_of_found: bool = False


@dataclass(slots=True)
class Reply:
    """A model's reply while it streams: what may be seen of it, usage, and when the first piece came."""

    transducer: MarkerTransducer
    withholding: Withholding | None = None
    sentinel: SentinelFilter = field(default_factory=lambda: SentinelFilter(INSUFFICIENT_CONTEXT))
    pieces: list[str] = field(default_factory=list[str])
    usage: ModelUsage = field(default_factory=ModelUsage)
    started: float = field(default_factory=time.perf_counter)
    first: float | None = None

    @property
    def text(self) -> str:
        """Return what was shown so far."""
        return "".join(self.pieces)

    @property
    def says_something(self) -> bool:
        """Say whether a letter or digit stands outside the labels."""
        text, start = self.withholding.text if self.withholding else self.text, 0
        for mark in self.transducer.marks:
            if any(char.isalnum() for char in text[start : mark.position]):
                return True
            start = mark.end
        return any(char.isalnum() for char in text[start:])

    def take(self, piece: str | ModelUsage) -> str:
        """Return what a piece of the reply makes safe to show; usage is kept."""
        if isinstance(piece, ModelUsage):
            self.usage = piece
            return ""
        return self._keep(self._supported(self.transducer.feed(self.sentinel.feed(piece))))

    def finish(self) -> str:
        """Return what was held back."""
        rest = "" if self.sentinel.declined else self.transducer.feed(self.sentinel.finish())
        text = self._supported(rest + self.transducer.finish())
        return self._keep(text + self.withholding.finish() if self.withholding else text)

    def _supported(self, text: str) -> str:
        return self.withholding.feed(text, self.transducer.marks) if self.withholding else text

    def decline(self, message: str) -> str:
        """Return the sentence that says that there is no answer, set off from what was shown."""
        text = f"\n\n{message}" if self.text else message
        self.pieces.append(text)
        return text

    def _keep(self, text: str) -> str:
        if text:
            self.first = self.first or time.perf_counter()
            self.pieces.append(text)
        return text


class Exchange:
    """A question and its answer in the making. Until it ends otherwise its outcome is `partial`."""

    def __init__(self, ask: Ask, model: str) -> None:
        self.ask = ask
        self.message_id = MessageId(new_id())
        self.reply = Reply(MarkerTransducer(()))
        self.started = SourcesChunk((), self.message_id, ask.strategy)
        self._model = model
        self._asked_at = datetime.now(UTC)
        self._began = time.perf_counter()
        self.policy = Policy.FLAG
        self.judging: JudgeUse | None = None
        self._retrieval = Retrieval(())
        self._answerable: float | None = None
        self._generation_ms: float | None = None
        self._outcome = Outcome.PARTIAL
        self._error = ""

    def retrieved(self, found: Retrieval | Sequence[Passage]) -> Retrieval:
        """Keep what the search brought; a retriever of one's own may return passages alone."""
        elapsed_ms = (time.perf_counter() - self._began) * 1000
        self._retrieval = found if isinstance(found, Retrieval) else Retrieval(tuple(found), retrieval_ms=elapsed_ms)
        return self._retrieval

    def judged(self, answerable: float | None) -> float | None:
        """Keep how likely what was found answers the question."""
        self._answerable = answerable
        return answerable

    def start(self, sources: tuple[Source, ...], policy: Policy, withholding: Withholding | None = None) -> SourcesChunk:
        """Return the first event; only labels of these sources count from here on."""
        self.policy = policy
        self.reply = Reply(MarkerTransducer({source.n for source in sources}, label=self.ask.label), withholding)
        self.started = SourcesChunk(sources, self.message_id, self._retrieval.strategy, self._retrieval.scope)
        return self.started

    def finish(self, cited: Cited, *, answered: bool) -> DoneChunk:
        """Return the last event."""
        self._generation_ms = (time.perf_counter() - self.reply.started) * 1000
        self._outcome = Outcome.COMPLETE if answered else Outcome.INSUFFICIENT
        reply = self.reply
        end = DoneChunk(answered, cited.claims, cited.citations, self.message_id, self._model, reply.usage, self.timings)
        return replace(end, policy=self.policy, withheld=self.withheld, answerable=self._answerable)

    def fail(self, error: Exception) -> None:
        """Keep why it failed."""
        self._outcome = Outcome.FAILED
        self._error = error.code if isinstance(error, PinciteError) else type(error).__name__

    @property
    def withheld(self) -> int:
        """Return how many claims were withheld so far."""
        return self.reply.withholding.withheld if self.reply.withholding else 0

    @property
    def timings(self) -> Timings:
        """Return the milliseconds of the steps so far."""
        first = None if self.reply.first is None else round((self.reply.first - self._began) * 1000, 2)
        generation_ms = self._generation_ms
        if generation_ms is None:
            generation_ms = (time.perf_counter() - self.reply.started) * 1000
        retrieval = self._retrieval
        return Timings(round(retrieval.embedding_ms, 2), round(retrieval.retrieval_ms, 2), first, round(generation_ms, 2))

    def logged(self) -> LoggedQuery:
        """Return what the log keeps. The text stands in the stored answer; here it is kept only when there is none."""
        is_whole = self._outcome in (Outcome.COMPLETE, Outcome.INSUFFICIENT)
        if not is_whole:
            self.reply.finish()  # what was held back came, too
        return LoggedQuery(
            message_id=self.message_id,
            asked_at=self._asked_at,
            surface=self.ask.surface,
            question=self.ask.question,
            outcome=self._outcome,
            strategy=self.started.strategy,
            model=self._model,
            timings=self.timings,
            usage=self.reply.usage,
            scores=tuple(round(source.best.scores.fused, 4) for source in self.started.sources),
            received="" if is_whole else self.reply.text,
            error=self._error,
            document_ids=() if is_whole else documents_of(self.started.sources),
            withheld=self.withheld,
            answerable=self._answerable,
        )
