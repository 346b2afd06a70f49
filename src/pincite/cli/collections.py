"""Commands about collections: list, rename, remove."""

import sys
from typing import TYPE_CHECKING

import click

from pincite.cli.options import json_option, with_client
from pincite.cli.render import EXIT_PARTIAL, count_progress, note, note_summaries, print_json
from pincite.core.errors import UsageError
from pincite.core.policies import Policy
from pincite.ingest.naming import printable
from pincite.workspaces.collections import Collections

if TYPE_CHECKING:
    from pincite.client import Pincite
    from pincite.core.documents import Collection, Document
    from pincite.core.evidence import Scope
    from pincite.core.summaries import SummaryRun

_CONSEQUENCES = {Policy.FLAG: "marked", Policy.STRICT: "withheld", Policy.OFF: "not looked for"}


@click.group()
def collection() -> None:
    """List, rename, summarise and remove collections, and say what becomes of claims that they don't support."""


@collection.command("list")
@json_option
def list_collections(as_json: bool) -> None:
    """List the collections with how many documents each has, its embedding model and its policy."""

    async def work(client: "Pincite") -> "list[tuple[Collection, Scope]]":
        found = await _of(client).all()
        return [(each, await _of(client).scope(each)) for each in found]

    found = with_client("", work)
    if as_json:
        print_json({"collections": [_collection_dict(each, scope) for each, scope in found]})
        return
    for each, scope in found:
        model = each.embedding.name if each.embedding else "words alone"
        also = "\twith summaries" if each.summaries else ""
        also += f"\t{each.policy.value}" if each.policy is not Policy.FLAG else ""
        click.echo(f"{printable(each.name)}\t{_count(scope)}, {scope.searchable} searchable\t{model}{also}")
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


@collection.command("policy")
@click.argument("name")
@click.argument("wanted", metavar="POLICY", type=click.Choice([each.value for each in Policy]))
@json_option
def policy(name: str, wanted: str, as_json: bool) -> None:
    """Say what becomes of claims in answers that a collection's documents don't support.

    flag marks them. strict withholds them before a word of them is shown. off judges no claim.
    """

    async def work(client: "Pincite") -> "tuple[Collection, Scope]":
        changed = await client.use_policy(wanted)
        return changed, await _of(client).scope(changed)

    changed = with_client(name, work)
    if as_json:
        print_json({"collection": _collection_dict(*changed)})
    else:
        click.echo(f"{printable(name)}: claims that aren't supported are {_CONSEQUENCES[changed[0].policy]}.")


@collection.command("summaries")
@click.argument("name")
@click.argument("wanted", type=click.Choice(["on", "off", "retry"]))
@json_option
def summaries(name: str, wanted: str, as_json: bool) -> None:
    """Have the documents of a collection summarised, and found by that too; or end it; or try those again that failed.

    Summaries are written by the chat model, or without one taken from the most central sentences. They are shown as written by a
    model, and never quoted.
    """

    async def work(client: "Pincite") -> "list[SummaryRun]":
        with count_progress(as_json, "Summaries") as listen:

            def tell(document: "Document", run: "SummaryRun") -> None:
                listen(run.done, run.total)
                if not as_json:
                    note_summaries(document, run)

            if wanted == "retry":
                return await client.retry_summaries(on_summaries=tell)
            return await client.use_summaries(wanted == "on", on_summaries=tell)

    runs = with_client(name, work)
    if as_json:
        print_json({"summaries": wanted != "off", "documents": [{"document_id": run.document_id} | run.as_dict() for run in runs]})
        return
    failed = sum(run.reason is not None for run in runs)
    if wanted == "off":
        click.echo(f"{printable(name)} has no summaries any more.")
    else:
        done = sum(run.done for run in runs if run.reason is None)
        also = f" {failed:,} failed." if failed else ""
        click.echo(f"{printable(name)} has summaries: {done:,} made, of {len(runs) - failed:,} documents.{also}")
    if failed:
        raise click.exceptions.Exit(EXIT_PARTIAL)


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
        "summaries": found.summaries,
        "policy": found.policy.value,
        "documents": scope.documents,
        "searchable": scope.searchable,
        "created_at": found.created_at.isoformat(timespec="seconds"),
    }
