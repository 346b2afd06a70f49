"""Rows of the pictures in documents."""

from collections.abc import Collection, Sequence
from typing import Protocol

from pincite.core.figures import Figure, PictureDescription
from pincite.core.ids import DocumentId, FigureId, VersionId


class FigureRows(Protocol):
    """Figures of the workspace. They go with their version, and are kept with one that is kept of a removed document."""

    async def add(self, found: Sequence[Figure]) -> None:
        """Insert figures. Raises `NotFoundError` without their version."""
        ...

    async def get(self, figure_id: FigureId, document_id: DocumentId) -> Figure | None:
        """Return one by id, if it is of some version of a document, or of one that is kept of a removed document."""
        ...

    async def of_version(self, version_id: VersionId) -> list[Figure]:
        """Return the figures of a version by number, also of one that is kept of a removed document."""
        ...

    async def describe(self, figure_id: FigureId, description: str) -> None:
        """Keep what a model wrote of a figure."""
        ...

    async def descriptions(self, hashes: Collection[str], *, model: str, asked: str) -> dict[str, str]:
        """Return what a model wrote, asked in one way, of pictures by the hashes of their bytes, of those that it described."""
        ...

    async def learn(self, description: PictureDescription) -> bool:
        """Keep what a model wrote of a picture. False, and nothing changed, when it has described it already."""
        ...

    async def unlearn(self, hashes: Collection[str]) -> int:
        """Forget what models wrote of pictures that no figure of the workspace shows any more; return how many these were."""
        ...

    async def blobs(self, document_id: DocumentId) -> set[str]:
        """Return the hashes of the bytes of a document's figures, in all its versions that are there or kept."""
        ...
