"""The log of questions in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from pincite.adapters.memory.store_tables import Transaction
from pincite.core.ids import MessageId
from pincite.core.querylog import LoggedQuery


class MemoryQueryLogs:
    """The log of questions of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, queries: Sequence[LoggedQuery]) -> None:
        """Insert questions. One whose message is logged already is left as it is."""
        rows = (await self._tx.lock()).query_logs
        for query in queries:
            if rows.get(self._tx.workspace_id, query.message_id) is None:
                rows.add(self._tx.workspace_id, query.message_id, query)

    async def list(self, *, limit: int = 100, before: datetime | None = None) -> list[LoggedQuery]:
        """Return questions, newest first, those asked before an instant."""
        rows = [row for row in self._tx.tables.query_logs.all(self._tx.workspace_id) if before is None or row.asked_at < before]
        return sorted(rows, key=lambda row: (row.asked_at, row.message_id), reverse=True)[:limit]

    async def of(self, message_ids: Sequence[MessageId]) -> Sequence[LoggedQuery]:
        """Return the questions with these ids, of those that are logged."""
        rows = [self._tx.tables.query_logs.get(self._tx.workspace_id, each) for each in message_ids]
        return [row for row in rows if row]

    async def rewrite(self, query: LoggedQuery) -> None:
        """Put other words in the place of a logged question's own and of what was received: for what was erased."""
        rows = (await self._tx.lock()).query_logs
        if known := rows.get(self._tx.workspace_id, query.message_id):
            rows.put(self._tx.workspace_id, query.message_id, replace(known, question=query.question, received=query.received))


@dataclass
class MemoryQueryLog:
    """A `QueryLog` that keeps what it is told in a list."""

    queries: list[LoggedQuery] = field(default_factory=list[LoggedQuery])

    def note(self, query: LoggedQuery) -> None:
        """Keep the question."""
        self.queries.append(query)

    async def close(self) -> None:
        """Do nothing: everything is kept already."""
