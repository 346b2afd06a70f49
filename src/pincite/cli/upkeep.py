"""Commands that look after the whole installation: backup and restore."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from pincite.cli.options import json_option, with_client
from pincite.cli.render import EXIT_PARTIAL, note, print_json
from pincite.ingest.naming import printable

if TYPE_CHECKING:
    from pincite.client import BackedUp, HeadwayListener, Restored

NAMED = 5


@click.command()
@click.argument("target", metavar="FILE_OR_FOLDER")
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@json_option
def backup(target: str, force: bool, as_json: bool) -> None:
    """Write everything (all collections, documents, answers) to one file, while others go on working."""
    with headway(as_json) as listen:
        done = with_client("", lambda client: client.backup(target, force=force, on_headway=listen))
    if as_json:
        print_json(_backed_up(done))
    else:
        size = f"{done.size_bytes / 1e6:.1f} MB"
        click.echo(f"Backed up {done.documents} documents and {done.blobs} files, {size}: {printable(str(done.path))}")
    if done.missing:
        names = ", ".join(map(printable, done.missing[:NAMED])) + (", …" if len(done.missing) > NAMED else "")
        note(f"Not in the backup, because their files are missing or damaged: {names}. Add them again, then back up again.")
        raise click.exceptions.Exit(EXIT_PARTIAL)


@click.command()
@click.argument("file")
@click.option("--force", is_flag=True, help="Replace the store that PINCITE_HOME holds.")
@json_option
def restore(file: str, force: bool, as_json: bool) -> None:
    """Put what a backup holds into PINCITE_HOME, after checking all of it. No other process may use the store meanwhile."""
    with headway(as_json) as listen:
        done = with_client("", lambda client: client.restore(file, force=force, on_headway=listen))
    if as_json:
        print_json(_restored(done))
        return
    click.echo(f"Restored {done.documents} documents and {done.blobs} files of {done.created_at}: {printable(str(done.home))}")
    if done.missing:
        note(f"{done.missing} files were missing or damaged when the backup was made. `pincite doctor` names their documents.")


def _backed_up(done: "BackedUp") -> dict[str, object]:
    return {
        "path": str(done.path),
        "size_bytes": done.size_bytes,
        "documents": done.documents,
        "files": done.blobs,
        "missing": list(done.missing),
    }


def _restored(done: "Restored") -> dict[str, object]:
    return {
        "home": str(done.home),
        "created_at": done.created_at,
        "documents": done.documents,
        "files": done.blobs,
        "missing": done.missing,
    }


@contextmanager
def headway(quiet: bool) -> "Generator[HeadwayListener]":
    """Give a listener that draws a bar of bytes; nothing is drawn when standard error is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda headway: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description:<9}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None)
        yield lambda now: bars.update(task, description=now.step.value, completed=now.done_bytes, total=now.total_bytes or None)
