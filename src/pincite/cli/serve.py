"""Commands about the server: serve, and the tokens of those who may use it."""

import asyncio
import json
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from pincite.cli.options import json_option
from pincite.cli.render import print_json
from pincite.core.access import EVERYTHING, Permission
from pincite.core.errors import NotFoundError
from pincite.core.ids import TokenId

if TYPE_CHECKING:
    from pincite.core.access import ApiToken

OWNER = "owner"
QUESTION = "What can happen when fsync is turned off?"


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Processes that answer.")
@click.option("--samples/--no-samples", default=True, show_default=True, help="Load the sample collection at the first start.")
def serve(host: str, port: int, workers: int, samples: bool) -> None:
    """Answer over HTTP. The first start prints a token, once: keep it."""
    from pincite.server.run import listen
    from pincite.server.run import serve as run

    taken = listen(host, port)
    token, collection_id = asyncio.run(_prepare(samples))
    click.echo(_welcome(f"http://{host if ':' not in host else f'[{host}]'}:{port}", token, collection_id))
    run([taken], workers=workers)


async def _prepare(samples: bool) -> tuple[str | None, str | None]:
    """Bring the installation to where it can serve; return the first token, and the samples' collection."""
    from pincite.cli.library import SAMPLE_COLLECTION, load_samples
    from pincite.client import Pincite
    from pincite.workspaces.tokens import Tokens

    async with Pincite() as client:
        services = client.services
        await services.collection("default", create=True)
        made = await Tokens(services.store, services.workspace_id).first(OWNER)
    if not samples:
        return (made.text if made else None), None
    async with Pincite(collection=SAMPLE_COLLECTION) as client:
        await load_samples(client)
        return (made.text if made else None), (await client.collection()).id


def _welcome(address: str, token: str | None, collection_id: str | None) -> str:
    body = json.dumps({"question": QUESTION, "collection_id": collection_id or ""})
    lines = [f"Pincite answers at {address}", ""]
    if token:
        lines += [f"Your token, shown this once: {token}", ""]
    shown = token or "$PINCITE_TOKEN"
    lines += [
        "Ask:",
        f"  curl -N {address}/api/query/ -H 'Content-Type: application/json' \\",
        f'    -H "Authorization: Bearer {shown}" -d {_quoted(body)}',
    ]
    if not token:
        lines += ["", "PINCITE_TOKEN is the token of the first start. Lost it? Make another: pincite token create NAME"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


@click.command()
@click.option("--slots", default=1, show_default=True, type=click.IntRange(1, 64), help="Documents read at once.")
@click.option("--until-done", is_flag=True, help="End when nothing is due any more.")
def worker(slots: int, until_done: bool) -> None:
    """Read uploaded documents. Any number of these may run beside any number of servers."""

    async def work() -> int:
        from pincite.client import Pincite
        from pincite.core.jobs import JobKind
        from pincite.worker.loop import Worker

        async with Pincite() as client:
            services = client.services
            doing = Worker(services.queue, {JobKind.INGEST: services.ingest_jobs}, slots=slots)
            if until_done:
                return await doing.work_off()
            click.echo("Waiting for documents. Ctrl-C ends.", err=True)
            await doing.run()
        return 0

    done = asyncio.run(work())
    click.echo(f"{done} jobs done.")


@click.group()
def token() -> None:
    """Make, list and revoke the tokens by which programs use the server."""


@token.command("create")
@click.argument("name")
@click.option("--read-only", is_flag=True, help="May ask and read, not change anything.")
@click.option("--days", type=click.IntRange(1, 3650), help="Days until it expires; without, it doesn't.")
@json_option
def create(name: str, read_only: bool, days: int | None, as_json: bool) -> None:
    """Make a token and print it, this once."""
    permissions = frozenset({Permission.READ_DOCUMENTS}) if read_only else EVERYTHING

    async def work() -> str:
        from pincite.client import Pincite
        from pincite.workspaces.tokens import Tokens

        async with Pincite() as client:
            tokens = Tokens(client.services.store, client.services.workspace_id)
            made = await tokens.issue(name, permissions=permissions, valid_for=timedelta(days=days) if days else None)
        return made.text

    text = asyncio.run(work())
    if as_json:
        print_json({"name": name, "token": text})
    else:
        click.echo(text)


@token.command("list")
@json_option
def list_tokens(as_json: bool) -> None:
    """List the tokens; their secrets aren't kept."""

    async def work() -> "list[ApiToken]":
        from pincite.client import Pincite
        from pincite.workspaces.tokens import Tokens

        async with Pincite() as client:
            return await Tokens(client.services.store, client.services.workspace_id).list()

    found = asyncio.run(work())
    if as_json:
        print_json({"tokens": [_token_dict(each) for each in found]})
        return
    for each in found:
        until = each.expires_at.date().isoformat() if each.expires_at else "revoked"
        click.echo(f"{each.id}  {each.name}  {', '.join(sorted(each.permissions))}  until {until}")


def _token_dict(token: "ApiToken") -> dict[str, object]:
    return {
        "id": token.id,
        "name": token.name,
        "permissions": sorted(token.permissions),
        "created_at": token.created_at.isoformat(timespec="seconds"),
        "expires_at": token.expires_at.isoformat(timespec="seconds") if token.expires_at else None,
    }


@token.command("revoke")
@click.argument("token_id")
def revoke(token_id: str) -> None:
    """Make a token worthless at once."""

    async def work() -> bool:
        from pincite.client import Pincite
        from pincite.workspaces.tokens import Tokens

        async with Pincite() as client:
            return await Tokens(client.services.store, client.services.workspace_id).revoke(TokenId(token_id))

    if not asyncio.run(work()):
        raise NotFoundError(f"There is no token {token_id!r}. `pincite token list` shows them.")
    click.echo("Revoked.")
