"""Finding passages for a question."""

from collections.abc import Sequence
from typing import Protocol

from pincite.core.evidence import Passage, Query, Retrieval


class Retriever(Protocol):
    """Anything that finds passages. A plain sequence of passages is enough; `Retrieval` says more."""

    async def retrieve(self, query: Query) -> Retrieval | Sequence[Passage]:
        """Return the best passages for the query, best first."""
        ...
