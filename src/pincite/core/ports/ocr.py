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
        self, path: Path, *, content_type: str, pages: Sequence[Page], on_page: Callable[[int], None] | None = None
    ) -> ReadPages:
        """Read pages of a file, in order; `on_page` hears how many are done.

        Raises `NotFoundError` when the file isn't there, and `ConfigurationError` when the engine can't be started.
        """
        ...

    def close(self) -> None:
        """Release what reading holds, such as processes. A page still at work ends."""
        ...
