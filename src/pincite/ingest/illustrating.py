"""Gives what was read of a document its pictures: their bytes, and what a model writes of them."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pincite.core.documents import Document, Stage
from pincite.core.errors import StoreError
from pincite.core.figures import WHOLE_PAGE, FigurePlace
from pincite.core.ids import VersionId, WorkspaceId
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.metering import Metering
from pincite.core.ports.parsing import Parser
from pincite.core.ports.store import Store
from pincite.ingest.blob_keeping import forget
from pincite.ingest.describing import Describer, Vision
from pincite.ingest.figures import MAX_FIGURES, Figures
from pincite.ingest.ocr import IMAGE
from pincite.ingest.picture_text import NotesOf, PictureText
from pincite.ingest.publishing import Reading
from pincite.ingest.reporting import Reports
from pincite.ingest.turns import GivesWay, never
from pincite.language.detect import detect


@dataclass(frozen=True, slots=True)
class Illustrator:
    """Keeps the pictures of the workspace's documents, `most` of each, and has them described where there is a model for it."""

    store: Store
    blobs: BlobStore
    parser: Parser
    workspace_id: WorkspaceId
    most: int = MAX_FIGURES
    picture_text: PictureText | None = None
    vision: Vision | None = None
    metering: Metering | None = None

    @property
    def _figures(self) -> Figures:
        return Figures(self.blobs, self.parser, self.most)

    @asynccontextmanager
    async def forgetting(self, document: Document) -> AsyncGenerator[set[str]]:
        """Delete at the end the bytes of a document's figures that no row names then: of those it had, and those in the set."""
        async with self.store.open(self.workspace_id) as work:
            hashes = await work.figures.blobs(document.id)
        try:
            yield hashes
        finally:
            with suppress(StoreError):
                await forget(self.store, self.blobs, self.workspace_id, hashes)

    async def take(self, reading: Reading, path: Path, *, name: str) -> Reading:
        """Take the pictures out of a file that was just read; see that those of one that was read before are still there."""
        if reading.is_stored:
            await self.restore(reading, path, name=name)
            return reading
        places = self._pages(reading) if self.vision and reading.version.content_type.startswith(IMAGE) else reading.places
        figures = await self._figures.take(reading.version.id, places, path, name=name)
        return replace(reading, figures=figures, places=())

    async def read(self, reading: Reading, *, reports: Reports, notes_of: NotesOf) -> Reading:
        """Read what stands in the pictures of a file that was just read."""
        if reading.is_stored or self.picture_text is None or not reading.figures:
            return reading
        report = partial(reports.hear, Stage.PARSING)
        return await self.picture_text.read(reading, self.blobs, on_progress=report, notes_of=notes_of)

    def _pages(self, reading: Reading) -> list[FigurePlace]:
        """Return the pages of an image file as figures, for a model to look at: nothing else tells what is on a photograph."""
        pages = reading.canonical.pages
        return [FigurePlace(page=page.number, box=(0, 0, page.width, page.height), source=WHOLE_PAGE) for page in pages]

    async def restore(self, reading: Reading, path: Path, *, name: str) -> None:
        """Store again the bytes of pictures that somebody's removal took away before a row named them."""
        await self._figures.restore(reading.figures, path, name=name)

    async def has_left(self, version_id: VersionId | None) -> bool:
        """Say whether a version has pictures that are still to be shown to a model."""
        if self.vision is None or version_id is None:
            return False
        async with self.store.open(self.workspace_id) as work:
            figures = await work.figures.of_version(version_id)
        return bool(await Describer(self.store, self.blobs, self.workspace_id, self.vision).left(figures))

    async def describe(
        self,
        document: Document,
        reading: Reading,
        *,
        reports: Reports,
        gives_way: GivesWay,
        show: Callable[[Reading], Awaitable[Reading]],
    ) -> Reading:
        """Have a model describe the pictures. Where it must be asked, the reading is kept and found by its words before (`show`).

        Raises as `Describer.describe`.
        """
        if self.vision is None or not (reading.figures and self.vision.rules.most_pictures):
            return reading
        describer = Describer(self.store, self.blobs, self.workspace_id, self.vision, self.metering)
        known = await describer.recall(reading.figures)
        if await describer.left(known):
            reading = await show(replace(reading, figures=known))
            known = await describer.recall(reading.figures)
        report, lang = partial(reports.hear, Stage.EMBEDDING), detect(reading.canonical.text)
        # Of a document without text nothing is found yet: putting it aside would leave it where it was.
        turn = gives_way if reading.canonical.text else never
        told = await describer.describe(document, known, lang=lang, on_progress=report, gives_way=turn)
        return replace(reading, figures=told.figures, remarks=told.remarks)
