"""Commands about what is kept: a document's versions, holds, and the end of all that."""

from typing import TYPE_CHECKING

import click

from pincite.cli.collections import is_at_terminal
from pincite.cli.options import collection_option, json_option, with_client
from pincite.cli.render import EXIT_PARTIAL, document_dict, print_json
from pincite.core.errors import UsageError
from pincite.ingest.naming import printable

if TYPE_CHECKING:
    from pincite.client import Pincite
    from pincite.core.documents import Document
    from pincite.core.keeping import Hold
    from pincite.ingest.erasing import Erased
    from pincite.retrieval.history import History, PastVersion


@click.command()
@click.argument("document")
@collection_option
@json_option
def history(document: str, collection: str, as_json: bool) -> None:
    """List a document's versions, newest first, and other documents with the same bytes."""
    found = with_client(collection, lambda client: client.history(document))
    if as_json:
        print_json(_history_dict(found))
        return
    click.echo(click.style(printable(found.document.title), bold=True) + f"  {printable(found.document.path)}")
    if found.hold:
        click.echo(f"On hold since {found.hold.held_at:%Y-%m-%d %H:%M} UTC. {printable(found.hold.reason)}".rstrip())
    for past in found.versions:
        click.echo(_line(past))
    for other in found.duplicates:
        click.echo(f"The same bytes: {printable(other.path)}  {other.id}")


def _line(past: "PastVersion") -> str:
    version = past.version
    marks = ", ".join(filter(None, ("searched" if past.is_searched else "", "cited" if past.is_cited else "")))
    when = f"{version.created_at:%Y-%m-%d %H:%M} UTC"
    return f"{when}  {version.size_bytes:>12,} bytes  {version.sha256[:12]}  {version.id}  {marks}".rstrip()


def _history_dict(found: "History") -> dict[str, object]:
    return {
        "document": document_dict(found.document),
        "versions": [past.as_dict() for past in found.versions],
        "duplicates": [document_dict(other) for other in found.duplicates],
        "hold": _hold_dict(found.hold) if found.hold else None,
    }


def _hold_dict(hold: "Hold") -> dict[str, object]:
    return {"document_id": hold.document_id, "held_at": hold.held_at.isoformat(), "reason": hold.reason}


@click.command()
@click.argument("document")
@click.option("--reason", default="", help="Why, to be shown with it.")
@collection_option
@json_option
def hold(document: str, reason: str, collection: str, as_json: bool) -> None:
    """Put a document on hold: it is neither removed, erased nor pruned until it is released.

    It holds for all inside the document, too. One that was removed already is named by its id or its path.
    """
    held = with_client(collection, lambda client: client.hold(document, reason=reason))
    if as_json:
        print_json({"held": _hold_dict(held)})
    else:
        click.echo(f"On hold: {printable(document)}. `pincite release` ends that.")


@click.command()
@click.argument("document")
@collection_option
@json_option
def release(document: str, collection: str, as_json: bool) -> None:
    """End a document's hold."""

    async def work(client: "Pincite") -> "Document":
        return await client.release(document)

    released = with_client(collection, work)
    if as_json:
        print_json({"released": document_dict(released)})
    else:
        click.echo(f"Released {printable(released.path)}.")


@click.command()
@click.argument("document")
@click.option("--yes", is_flag=True, help="Don't ask.")
@collection_option
@json_option
def erase(document: str, yes: bool, collection: str, as_json: bool) -> None:
    """Destroy a document with all inside it, for good: text, file, vectors, and what answers and logs repeat of it.

    One that was removed already is named by its id or its path. The database is written anew, which takes as long as copying it.
    Ends with 1 when something is left that could not be destroyed yet: run it again with the id.
    """
    if not yes:
        _ask(document)
    erased = with_client(collection, lambda client: client.erase(document))
    if as_json:
        print_json(_erased_dict(erased))
    else:
        _tell(erased)
    if erased.left:
        raise click.exceptions.Exit(EXIT_PARTIAL)


def _ask(document: str) -> None:
    if not is_at_terminal():
        raise UsageError("What is erased can't be brought back. If you mean it, say so with --yes.", code="unsure")
    if not click.confirm(f"Erase {printable(document)} with all inside it, for good?", err=True):
        raise click.Abort


def _tell(erased: "Erased") -> None:
    count, messages = len(erased.document_ids), erased.messages
    documents = "1 document" if count == 1 else f"{count} documents"
    click.echo(f"Erased {documents}. Answers and logged questions that repeated it: {messages}.")
    for other in erased.duplicates:
        click.echo(f"The same bytes are still in {printable(other.path)} ({other.id}).")
    for path in erased.copies:
        click.echo(f"It may be in this copy of the store: {printable(path)}")
    for sentence in erased.left:
        click.echo(f"Left: {sentence} Then run this again: pincite erase {erased.document_ids[0]} --yes", err=True)


def _erased_dict(erased: "Erased") -> dict[str, object]:
    return {
        "erased": list(erased.document_ids),
        "messages": erased.messages,
        "duplicates": [document_dict(other) for other in erased.duplicates],
        "copies": list(erased.copies),
        "left": list(erased.left),
    }
