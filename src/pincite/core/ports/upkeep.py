"""Looking after an embedded installation as a whole, all workspaces together: copies, checks, archives."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pincite.core.ports.blobs import Part


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a file of rows holds: its schema, counts, and the hashes of all bytes that rows name, sorted."""

    schema: str
    collections: int
    documents: int
    blobs: tuple[str, ...]


class StoreFile(Protocol):
    """The one file of an embedded store."""

    @property
    def path(self) -> Path:
        """Return where it lies."""
        ...

    @property
    def schemas(self) -> Sequence[str]:
        """Return the schemas that this version reads, oldest first."""
        ...

    async def snapshot(self, target: Path) -> None:
        """Write all rows as they are at one moment into an empty file, while others go on writing. Not yet durable there.

        Raises `StoreError` (`disk_full` for the target's disk, `damaged` for the store).
        """
        ...

    async def inspect(self, file: Path, *, trusted: bool) -> Inventory:
        """Read what a copy holds. Raises `RefusedInput` for one that isn't ours, and unless trusted for one that isn't sound."""
        ...

    async def is_empty(self) -> bool:
        """Say whether nothing would be lost with it: there is no such file, or no collection in it."""
        ...

    async def install(self, copy: Path, *, derived: Path) -> None:
        """Put a checked copy (on the same disk) in the place of the store, brought to the newest schema, in one step.

        `derived`, a folder of what is made from the rows, is removed before, while nobody can read them. Raises `StoreError`
        (`store_in_use`) while another process has the store open; then nothing is changed.
        """
        ...

    async def faults(self) -> list[str]:
        """Return what is wrong among the rows, a sentence each: a damaged file, missing parents, documents without their chunks."""
        ...

    async def named(self) -> list[str]:
        """Return the hashes of all bytes that rows name, sorted."""
        ...

    def unnamed(self, hashes: Sequence[str]) -> AbstractAsyncContextManager[list[str]]:
        """Give those of the hashes that no row names. None can come to name them before the block ends.

        Raises `StoreError` (`store_busy`).
        """
        ...

    async def note_backup(self, path: Path) -> None:
        """Keep that a backup was written, and where, so that an erasure can name it."""
        ...

    async def documents_with(self, hashes: Sequence[str]) -> list[tuple[str, str]]:
        """Return (hash, path of a document) for bytes that documents or their versions name."""
        ...


@dataclass(frozen=True, slots=True)
class Digest:
    """The SHA-256 of some bytes in hex, and their number."""

    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an archive: its name, and where its bytes lie in the archive's file."""

    name: str
    part: Part


class ArchiveWriter(Protocol):
    """An archive that is being written under another name, and takes its own when it is whole."""

    @property
    def path(self) -> Path:
        """Return the file that is being written, empty at first."""
        ...

    async def wrap(self, name: str) -> Digest:
        """Make all that the file holds so far its first member, in place: so a large one never lies on the disk twice."""
        ...

    async def add(self, name: str, file: Path, *, sha256: str) -> int | None:
        """Append a file and return its size; None, and nothing appended, when it can't be read or has another hash."""
        ...

    async def finish(self, name: str, data: bytes) -> None:
        """Append the last member, bring everything to disk and give the archive its name."""
        ...


class Archives(Protocol):
    """Files that hold files. Those that are read may come from an enemy."""

    def create(self, target: Path, *, overwrite: bool) -> AbstractAsyncContextManager[ArchiveWriter]:
        """Begin an archive. What isn't finished when the block ends is deleted.

        Raises `ConflictError` (`exists`) when the name is taken, `StoreError` (`disk_full`, `unavailable`).
        """
        ...

    async def members(self, file: Path) -> Sequence[Member]:
        """Return the members in order. Raises `RefusedInput` for what isn't an archive of plain files, whole to its end."""
        ...

    async def read(self, file: Path, part: Part) -> bytes:
        """Return a small part of a file."""
        ...

    async def digest(self, file: Path, part: Part) -> str:
        """Return the SHA-256 of a part of a file."""
        ...

    async def extract(self, file: Path, part: Part, target: Path) -> None:
        """Write a part of a file to a new file, durably. Raises `StoreError` (`disk_full`, `unavailable`)."""
        ...
