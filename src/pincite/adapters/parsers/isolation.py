"""A parser that reads every file in a child process, so that a hostile or broken one fails alone."""

import asyncio
import os
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path

from pincite.adapters.parsers.content_types import IMAGE_TYPES, PDF, WITH_PAGES
from pincite.adapters.parsers.lanes import Job, Lane, close_all
from pincite.adapters.parsers.limits import ParseLimits
from pincite.adapters.parsers.unpacked import PictureFiles, UnpackedFiles
from pincite.adapters.parsers.wire import decode_boxes, decode_document, decode_picture, decode_version, encode_place
from pincite.core.documents import Box, PagePicture, ParsedDocument, SourceRun
from pincite.core.errors import NotFoundError, RefusedInput
from pincite.core.figures import FigurePlace, Picture
from pincite.core.ports.ocr import PageNotes
from pincite.core.ports.parsing import ContainedFile, ParseProgress

DRAWN_AT_ONCE = 2
"""Pages drawn side by side: one that takes long doesn't keep all others waiting."""


class IsolatedParser:
    """Implements `Parser`. `slots` files are parsed at once, each in its own child; boxes and pictures have children of their own.

    Children start when first needed (`warm` starts one ahead), serve `limits.files_per_child` files and end with this object or
    its process. Any event loop may use it, one after the other or several at once.
    """

    def __init__(self, limits: ParseLimits | None = None, *, slots: int = 1) -> None:
        self._limits = limits or ParseLimits()
        self._parsing = Lane(self._limits, slots, "parse")
        self._boxing = Lane(self._limits, 1, "boxes")
        self._drawing = Lane(self._limits, DRAWN_AT_ONCE, "pictures")
        self._finalizer = weakref.finalize(self, close_all, (self._parsing, self._boxing, self._drawing))

    async def parse(
        self,
        path: Path,
        *,
        name: str,
        on_progress: Callable[[ParseProgress], None] | None = None,
        notes: PageNotes | None = None,
    ) -> ParsedDocument:
        """Read a file; see the port. Without OCR nothing is noted."""
        size_bytes = self._check_size(path)
        loop = asyncio.get_running_loop()

        def report(done: int, total: int) -> None:
            if on_progress and not loop.is_closed():
                loop.call_soon_threadsafe(on_progress, ParseProgress(done, total))

        request = {"task": "parse", "path": absolute(path), "name": name}
        return await self._parsing.run(Job(request, decode_document, size_bytes=size_bytes, on_progress=report))

    def _check_size(self, path: Path) -> int:
        try:
            size_bytes = path.stat().st_size
        except OSError as error:
            raise NotFoundError(f"There is no file {path.name!r} that can be read.") from error
        if not size_bytes:
            raise RefusedInput("The file is empty.", code="empty_file")
        if size_bytes > self._limits.file_bytes:
            most_mb = self._limits.file_bytes // 1_000_000
            raise RefusedInput(f"The file is larger than {most_mb:,} MB. Split it and add the parts.", code="too_large")
        return size_bytes

    async def unpack(self, path: Path, *, name: str, into: Path) -> list[ContainedFile]:
        """Write the files inside a file into a folder; see the port."""
        size_bytes = self._check_size(path)
        files = UnpackedFiles(into, most_bytes=self._limits.unpacked_bytes)
        request = {"task": "unpack", "path": absolute(path), "name": name}
        try:
            return await self._parsing.run(Job(request, files.named, size_bytes=size_bytes, on_piece=files.write))
        finally:
            files.close()

    async def pictures(self, path: Path, *, name: str, places: Sequence[FigurePlace], into: Path) -> list[Picture | None]:
        """Write the pictures at some places of a file into a folder; see the port."""
        files = PictureFiles(into, count=len(places), most_bytes=self._limits.unpacked_bytes)
        wanted = [encode_place(place) for place in places]
        request = {"task": "pictures", "path": absolute(path), "name": name, "places": wanted}
        job = Job(request, files.pictures, size_bytes=self._check_size(path), on_piece=files.write)
        try:
            return await self._parsing.run(job) if places else []
        finally:
            files.close()

    async def version_of(self, parser: str) -> str | None:
        """Return the version that a parser has by now; see the port."""
        return await self._parsing.run(Job({"task": "version", "parser": parser}, decode_version))

    async def boxes(self, path: Path, *, content_type: str, runs: Sequence[SourceRun]) -> list[list[Box]]:
        """Return the boxes of runs; see the port."""
        if content_type not in WITH_PAGES or not runs:
            return [[] for _ in runs]
        wanted = [(run.page, run.index, run.count) for run in runs]
        request = {"task": "boxes", "content_type": content_type, "path": absolute(path), "runs": wanted}
        return await self._boxing.run(Job(request, lambda value: decode_boxes(value, count=len(wanted))))

    async def picture(self, path: Path, *, content_type: str, page: int, width: int) -> PagePicture:
        """Draw a page; see the port. A page that takes longer than a file may be silent is refused (`timeout`)."""
        if content_type != PDF and content_type not in IMAGE_TYPES:
            raise NotFoundError(
                f"Pages of PDF and image files can be shown as pictures; this is {content_type}.", code="no_picture"
            )
        request = {"task": "picture", "content_type": content_type, "path": absolute(path), "page": page, "width": width}
        drawn = await self._drawing.run(Job(request, decode_picture))
        if isinstance(drawn, int):
            raise NotFoundError(f"There is no page {page}: the document has {drawn}.", code="page")
        return drawn

    def warm(self) -> None:
        """Start the child that computes boxes, in the background, so that the first quote doesn't wait for it."""
        self._boxing.warm()

    def close(self) -> None:
        """End all children."""
        self._finalizer()


def absolute(path: Path) -> str:
    """Return a path that the child, which works elsewhere, finds; symbolic links stay as they are."""
    return os.path.abspath(path)
