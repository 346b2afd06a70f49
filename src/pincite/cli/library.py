"""Commands on documents: add, ask, search, list, show, remove, and the sample library."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import click

from pincite.cli.conflicts import print_conflicts
from pincite.cli.options import (
    collection_option,
    filter_of,
    filter_options,
    json_option,
    limit_option,
    strategy_option,
    with_client,
)
from pincite.cli.render import (
    EXIT_PARTIAL,
    EXIT_REFUSED,
    Telling,
    document_dict,
    error_dict,
    exit_code,
    file_progress,
    note,
    note_summaries,
    own_name,
    page_dict,
    page_place,
    print_count,
    print_documents,
    print_doubts,
    print_error,
    print_evidence,
    print_found,
    print_json,
    print_outcome,
    print_sources,
)
from pincite.core.answers import DoneChunk, SourcesChunk, TokenChunk
from pincite.core.documents import BlockRole
from pincite.core.errors import PinciteError, RefusedInput
from pincite.core.policies import WITHHELD
from pincite.ingest.naming import printable
from pincite.ingest.samples import SAMPLE_COLLECTION, sample_files

if TYPE_CHECKING:
    from pincite.client import Added, Found, Pincite
    from pincite.core.answers import Answer, Claim
    from pincite.core.documents import Document
    from pincite.core.evidence import Filter, Source
    from pincite.core.ids import DocumentId
    from pincite.core.ingestions import Ingestion
    from pincite.core.summaries import SummaryRun

SAMPLE_QUESTION = "Who patented the typewriter, and when?"


@click.command()
@click.argument("paths", nargs=-1, required=True)
@collection_option
@json_option
def add(paths: tuple[str, ...], collection: str, as_json: bool) -> None:
    """Add files, and the files in folders. The same bytes again are left as they are."""
    telling: Telling[Added] = Telling(print_outcome, quiet=as_json)

    async def work(client: "Pincite") -> "list[Added]":
        with file_progress(as_json) as listen:
            return await client.add(*paths, on_progress=listen, on_added=telling.tell, on_summaries=note_summaries)

    try:
        added = with_client(collection, work)
    except PinciteError as error:
        if not telling.told:
            raise
        _sum_up(telling.told, as_json, error)
        raise click.exceptions.Exit(exit_code(error)) from error
    telling.end()
    _sum_up(added, as_json)
    failed = [item for item in added if item.reason]
    if failed:
        raise click.exceptions.Exit(EXIT_REFUSED if len(failed) == len(added) else EXIT_PARTIAL)


def _sum_up(added: "Sequence[Added]", as_json: bool, error: PinciteError | None = None) -> None:
    """Print the count, or in JSON what became of the files, also of those before an error that stopped the rest."""
    if as_json:
        result: dict[str, Any] = {"documents": [item.as_dict() for item in added]}
        print_json(result | ({"error": error_dict(error)} if error else {}))
    else:
        print_count(added)
    if error:
        print_error(error, as_json=False)


@click.command()
@click.argument("query")
@collection_option
@filter_options
@limit_option
@strategy_option
@json_option
def search(
    query: str,
    collection: str,
    documents: tuple[str, ...],
    path_prefix: str,
    content_types: tuple[str, ...],
    limit: int,
    strategy: str,
    as_json: bool,
) -> None:
    """Find passages. Each hit is a page, or a document without pages."""

    async def work(client: "Pincite") -> "list[Source]":
        chosen = await filter_of(client, documents, path_prefix, content_types)
        return await client.search(query, limit=limit, strategy=strategy, filter=chosen)

    hits = with_client(collection, work)
    if as_json:
        print_json({"hits": [hit.as_dict() for hit in hits]})
    else:
        print_sources(hits)


@click.command()
@click.argument("question")
@collection_option
@filter_options
@limit_option
@strategy_option
@json_option
def ask(
    question: str,
    collection: str,
    documents: tuple[str, ...],
    path_prefix: str,
    content_types: tuple[str, ...],
    limit: int,
    strategy: str,
    as_json: bool,
) -> None:
    """Answer a question from the documents, with the page and the words that each sentence rests on."""

    async def work(client: "Pincite") -> "Answer | None":
        chosen = await filter_of(client, documents, path_prefix, content_types)
        if as_json:
            return await client.ask(question, limit=limit, strategy=strategy, filter=chosen)
        await _print_stream(client, question, limit=limit, strategy=strategy, chosen=chosen)
        return None

    answer = with_client(collection, work)
    if answer is not None:
        print_json(answer.as_dict())


async def _print_stream(client: "Pincite", question: str, *, limit: int, strategy: str, chosen: "Filter | None" = None) -> None:
    start: SourcesChunk | None = None
    text = ""
    async with aclosing(client.stream(question, limit=limit, strategy=strategy, filter=chosen)) as events:
        async for event in events:
            match event:
                case SourcesChunk():
                    start = event
                case TokenChunk():
                    text += event.text
                    click.echo(event.text, nl=False)
                case DoneChunk():
                    click.echo()
                    print_evidence(start.sources if start else (), event)
                    sent = [claim for claim in event.claims if text[claim.start : claim.end] != WITHHELD]
                    print_doubts(text, sent)
                    print_conflicts(event.conflicts)
                    _remark(event, sent)


def _remark(done: DoneChunk, sent: "Sequence[Claim]") -> None:
    if done.answered and done.uncited_claims:
        note(f"{done.uncited_claims} of {len(sent)} claims carry no citation.")
    if done.uncited:
        note(f"Sources that may say more and aren't cited: {', '.join(map(str, done.uncited))}.")
    if done.withheld:
        note(f"{done.withheld} {'claim was' if done.withheld == 1 else 'claims were'} withheld.")


@click.command("list")
@collection_option
@json_option
def list_documents(collection: str, as_json: bool) -> None:
    """List the documents of a collection with their state."""

    async def work(client: "Pincite") -> "tuple[list[Document], dict[DocumentId, Ingestion], dict[DocumentId, SummaryRun]]":
        documents = await client.documents()
        ids, services = [document.id for document in documents], client.services
        async with services.store.open(services.workspace_id) as unit:
            return documents, await unit.ingestions.of(ids), await unit.summaries.runs(ids)

    documents, ingestions, summaries = with_client(collection, work)
    if as_json:
        print_json({"documents": [document_dict(each, ingestions.get(each.id), summaries.get(each.id)) for each in documents]})
        return
    print_documents(documents, ingestions)
    for document in documents:
        if run := summaries.get(document.id):
            note_summaries(document, run)


@click.command()
@click.argument("document")
@click.option("--find", "text", default="", help="Show where this text stands: offsets, pages and boxes.")
@collection_option
@json_option
def show(document: str, text: str, collection: str, as_json: bool) -> None:
    """Show a document's text by page, or where a text stands in it. Boxes are points from the top left of the page."""
    if text:
        _show_found(document, text, collection, as_json)
        return
    row, canonical = with_client(collection, lambda client: client.text(document))
    blocks = [
        {
            "role": b.role.value,
            "page": b.page,
            "level": b.level,
            "start": b.start,
            "end": b.end,
            "text": canonical.text[b.start : b.end],
        }
        for b in canonical.blocks
    ]
    if as_json:
        pages = [page_dict(page) for page in canonical.pages]
        print_json({"document": document_dict(row), "text": canonical.text, "blocks": blocks, "pages": pages})
        return
    click.echo(
        click.style(printable(row.title), bold=True) + f"  {printable(row.path)}  {row.pages or 'no'} pages, {row.chunks} chunks\n"
    )
    places = {page.number: page_place(page.number, page.label, page.bates) for page in canonical.pages}
    page = None
    for block in canonical.blocks:
        if block.page is not None and block.page != page:
            page = block.page
            click.echo(click.style(f"— {places.get(page, f'page {page}')} —", dim=True))
        click.echo(click.style(canonical.text[block.start : block.end], bold=block.role is BlockRole.HEADING) + "\n")


