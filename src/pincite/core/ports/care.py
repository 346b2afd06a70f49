"""Looking closely at what an installation keeps, and mending it where nothing can be lost by that."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pincite.core.documents import EmbeddingSpec
from pincite.core.ids import CollectionId, DocumentId, WorkspaceId
from pincite.core.ports.index import IndexSpace
from pincite.core.ports.signer import SignatureCheck

Counted = Callable[[int, int], None]
"""Hears how many are done and how many there are in all."""


@dataclass(frozen=True, slots=True)
class BrokenDocument:
    """A document whose rows don't make a whole version, and why. `sha256` names the bytes it can be read again from."""

    id: DocumentId
    path: str
    sha256: str
    why: str


@dataclass(frozen=True, slots=True)
class KeptVectors:
    """A collection, and of its vectors: chunks that lack one, vectors of another size, and those of models it doesn't have.

    Those that are ready lack none; of documents in work, or whose embedding failed, none counts as lacking.
    """

    workspace_id: WorkspaceId
    id: CollectionId
    name: str
    embedding: EmbeddingSpec | None
    lacking: int = 0
    unfit: int = 0
    spare: int = 0

    @property
    def space(self) -> IndexSpace:
        """Return the space of its mirrors."""
        if self.embedding is None:
            return IndexSpace(self.workspace_id, self.id)
        return IndexSpace(self.workspace_id, self.id, self.embedding.model_id, self.embedding.dimensions)


class RowCare(Protocol):
    """The rows of all workspaces."""

    async def damage(self) -> list[str]:
        """Return what the database says of its own file, a sentence each. Reads all of it."""
        ...

    async def rebuild_indexes(self) -> None:
        """Make the database's own indexes anew from its tables."""
        ...

    async def parentless(self) -> Mapping[str, int]:
        """Count, by table, the rows without what they belong to."""
        ...

    async def drop_parentless(self) -> int:
        """Delete those of them that are worth nothing alone (vectors, marks of files, tombstones, progress); return how many."""
        ...

    async def broken_documents(self, counted: Counted) -> list[BrokenDocument]:
        """Return the documents with a version whose text or chunks are missing, or don't agree with each other."""
        ...

    async def vectors(self) -> list[KeptVectors]:
        """Count what fits of the vectors of each collection."""
        ...

    async def drop_unfit(self, collection_id: CollectionId) -> int:
        """Delete a collection's vectors of another size than its model's; return how many."""
        ...

    async def broken_quotes(self) -> int:
        """Count the quotes of stored answers that aren't as they were committed to."""
        ...

    async def broken_receipts(self, is_signed: SignatureCheck) -> int:
        """Count the receipts that aren't as they were signed, or don't follow the one before."""
        ...

    async def origins(self, hashes: Collection[str]) -> list[tuple[str, str]]:
        """Return (hash, address) of the files that bytes came from."""
        ...


class BlobCare(Protocol):
    """The files that hold bytes."""

    async def digest(self, sha256: str) -> str:
        """Return the SHA-256 of what is kept under a hash, "" when it can't be read."""
        ...

    async def digest_of(self, path: Path) -> str:
        """Return the SHA-256 of any file, "" when it can't be read."""
        ...

    async def age_s(self, sha256: str) -> float:
        """Return how long ago bytes were stored, 0 when they aren't there."""
        ...

    async def leftovers(self, *, older_s: float) -> list[Path]:
        """Return files that were being written so long ago that whoever wrote them must be dead."""
        ...

    async def strangers(self) -> list[Path]:
        """Return what lies among the blobs and is none."""
        ...


class MirrorCare(Protocol):
    """Mirrors of one kind."""

    async def faults(self, space: IndexSpace, counted: Counted) -> list[str]:
        """Say where the published mirror differs from the rows that it says it holds, a sentence each. Changes nothing."""
        ...

    async def rebuild(self, space: IndexSpace) -> bool:
        """Make the mirror anew. False when another process is writing it."""
        ...


class HomeCare(Protocol):
    """Folders and files of the home beside the database and the blobs."""

    async def leftovers(self, *, older_s: float) -> list[Path]:
        """Return what a killed restore left."""
        ...

    async def orphans(self, collections: Collection[CollectionId]) -> list[Path]:
        """Return index folders of collections that aren't among these."""
        ...

    async def set_aside(self) -> list[Path]:
        """Return damaged databases that a restore kept."""
        ...

    async def remove(self, paths: Sequence[Path]) -> int:
        """Delete files and folders; return how many are gone."""
        ...

    async def free_bytes(self) -> int:
        """Return how much room the disk has."""
        ...

    async def store_bytes(self) -> int:
        """Return how long the database is, with its log."""
        ...
