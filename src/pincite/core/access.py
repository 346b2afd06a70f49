"""Who asks, and what they may do: the permission table and `require`, the first line of every service method that needs one."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pincite.core.errors import ForbiddenError
from pincite.core.ids import TokenId, WorkspaceId


class Permission(StrEnum):
    """What a caller may do."""

    READ_DOCUMENTS = "documents:read"
    WRITE_DOCUMENTS = "documents:write"
    MANAGE_COLLECTIONS = "collections:manage"
    MANAGE_TOKENS = "tokens:manage"


EVERYTHING = frozenset(Permission)
"""What the owner of an installation may do."""


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller that was recognised: where it belongs, what it may do, and the token it came with."""

    workspace_id: WorkspaceId
    permissions: frozenset[Permission]
    token_id: TokenId


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A bearer token as it is kept: of its secret only the SHA-256 (hex)."""

    id: TokenId
    workspace_id: WorkspaceId
    name: str
    secret_sha256: str
    permissions: frozenset[Permission]
    created_at: datetime
    expires_at: datetime | None = None

    def is_valid(self, now: datetime) -> bool:
        """Say whether it hasn't expired."""
        return self.expires_at is None or now < self.expires_at


def require(principal: Principal, permission: Permission) -> None:
    """Raise `ForbiddenError` unless the caller has the permission."""
    if permission not in principal.permissions:
        raise ForbiddenError(
            f"Your token lacks the permission {permission.value}. Ask the owner of this installation for one that has it."
        )
