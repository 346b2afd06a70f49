"""Options that commands share."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pincite.core.errors import UsageError
from pincite.core.evidence import Filter

if TYPE_CHECKING:
    from pincite.client import Pincite

T = TypeVar("T")

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
collection_option = click.option("-c", "--collection", default="default", show_default=True, help="The collection to use.")
limit_option = click.option("-n", "--limit", default=6, show_default=True, type=click.IntRange(1, 100), help="Most sources.")
strategy_option = click.option(
    "--strategy", type=click.Choice(["hybrid", "dense", "lexical"]), default="hybrid", show_default=True, help="How to search."
)


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that narrow a search."""
    for option in (
        click.option("--document", "documents", multiple=True, help="Only this document (id, path, file name or title)."),
        click.option("--path-prefix", default="", help="Only documents in this folder of the collection."),
        click.option("--type", "content_types", multiple=True, help="Only this content type, such as application/pdf."),
    ):
        command = option(command)
    return command


async def filter_of(client: "Pincite", documents: tuple[str, ...], path_prefix: str, content_types: tuple[str, ...]) -> Filter:
    """Return the filter that the options name. Raises `NotFoundError` for an unknown document."""
    found = [await client.document(name) for name in documents]
    for document in found:
        if document.version_id is None:
            why = f" {document.reason.message}" if document.reason else ""
            raise UsageError(f"{document.path} is not ready.{why}", code="not_ready")
    return Filter(tuple(document.id for document in found), path_prefix, content_types)


def with_client(collection: str, work: Callable[["Pincite"], Coroutine[Any, Any, T]]) -> T:
    """Open the installation, do the work, close it."""

    async def session() -> T:
        from pincite.client import Pincite

        async with Pincite(collection=collection, surface="cli") as client:
            return await work(client)

    return asyncio.run(session())
