"""The instance's signature, and what others say about time."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


class Signer(Protocol):
    """Signs as this instance (Ed25519, RFC 8032). Keys and signatures are hex."""

    def public_key(self) -> str:
        """Return the public key; the pair is made at first use. Raises `ConfigurationError` (`receipt_key`)."""
        ...

    def sign(self, data: bytes) -> str:
        """Return the signature of bytes. Raises as `public_key`."""
        ...


class SignatureCheck(Protocol):
    """Checks signatures of any instance, by public key."""

    def __call__(self, public_key: str, data: bytes, signature: str) -> bool:
        """Say whether the signature is the key's. False also for what is no key or no signature."""
        ...


@dataclass(frozen=True, slots=True)
class Stamped:
    """That an authority says when something existed. `remark` names what was not checked; without any check there is no `at`."""

    at: datetime | None
    by: str
    remark: str = ""


class TimeStamping(Protocol):
    """A time-stamping authority (RFC 3161)."""

    async def stamp(self, data: bytes) -> bytes:
        """Return the authority's response over the SHA-256 of bytes (DER).

        Raises `UpstreamError`, also for one that is no good, and `ConfigurationError`.
        """
        ...


class TimeStampCheck(Protocol):
    """Checks time stamps of any authority, without asking it."""

    def __call__(self, response: bytes, data: bytes) -> Stamped:
        """Return when the bytes existed, and who says so. Raises `RefusedInput` for what is no time stamp over these bytes."""
        ...
