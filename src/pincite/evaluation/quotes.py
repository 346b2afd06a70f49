"""Whether answers quote the sentences that people chose: gold sentences beside the quotes of citations.

A question is put to the whole corpus and, apart from that, to its right passages alone, and the extractive model answers it. A
claim cites its passage already, and its quote is looked for there. A sentence counts as quoted when it and a quote share at least
half of the shorter of them.
"""

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pincite.answering.citing import cite
from pincite.answering.engine import QueryEngine
from pincite.answering.exchange import Ask
from pincite.answering.extractive import ExtractiveChatModel
from pincite.answering.markers import MarkerTransducer
from pincite.answering.prompts import numeric_label
from pincite.answering.sources import group_sources
from pincite.core.answers import Citation
from pincite.core.documents import Collection
from pincite.core.evidence import Filter, Passage, Strategy
from pincite.core.ids import ChunkId, DocumentId, VersionId
from pincite.evaluation.datasets import Entry, GoldSet, Question, Sentence
from pincite.evaluation.metrics import mean, quantile
from pincite.evaluation.runs import Bench, Evaluator, Listener, Report

HALF = 0.5
WHOLE = "whole corpus"
GIVEN = "right passages"


@dataclass(frozen=True, slots=True)
class Quoted:
    """The sentences that one query's answer quoted, beside its gold in alternatives, and how long it took."""

    quoted: frozenset[Sentence]
    gold: tuple[frozenset[Sentence], ...]
    ms: float

    @property
    def any_gold(self) -> frozenset[Sentence]:
        """Return the gold sentences of all alternatives."""
        return frozenset(sentence for way in self.gold for sentence in way)


async def measure_quotes(bench: Evaluator, gold: GoldSet, *, strategy: str, on_progress: Listener = lambda text: None) -> Report:
    """Return the figures of a set; for questions those over the whole corpus, with both ways of asking in `by`."""
    if gold.claims:
        return _report(list(_of_claims(gold)), "")
    async with bench.open_bench() as opened:
        found = await _of_questions(bench, opened, gold, Strategy(strategy), on_progress)
    report = _report(found[WHOLE], strategy)
    report.by.update({name: _report(some, strategy) for name, some in found.items()})
    return report


def _of_claims(gold: GoldSet) -> Iterator[Quoted]:
    entries = {entry.id: entry for entry in gold.dataset.entries}
    for claim in gold.dataset.questions:
        sources = group_sources([_passage(entries[name]) for name in claim.relevant])
        transducer = MarkerTransducer({source.n for source in sources})
        labels = "".join(f" {numeric_label(source.n)}" for source in sources)
        began = time.perf_counter()
        text = transducer.feed(claim.text + labels) + transducer.finish()
        cited = cite(text, transducer.marks, sources)
        ms = (time.perf_counter() - began) * 1000
        yield _beside(claim, cited.citations, {DocumentId(name): name for name in claim.relevant}, gold, ms)


def _passage(entry: Entry) -> Passage:
    name = entry.id
    return Passage(entry.text, DocumentId(name), entry.title, name, ChunkId(name), version_id=VersionId(name), end=len(entry.text))


async def _of_questions(
    bench: Evaluator, opened: Bench, gold: GoldSet, strategy: Strategy, on_progress: Listener
) -> dict[str, list[Quoted]]:
    collection = await bench.load(opened, gold.dataset, on_progress=on_progress)
    engine = QueryEngine(opened.retriever, ExtractiveChatModel(bench.embedding))
    found: dict[str, list[Quoted]] = {WHOLE: [], GIVEN: []}
    for question in gold.dataset.questions:
        for way, narrowed in ((WHOLE, Filter()), (GIVEN, await right_passages(opened, collection, question))):
            began = time.perf_counter()
            answer = await engine.ask(Ask(question.text, (collection.id,), narrowed, strategy=strategy, history=question.history))
            ms = (time.perf_counter() - began) * 1000
            names = {passage.document_id: passage.path for source in answer.sources for passage in source.passages}
            found[way].append(_beside(question, answer.citations, names, gold, ms))
    return found


async def right_passages(opened: Bench, collection: Collection, question: Question) -> Filter:
    """Return what narrows a search to the right passages of a question."""
    async with opened.store.open(opened.workspace_id) as work:
        documents = [await work.documents.at_path(collection.id, name) for name in question.relevant]
    return Filter(document_ids=tuple(document.id for document in documents if document))


def _beside(question: Question, citations: Sequence[Citation], names: Mapping[DocumentId, str], gold: GoldSet, ms: float) -> Quoted:
    quoted = {
        (names[citation.document_id], at)
        for citation in citations
        for quote in citation.quotes
        for at in touched((quote.start, quote.end), gold.spans[names[citation.document_id]])
    }
    return Quoted(frozenset(quoted), gold.gold[question.id], ms)


def touched(quote: tuple[int, int], sentences: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield the places of the sentences that a quote quotes."""
    for at, sentence in enumerate(sentences):
        shared = min(quote[1], sentence[1]) - max(quote[0], sentence[0])
        if shared > 0 and shared >= HALF * min(quote[1] - quote[0], sentence[1] - sentence[0]):
            yield at


def _report(found: Sequence[Quoted], strategy: str) -> Report:
    times = [one.ms for one in found]
    return Report("quotes", strategy, len(found), figures(found), quantile(times, 0.5), quantile(times, 0.95))


def figures(found: Sequence[Quoted]) -> dict[str, float]:
    """Return precision, recall and F1 over all sentences, both as means over queries, and shares of queries.

    `precision` is the share of quoted sentences that are gold, `recall` that of gold sentences of any alternative that are quoted.
    The mean precision is that of queries that quoted something. `hit` is the share of queries of which some gold sentence is
    quoted, `complete` of which all of one alternative are, `quoted` of which anything is.
    """
    right = sum(len(one.quoted & one.any_gold) for one in found)
    precision = _share(right, sum(len(one.quoted) for one in found))
    recall = _share(right, sum(len(one.any_gold) for one in found))
    said = [one for one in found if one.quoted]
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall) if right else 0.0,
        "macro_precision": mean([len(one.quoted & one.any_gold) / len(one.quoted) for one in said]) if said else math.nan,
        "macro_recall": mean([len(one.quoted & one.any_gold) / len(one.any_gold) for one in found]),
        "hit": mean([float(bool(one.quoted & one.any_gold)) for one in found]),
        "complete": mean([float(any(way <= one.quoted for way in one.gold)) for one in found]),
        "quoted": mean([float(bool(one.quoted)) for one in found]),
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else math.nan
