"""`pincite eval`: figures on data sets in JSONL form."""

from pathlib import Path

import click

from pincite.cli.options import json_option, strategy_option
from pincite.cli.render import note, print_json


@click.command("eval")
@click.argument("task", type=click.Choice(["retrieval", "abstention"]))
@click.option("--corpus", required=True, type=click.Path(path_type=Path), help="corpus.jsonl: id, title, text.")
@click.option("--queries", required=True, type=click.Path(path_type=Path), help="queries.jsonl: id, text, answerable.")
@click.option("--qrels", required=True, type=click.Path(path_type=Path), help="qrels.tsv: query-id, corpus-id, score.")
@strategy_option
@click.option("--by", "by_field", default="", help="Score each value of this field in a store of its own, such as lang.")
@click.option("-n", "--limit", default=0, type=click.IntRange(0), help="Only the first N queries (of each value of --by); 0: all.")
@json_option
def evaluate(task: str, corpus: Path, queries: Path, qrels: Path, strategy: str, by_field: str, limit: int, as_json: bool) -> None:
    """Measure retrieval (nDCG, recall, MRR) or abstention (AUC) on a data set of your own or a public one."""
    import asyncio

    from pincite.bootstrap import evaluator
    from pincite.evaluation.datasets import load_dataset
    from pincite.settings import load_settings

    dataset = load_dataset(corpus, queries, qrels, limit=limit, by_field=by_field)
    report = asyncio.run(evaluator(load_settings()).run(task, dataset, strategy=strategy, by_field=by_field, on_progress=note))
    if as_json:
        print_json(report.as_dict())
        return
    for name, value in report.metrics.items():
        click.echo(f"{name:<12}{value:.4f}")
    click.echo(f"{'n':<12}{report.n}")
    for value, part in report.by.items():
        click.echo(f"  {value:<10}" + "  ".join(f"{name} {figure:.4f}" for name, figure in part.metrics.items()))
