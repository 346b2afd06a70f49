"""Prints what sources of an answer say otherwise than others."""

from collections.abc import Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

import click

from pincite.cli.render import span_place
from pincite.ingest.naming import printable

if TYPE_CHECKING:
    from pincite.core.answers import Citation, Conflict

_WIDTH = 200


def print_conflicts(conflicts: Sequence["Conflict"]) -> None:
    """Print the figures of which one must be wrong, and under them the sentences that give them."""
    for conflict in conflicts:
        values = " or ".join(map(printable, conflict.values))
        click.echo(click.style("Sources disagree: ", fg="yellow", bold=True) + f"{values}?")
        for citation in conflict.citations:
            _print_side(citation)


def _print_side(citation: "Citation") -> None:
    for quote in citation.quotes:
        place = next((found for span in quote.spans if (found := span_place(span))), "")
        where = f"{place}: " if place else ""
        click.echo(click.style(f"    [{citation.n}] ", fg="cyan") + f"{where}“{shorten(printable(quote.text), _WIDTH)}”")
