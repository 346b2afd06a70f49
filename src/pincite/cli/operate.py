"""Commands about the installation: doctor and version."""

import platform
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

import click

from pincite import __version__
from pincite.cli.options import json_option
from pincite.cli.render import EXIT_STORE, print_json
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
    mended: tuple[str, ...] = ()


@click.command()
@json_option
def version(as_json: bool) -> None:
    """Print the version."""
    if as_json:
        print_json({"version": __version__, "python": platform.python_version(), "platform": platform.platform()})
    else:
        click.echo(f"pincite {__version__}")


@click.command()
@click.option("--deep", is_flag=True, help="Read everything that is kept: each file, text, vector and index. Changes nothing.")
@click.option("--repair", is_flag=True, help="As --deep, and mend what can be mended without losing anything.")
@json_option
def doctor(deep: bool, repair: bool, as_json: bool) -> None:
    """Check the installation: home, disk, database, models, parser.

    Ends with 6 when something failed, with 0 when there are warnings alone.
    """
    findings: list[Finding] = []
    for finding in _findings(deep=deep or repair, repair=repair, quiet=as_json):
        findings.append(finding)
        if not as_json:
            _show(finding)
    if as_json:
        print_json({"findings": [asdict(finding) for finding in findings]})
    if any(finding.state == "failed" for finding in findings):
        raise click.exceptions.Exit(EXIT_STORE)


def _show(finding: Finding) -> None:
    for done in finding.mended:
        click.echo(click.style(f"{'mended':<8}", fg="cyan") + f"{finding.check:<12}{printable(done)}")
    click.echo(click.style(f"{finding.state:<8}", fg=_COLOURS[finding.state]) + f"{finding.check:<12}{printable(finding.message)}")


def _findings(*, deep: bool, repair: bool, quiet: bool) -> Iterator[Finding]:
    from pincite.settings import load_settings

    settings = load_settings()
    yield Finding("version", "ok", f"pincite {__version__}, Python {platform.python_version()}")
    yield from _checked(settings, [("store", _store)])
    if deep:
        yield from _closely(settings, repair=repair, quiet=quiet)
    else:
        yield from _checked(settings, [("rows", _rows), ("files", _files)])
    rest = [
        ("documents", _unfinished),
        ("key", _key),
        ("disk", _disk),
        ("embedding", _embedding),
        ("chat", _chat),
        ("parser", _parser),
        ("ocr", _ocr),
        ("vision", _vision),
        ("judge", _judge),
    ]
    yield from _checked(settings, rest)


def _closely(settings: "Settings", *, repair: bool, quiet: bool) -> Iterator[Finding]:
    from pincite.cli.close_look import close_look_at

    try:
        found = close_look_at(settings, repair=repair, quiet=quiet)
    except PinciteError as error:
        yield Finding("deep", "failed", error.message)
        return
    for each in found:
        yield Finding(each.check, each.state.value, each.message, each.mended)


def _checked(settings: "Settings", checks: "Iterable[tuple[str, Callable[[Settings], Finding]]]") -> Iterator[Finding]:
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


def _key(settings: "Settings") -> Finding:
    """Look at the key that signs receipts, without making one."""
    from pincite.bootstrap import receipt_key

    key = receipt_key(settings)
    if fault := key.fault():
        return Finding("key", "failed", fault)
    if not key.exists():
        return Finding("key", "ok", "none yet: the first answer makes the one that signs receipts")
    return Finding("key", "ok", f"receipts are signed with {key.public_key()}")


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
    return _asked("chat", settings.chat_model, settings)


def _vision(settings: "Settings") -> Finding:
    if not settings.vision_model:
        return Finding("vision", "ok", "none: no picture is sent anywhere; set VISION_MODEL to have pictures described")
    return _asked("vision", settings.vision_model, settings)


def _judge(settings: "Settings") -> Finding:
    from pincite.bootstrap import Models

    models = Models(settings)
    if not settings.judge:
        return Finding("judge", "ok", "none: verdicts are the verifier's; see PINCITE_JUDGE for a second opinion")
    review = models.review(models.chat)
    if review is None:
        return Finding("judge", "warning", "PINCITE_JUDGE is `chat`, and no CHAT_MODEL is set: claims get no second opinion")
    return Finding("judge", "ok", review.name)


def _asked(what: str, model: str, settings: "Settings") -> Finding:
    where = settings.openai_base_url or "OpenAI"
    state: State = "ok" if settings.openai_api_key or settings.openai_base_url else "warning"
    return Finding(what, state, f"{model} at {where}" + ("" if state == "ok" else ": OPENAI_API_KEY is not set"))


def _ocr(settings: "Settings") -> Finding:
    from pincite.bootstrap import ocr_engine

    return Finding("ocr", "ok", ocr_engine(settings))


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
