"""Rows of answers and of the passages that they cite, frozen."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, bindparam, select, update

from pincite.adapters.sql.collections import ensure_workspace
from pincite.adapters.sql.plain import dump, load
from pincite.adapters.sql.tables import answers, evidence, source_documents
from pincite.adapters.sql.transaction import Transaction
from pincite.core.answers import AnswerRecord, FrozenQuote, Span
from pincite.core.ids import CollectionId, DocumentId, MessageId, VersionId
from pincite.core.redacting import collections_of, rests_on

BODY = select(answers.c.body).where(answers.c.workspace_id == bindparam("own"), answers.c.message_id == bindparam("message_id"))
QUOTES = (
    select(evidence)
    .where(evidence.c.workspace_id == bindparam("own"), evidence.c.message_id == bindparam("message_id"))
    .order_by(evidence.c.position)
)
CITING = (
    select(evidence.c.message_id)
    .where(
        evidence.c.workspace_id == bindparam("own"),
        evidence.c.collection_id == bindparam("collection_id"),
        evidence.c.message_id > bindparam("after"),
    )
    .distinct()
    .order_by(evidence.c.message_id)
    .limit(bindparam("count"))
)
REWRITTEN = (
    update(answers)
    .where(answers.c.workspace_id == bindparam("own"), answers.c.message_id == bindparam("this_message"))
    .values(body=bindparam("new_body"))
)
REDACTED = update(evidence).where(
    evidence.c.workspace_id == bindparam("own"),
    evidence.c.message_id == bindparam("this_message"),
    evidence.c.position == bindparam("at"),
)


class SqlAnswers:
    """Answers of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, record: AnswerRecord) -> None:
        """Insert an answer with its evidence. Raises `ConflictError` when the id is taken."""
        await self._tx.lock()
        await ensure_workspace(self._tx)
        message_id = record.answer.message_id
        body = dump(replace(record, evidence=()))
        await self._tx.insert(answers, {"message_id": message_id, "body": body, "created_at": datetime.now(UTC)})
        homes = collections_of(record)
        rows = [
            {"message_id": message_id, "position": at, "collection_id": homes.get(quote.document_id, "")} | _values(quote)
            for at, quote in enumerate(record.evidence)
        ]
        await self._tx.insert(evidence, *rows)
        await self._tx.insert(source_documents, *rows_of_sources(message_id, rests_on(record)))

    async def rewrite(self, record: AnswerRecord) -> None:
        """Put a record in the place of the one with its id and as many quotes: for what was erased."""
        message_id = record.answer.message_id
        await self._tx.change(REWRITTEN, this_message=message_id, new_body=dump(replace(record, evidence=())))
        quotes = [{"this_message": message_id, "at": at} | _changeable(quote) for at, quote in enumerate(record.evidence)]
        await self._tx.change_each(REDACTED, *quotes)

    async def get(self, message_id: MessageId) -> AnswerRecord | None:
        """Return one by id, exactly as it was given."""
        row = await self._tx.row(BODY, message_id=message_id)
        if row is None:
            return None
        quotes = await self._tx.rows(QUOTES, message_id=message_id)
        return replace(load(AnswerRecord, row.body), evidence=tuple(_quote(quote) for quote in quotes))

    async def citing(self, collection_id: CollectionId, *, after: MessageId | None = None, limit: int = 500) -> Sequence[MessageId]:
        """Return the answers that cite documents of a collection, by id, which is by age: those after one."""
        rows = await self._tx.rows(CITING, collection_id=collection_id, after=after or "", count=limit)
        return [MessageId(row.message_id) for row in rows]


def _values(quote: FrozenQuote) -> dict[str, Any]:
    return {
        "n": quote.n,
        "document_id": quote.document_id,
        "version_id": quote.version_id,
        "start_char": quote.start,
        "end_char": quote.end,
        "text": quote.text,
        "nonce": quote.nonce,
        "commitment": quote.commitment,
        "spans": dump(quote.spans),
        "erased": quote.erased,
    }


def _changeable(quote: FrozenQuote) -> dict[str, Any]:
    return {"text": quote.text, "nonce": quote.nonce, "spans": dump(quote.spans), "erased": quote.erased}


def rows_of_sources(message_id: MessageId, documents: Iterable[DocumentId]) -> list[dict[str, Any]]:
    """Return the rows that say on which documents a message rests."""
    return [{"message_id": message_id, "document_id": each} for each in documents]


def _quote(row: Row[Any]) -> FrozenQuote:
    return FrozenQuote(
        n=row.n,
        document_id=DocumentId(row.document_id),
        version_id=VersionId(row.version_id),
        start=row.start_char,
        end=row.end_char,
        text=row.text,
        nonce=row.nonce,
        commitment=row.commitment,
        spans=load(tuple[Span, ...], row.spans),
        erased=row.erased,
    )
