"""The pictures in documents: their bytes are kept beside the document's own, and go with it."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pincite.core.errors import RefusedInput
from pincite.core.figures import Figure, FigurePlace, Picture
from pincite.core.ids import FigureId, VersionId, new_id
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.parsing import Parser

MAX_FIGURES = 500


@dataclass(frozen=True, slots=True)
class Figures:
    """Keeps the pictures of versions, of each so many at most."""

    blobs: BlobStore
    parser: Parser
    most: int = MAX_FIGURES

    async def take(self, version_id: VersionId, places: Sequence[FigurePlace], path: Path, *, name: str) -> tuple[Figure, ...]:
        """Store the bytes of the pictures at some places of a file, and return what is to be kept of them.

        A file whose pictures can't be taken out is read without them.
        """
        async with self._taken(places, path, name) as pictures:
            found: list[Figure] = []
            for place, picture in zip(places, pictures, strict=False):
                if picture:
                    blob = await self.blobs.put_file(picture.file)
                    found.append(_figure(version_id, len(found) + 1, place, picture, blob.sha256))
            return tuple(found)

    async def restore(self, figures: Sequence[Figure], path: Path, *, name: str) -> None:
        """Store again the bytes of figures that somebody's removal took away before a row named them."""
        gone = [figure for figure in figures if not await self.blobs.has(figure.sha256)]
        async with self._taken([figure.place for figure in gone], path, name) as pictures:
            for picture in pictures:
                if picture:
                    await self.blobs.put_file(picture.file)

    @asynccontextmanager
    async def _taken(self, places: Sequence[FigurePlace], path: Path, name: str) -> AsyncGenerator[list[Picture | None]]:
        wanted = places[: self.most]
        if not wanted:
            yield []
            return
        async with self.blobs.scratch() as folder:
            try:
                pictures = await self.parser.pictures(path, name=name, places=wanted, into=folder)
            except RefusedInput:
                pictures = []
            yield pictures


def _figure(version_id: VersionId, number: int, place: FigurePlace, picture: Picture, sha256: str) -> Figure:
    # The text beside a logo says nothing of it.
    place = replace(place, start=0, end=0) if picture.is_repeated else place
    return Figure(FigureId(new_id()), version_id, number, place, sha256, picture.content_type, picture.width, picture.height)
