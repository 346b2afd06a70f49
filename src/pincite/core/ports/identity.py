"""Who a caller is."""

from typing import Protocol

from pincite.core.access import ApiToken
from pincite.core.ids import TokenId


class Credentials(Protocol):
    """Looks up what callers show, before it is known which workspace they belong to."""

    async def token(self, token_id: TokenId) -> ApiToken | None:
        """Return a token by id; None for an unknown or revoked one. Raises `StoreError`."""
        ...
