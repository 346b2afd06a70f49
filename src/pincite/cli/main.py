"""The `pincite` command: its group of commands, and the door where errors become exit codes."""

import contextlib
import os
import sys
from collections.abc import Generator
from typing import Any

import click

from pincite import __version__
from pincite.cli.collections import collection
from pincite.cli.evaluate import evaluate
from pincite.cli.jobs import jobs
from pincite.cli.keeping import erase, history, hold, release
from pincite.cli.library import add, ask, list_documents, remove, sample, search, show
from pincite.cli.operate import doctor, version
from pincite.cli.pages import page
from pincite.cli.receipts import drift, key_command, receipt, verify
from pincite.cli.reembed import reembed
from pincite.cli.render import EXIT_STORE, EXIT_USAGE, exit_code, print_error, print_usage_error
from pincite.cli.serve import serve, worker
from pincite.cli.sync import sync
from pincite.cli.tokens import token
from pincite.cli.upkeep import backup, restore
from pincite.cli.usage import usage
from pincite.core.errors import PinciteError

COMMANDS = (
    add,
    sync,
    ask,
    search,
    list_documents,
    show,
    page,
    history,
    remove,
    hold,
    release,
    erase,
    receipt,
    verify,
    drift,
    key_command,
    collection,
    reembed,
    sample,
    serve,
    worker,
    jobs,
    token,
    usage,
    doctor,
    backup,
    restore,
    evaluate,
    version,
)


class ClosedPipeError(Exception):
    """Nobody reads the output any more, as behind `head`. No `OSError`, because click ends the process with 1 on those."""


@contextlib.contextmanager
def _naming_closed_pipes() -> Generator[None]:
    try:
        yield
    except BrokenPipeError as error:
        raise ClosedPipeError from error


class Commands(click.Group):
    """The commands, of which a closed pipe is no failure."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments, and print the help that they ask for."""
        with _naming_closed_pipes():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _naming_closed_pipes():
            return super().invoke(ctx)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="pincite")
def cli() -> None:
    """Ask your documents. Every claim of an answer carries the exact page and passage it rests on.

    \b
    First steps:
      pincite sample                       load a small library and ask it something
      pincite add report.pdf contracts/    add your own files and folders
      pincite ask "What does clause 7 say about notice?"
      pincite serve                        answer over HTTP

    Exit codes: 0 ok, 1 some files failed, 2 usage, 3 not found, 4 refused input, 5 model provider, 6 store.
    """


for command in COMMANDS:
    cli.add_command(command)


def run() -> None:
    """Run the command line and end the process with its exit code."""
    try:
        code = _code_of(cli.main(standalone_mode=False))
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except (ClosedPipeError, BrokenPipeError):
        code = _closed()
    except click.Abort:
        click.echo("Stopped.", err=True)
        code = 130
    except (click.ClickException, PinciteError, OSError) as error:
        code = _report(error)
    sys.exit(code)


def _report(error: click.ClickException | PinciteError | OSError) -> int:
    as_json = "--json" in sys.argv
    if isinstance(error, OSError):
        return _unwritable(error)
    try:
        if isinstance(error, PinciteError):
            print_error(error, as_json=as_json)
            return exit_code(error)
        if as_json:
            print_usage_error(error.format_message())
        error.show()
    except BrokenPipeError:
        _closed()
    except OSError as unwritable:
        return _unwritable(unwritable)
    return EXIT_USAGE


def _unwritable(error: OSError) -> int:
    """Say that output can't be written. An error about a file by name is none of ours: it keeps its trace."""
    if error.filename is not None:
        raise error
    _closed()
    click.echo(f"Error: The output can't be written ({error.strerror}). Send it to another place.", err=True)
    return EXIT_STORE


def _closed() -> int:
    """Let what is still buffered go nowhere, so that Python doesn't fail on it when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _code_of(result: object) -> int:
    return result if isinstance(result, int) else 0
