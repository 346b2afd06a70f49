"""`pincite eval`: figures on data sets in JSONL form."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.cli.options import json_option, strategy_option
from pincite.cli.render import note, print_json

if TYPE_CHECKING:
    from pincite.evaluation.runs import Report


@click.command("eval")
@click.argument("task", type=click.Choice(["retrieval", "abstention", "claims", "quotes"]))
@click.option("--corpus", required=True, type=click.Path(path_type=Path), help="corpus.jsonl: id, title, text.")
@click.option("--queries", required=True, type=click.Path(path_type=Path), help="queries.jsonl: id, text, answerable.")
@click.option("--qrels", required=True, type=click.Path(path_type=Path), help="qrels.tsv: query-id, corpus-id, score.")
@strategy_option
@click.option("--by", "by_field", default="", help="Score each value of this field in a store of its own, such as lang.")
@click.option("-n", "--limit", default=0, type=click.IntRange(0), help="Only the first N queries (of each value of --by); 0: all.")
@json_option
def evaluate(task: str, corpus: Path, queries: Path, qrels: Path, strategy: str, by_field: str, limit: int, as_json: bool) -> None:
    """Measure retrieval (nDCG, recall, MRR), abstention (AUC), verdicts (claims) or quotes on a data set of yours or a public one.

    For claims, `binary` in queries.jsonl says whether a claim is `supported` by the texts that qrels name for it; for quotes,
    `evidence_sentences`, `supporting_facts` or `rationales` say which sentences of them should be quoted.
    """
    if task == "claims":
        report = _claims(corpus, queries, qrels, limit)
    elif task == "quotes":
        report = _quotes(corpus, queries, qrels, strategy, limit)
    else:
        report = _searches(task, corpus, queries, qrels, strategy, by_field, limit)
    if as_json:
        print_json(report.as_dict())
        return
    width = max(map(len, report.metrics)) + 2
    for name, value in report.metrics.items():
        click.echo(f"{name:<{width}}{value:.4f}")
    click.echo(f"{'n':<{width}}{report.n}")
    for at in report.curve:
        shown = {name: value for name, value in at.as_dict().items() if value is not None}
        click.echo("  " + "  ".join(f"{name} {value:.2f}" for name, value in shown.items()))
    for value, part in report.by.items():
        click.echo(f"  {value:<16}" + "  ".join(f"{name} {figure:.4f}" for name, figure in part.metrics.items()))


def _claims(corpus: Path, queries: Path, qrels: Path, limit: int) -> "Report":
    from pincite.bootstrap import verifier
    from pincite.evaluation.claims import measure_claims
    from pincite.evaluation.datasets import load_claims
    from pincite.settings import load_settings

    return measure_claims(load_claims(corpus, queries, qrels, limit=limit), verifier(load_settings()))


def _quotes(corpus: Path, queries: Path, qrels: Path, strategy: str, limit: int) -> "Report":
    import asyncio

    from pincite.bootstrap import evaluator
    from pincite.evaluation.datasets import load_gold
    from pincite.evaluation.quotes import measure_quotes
    from pincite.settings import load_settings

    gold = load_gold(corpus, queries, qrels, limit=limit)
    return asyncio.run(measure_quotes(evaluator(load_settings()), gold, strategy=strategy, on_progress=note))


def _searches(task: str, corpus: Path, queries: Path, qrels: Path, strategy: str, by_field: str, limit: int) -> "Report":
    import asyncio

    from pincite.bootstrap import evaluator
    from pincite.evaluation.datasets import load_dataset
    from pincite.settings import load_settings

    dataset = load_dataset(corpus, queries, qrels, limit=limit, by_field=by_field)
    return asyncio.run(evaluator(load_settings()).run(task, dataset, strategy=strategy, by_field=by_field, on_progress=note))
