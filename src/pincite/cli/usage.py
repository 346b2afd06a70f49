"""`pincite usage`: what was used of models."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from pincite.cli.options import json_option, with_client
from pincite.cli.render import note, print_json
from pincite.core.usage import UsageSum

if TYPE_CHECKING:
    from pincite.client import Pincite


@click.command()
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="Count from this day on (UTC), such as 2031-02-28.")
@json_option
def usage(since: datetime | None, as_json: bool) -> None:
    """Show what was used of models, by kind and model. Nothing is refused because of it."""

    async def work(client: "Pincite") -> list[UsageSum]:
        services = client.services
        async with services.store.open(services.workspace_id) as unit:
            return list(await unit.usage.sums(since=since.replace(tzinfo=UTC) if since else None))

    found = with_client("", work)
    balance = sum(each.credits for each in found)
    if as_json:
        print_json({"balance": balance, "usage": [asdict(each) for each in found]})
        return
    for each in found:
        click.echo("\t".join(_row(each)))
    note(f"Balance: {balance:,} credits." if found else "Nothing was used.")


def _row(each: UsageSum) -> tuple[str, ...]:
    tokens = f"{each.input_tokens:,} tokens in, {each.output_tokens:,} out"
    return each.kind.value, each.model or "words alone", f"{each.rows:,} times", tokens, f"{each.credits:,} credits"