def _show_found(document: str, text: str, collection: str, as_json: bool) -> None:
    async def work(client: "Pincite") -> "tuple[Document, list[Found]]":
        return await client.document(document), await client.find(document, text)

    row, found = with_client(collection, work)
    if as_json:
        print_json({"document": document_dict(row), "found": [item.as_dict() for item in found]})
    else:
        print_found(found)
    if not found:
        raise click.exceptions.Exit(3)


@click.command()
@click.argument("document")
@collection_option
@json_option
def remove(document: str, collection: str, as_json: bool) -> None:
    """Remove a document. Answers that cite it keep the passages they quote."""
    removed = with_client(collection, lambda client: client.remove(document))
    if as_json:
        print_json({"removed": document_dict(removed)})
    else:
        click.echo(f"Removed {printable(removed.path)}.")


@click.command()
@click.argument("question", default=SAMPLE_QUESTION)
@json_option
def sample(question: str, as_json: bool) -> None:
    """Load the sample library and answer a question from it."""

    async def work(client: "Pincite") -> None:
        added = await load_samples(client, as_json=as_json)
        if as_json:
            answer = await client.ask(question)
            print_json({"documents": [item.as_dict() for item in added], "answer": answer.as_dict()})
            return
        click.echo(click.style(question, bold=True) + "\n")
        await _print_stream(client, question, limit=6, strategy="hybrid")

    with_client(SAMPLE_COLLECTION, work)
    if not as_json:
        click.echo(_NEXT.format(pincite=own_name()))


async def load_samples(client: "Pincite", *, as_json: bool = False) -> "list[Added]":
    """Add the sample library to the client's collection; quick when it is there already."""
    with file_progress(as_json) as listen:
        added = await client.add(*sample_files(), on_progress=listen)
    if all(item.reason for item in added):
        raise RefusedInput("The sample library could not be loaded. `pincite doctor` looks for the cause.")
    return added


_NEXT = """
What to type next:
  {pincite} ask "What can happen when fsync is turned off?" -c samples   another question to the samples
  {pincite} show word-processor.pdf --find "typewriter" -c samples       where a word stands, to the point
  {pincite} add FILE_OR_FOLDER                                           your own documents
  {pincite} ask "YOUR QUESTION"                                          and a cited answer from them
"""
