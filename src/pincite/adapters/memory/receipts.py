"""Receipts in memory."""

from collections.abc import Mapping
from dataclasses import replace

from pincite.adapters.memory.store_tables import Transaction
from pincite.core.errors import ConflictError
from pincite.core.ids import MessageId
from pincite.core.receipts import Receipt, TimeStamp


class MemoryReceipts:
    """Receipts of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, receipt: Receipt) -> None:
        """Insert the next one. Raises `ConflictError` when the answer has one, or the number is taken."""
        tables, own = await self._tx.lock(), self._tx.workspace_id
        if any(each.number == receipt.number for each in tables.receipts.all(own)):
            raise ConflictError("This contradicts what is stored: the number of a receipt is taken.")
        tables.receipts.add(own, receipt.message_id, receipt)

    async def get(self, message_id: MessageId) -> Receipt | None:
        """Return the one of an answer."""
        return self._tx.tables.receipts.get(self._tx.workspace_id, message_id)

    async def last(self) -> Receipt | None:
        """Return the one with the highest number."""
        return max(self._tx.tables.receipts.all(self._tx.workspace_id), key=lambda each: each.number, default=None)

    async def list(self, *, after: int = 0, limit: int = 500) -> list[Receipt]:
        """Return those with a higher number than `after`, rising."""
        found = (each for each in self._tx.tables.receipts.all(self._tx.workspace_id) if each.number > after)
        return sorted(found, key=lambda each: each.number)[:limit]

    async def forget(self, message_id: MessageId, nonces: Mapping[str, str]) -> None:
        """Keep these nonces of a receipt alone: for what was erased."""
        tables, own = await self._tx.lock(), self._tx.workspace_id
        if found := tables.receipts.get(own, message_id):
            tables.receipts.put(own, message_id, replace(found, nonces=dict(nonces)))

    async def stamp(self, message_id: MessageId, time_stamp: TimeStamp) -> None:
        """Keep a time stamp, unless there is one."""
        tables, own = await self._tx.lock(), self._tx.workspace_id
        found = tables.receipts.get(own, message_id)
        if found and found.time_stamp is None:
            tables.receipts.put(own, message_id, replace(found, time_stamp=time_stamp))
