"""Commands about jobs: list those of uploaded documents, try them again, cancel them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from pincite.cli.options import collection_option, json_option, with_client
from pincite.cli.render import note, print_json
from pincite.core.errors import UsageError
from pincite.core.ids import DocumentId
from pincite.core.ingestions import Ingestion
from pincite.core.jobs import JobInfo, JobKind, JobState
from pincite.ingest.naming import printable

if TYPE_CHECKING:
    from pincite.client import Pincite
    from pincite.core.documents import Document, Reason
    from pincite.core.summaries import SummaryRun
    from pincite.ingest.jobs import IngestJobs
    from pincite.ingest.summarising import Summaries

LISTED = 100
LOOKED_THROUGH = 10_000
"""Jobs among which failed ones are looked for."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A job with its document and how far that, or its summaries, are; None where the document was removed."""

    job: JobInfo
    document: "Document | None"
    attempt: "Ingestion | SummaryRun | None"

    @property
    def reason(self) -> "Reason | None":
        """Why its document, or the summaries of it, failed."""
        holder = self.document if self.job.kind is JobKind.INGEST else self.attempt
        return None if holder is None or isinstance(holder, Ingestion) else holder.reason

    @property
    def is_dead_letter(self) -> bool:
        """Whether what it was for failed, and nobody has begun it anew. A job ends as done when its document failed."""
        is_last = self.attempt is not None and self.attempt.attempt == self.job.payload.get("attempt")
        has_failed = self.document is not None and self.document.stage.value == "failed"
        return is_last and (has_failed if self.job.kind is JobKind.INGEST else self.reason is not None)

    @property
    def state(self) -> str:
        """What a person calls its state."""
        return "failed" if self.is_dead_letter and self.job.state is not JobState.CANCELLED else self.job.state.value

    @property
    def progress(self) -> str:
        """How far one is that is being done."""
        if self.job.state is not JobState.RUNNING or self.attempt is None:
            return ""
        units = f" {self.attempt.done:,} of {self.attempt.total:,}" if self.attempt.total else ""
        return f"{self.attempt.stage.value if isinstance(self.attempt, Ingestion) else 'summarising'}{units}"


@click.group(invoke_without_command=True)
@click.option("--failed", is_flag=True, help="Those that were given up, with their reason: the dead letters.")
@click.option("--all", "everything", is_flag=True, help="Those that are done or cancelled, too.")
@click.option("-n", "--limit", default=LISTED, show_default=True, type=click.IntRange(1, LOOKED_THROUGH), help="Most jobs.")
@json_option
@click.pass_context
def jobs(context: click.Context, failed: bool, everything: bool, limit: int, as_json: bool) -> None:
    """List the jobs of uploaded documents, and of summaries, that are being done or wait; retry or cancel one."""
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
    """Try once more to read documents, or to summarise them, where that failed or was cancelled; each goes on where it was.

    One that is ready is tried again for pictures that the vision model hasn't described yet. A document is named by its id or
    its path.
    """
    if failed == bool(documents):
        raise UsageError("Name the documents to be tried again, or say --failed for all that failed.", code="usage")

    async def work(client: "Pincite") -> "list[Document]":
        letters = [entry for entry in await _dead_letters(client) if entry.state == "failed"] if failed else []
        ids = [each.document.id for each in letters if each.document] + [await _id_of(client, name) for name in documents]
        return [await (await _jobs_of(client, document_id, to_retry=True)).retry(document_id) for document_id in dict.fromkeys(ids)]

    tried = with_client(collection, work)
    for document in tried:
        click.echo(f"{document.stage.value}\t{printable(document.path)}")
    if not tried:
        note("No job failed.")


@jobs.command("cancel")
@click.argument("document")
@collection_option
def cancel(document: str, collection: str) -> None:
    """Stop reading a document, or summarising it: at once where it waits, within a second where a worker is at it.

    It is named by its id or its path.
    """

    async def work(client: "Pincite") -> "Document":
        document_id = await _id_of(client, document)
        return await (await _jobs_of(client, document_id)).cancel(document_id)

    click.echo(f"cancelled\t{printable(with_client(collection, work).path)}")


async def _id_of(client: "Pincite", name: str) -> DocumentId:
    """Return the id of a document of any collection, or of one of the client's by its name. Raises `NotFoundError`."""
    async with client.services.store.open(client.services.workspace_id) as work:
        found = await work.documents.get(DocumentId(name))
    return found.id if found else (await client.document(name)).id


async def _jobs_of(client: "Pincite", document_id: DocumentId, *, to_retry: bool = False) -> "IngestJobs | Summaries":
    services = client.services
    async with services.store.open(services.workspace_id) as work:
        document = await work.documents.get(document_id)
    return await services.jobs_of(document, to_retry=to_retry) if document else services.ingest_jobs


async def _entries(client: "Pincite", states: "list[tuple[JobState, ...]]", limit: int) -> list[_Entry]:
    services = client.services
    async with services.store.open(services.workspace_id) as work:
        found = [job for each in states for job in await work.jobs.list(each, limit=limit)][:limit]
        pairs = [(job, await work.documents.get(DocumentId(str(job.payload.get("document_id"))))) for job in found]
        ids = [document.id for _, document in pairs if document]
        last = {JobKind.INGEST: await work.ingestions.of(ids), JobKind.SUMMARISE: await work.summaries.runs(ids)}
    return [_Entry(job, document, last[job.kind].get(document.id) if document else None) for job, document in pairs]


async def _dead_letters(client: "Pincite") -> list[_Entry]:
    return [entry for entry in await _entries(client, [tuple(JobState)], LOOKED_THROUGH) if entry.is_dead_letter]


def _row(entry: _Entry) -> tuple[str, ...]:
    job, document = entry.job, entry.document
    told = entry.reason.message if entry.reason else job.error or entry.progress
    path = printable(document.path) if document else "(removed)"
    return entry.state, f"try {job.attempt}", path, str(job.payload.get("document_id")), told


def _entry_dict(entry: _Entry) -> dict[str, object]:
    job, document, attempt, reason = entry.job, entry.document, entry.attempt, entry.reason
    return {
        "job_id": job.id,
        "kind": job.kind.value,
        "state": job.state.value,
        "attempt": job.payload.get("attempt"),
        "try": job.attempt,
        "document_id": job.payload.get("document_id"),
        "path": document.path if document else None,
        "stage": document.stage.value if document else None,
        "done": attempt.done if attempt else None,
        "total": attempt.total if attempt else None,
        "reason": reason.code if reason else job.error or None,
        "message": reason.message if reason else None,
    }
