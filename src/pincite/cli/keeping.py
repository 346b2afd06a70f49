"""Commands about what is kept: a document's versions, holds."""

from typing import TYPE_CHECKING

import click

from pincite.cli.options import collection_option, json_option, with_client
from pincite.cli.render import document_dict, print_json
from pincite.ingest.naming import printable

if TYPE_CHECKING:
    from pincite.client import Pincite
    from pincite.core.documents import Document
    from pincite.core.keeping import Hold
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
