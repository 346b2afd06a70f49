"""From a run of canonical text to its place in the file."""

from collections.abc import Sequence
from typing import Protocol

from pincite.core.answers import Span
from pincite.core.ids import VersionId


class Locator(Protocol):
    """Finds pages and boxes of runs of canonical text."""

    async def locate(self, version_id: VersionId, ranges: Sequence[tuple[int, int]]) -> list[tuple[Span, ...]]:
        """Return for each `(start, end)` of the version its spans, one per page, with boxes where the format has them."""
        ...
