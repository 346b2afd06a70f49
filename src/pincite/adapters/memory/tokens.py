"""API tokens in memory."""

from pincite.adapters.memory.store_tables import Shared, Transaction
from pincite.core.access import ApiToken
from pincite.core.errors import ConflictError
from pincite.core.ids import TokenId


class MemoryTokens:
    """API tokens of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, token: ApiToken) -> None:
        """Insert. Raises `ConflictError` when the id is taken."""
        own = self._tx.workspace_id
        if token.workspace_id != own:
            raise ConflictError("A unit of work adds tokens to its own workspace alone.")
        (await self._tx.lock()).tokens.add(own, token.id, token)

    async def add_first(self, token: ApiToken) -> bool:
        """Insert when the workspace has no token yet."""
        await self._tx.lock()
        if await self.list():
            return False
        await self.add(token)
        return True

    async def list(self) -> list[ApiToken]:
        """Return all, oldest first."""
        return sorted(self._tx.tables.tokens.all(self._tx.workspace_id), key=lambda token: (token.created_at, token.id))

    async def remove(self, token_id: TokenId) -> bool:
        """Delete one. False when unknown."""
        return (await self._tx.lock()).tokens.drop(self._tx.workspace_id, token_id) is not None


class MemoryCredentials:
    """`Credentials` over the tokens of all workspaces."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    async def token(self, token_id: TokenId) -> ApiToken | None:
        """Return a token by id; None for an unknown or revoked one."""
        return next((token for token in self._shared.tables.tokens.everywhere() if token.id == token_id), None)
