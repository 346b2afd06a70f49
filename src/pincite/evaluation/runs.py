"""Runs a data set through the real road: the ingestor's chunks, the store, the indexes, the searcher."""

import math
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from pincite.answering.answerable import LEAST, Answerability
from pincite.core.documents import (
    Block,
    BlockRole,
    CanonicalText,
    Chunk,
    Collection,
    Document,
    Stage,
    Version,
)
from pincite.core.errors import UsageError
from pincite.core.evidence import Query, Retrieval, Strategy
from pincite.core.ids import ChunkId, CollectionId, DocumentId, VersionId, WorkspaceId, new_id
from pincite.core.ports.models import EmbeddingModel, Vector
from pincite.core.ports.retriever import Retriever
from pincite.core.ports.store import Store
from pincite.evaluation.abstention import Point, curve, figures
from pincite.evaluation.datasets import Dataset, Entry, Question
from pincite.evaluation.metrics import mean, ndcg, quantile, recall, reciprocal_rank
from pincite.ingest.chunking import ChunkRules
from pincite.ingest.embedding import make_chunks

BATCH_ENTRIES = 200
PASSAGES_PER_QUERY = 40
"""Passages taken per query, enough for ten different documents."""

Listener = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Bench:
    """A store of its own with a retriever over it, for one run."""

    store: Store
    retriever: Retriever
    workspace_id: WorkspaceId


