"""Rows of receipts."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, bindparam, select, update

from pincite.adapters.sql.plain import dump, load
from pincite.adapters.sql.tables import receipts
from pincite.adapters.sql.transaction import Transaction
from pincite.core.ids import MessageId
from pincite.core.receipts import Receipt, TimeStamp

OWN = receipts.c.workspace_id == bindparam("own")
ONE = select(receipts).where(OWN, receipts.c.message_id == bindparam("message_id"))
LAST = select(receipts).where(OWN).order_by(receipts.c.number.desc()).limit(1)
AFTER = select(receipts).where(OWN, receipts.c.number > bindparam("after")).order_by(receipts.c.number).limit(bindparam("count"))
THIS = receipts.c.message_id == bindparam("this_message")
FORGOTTEN = update(receipts).where(OWN, THIS).values(nonces=bindparam("kept"))
STAMPED = (
    update(receipts)
    .where(OWN, THIS, receipts.c.stamp.is_(None))
    .values(stamp=bindparam("response"), stamp_signature=bindparam("sealed_with"))
)


class SqlReceipts:
    """Receipts of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, receipt: Receipt) -> None:
        """Insert the next one. Raises `ConflictError` when the answer has one, or the number is taken."""
        stamp = receipt.time_stamp
        values = {
            "message_id": receipt.message_id,
            "number": receipt.number,
            "statement": receipt.statement,
            "signature": receipt.signature,
            "nonces": dump(receipt.nonces),
            "stamp": stamp.response if stamp else None,
            "stamp_signature": stamp.signature if stamp else None,
        }
        await self._tx.insert(receipts, values)

    async def get(self, message_id: MessageId) -> Receipt | None:
        """Return the one of an answer."""
        row = await self._tx.row(ONE, message_id=message_id)
        return _receipt(row) if row else None

    async def last(self) -> Receipt | None:
        """Return the one with the highest number."""
        row = await self._tx.row(LAST)
        return _receipt(row) if row else None

    async def list(self, *, after: int = 0, limit: int = 500) -> list[Receipt]:
        """Return those with a higher number than `after`, rising."""
        return [_receipt(row) for row in await self._tx.rows(AFTER, after=after, count=limit)]

    async def forget(self, message_id: MessageId, nonces: Mapping[str, str]) -> None:
        """Keep these nonces of a receipt alone: for what was erased."""
        await self._tx.change(FORGOTTEN, this_message=message_id, kept=dump(nonces))

    async def stamp(self, message_id: MessageId, time_stamp: TimeStamp) -> None:
        """Keep a time stamp, unless there is one."""
        await self._tx.change(STAMPED, this_message=message_id, response=time_stamp.response, sealed_with=time_stamp.signature)


def _receipt(row: Row[Any]) -> Receipt:
    return Receipt(
        message_id=MessageId(row.message_id),
        number=row.number,
        statement=row.statement,
        signature=row.signature,
        nonces=load(dict[str, str], row.nonces),
        time_stamp=TimeStamp(row.stamp, row.stamp_signature) if row.stamp else None,
    )
