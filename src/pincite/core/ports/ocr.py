"""Reading text in pictures of pages, isolated from the rest of the program."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pincite.core.documents import CanonicalText, Page, Reason


@dataclass(frozen=True, slots=True)
class ReadPages:
    """What OCR made of pages: their text with its words, what is printed on them as title and page labels, and why some failed.

    `canonical.pages` are those that were read, with or without a word on them.
    """

    canonical: CanonicalText
    title: str | None = None
    failed: Mapping[int, Reason] = field(default_factory=dict[int, Reason])


class PageNotes(Protocol):
    """Keeps what a reader makes of single pages of a file, so that a reading that is broken off needn't begin anew.

    `reader` is the name and version of who read; the data is its own affair.
    """

    async def known(self, reader: str) -> Mapping[int, bytes]:
        """Return what this reader made of pages before, by page."""
        ...

    async def keep(self, reader: str, page: int, data: bytes) -> None:
        """Keep what it made of a page. Raises whatever ends the reading: others go first, or the document is gone."""
        ...


class PageReader(Protocol):
    """Reads the text in pictures of pages. A page that can't be read fails alone, with a reason."""

    @property
    def name(self) -> str:
        """The engine's name, without `+`."""
        ...

    @property
    def version(self) -> str:
        """What changes when the same picture may be read otherwise: the engine's version and how it is used."""
        ...

    async def read(
        self,
        path: Path,
        *,
        content_type: str,
        pages: Sequence[Page],
        on_page: Callable[[int], None] | None = None,
        notes: PageNotes | None = None,
    ) -> ReadPages:
        """Read pages of a file, in order; `on_page` hears how many are done. Pages that `notes` know are not read again.

        Raises `NotFoundError` when the file isn't there, and `ConfigurationError` when the engine can't be started.
        """
        ...

    def close(self) -> None:
        """Release what reading holds, such as processes. A page still at work ends."""
        ...
