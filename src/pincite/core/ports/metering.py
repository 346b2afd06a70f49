"""Metering: what is used is charged once, in the transaction that keeps what it was used for."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from pincite.core.usage import LedgerRow, Usage, UsageKind, UsageSum


class UsageRows(Protocol):
    """The workspace's ledger. Rows are never changed or deleted."""

    async def post(self, row: LedgerRow) -> LedgerRow:
        """Insert a row, and return it; where (kind, reference) has one already, change nothing and return that.

        Raises `ConflictError` when another workspace has it.
        """
        ...

    async def find(self, kind: UsageKind, reference: str) -> LedgerRow | None:
        """Return the row of a (kind, reference)."""
        ...

    async def sums(self, *, since: datetime | None = None) -> Sequence[UsageSum]:
        """Return the sums of the rows from an instant on, by kind and model."""
        ...


class Metering(Protocol):
    """Charges what is used. It refuses nothing: whoever must not use more is stopped before."""

    async def charge(self, rows: UsageRows, usage: Usage) -> LedgerRow:
        """Post what was used, and return its row; the first one, where it is posted already."""
        ...
