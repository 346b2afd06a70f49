"""A signer and a time-stamping authority in memory."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

from pincite.core.errors import RefusedInput, UpstreamError
from pincite.core.ports.signer import Stamped

_STAMP = b"stamped over "


@dataclass(frozen=True)
class MemorySigner:
    """A `Signer` whose signatures anybody could make: they tell what was changed, not who signed."""

    key: str = "5a" * 32

    def public_key(self) -> str:
        """Return the key that it was made with."""
        return self.key

    def sign(self, data: bytes) -> str:
        """Return the hash of key and bytes."""
        return hashlib.sha512(self.key.encode() + data).hexdigest()


def memory_check(public_key: str, data: bytes, signature: str) -> bool:
    """Say whether a `MemorySigner` with that key made the signature."""
    return MemorySigner(public_key).sign(data) == signature


@dataclass
class MemoryAuthority:
    """A `TimeStamping` that counts what it is asked, and may be told to fail."""

    fails: bool = False
    asked: int = 0

    async def stamp(self, data: bytes) -> bytes:
        """Return what `memory_stamped` takes for a time stamp over these bytes. Raises `UpstreamError`."""
        self.asked += 1
        if self.fails:
            raise UpstreamError("The time-stamping authority gave no time stamp.", code="time_stamp", retryable=True)
        return _STAMP + hashlib.sha256(data).digest()


def memory_stamped(response: bytes, data: bytes) -> Stamped:
    """Take what a `MemoryAuthority` answered for a time stamp. Raises `RefusedInput` for what is none over these bytes."""
    if response != _STAMP + hashlib.sha256(data).digest():
        raise RefusedInput("The time stamp is that of something else.", code="time_stamp")
    return Stamped(datetime(2031, 2, 3, tzinfo=UTC), "CN=Memory")
