"""Commands about the installation: doctor and version."""

import platform
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

import click

from pincite import __version__
from pincite.cli.options import json_option
from pincite.cli.render import print_json
from pincite.core.errors import PinciteError
from pincite.ingest.naming import printable

if TYPE_CHECKING:
    from pincite.settings import Settings

State = Literal["ok", "warning", "failed"]
_COLOURS = {"ok": "green", "warning": "yellow", "failed": "red"}
LOW_DISK_BYTES = 1_000_000_000
NAMED = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    check: str
    state: State
    message: str


@click.command()
@json_option
def version(as_json: bool) -> None:
    """Print the version."""
    if as_json:
        print_json({"version": __version__, "python": platform.python_version(), "platform": platform.platform()})
    else:
        click.echo(f"pincite {__version__}")


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Check the installation: home, disk, database, models, parser."""
    findings = list(_findings())
    if as_json:
        print_json({"findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            click.echo(click.style(f"{finding.state:<8}", fg=_COLOURS[finding.state]) + f"{finding.check:<12}{finding.message}")
    if any(finding.state == "failed" for finding in findings):
        raise click.exceptions.Exit(6)


def _findings() -> Iterator[Finding]:
    from pincite.settings import load_settings

    settings = load_settings()
    yield Finding("version", "ok", f"pincite {__version__}, Python {platform.python_version()}")
    checks: tuple[tuple[str, Callable[[Settings], Finding]], ...] = (
        ("store", _store),
        ("rows", _rows),
        ("files", _files),
        ("documents", _unfinished),
        ("disk", _disk),
        ("embedding", _embedding),
        ("chat", _chat),
        ("parser", _parser),
    )
    for name, check in checks:
        try:
            yield check(settings)
        except PinciteError as error:
            state = "warning" if error.code == "no_local_model" else "failed"
            yield Finding(name, state, error.message)


def _store(settings: "Settings") -> Finding:
    import asyncio

    from pincite.client import Pincite

    async def count() -> int:
        async with Pincite(settings=settings) as client, client.services.store.open(client.services.workspace_id) as work:
            return sum([(await work.collections.scope(c.id)).documents for c in await work.collections.list()])

    documents = asyncio.run(count())
    return Finding("store", "ok", f"{settings.home_path / 'pincite.db'} ({documents} documents)")


def _rows(settings: "Settings") -> Finding:
    import asyncio

    from pincite.bootstrap import checks

    faults = asyncio.run(checks(settings).faults())
    if not faults:
        return Finding("rows", "ok", "they fit together")
    return Finding("rows", "failed", f"{' '.join(faults)} Restore a backup, or move PINCITE_HOME away and add the documents again.")


def _files(settings: "Settings") -> Finding:
    """Name the documents whose files are gone from the home."""
    import asyncio

    from pincite.bootstrap import checks

    paths = asyncio.run(checks(settings).missing())
    if not paths:
        return Finding("files", "ok", "all are there")
    names = ", ".join(printable(path) for path in paths[:NAMED]) + (", …" if len(paths) > NAMED else "")
    return Finding("files", "warning", f"those of {len(paths)} documents are missing: {names}. Add these files again.")


def _unfinished(settings: "Settings") -> Finding:
    """Name the documents that a stopped process left half done."""
    import asyncio

    paths = asyncio.run(_unfinished_paths(settings))
    if not paths:
        return Finding("documents", "ok", "all are finished")
    names = ", ".join(printable(path) for path in paths[:NAMED]) + (", …" if len(paths) > NAMED else "")
    return Finding("documents", "warning", f"{len(paths)} not finished: {names}. Add these files again to continue.")


async def _unfinished_paths(settings: "Settings") -> list[str]:
    from pincite.client import Pincite
    from pincite.core.documents import Stage

    found: list[str] = []
    async with Pincite(settings=settings) as client, client.services.store.open(client.services.workspace_id) as work:
        for collection in await work.collections.list():
            last = ""
            while batch := await work.documents.list(collection.id, after_path=last):
                last = batch[-1].path
                half = [row for row in batch if row.stage not in {Stage.READY, Stage.FAILED}]
                found += [f"{row.path} (in {collection.name})" for row in half]
    return found


def _disk(settings: "Settings") -> Finding:
    free = shutil.disk_usage(settings.home_path).free
    state: State = "ok" if free >= LOW_DISK_BYTES else "warning"
    return Finding("disk", state, f"{free / 1e9:.1f} GB free")


def _embedding(settings: "Settings") -> Finding:
    from pincite.bootstrap import Models

    model = Models(settings).embedding
    if model is None:
        return Finding("embedding", "warning", "none: search is by words alone (PINCITE_EMBEDDING)")
    spec = model.spec
    return Finding("embedding", "ok", f"{spec.name} {spec.revision}, {spec.dimensions} dimensions, {spec.window_tokens} tokens")


def _chat(settings: "Settings") -> Finding:
    if settings.chat == "extractive":
        return Finding("chat", "ok", "extractive: answers quote sentences; set CHAT_MODEL to use a language model")
    where = settings.openai_base_url or "OpenAI"
    state: State = "ok" if settings.openai_api_key or settings.openai_base_url else "warning"
    return Finding("chat", state, f"{settings.chat_model} at {where}" + ("" if state == "ok" else ": OPENAI_API_KEY is not set"))


def _parser(settings: "Settings") -> Finding:
    import asyncio
    import tempfile
    from pathlib import Path

    from pincite.client import Pincite

    async def read() -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "check.md"
            file.write_text("# Check\n\nThe parser reads this sentence.\n", encoding="utf-8")
            async with Pincite(settings=settings) as client:
                return (await client.services.parser.parse(file, name=file.name)).parser

    return Finding("parser", "ok", f"{asyncio.run(read())} parser answers from its own process")
