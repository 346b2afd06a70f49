"""Reading files, isolated from the rest of the program."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pincite.core.documents import Box, PagePicture, ParsedDocument, Reason, SourceRun
from pincite.core.figures import FigurePlace, Picture
from pincite.core.ports.ocr import PageNotes

REFUSALS = frozenset(
    {
        "empty_file",
        "no_text",
        "encrypted",
        "unsupported",
        "corrupt",
        "too_large",
        "too_many_pages",
        "too_deep",
        "encoding",
        "timeout",
        "memory",
        "crashed",
    }
)
"""Codes with which a file is refused: reasons that lie in its bytes, so that the same bytes are refused again."""


@dataclass(frozen=True, slots=True)
class ParseProgress:
    """Pages read so far and in all (0 while unknown)."""

    pages_done: int
    pages_total: int


@dataclass(frozen=True, slots=True)
class ContainedFile:
    """A file from inside another: its name there, perhaps with folders, and where it was written, or why it couldn't be."""

    name: str
    file: Path | None = None
    problem: Reason | None = None


class Parser(Protocol):
    """Turns files into canonical text. A hostile or broken file fails alone, with a reason."""

    async def parse(
        self,
        path: Path,
        *,
        name: str,
        on_progress: Callable[[ParseProgress], None] | None = None,
        notes: PageNotes | None = None,
    ) -> ParsedDocument:
        """Read a file. `name` is the original file name, a hint only: the content decides. OCR keeps its pages in `notes`.

        Raises `RefusedInput` with one of the codes in `REFUSALS`.
        """
        ...

    async def unpack(self, path: Path, *, name: str, into: Path) -> list[ContainedFile]:
        """Write the files inside a file into a folder, and return them in order; their names differ from each other.

        There are as many as `ParsedDocument.contained` says. One that is damaged or too large fails alone. Raises `RefusedInput`.
        """
        ...

    async def pictures(self, path: Path, *, name: str, places: Sequence[FigurePlace], into: Path) -> list[Picture | None]:
        """Write the pictures at some places of a file into a folder, and return them in order; None for one that isn't kept.

        Kept is what a person would call a figure: not too small, and once what comes back again and again. Each is a PNG or JPEG,
        made anew, of a bounded number of pixels. Raises `RefusedInput`.
        """
        ...

    async def version_of(self, parser: str) -> str | None:
        """Return the version that a parser has by now, by the name in `ParsedDocument.parser`; None for one that isn't known."""
        ...

    async def boxes(self, path: Path, *, content_type: str, runs: Sequence[SourceRun]) -> list[list[Box]]:
        """Return for each run its boxes, one per line, on the run's page; empty lists where the format has no pages.

        Coordinates as in `Box`. Raises `RefusedInput` when the file can't be read, `NotFoundError` when it isn't there.
        """
        ...

    async def picture(self, path: Path, *, content_type: str, page: int, width: int) -> PagePicture:
        """Draw a page, counted from 1, `width` pixels wide, or narrower where that would be more pixels than a picture may have.

        Raises `NotFoundError` (`no_picture` for a format that can't be drawn, `page` for a page that isn't there), and
        `RefusedInput` when the file can't be read.
        """
        ...

    def close(self) -> None:
        """Release what reading holds, such as processes. A parse still at work ends."""
        ...
