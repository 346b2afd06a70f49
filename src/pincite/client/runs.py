"""Searches of one piece of work, whose sources are numbered once."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pincite.answering.sources import Numbering
from pincite.core.evidence import Filter, Retrieval, Source, Strategy

Search = Callable[[str, int, Strategy | str, Filter | None], Awaitable[Retrieval]]


@dataclass(frozen=True, slots=True)
class Run:
    """Searches several times and numbers what is found once: a number means the same page from the first search to the end.

    For whoever writes a reply from more than one search: `[n]` is `sources[n - 1]`.
    """

    find: Search
    _numbering: Numbering = field(default_factory=Numbering)

    @property
    def sources(self) -> list[Source]:
        """Return all sources that were found so far, by their numbers."""
        return self._numbering.sources

    async def search(
        self, query: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> list[Source]:
        """Return the best passages as sources, best first, under the numbers of this run."""
        return self._numbering.add((await self.find(query, limit, strategy, filter)).passages)
