"""Commands about the tokens by which programs use the server."""

import asyncio
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
