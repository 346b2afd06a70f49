"""Commands about jobs: list those of uploaded documents, try them again, cancel them."""

from typing import TYPE_CHECKING

import click

from pincite.cli.options import json_option, with_client
from pincite.cli.render import note, print_json
from pincite.core.ids import DocumentId
from pincite.core.jobs import JobInfo, JobState
from pincite.ingest.naming import printable

if TYPE_CHECKING:
    from pincite.client import Pincite
    from pincite.core.documents import Document

OPEN = (JobState.QUEUED, JobState.RUNNING)
LISTED = 100
LOOKED_THROUGH = 10_000
"""Jobs among which failed ones are looked for."""


@click.group(invoke_without_command=True)
@click.option("--failed", is_flag=True, help="Those that were given up, with their reason: the dead letters.")
@click.option("--all", "everything", is_flag=True, help="Those that are done or cancelled, too.")
@json_option
@click.pass_context
def jobs(context: click.Context, failed: bool, everything: bool, as_json: bool) -> None:
    """List the jobs of uploaded documents that wait or are being done; retry or cancel one."""
    if context.invoked_subcommand:
        return
    states = tuple(JobState) if everything else OPEN

    async def work(client: "Pincite") -> "list[tuple[JobInfo, Document | None]]":
        services = client.services
        async with services.store.open(services.workspace_id) as unit:
            # What failed is told by its document: a job ends as done when its document ended as failed.
            found = await unit.jobs.list(tuple(JobState) if failed else states, limit=LOOKED_THROUGH if failed else LISTED)
            pairs = [(job, await unit.documents.get(DocumentId(str(job.payload.get("document_id"))))) for job in found]
            last = await unit.ingestions.of([document.id for _, document in pairs if document])
        if not failed:
            return pairs
        return [
            (job, document)
            for job, document in pairs
            if document and document.stage.value == "failed" and last[document.id].attempt == job.payload.get("attempt")
        ]

    found = with_client("", work)
    if as_json:
        print_json({"jobs": [_job_dict(job, document) for job, document in found]})
        return
    for job, document in found:
        click.echo("\t".join(_row(job, document)))
    if not found:
        note("No job failed." if failed else "Nothing waits, and nothing is being done.")


@jobs.command("retry")
@click.argument("document_id")
def retry(document_id: str) -> None:
    """Try once more to read a document that failed or was cancelled; it goes on where it was."""

    async def work(client: "Pincite") -> "Document":
        return await client.services.ingest_jobs.retry(DocumentId(document_id))

    document = with_client("", work)
    click.echo(f"{document.stage.value}\t{printable(document.path)}")


@jobs.command("cancel")
@click.argument("document_id")
def cancel(document_id: str) -> None:
    """Stop reading a document: at once where it waits, within a second where a worker is at it."""

    async def work(client: "Pincite") -> "Document":
        return await client.services.ingest_jobs.cancel(DocumentId(document_id))

    click.echo(f"cancelled\t{printable(with_client('', work).path)}")


def _row(job: JobInfo, document: "Document | None") -> tuple[str, ...]:
    reason = document.reason.message if document and document.reason else job.error
    path = printable(document.path) if document else "(removed)"
    return job.state.value, f"try {job.attempt}", path, str(job.payload.get("document_id")), reason


def _job_dict(job: JobInfo, document: "Document | None") -> dict[str, object]:
    return {
        "job_id": job.id,
        "kind": job.kind.value,
        "state": job.state.value,
        "attempt": job.payload.get("attempt"),
        "try": job.attempt,
        "document_id": job.payload.get("document_id"),
        "path": document.path if document else None,
        "stage": document.stage.value if document else None,
        "reason": document.reason.code if document and document.reason else job.error or None,
        "message": document.reason.message if document and document.reason else None,
    }
