"""Rows of API tokens, and looking one up before its workspace is known."""

from typing import Any

from sqlalchemy import Row, bindparam, delete, select

from pincite.adapters.sql.collections import ensure_workspace
from pincite.adapters.sql.plain import dump, load
from pincite.adapters.sql.tables import tokens
from pincite.adapters.sql.transaction import Database, Transaction
from pincite.core.access import ApiToken, Permission
from pincite.core.errors import ConflictError
from pincite.core.ids import TokenId, WorkspaceId

BY_ID = select(tokens).where(tokens.c.id == bindparam("token_id"))
MINE = select(tokens).where(tokens.c.workspace_id == bindparam("own")).order_by(tokens.c.created_at, tokens.c.id)
GONE = delete(tokens).where(tokens.c.workspace_id == bindparam("own"), tokens.c.id == bindparam("token_id"))


class SqlTokens:
    """API tokens of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, token: ApiToken) -> None:
        """Insert. Raises `ConflictError` when the id is taken."""
        if token.workspace_id != self._tx.workspace_id:
            raise ConflictError("A unit of work adds tokens to its own workspace alone.")
        await self._tx.lock()
        await ensure_workspace(self._tx)
        await self._tx.insert(tokens, _values(token))

    async def add_first(self, token: ApiToken) -> bool:
        """Insert when the workspace has no token yet."""
        await self._tx.lock()
        if await self.list():
            return False
        await self.add(token)
        return True

    async def list(self) -> list[ApiToken]:
        """Return all, oldest first."""
        return [_token(row) for row in await self._tx.rows(MINE)]

    async def remove(self, token_id: TokenId) -> bool:
        """Delete one. False when unknown."""
        return (await self._tx.change(GONE, token_id=token_id)).rowcount > 0


class SqlCredentials:
    """`Credentials` over the tokens of all workspaces."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def token(self, token_id: TokenId) -> ApiToken | None:
        """Return a token by id; None for an unknown or revoked one."""
        transaction = Transaction(self._database, WorkspaceId(""))
        try:
            row = await transaction.row(BY_ID, token_id=token_id)
        finally:
            await transaction.close()
        return _token(row) if row else None


def _values(token: ApiToken) -> dict[str, Any]:
    return {
        "id": token.id,
        "name": token.name,
        "secret_sha256": token.secret_sha256,
        "permissions": dump(tuple(sorted(token.permissions))),
        "created_at": token.created_at,
        "expires_at": token.expires_at,
    }


def _token(row: Row[Any]) -> ApiToken:
    return ApiToken(
        id=TokenId(row.id),
        workspace_id=WorkspaceId(row.workspace_id),
        name=row.name,
        secret_sha256=row.secret_sha256,
        permissions=frozenset(load(tuple[Permission, ...], row.permissions)),
        created_at=row.created_at,
        expires_at=row.expires_at,
    )
