"""The ledger of what was used, in memory."""

from collections.abc import Sequence
from datetime import datetime

from pincite.adapters.memory.store_tables import Transaction
from pincite.core.usage import LedgerRow, UsageKind, UsageSum


class MemoryUsage:
    """The ledger of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def post(self, row: LedgerRow) -> LedgerRow:
        """Insert a row, and return it; where (kind, reference) has one already, change nothing and return that."""
        tables = await self._tx.lock()
        if found := await self.find(row.kind, row.reference):
            return found
        tables.usage.add(self._tx.workspace_id, _key(row.kind, row.reference), row)
        return row

    async def find(self, kind: UsageKind, reference: str) -> LedgerRow | None:
        """Return the row of a (kind, reference)."""
        return self._tx.tables.usage.get(self._tx.workspace_id, _key(kind, reference))

    async def sums(self, *, since: datetime | None = None) -> Sequence[UsageSum]:
        """Return the sums of the rows from an instant on, by kind and model."""
        groups: dict[tuple[UsageKind, str], list[LedgerRow]] = {}
        for row in self._tx.tables.usage.all(self._tx.workspace_id):
            if since is None or row.created_at >= since:
                groups.setdefault((row.kind, row.model), []).append(row)
        return [
            UsageSum(
                kind,
                model,
                len(rows),
                sum(row.credits for row in rows),
                sum(row.input_tokens for row in rows),
                sum(row.output_tokens for row in rows),
            )
            for (kind, model), rows in sorted(groups.items())
        ]


def _key(kind: UsageKind, reference: str) -> str:
    return f"{kind.value}:{reference}"
