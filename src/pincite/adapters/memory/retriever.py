"""A retriever that brings given passages: for tests, and for questions to a text that is already at hand."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pincite.core.evidence import Passage, Query, Retrieval, Scope, Signals


@dataclass
class FixedRetriever:
    """Brings the first `limit` of its passages for any question. `queries` holds what it was asked."""

    passages: Sequence[Passage]
    signals: Signals | None = None
    scope: Scope | None = None
    queries: list[Query] = field(default_factory=list[Query])

    async def retrieve(self, query: Query) -> Retrieval:
        """Return the passages in their order."""
        self.queries.append(query)
        return Retrieval(tuple(self.passages[: query.limit]), query.strategy, self.signals, self.scope)
