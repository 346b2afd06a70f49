"""Rows of attempts to read documents."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, bindparam, select, update

from pincite.adapters.sql.batches import batches
from pincite.adapters.sql.tables import documents, ingestions
from pincite.adapters.sql.transaction import Transaction
from pincite.core.documents import Stage
from pincite.core.errors import NotFoundError
from pincite.core.ids import DocumentId
from pincite.core.ingestions import Ingestion, StageTimings

COUNTS = ("done", "total", "embedded_tokens", "parsing_ms", "chunking_ms", "embedding_ms")
OWN = ingestions.c.workspace_id == bindparam("own")
IS_THERE = select(documents.c.id).where(documents.c.workspace_id == bindparam("own"), documents.c.id == bindparam("document"))
NEXT = (
    update(ingestions)
    .where(OWN, ingestions.c.document_id == bindparam("document"))
    .values(attempt=ingestions.c.attempt + 1, stage=Stage.PENDING.value, **dict.fromkeys(COUNTS, 0))
    .returning(*ingestions.c)
)
REPORT = (
    update(ingestions)
    .where(OWN, ingestions.c.document_id == bindparam("document"), ingestions.c.attempt == bindparam("number"))
    .values(
        stage=bindparam("now_at"),
        done=bindparam("units"),
        total=bindparam("of_all"),
        parsing_ms=bindparam("parsing"),
        chunking_ms=bindparam("chunking"),
        embedding_ms=bindparam("embedding"),
    )
)
COUNT = (
    update(ingestions)
    .where(OWN, ingestions.c.document_id == bindparam("document"))
    .values(embedded_tokens=ingestions.c.embedded_tokens + bindparam("tokens"))
)
MANY = select(ingestions).where(OWN, ingestions.c.document_id.in_(bindparam("some", expanding=True)))


class SqlIngestions:
    """Attempts to read documents of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def begin(self, document_id: DocumentId) -> Ingestion:
        """Return the next attempt, from 1. Raises `NotFoundError` for an unknown document."""
        await self._tx.lock()
        if not await self._tx.row(IS_THERE, document=document_id):
            raise NotFoundError("There is no such document.")
        if rows := (await self._tx.change(NEXT, document=document_id)).all():
            return _ingestion(rows[0])
        first = {"document_id": document_id, "attempt": 1, "stage": Stage.PENDING.value, **dict.fromkeys(COUNTS, 0)}
        await self._tx.insert(ingestions, first)
        return Ingestion(document_id, 1)

    async def report(self, ingestion: Ingestion) -> None:
        """Keep how far an attempt is, and its timings. Changes nothing once a later one was begun."""
        await self._tx.change(
            REPORT,
            document=ingestion.document_id,
            number=ingestion.attempt,
            now_at=ingestion.stage.value,
            units=ingestion.done,
            of_all=ingestion.total,
            parsing=ingestion.timings.parsing_ms,
            chunking=ingestion.timings.chunking_ms,
            embedding=ingestion.timings.embedding_ms,
        )

    async def count_tokens(self, document_id: DocumentId, tokens: int) -> None:
        """Add to the `embedded_tokens` of a document's last attempt."""
        await self._tx.change(COUNT, document=document_id, tokens=tokens)

    async def of(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, Ingestion]:
        """Return the last attempts of documents, of those that have one."""
        found: dict[DocumentId, Ingestion] = {}
        for some in batches(document_ids):
            rows = await self._tx.rows(MANY, some=some)
            found.update({DocumentId(row.document_id): _ingestion(row) for row in rows})
        return found


def _ingestion(row: Row[Any]) -> Ingestion:
    timings = StageTimings(row.parsing_ms, row.chunking_ms, row.embedding_ms)
    return Ingestion(DocumentId(row.document_id), row.attempt, Stage(row.stage), row.done, row.total, row.embedded_tokens, timings)
