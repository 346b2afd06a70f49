"""Commands about jobs: list those of uploaded documents, try them again, cancel them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from pincite.cli.options import collection_option, json_option, with_client
from pincite.cli.render import note, print_json
from pincite.core.errors import UsageError
from pincite.core.ids import DocumentId
from pincite.core.jobs import JobInfo, JobState
from pincite.ingest.naming import printable

if TYPE_CHECKING:
    from pincite.client import Pincite
    from pincite.core.documents import Document
    from pincite.core.ingestions import Ingestion

LISTED = 100
LOOKED_THROUGH = 10_000
"""Jobs among which failed ones are looked for."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A job with its document and how far that is; None where the document was removed."""

    job: JobInfo
    document: "Document | None"
    ingestion: "Ingestion | None"

    @property
    def is_dead_letter(self) -> bool:
        """Whether its document failed, and nobody has begun to read it anew. A job ends as done when its document failed."""
        is_last = self.ingestion is not None and self.ingestion.attempt == self.job.payload.get("attempt")
        return self.document is not None and self.document.stage.value == "failed" and is_last

    @property
    def state(self) -> str:
        """What a person calls its state."""
        return "failed" if self.is_dead_letter and self.job.state is not JobState.CANCELLED else self.job.state.value

    @property
    def progress(self) -> str:
        """How far one is that is being done."""
        if self.job.state is not JobState.RUNNING or self.ingestion is None:
            return ""
        units = f" {self.ingestion.done:,} of {self.ingestion.total:,}" if self.ingestion.total else ""
        return f"{self.ingestion.stage.value}{units}"


@click.group(invoke_without_command=True)
@click.option("--failed", is_flag=True, help="Those that were given up, with their reason: the dead letters.")
@click.option("--all", "everything", is_flag=True, help="Those that are done or cancelled, too.")
@click.option("-n", "--limit", default=LISTED, show_default=True, type=click.IntRange(1, LOOKED_THROUGH), help="Most jobs.")
@json_option
@click.pass_context
def jobs(context: click.Context, failed: bool, everything: bool, limit: int, as_json: bool) -> None:
    """List the jobs of uploaded documents that are being done or wait; retry or cancel one."""
    if context.invoked_subcommand:
        return

    async def work(client: "Pincite") -> list[_Entry]:
        if failed:
            return await _dead_letters(client)
        # Those that are being done first, however many came after them.
        states = [tuple(JobState)] if everything else [(JobState.RUNNING,), (JobState.QUEUED,)]
        return await _entries(client, states, limit + 1)

    found = with_client("", work)
    shown = found[:limit]
    if as_json:
        print_json({"jobs": [_entry_dict(entry) for entry in shown], "is_all": len(found) <= limit})
        return
    for entry in shown:
        click.echo("\t".join(_row(entry)))
    if len(found) > limit:
        note(f"There are more: the first {limit} are shown. `--limit` shows more.")
    elif not found:
        note("No job failed." if failed else "Nothing waits, and nothing is being done.")
    elif failed:
        note("`pincite jobs retry DOCUMENT` tries one again, `pincite jobs retry --failed` all of them.")


@jobs.command("retry")
@click.argument("documents", nargs=-1)
@click.option("--failed", is_flag=True, help="Every one that failed, such as after a provider was down. Cancelled ones are left.")
@collection_option
def retry(documents: tuple[str, ...], failed: bool, collection: str) -> None:
    """Try once more to read documents that failed or were cancelled; each goes on where it was.

    A document is named by its id or its path.
    """
    if failed == bool(documents):
        raise UsageError("Name the documents to be tried again, or say --failed for all that failed.", code="usage")

    async def work(client: "Pincite") -> "list[Document]":
        jobs = client.services.ingest_jobs
        letters = [entry for entry in await _dead_letters(client) if entry.state == "failed"] if failed else []
        ids = [each.document.id for each in letters if each.document] + [await _id_of(client, name) for name in documents]
        return [await jobs.retry(document_id) for document_id in ids]

    tried = with_client(collection, work)
    for document in tried:
        click.echo(f"{document.stage.value}\t{printable(document.path)}")
    if not tried:
        note("No job failed.")


@jobs.command("cancel")
@click.argument("document")
@collection_option
def cancel(document: str, collection: str) -> None:
    """Stop reading a document: at once where it waits, within a second where a worker is at it.

    It is named by its id or its path.
    """

    async def work(client: "Pincite") -> "Document":
        return await client.services.ingest_jobs.cancel(await _id_of(client, document))

    click.echo(f"cancelled\t{printable(with_client(collection, work).path)}")


async def _id_of(client: "Pincite", name: str) -> DocumentId:
    """Return the id of a document of any collection, or of one of the client's by its name. Raises `NotFoundError`."""
    async with client.services.store.open(client.services.workspace_id) as work:
        found = await work.documents.get(DocumentId(name))
    return found.id if found else (await client.document(name)).id


async def _entries(client: "Pincite", states: "list[tuple[JobState, ...]]", limit: int) -> list[_Entry]:
    services = client.services
    async with services.store.open(services.workspace_id) as work:
        found = [job for each in states for job in await work.jobs.list(each, limit=limit)][:limit]
        pairs = [(job, await work.documents.get(DocumentId(str(job.payload.get("document_id"))))) for job in found]
        last = await work.ingestions.of([document.id for _, document in pairs if document])
    return [_Entry(job, document, last.get(document.id) if document else None) for job, document in pairs]


async def _dead_letters(client: "Pincite") -> list[_Entry]:
    return [entry for entry in await _entries(client, [tuple(JobState)], LOOKED_THROUGH) if entry.is_dead_letter]


def _row(entry: _Entry) -> tuple[str, ...]:
    job, document = entry.job, entry.document
    told = document.reason.message if document and document.reason else job.error or entry.progress
    path = printable(document.path) if document else "(removed)"
    return entry.state, f"try {job.attempt}", path, str(job.payload.get("document_id")), told


def _entry_dict(entry: _Entry) -> dict[str, object]:
    job, document, ingestion = entry.job, entry.document, entry.ingestion
    return {
        "job_id": job.id,
        "kind": job.kind.value,
        "state": job.state.value,
        "attempt": job.payload.get("attempt"),
        "try": job.attempt,
        "document_id": job.payload.get("document_id"),
        "path": document.path if document else None,
        "stage": document.stage.value if document else None,
        "done": ingestion.done if ingestion else None,
        "total": ingestion.total if ingestion else None,
        "reason": document.reason.code if document and document.reason else job.error or None,
        "message": document.reason.message if document and document.reason else None,
    }
