"""API tokens are kept as hashes, belong to one workspace, and are recognised from any."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from pincite.adapters.memory.store import MemoryStore
from pincite.adapters.sql.store import SqlStore
from pincite.core.access import EVERYTHING, Permission, require
from pincite.core.errors import AuthenticationError, ConflictError, ForbiddenError
from pincite.core.ids import TokenId, WorkspaceId, new_id
from pincite.workspaces.tokens import Authenticator, Tokens

OURS, THEIRS = WorkspaceId(new_id()), WorkspaceId(new_id())
AnyStore = MemoryStore | SqlStore


async def test_a_token_is_recognised_with_its_workspace_and_permissions(store: AnyStore) -> None:
    made = await Tokens(store, OURS).issue("ci", permissions=frozenset({Permission.READ_DOCUMENTS}))
    principal = await Authenticator(store.credentials).principal(made.text)
    assert (principal.workspace_id, principal.permissions) == (OURS, {Permission.READ_DOCUMENTS})
    require(principal, Permission.READ_DOCUMENTS)
    with pytest.raises(ForbiddenError, match="documents:write"):
        require(principal, Permission.WRITE_DOCUMENTS)


async def test_the_secret_is_not_kept(store: AnyStore) -> None:
    made = await Tokens(store, OURS).issue("ci")
    [kept] = await Tokens(store, OURS).list()
    assert kept == made.token
    assert made.text.removeprefix(f"pin_{kept.id}_") not in repr(kept)


def spoiled(text: str) -> list[str]:
    """Return texts that are nearly, or not at all, the token."""
    head = text.rsplit("_", 1)[0]
    return [
        text[:-1],
        text + "x",
        text.upper(),
        "",
        "pin_",
        "pin__",
        text.removeprefix("pin_"),
        "pin_" + "a" * 5000,
        f"{head}_",
        "pin_é_\ud800",
    ]


async def test_any_other_token_is_refused_alike(store: AnyStore) -> None:
    made = await Tokens(store, OURS).issue("ci")
    for text in spoiled(made.text):
        with pytest.raises(AuthenticationError, match="not known, was revoked or has expired"):
            await Authenticator(store.credentials).principal(text)


async def test_a_revoked_token_is_worthless_at_once(store: AnyStore) -> None:
    tokens = Tokens(store, OURS)
    made = await tokens.issue("ci")
    assert not await Tokens(store, THEIRS).revoke(made.token.id)
    assert await tokens.revoke(made.token.id)
    assert not await tokens.revoke(made.token.id)
    with pytest.raises(AuthenticationError):
        await Authenticator(store.credentials).principal(made.text)


async def test_an_expired_token_is_refused(store: AnyStore) -> None:
    made = await Tokens(store, OURS).issue("ci", valid_for=timedelta(days=-1))
    assert not made.token.is_valid(datetime.now(UTC))
    with pytest.raises(AuthenticationError):
        await Authenticator(store.credentials).principal(made.text)


async def test_the_first_token_is_made_once_however_many_ask(store: AnyStore) -> None:
    made = await asyncio.gather(*(Tokens(store, OURS).first("owner") for _ in range(5)))
    assert len([one for one in made if one]) == 1
    assert len(await Tokens(store, OURS).list()) == 1
    assert await Tokens(store, THEIRS).first("owner")
    assert (await Tokens(store, THEIRS).list())[0].permissions == EVERYTHING


async def test_an_id_is_taken_once_and_a_token_is_added_to_its_own_workspace(store: AnyStore) -> None:
    made = await Tokens(store, OURS).issue("ci")
    async with store.open(OURS) as work:
        with pytest.raises(ConflictError):
            await work.tokens.add(made.token)
    async with store.open(THEIRS) as work:
        with pytest.raises(ConflictError):
            await work.tokens.add(made.token)
    assert await store.credentials.token(TokenId("nobody")) is None
