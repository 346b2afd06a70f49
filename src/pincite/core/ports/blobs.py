"""Bytes of files, addressed by their hash."""

from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Blob:
    """Stored bytes: their SHA-256 in hex and their number."""

    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Part:
    """A run of bytes within a file."""

    start: int
    size_bytes: int


class BlobStore(Protocol):
    """Content-addressed storage. Equal bytes are kept once."""

    async def put_file(self, path: Path) -> Blob:
        """Store the bytes of a file, in one durable step. Raises `StoreError` when the disk is full."""
        ...

    async def put_bytes(self, data: bytes) -> Blob:
        """Store bytes, in one durable step. Raises `StoreError` when the disk is full."""
        ...

    async def has(self, sha256: str) -> bool:
        """Say whether the bytes are there."""
        ...

    async def local_path(self, sha256: str) -> Path:
        """Return a file that holds the bytes, to be read only. Raises `NotFoundError`."""
        ...

    async def put_parts(self, path: Path, parts: Iterable[Part]) -> None:
        """Store parts of a file, each as bytes of its own, all in one durable step. Raises `StoreError` when the disk is full."""
        ...

    def all(self) -> AsyncIterator[Blob]:
        """Yield what is stored, by hash. What comes or goes meanwhile may be among it or not."""
        ...

    def hold(self) -> AbstractAsyncContextManager[None]:
        """Have nothing deleted meanwhile, by whatever process. Any number may hold. Raises `StoreError` (`store_busy`)."""
        ...

    def scratch(self) -> AbstractAsyncContextManager[Path]:
        """Give an empty folder for files on their way, which goes with the block, or with the process if that is killed.

        Raises `StoreError` when the disk is full.
        """
        ...

    async def delete(self, sha256: str) -> bool:
        """Forget the bytes; no error when they aren't there. False when they stay because somebody holds the blobs."""
        ...
