"""The `pincite` command: its group of commands, and the door where errors become exit codes."""

import sys

import click

from pincite import __version__
from pincite.cli.evaluate import evaluate
from pincite.cli.library import add, ask, list_documents, remove, sample, search, show
from pincite.cli.operate import doctor, version
from pincite.cli.render import exit_code, print_error
from pincite.core.errors import PinciteError

COMMANDS = (add, ask, search, list_documents, show, remove, sample, doctor, evaluate, version)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="pincite")
def cli() -> None:
    """Ask your documents. Every claim of an answer carries the exact page and passage it rests on.

    \b
    First steps:
      pincite sample                       load a small library and ask it something
      pincite add report.pdf contracts/    add your own files and folders
      pincite ask "What does clause 7 say about notice?"

    Exit codes: 0 ok, 1 some files failed, 2 usage, 3 not found, 4 refused input, 5 model provider, 6 store.
    """


for command in COMMANDS:
    cli.add_command(command)


def run() -> None:
    """Run the command line and end the process with its exit code."""
    as_json = "--json" in sys.argv
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.Abort:
        click.echo("Stopped.", err=True)
        code = 130
    except click.ClickException as error:
        error.show()
        code = 2
    except PinciteError as error:
        print_error(error, as_json=as_json)
        code = exit_code(error)
    except BrokenPipeError:
        sys.stderr.close()
        code = 0
    sys.exit(code if isinstance(code, int) else 0)
