"""API tokens: `pin_<id>_<secret>`, shown once, kept as a hash."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pincite.core.access import EVERYTHING, ApiToken, Permission, Principal
from pincite.core.errors import AuthenticationError
from pincite.core.ids import TokenId, WorkspaceId, new_id
from pincite.core.ports.identity import Credentials
from pincite.core.ports.store import Store

PREFIX = "pin_"
SECRET_BYTES = 32
MAX_TOKEN_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token just made. `text` is what the caller sends; it can't be had again."""

    token: ApiToken
    text: str


@dataclass(frozen=True)
class Tokens:
    """Makes, lists and revokes the tokens of one workspace."""

    store: Store
    workspace_id: WorkspaceId

    async def issue(
        self, name: str, *, permissions: frozenset[Permission] = EVERYTHING, valid_for: timedelta | None = None
    ) -> NewToken:
        """Make a token and keep its hash."""
        made = _made(self.workspace_id, name, permissions=permissions, valid_for=valid_for)
        async with self.store.open(self.workspace_id) as work:
            await work.tokens.add(made.token)
            await work.commit()
        return made

    async def first(self, name: str) -> NewToken | None:
        """Make the workspace's first token; None when it has one already, also when two processes ask at once."""
        made = _made(self.workspace_id, name, permissions=EVERYTHING, valid_for=None)
        async with self.store.open(self.workspace_id) as work:
            if not await work.tokens.add_first(made.token):
                return None
            await work.commit()
        return made

    async def list(self) -> list[ApiToken]:
        """Return the tokens, oldest first."""
        async with self.store.open(self.workspace_id) as work:
            return await work.tokens.list()

    async def revoke(self, token_id: TokenId) -> bool:
        """Make a token worthless at once. False when there is none."""
        async with self.store.open(self.workspace_id) as work:
            revoked = await work.tokens.remove(token_id)
            await work.commit()
        return revoked


@dataclass(frozen=True)
class Authenticator:
    """Recognises callers by their bearer token."""

    credentials: Credentials

    async def principal(self, text: str) -> Principal:
        """Return the caller that a token belongs to. Raises `AuthenticationError`, the same for every kind of wrong token."""
        token_id, secret = _parts(text)
        token = await self.credentials.token(token_id) if token_id else None
        # Hash and compare also without a token, so that the time taken doesn't tell which ids exist.
        is_right = hmac.compare_digest(_sha256(secret), token.secret_sha256 if token else "0" * 64)
        if token is None or not is_right or not token.is_valid(datetime.now(UTC)):
            raise AuthenticationError(
                "The token is not known, was revoked or has expired. Make one with: pincite token create NAME"
            )
        return Principal(token.workspace_id, token.permissions, token.id)


def _made(workspace_id: WorkspaceId, name: str, *, permissions: frozenset[Permission], valid_for: timedelta | None) -> NewToken:
    token_id, secret, now = TokenId(new_id().replace("-", "")), secrets.token_urlsafe(SECRET_BYTES), datetime.now(UTC)
    expires_at = now + valid_for if valid_for else None
    token = ApiToken(token_id, workspace_id, name, _sha256(secret), permissions, now, expires_at)
    return NewToken(token, f"{PREFIX}{token_id}_{secret}")


def _parts(text: str) -> tuple[TokenId, str]:
    if len(text) > MAX_TOKEN_CHARACTERS or not text.startswith(PREFIX):
        return TokenId(""), ""
    token_id, _, secret = text.removeprefix(PREFIX).partition("_")
    return TokenId(token_id), secret


def _sha256(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
