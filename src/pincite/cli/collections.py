"""Commands about collections: list, rename, remove."""

import sys
from typing import TYPE_CHECKING

import click

from pincite.cli.options import json_option, with_client
from pincite.cli.render import note, print_json
from pincite.core.errors import UsageError
from pincite.ingest.naming import printable
from pincite.workspaces.collections import Collections

if TYPE_CHECKING:
    from pincite.client import Pincite
    from pincite.core.documents import Collection
    from pincite.core.evidence import Scope


@click.group()
def collection() -> None:
    """List, rename and remove collections."""


@collection.command("list")
@json_option
def list_collections(as_json: bool) -> None:
    """List the collections with how many documents each has, and its embedding model."""

    async def work(client: "Pincite") -> "list[tuple[Collection, Scope]]":
        found = await _of(client).all()
        return [(each, await _of(client).scope(each)) for each in found]

    found = with_client("", work)
    if as_json:
        print_json({"collections": [_collection_dict(each, scope) for each, scope in found]})
        return
    for each, scope in found:
        model = each.embedding.name if each.embedding else "words alone"
        click.echo(f"{printable(each.name)}\t{_count(scope)}, {scope.searchable} searchable\t{model}")
    if not found:
        note("There is no collection yet. `pincite add PATH --collection NAME` makes one.")


@collection.command("rename")
@click.argument("name")
@click.argument("new_name")
def rename(name: str, new_name: str) -> None:
    """Give a collection another name. Its documents and answers stay as they are."""

    async def work(client: "Pincite") -> "Collection":
        return await _of(client).rename((await client.collection()).id, new_name)

    click.echo(f"{printable(name)} is now {printable(with_client(name, work).name)}.")


@collection.command("remove")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Don't ask.")
@json_option
def remove_collection(name: str, yes: bool, as_json: bool) -> None:
    """Remove a collection with all of its documents. Answers that cite them keep the passages they quote."""

    async def work(client: "Pincite") -> "tuple[Collection, Scope] | None":
        found = await client.collection()
        scope = await _of(client).scope(found)
        if not yes and not _is_meant(found, scope):
            return None
        await client.services.removal.remove(found)
        return found, scope

    removed = with_client(name, work)
    if removed is None:
        raise click.Abort
    if as_json:
        print_json({"removed": _collection_dict(*removed)})
    else:
        click.echo(f"Removed {printable(name)} with its {_count(removed[1])}.")


def _of(client: "Pincite") -> Collections:
    return Collections(client.services.store, client.services.workspace_id)


def _count(scope: "Scope") -> str:
    return f"{scope.documents} {'document' if scope.documents == 1 else 'documents'}"


def is_at_terminal() -> bool:
    """Say whether somebody can be asked."""
    return sys.stdin.isatty()


def _is_meant(found: "Collection", scope: "Scope") -> bool:
    if not is_at_terminal():
        raise UsageError(f"This removes {_count(scope)}. If you mean it, say so with --yes.", code="unsure")
    return click.confirm(f"Remove {printable(found.name)} with its {_count(scope)}?", err=True)


def _collection_dict(found: "Collection", scope: "Scope") -> dict[str, object]:
    return {
        "id": found.id,
        "name": found.name,
        "embedding": found.embedding.name if found.embedding else None,
        "documents": scope.documents,
        "searchable": scope.searchable,
        "created_at": found.created_at.isoformat(timespec="seconds"),
    }
