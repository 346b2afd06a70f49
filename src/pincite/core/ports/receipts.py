"""Rows of receipts."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from pincite.core.ids import MessageId
from pincite.core.receipts import Receipt, TimeStamp


class ReceiptRows(Protocol):
    """Receipts of the workspace: one chain, numbered from 1."""

    async def add(self, receipt: Receipt) -> None:
        """Insert the next one. Raises `ConflictError` when the answer has one, or the number is taken."""
        ...

    async def get(self, message_id: MessageId) -> Receipt | None:
        """Return the one of an answer."""
        ...

    async def last(self) -> Receipt | None:
        """Return the one with the highest number."""
        ...

    async def list(self, *, after: int = 0, limit: int = 500) -> Sequence[Receipt]:
        """Return those with a higher number than `after`, rising."""
        ...

    async def forget(self, message_id: MessageId, nonces: Mapping[str, str]) -> None:
        """Keep these nonces of a receipt alone: for what was erased."""
        ...

    async def stamp(self, message_id: MessageId, time_stamp: TimeStamp) -> None:
        """Keep a time stamp, unless there is one."""
        ...
