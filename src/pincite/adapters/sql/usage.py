"""Rows of the ledger of what was used."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, bindparam, func, select

from pincite.adapters.sql.collections import ensure_workspace
from pincite.adapters.sql.plain import dump, load
from pincite.adapters.sql.tables import usage_ledger
from pincite.adapters.sql.transaction import Transaction
from pincite.core.ids import UsageId
from pincite.core.usage import LedgerRow, UsageKind, UsageSum

OWN = usage_ledger.c.workspace_id == bindparam("own")
ONE = select(usage_ledger).where(OWN, usage_ledger.c.kind == bindparam("kind"), usage_ledger.c.reference == bindparam("reference"))
SUMS = (
    select(
        usage_ledger.c.kind,
        usage_ledger.c.model,
        func.count().label("posted"),
        func.sum(usage_ledger.c.credits).label("credits"),
        func.sum(usage_ledger.c.input_tokens).label("input_tokens"),
        func.sum(usage_ledger.c.output_tokens).label("output_tokens"),
    )
    .where(OWN, usage_ledger.c.created_at >= bindparam("since"))
    .group_by(usage_ledger.c.kind, usage_ledger.c.model)
)
BEGINNING = datetime(1, 1, 1, tzinfo=UTC)


class SqlUsage:
    """The ledger of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def post(self, row: LedgerRow) -> LedgerRow:
        """Insert a row, and return it; where (kind, reference) has one already, change nothing and return that."""
        await self._tx.lock()
        if found := await self.find(row.kind, row.reference):
            return found
        await ensure_workspace(self._tx)
        values = {each.name: getattr(row, each.name) for each in fields(row)}
        await self._tx.insert(usage_ledger, values | {"kind": row.kind.value, "meta": dump(row.meta)})
        return row

    async def find(self, kind: UsageKind, reference: str) -> LedgerRow | None:
        """Return the row of a (kind, reference)."""
        row = await self._tx.row(ONE, kind=kind.value, reference=reference)
        return _row(row) if row else None

    async def sums(self, *, since: datetime | None = None) -> Sequence[UsageSum]:
        """Return the sums of the rows from an instant on, by kind and model."""
        rows = await self._tx.rows(SUMS, since=since or BEGINNING)
        return [
            UsageSum(UsageKind(row.kind), row.model, row.posted, int(row.credits), int(row.input_tokens), int(row.output_tokens))
            for row in sorted(rows, key=lambda row: (row.kind, row.model))
        ]


def _row(row: Row[Any]) -> LedgerRow:
    return LedgerRow(
        id=UsageId(row.id),
        kind=UsageKind(row.kind),
        reference=row.reference,
        credits=row.credits,
        model=row.model,
        rate=row.rate,
        output_rate=row.output_rate,
        pricing_version=row.pricing_version,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        created_at=row.created_at,
        meta=load(dict[str, str], row.meta),
    )
