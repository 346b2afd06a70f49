"""Checks that rows and files of an installation fit together."""

from dataclasses import dataclass

from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.upkeep import StoreFile

_NAMED = 1000
"""Hashes of missing bytes whose documents are looked up."""


@dataclass(frozen=True, slots=True)
class Checks:
    """Looks at a store without changing anything."""

    file: StoreFile
    blobs: BlobStore

    async def faults(self) -> list[str]:
        """Return what is wrong among the rows, a sentence each."""
        return await self.file.faults()

    async def missing(self) -> list[str]:
        """Return the paths of documents whose files aren't there."""
        there = {blob.sha256 async for blob in self.blobs.all()}
        missing = [sha256 for sha256 in await self.file.named() if sha256 not in there]
        return sorted({path for _, path in await self.file.documents_with(missing[:_NAMED])})