@dataclass(frozen=True, slots=True)
class Report:
    """Figures of one run. Latencies are of the search without embedding the query (vectors are cached between runs)."""

    task: str
    strategy: str
    n: int
    metrics: dict[str, float]
    p50_ms: float
    p95_ms: float
    by: dict[str, "Report"] = field(default_factory=dict[str, "Report"])
    curve: tuple[Point, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the command line prints it; a figure that doesn't exist is null."""
        return {
            "task": self.task,
            "strategy": self.strategy,
            "n": self.n,
            "metrics": {name: None if math.isnan(value) else round(value, 4) for name, value in self.metrics.items()},
            "latency_ms": {"p50": round(self.p50_ms, 2), "p95": round(self.p95_ms, 2)},
            "by": {value: part.as_dict() for value, part in self.by.items()},
            **({"curve": [point.as_dict() for point in self.curve]} if self.curve else {}),
        }


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One query's figures and time."""

    figures: dict[str, float]
    label: bool | None
    score: float | None
    ms: float


@dataclass(frozen=True)
class Evaluator:
    """Runs retrieval or abstention. `open_bench` gives an empty store and a retriever over it, and removes them afterwards.

    `least` is the probability of an answer below which the installation refuses.
    """

    open_bench: Callable[[], AbstractAsyncContextManager[Bench]]
    embedding: EmbeddingModel | None
    rules: ChunkRules = ChunkRules()
    least: float = LEAST

    async def run(
        self,
        task: str,
        dataset: Dataset,
        *,
        strategy: str = "hybrid",
        by_field: str = "",
        on_progress: Listener = lambda text: None,
    ) -> Report:
        """Return the figures of one strategy."""
        return (await self.compare(task, dataset, [strategy], by_field=by_field, on_progress=on_progress))[0]

    async def compare(
        self,
        task: str,
        dataset: Dataset,
        strategies: Sequence[str],
        *,
        by_field: str = "",
        on_progress: Listener = lambda text: None,
    ) -> list[Report]:
        """Return the figures of several strategies over one store (one per value of `by_field`)."""
        if not any(_counts(task, question) for question in dataset.questions):
            raise UsageError(f"No query of the set can be used for {task}.", code="dataset")
        parts = dataset.groups() if by_field else {"": dataset}
        outcomes: list[dict[str, list[_Outcome]]] = [{} for _ in strategies]
        for value, part in parts.items():
            async with self.open_bench() as bench:
                collection = await self.load(bench, part, name=value, on_progress=on_progress)
                for strategy, found in zip(strategies, outcomes, strict=True):
                    found[value] = await self._ask_all(task, bench, collection, part.questions, Strategy(strategy))
        return [_report(task, strategy, found, by_field, self.least) for strategy, found in zip(strategies, outcomes, strict=True)]

    async def load(self, bench: Bench, part: Dataset, *, name: str = "", on_progress: Listener) -> Collection:
        """Put the passages of a set into a new collection of the bench."""
        spec = self.embedding.spec if self.embedding else None
        collection = Collection(CollectionId(new_id()), bench.workspace_id, "evaluation", spec, datetime.now(UTC))
        async with bench.store.open(bench.workspace_id) as work:
            await work.collections.add(collection)
            await work.commit()
        for first in range(0, len(part.entries), BATCH_ENTRIES):
            await self._load_batch(bench, collection, part.entries[first : first + BATCH_ENTRIES])
            on_progress(
                f"{name + ': ' if name else ''}{min(first + BATCH_ENTRIES, len(part.entries))} of {len(part.entries)} passages"
            )
        return collection

    async def _ask_all(
        self, task: str, bench: Bench, collection: Collection, questions: Sequence[Question], strategy: Strategy
    ) -> list[_Outcome]:
        answerability = Answerability(self.embedding)
        outcomes: list[_Outcome] = []
        for question in (question for question in questions if _counts(task, question)):
            query = Query(question.text, (collection.id,), limit=PASSAGES_PER_QUERY, strategy=strategy, history=question.history)
            found = await bench.retriever.retrieve(query)
            retrieval = found if isinstance(found, Retrieval) else Retrieval(tuple(found))
            ranking = list(dict.fromkeys(passage.path for passage in retrieval.passages))
            score = await answerability.of(question.text, retrieval) if task == "abstention" else None
            outcomes.append(_Outcome(_figures(ranking, question), question.answerable, score, retrieval.retrieval_ms))
        return outcomes

    async def _load_batch(self, bench: Bench, collection: Collection, entries: Sequence[Entry]) -> None:
        rows = [self._rows(collection, entry) for entry in entries]
        chunks = [chunk for _, _, _, cut in rows for chunk in cut]
        vectors = await self._vectors(chunks)
        async with bench.store.open(bench.workspace_id) as work:
            for document, version, canonical, cut in rows:
                await work.documents.save(document)
                await work.versions.add(version, canonical)
                known = {chunk.id: vectors[chunk.id] for chunk in cut if chunk.id in vectors}
                await work.chunks.publish(document, cut, known, model_id=self.embedding.spec.model_id if self.embedding else "")
            await work.commit()

    async def _vectors(self, chunks: Sequence[Chunk]) -> dict[ChunkId, Vector]:
        if self.embedding is None:
            return {}
        vectors = await self.embedding.embed_passages([chunk.index_text for chunk in chunks])
        return dict(zip((chunk.id for chunk in chunks), vectors, strict=True))

    def _rows(self, collection: Collection, entry: Entry) -> tuple[Document, Version, CanonicalText, list[Chunk]]:
        now = datetime.now(UTC)
        document_id, version_id = DocumentId(new_id()), VersionId(new_id())
        version = Version(version_id, document_id, "", len(entry.text), "text/plain", "evaluation", "1", now)
        role = BlockRole.TABLE if entry.text.lstrip().startswith("|") else BlockRole.BODY
        canonical = CanonicalText(entry.text, (Block(role, 0, len(entry.text)),))
        chunks = make_chunks(version, canonical, self.embedding, title=entry.title, rules=self.rules)
        document = Document(
            document_id, collection.id, entry.id, entry.title, "text/plain", entry.id, Stage.READY, now, now, version_id
        )
        return document, version, canonical, chunks


def _counts(task: str, question: Question) -> bool:
    return question.answerable is not None if task == "abstention" else bool(question.relevant)


def _figures(ranking: Sequence[str], question: Question) -> dict[str, float]:
    if not question.relevant:
        return {}
    return {
        "ndcg@10": ndcg(ranking, question.relevant, 10),
        "recall@5": recall(ranking, question.relevant, 5),
        "recall@10": recall(ranking, question.relevant, 10),
        "mrr": reciprocal_rank(ranking, question.relevant),
    }


def _report(task: str, strategy: str, outcomes: dict[str, list[_Outcome]], by_field: str, least: float) -> Report:
    whole = _summary(task, strategy, [outcome for part in outcomes.values() for outcome in part], least)
    if by_field:
        whole.by.update({value: _summary(task, strategy, part, least) for value, part in outcomes.items()})
    return whole


def _summary(task: str, strategy: str, outcomes: Sequence[_Outcome], least: float) -> Report:
    ranked = [outcome.figures for outcome in outcomes if outcome.figures]
    metrics = {name: mean([figures[name] for figures in ranked]) if ranked else math.nan for name in _RANK_METRICS}
    times = [outcome.ms for outcome in outcomes]
    report = Report(task, strategy, len(outcomes), metrics, quantile(times, 0.5), quantile(times, 0.95))
    if task != "abstention":
        return report
    good, bad = ([o.score for o in outcomes if o.label is label and o.score is not None] for label in (True, False))
    metrics.update(figures(good, bad, least))
    return replace(report, curve=curve(good, bad))


_RANK_METRICS = ("ndcg@10", "recall@5", "recall@10", "mrr")
