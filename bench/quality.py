"""Retrieval and abstention on the dev halves of `../shared/evals`, three strategies. Run by `make bench-quality`.

Of mtrag-un also what the history of a question brings: R@5 of the question alone, with the two questions before it, with all.

Vectors are cached under PINCITE_HOME/cache: the first run embeds about 11,000 passages.
"""

import asyncio
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

from report import keep, need_shared, table

from pincite.bootstrap import evaluator
from pincite.core.evidence import Turn
from pincite.evaluation.datasets import Question, load_dataset
from pincite.evaluation.runs import Evaluator, Report
from pincite.settings import load_settings

STRATEGIES = ["hybrid", "dense", "lexical"]


@dataclass(frozen=True)
class Bar:
    set: str
    task: str
    metric: str
    least: float
    by: str = ""


BARS = [
    Bar("scifact", "retrieval", "ndcg@10", 0.69),
    Bar("hop-hotpot", "retrieval", "recall@10", 0.94),
    Bar("tatqa", "retrieval", "recall@10", 0.74),
    Bar("clapnq", "abstention", "auc", 0.9),
    Bar("mtrag-un", "abstention", "auc", 0.82),
    Bar("xquad", "retrieval", "ndcg@10", 0.94, "lang"),
]


async def measure(bench: Evaluator, bar: Bar) -> list[Report]:
    folder = need_shared("evals", bar.set)
    dataset = load_dataset(folder / "corpus.jsonl", folder / "dev" / "queries.jsonl", folder / "dev" / "qrels.tsv", by_field=bar.by)
    return await bench.compare(bar.task, dataset, STRATEGIES, by_field=bar.by)


def without_history(question: Question) -> Question:
    return replace(question, history=())


def without_replies(question: Question) -> Question:
    return replace(question, history=tuple(Turn(turn.question, "") for turn in question.history))


FOLLOWUPS: dict[str, Callable[[Question], Question]] = {
    "question alone": without_history,
    "with the two questions before": without_replies,
    "with the last reply too": lambda question: question,
}


async def followups(bench: Evaluator) -> list[list[str]]:
    folder = need_shared("evals", "mtrag-un")
    whole = load_dataset(folder / "corpus.jsonl", folder / "dev" / "queries.jsonl", folder / "dev" / "qrels.tsv")
    rows: list[list[str]] = []
    for name, change in FOLLOWUPS.items():
        dataset = replace(whole, questions=tuple(map(change, whole.questions)))
        found, told = await bench.run("retrieval", dataset), await bench.run("abstention", dataset)
        figures = [found.metrics["recall@5"], found.metrics["ndcg@10"], told.metrics["auc"]]
        rows.append([name, str(found.n), *(f"{figure:.3f}" for figure in figures), f"{found.p50_ms:.1f}"])
    return rows


def rows_of(bar: Bar, reports: list[Report]) -> list[list[str]]:
    parts = [("", reports)] if not bar.by else [(value, [report.by[value] for report in reports]) for value in reports[0].by]
    rows: list[list[str]] = []
    for value, some in parts:
        figures = [report.metrics[bar.metric] for report in some]
        shown = ["–" if math.isnan(figure) else f"{figure:.3f}" for figure in figures]
        better = max(figure for figure in figures[1:])
        state = "met" if figures[0] >= bar.least and figures[0] >= better - 0.01 else "MISSED"
        rows.append(
            [
                f"{bar.set} {value}".strip(),
                bar.metric,
                str(some[0].n),
                *shown,
                f"{bar.least:.2f}" if bar.least else "–",
                f"{figures[0] - better:+.3f}",
                state,
                f"{some[0].p50_ms:.1f}",
            ]
        )
    return rows


async def main() -> None:
    wanted = set(sys.argv[1:])
    bench = evaluator(load_settings())
    rows: list[list[str]] = []
    for bar in BARS:
        if not wanted or bar.set in wanted:
            rows += rows_of(bar, await measure(bench, bar))
            print("\n".join(" ".join(row) for row in rows[-13:]), file=sys.stderr)
    header = ["set", "metric", "n", *STRATEGIES, "bar", "hybrid − better side", "", "p50 ms"]
    shown = table(header, rows)
    if not wanted or "mtrag-un" in wanted:
        shown += ["", *table(["mtrag-un, hybrid", "n", "R@5", "nDCG@10", "AUC", "p50 ms"], await followups(bench))]
    keep("quality" if not wanted else "quality-" + "-".join(sorted(wanted)), shown)


asyncio.run(main())
