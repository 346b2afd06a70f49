"""`pincite reembed`: bring a collection to another embedding model."""

from typing import TYPE_CHECKING

import click

from pincite.cli.options import collection_option, json_option, with_client
from pincite.cli.render import count_progress, note, print_json

if TYPE_CHECKING:
    from pincite.client import Pincite
    from pincite.ingest.reembedding import Reembedding

WORDS_ALONE = "words alone"


@click.command()
@click.option("--dry-run", is_flag=True, help="Only say how much there is to embed.")
@collection_option
@json_option
def reembed(dry_run: bool, collection: str, as_json: bool) -> None:
    """Bring a collection to the embedding model that PINCITE_EMBEDDING names.

    It is searched with the model that it has until all is embedded, and switched over at once. A run that was stopped goes on
    where it was.
    """

    async def work(client: "Pincite") -> "Reembedding":
        with count_progress(as_json or dry_run, "Embedding") as listen:
            return await client.reembed(dry_run=dry_run, on_progress=listen)

    found = with_client(collection, work)
    if as_json:
        print_json(found.as_dict())
    else:
        click.echo(_sentence(found))
    if found.warning:
        note(found.warning)


def _sentence(found: "Reembedding") -> str:
    before, after = found.before or WORDS_ALONE, found.after or WORDS_ALONE
    if before == after:
        return f"Collection {found.collection} has {after} already."
    if not found.after:
        return f"Collection {found.collection}: {before} → {after}. Its vectors {'are' if found.done else 'will be'} deleted."
    if found.done:
        return f"Collection {found.collection}: {before} → {after}. {found.chunks:,} chunks, {found.embedded:,} texts embedded."
    return f"Collection {found.collection}: {before} → {after}. {found.chunks:,} chunks to embed, {found.tokens:,} tokens."
