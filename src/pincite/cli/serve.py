"""Commands that keep running: the server, and workers that read uploaded documents."""

import asyncio
import json
import shlex
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from pincite.cli.render import note, own_name
from pincite.core.errors import ErrorKind, PinciteError
from pincite.ingest.samples import SAMPLE_COLLECTION

if TYPE_CHECKING:
    from pincite.client import Pincite
    from pincite.workspaces.tokens import Tokens

OWNER = "owner"
QUESTION = "What can happen when fsync is turned off?"
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Addresses that stand for all of a machine's, and the one of them by which the machine itself comes in."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Processes that answer.")
@click.option("--samples/--no-samples", default=True, show_default=True, help="Load the sample collection at the first start.")
def serve(host: str, port: int, workers: int, samples: bool) -> None:
    """Answer over HTTP. The first start loads the samples and prints a token, once: keep it."""
    from pincite.server.run import listen
    from pincite.server.run import serve as run

    taken = listen(host, port)
    usage = asyncio.run(_begin(_address(host, port), samples))
    # Ctrl-C is how a server is ended, so nothing failed.
    with suppress(KeyboardInterrupt):
        run([taken], workers=workers, say=lambda: click.echo(usage))
    note("Stopped.")


async def _begin(address: str, samples: bool) -> str:
    """Bring the installation to where it can serve; return what to paste."""
    from pincite.client import Pincite
    from pincite.workspaces.tokens import Tokens

    async with Pincite(collection=SAMPLE_COLLECTION) as client:
        services = client.services
        tokens = Tokens(services.store, services.workspace_id)
        if samples and await _is_new(client, tokens):
            await _load(client)
        await services.collection("default", create=True)
        # Last, so that a first start that was stopped begins anew; and printed at once, for it can't be had again.
        made = await tokens.first(OWNER)
        click.echo(f"Pincite answers at {address} (Ctrl-C ends it).\n")
        if made:
            click.echo(f"Your token, shown this once and kept only as a hash:\n\n  {made.text}\n")
        return _usage(address, made.text if made else None, await _sample_id(client), _home_setting(client))


async def _is_new(client: "Pincite", tokens: "Tokens") -> bool:
    """Say whether nobody has used the installation yet: later the samples are there, or were deleted on purpose."""
    async with client.services.store.open(client.services.workspace_id) as work:
        has_collections = bool(await work.collections.list())
    return not has_collections or not await tokens.list()


async def _load(client: "Pincite") -> None:
    """Load the samples. What keeps them out doesn't keep the server from starting, unless the store can't be used."""
    from pincite.cli.library import load_samples

    note("Loading the sample collection, once …")
    try:
        await load_samples(client)
    except PinciteError as error:
        if error.kind is ErrorKind.STORE:
            raise
        note(f"The sample collection wasn't loaded: {error.message}")


async def _sample_id(client: "Pincite") -> str:
    """Return the id of the samples' collection, empty when it isn't there."""
    async with client.services.store.open(client.services.workspace_id) as work:
        found = await work.collections.named(SAMPLE_COLLECTION)
    return found.id if found else ""


def _home_setting(client: "Pincite") -> str:
    """Return what another terminal needs to mean the same home, empty for the usual one."""
    from pincite.settings import Settings

    home = client.settings.home_path
    return "" if home == Settings().home_path else f"PINCITE_HOME={shlex.quote(str(home))} "


def _address(host: str, port: int) -> str:
    name = EVERYWHERE.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"


def _usage(address: str, token: str | None, collection_id: str, home: str) -> str:
    """Return what to paste into another terminal: a question, and how another token is made."""
    body = json.dumps({"question": QUESTION} | ({"collection_id": collection_id} if collection_id else {}))
    asking = [
        f"  curl -N {address}/api/query/ -H 'Content-Type: application/json' \\",
        f'    -H "Authorization: Bearer {token or "$PINCITE_TOKEN"}" -d {shlex.quote(body)}',
    ]
    another = f"{home}{own_name()} token create me"
    if token:
        return "\n".join(["Ask, in another terminal:", "", *asking, "", f"Lost the token? Make another: {another}", ""])
    lost = ["Tokens are shown once, when they are made. Lost yours? Make another:", "", f"  export PINCITE_TOKEN=$({another})", ""]
    return "\n".join([*lost, "Ask, in another terminal, with the token in PINCITE_TOKEN:", "", *asking, ""])


@click.command()
@click.option("--slots", default=1, show_default=True, type=click.IntRange(1, 64), help="Documents read at once.")
@click.option("--until-done", is_flag=True, help="End when nothing is due any more.")
def worker(slots: int, until_done: bool) -> None:
    """Read uploaded documents. Any number of these may run beside any number of servers."""

    async def work() -> int:
        from pincite.client import Pincite
        from pincite.worker.loop import Worker

        async with Pincite() as client:
            services = client.services
            doing = Worker(services.queue, services.handlers, slots=slots)
            if until_done:
                return await doing.work_off()
            click.echo("Waiting for documents. Ctrl-C ends.", err=True)
            await doing.run()
        return 0

    done = asyncio.run(_until_told(work()))
    click.echo("Stopped; what was under way is for the next worker." if done is None else f"{done} jobs done.")


async def _until_told(work: Coroutine[Any, Any, int]) -> int | None:
    """Return what some work returns, None when SIGTERM ended it. It is cancelled then, so that it can let go of its jobs."""
    task = asyncio.ensure_future(work)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        return await task
    except asyncio.CancelledError:
        if (this := asyncio.current_task()) and this.cancelling():
            raise
        return None
