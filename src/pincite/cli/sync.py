"""`pincite sync`: bring a collection in step with folders."""

from typing import TYPE_CHECKING, Any

import click

from pincite.cli.options import collection_option, json_option, with_client
from pincite.cli.render import (
    EXIT_PARTIAL,
    EXIT_REFUSED,
    Telling,
    error_dict,
    exit_code,
    note,
    print_change,
    print_error,
    print_json,
    sync_progress,
)
from pincite.core.errors import PinciteError, UsageError

if TYPE_CHECKING:
    from pincite.client import Pincite
    from pincite.ingest.sync_report import SyncChange, SyncReport


@click.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--no-prune", is_flag=True, help="Keep documents whose file is gone.")
@click.option("--yes", is_flag=True, help="Remove documents also when a folder is empty or more than half of them would go.")
@click.option("--retry", is_flag=True, help="Try files again that failed before and didn't change.")
@collection_option
@json_option
def sync(paths: tuple[str, ...], dry_run: bool, no_prune: bool, yes: bool, retry: bool, collection: str, as_json: bool) -> None:
    """Bring the collection in step with folders: what is new, changed, moved or gone there, and nothing else.

    A moved or renamed file stays the same document. Documents that were added in another way are never removed.
    """
    if yes and no_prune:
        raise UsageError("--yes removes documents and --no-prune keeps them. Choose one.", code="prune")
    from pincite.ingest.sync_report import SyncReport
    from pincite.ingest.syncing import SyncListeners

    telling: Telling[SyncChange] = Telling(print_change, quiet=as_json or dry_run)

    async def work(client: "Pincite") -> "SyncReport":
        with sync_progress(as_json or dry_run) as bars:
            return await client.sync_folders(
                *paths,
                prune="none" if no_prune else "all" if yes else "careful",
                retry=retry,
                dry_run=dry_run,
                listeners=SyncListeners(bars.on_files, bars.on_progress, telling.tell),
            )

    try:
        report = with_client(collection, work)
    except PinciteError as error:
        if not telling.told:
            raise
        _print(SyncReport(tuple(telling.told)), as_json, error)
        raise click.exceptions.Exit(exit_code(error)) from error
    telling.end()
    if dry_run and not as_json:
        for change in report.in_order():
            print_change(change)
    _print(report, as_json)
    _leave(report)


def _print(report: "SyncReport", as_json: bool, error: PinciteError | None = None) -> None:
    """Print the counts, or all of it in JSON; also what was done before an error that stopped the rest."""
    if as_json:
        result: dict[str, Any] = report.as_dict()
        print_json(result | ({"error": error_dict(error)} if error else {}))
    else:
        for warning in report.warnings:
            note(warning)
        note(_counts(report))
    if error:
        print_error(error, as_json=False)


def _counts(report: "SyncReport") -> str:
    from pincite.ingest.sync_report import Outcome

    counts = [f"{len(report.of(outcome)):,} {outcome.value}" for outcome in Outcome]
    return ("Would be: " if report.dry_run else "") + ", ".join([*counts, f"{report.unchanged:,} unchanged"]) + "."


def _leave(report: "SyncReport") -> None:
    """End with the code that the failures ask for."""
    from pincite.ingest.sync_report import Outcome

    failed = len(report.of(Outcome.FAILED))
    if failed:
        nothing_else = failed == len(report.changes) and not report.unchanged
        raise click.exceptions.Exit(EXIT_REFUSED if nothing_else else EXIT_PARTIAL)
