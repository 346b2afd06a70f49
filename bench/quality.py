"""Retrieval and abstention on the dev halves of `../shared/evals`, three strategies. Run by `make bench-quality`.

Vectors are cached under PINCITE_HOME/cache: the first run embeds about 11,000 passages.
"""

import asyncio
import math
import sys
from dataclasses import dataclass

from report import keep, need_shared, table

from pincite.bootstrap import evaluator
from pincite.evaluation.datasets import load_dataset
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
    Bar("clapnq", "abstention", "auc", 0.86),
    Bar("mtrag-un", "abstention", "auc", 0.0),
    Bar("xquad", "retrieval", "ndcg@10", 0.94, "lang"),
]


async def measure(bench: Evaluator, bar: Bar) -> list[Report]:
    folder = need_shared("evals", bar.set)
    dataset = load_dataset(folder / "corpus.jsonl", folder / "dev" / "queries.jsonl", folder / "dev" / "qrels.tsv", by_field=bar.by)
    return await bench.compare(bar.task, dataset, STRATEGIES, by_field=bar.by)


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
    keep("quality" if not wanted else "quality-" + "-".join(sorted(wanted)), table(header, rows))


asyncio.run(main())
