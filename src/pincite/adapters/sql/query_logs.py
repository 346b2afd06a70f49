"""Rows of the log of questions."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, bindparam, select, update

from pincite.adapters.sql.answers import rows_of_sources
from pincite.adapters.sql.batches import batches
from pincite.adapters.sql.collections import ensure_workspace
from pincite.adapters.sql.plain import dump, load
from pincite.adapters.sql.tables import query_logs, source_documents
from pincite.adapters.sql.transaction import Transaction
from pincite.core.answers import Timings
from pincite.core.evidence import Strategy
from pincite.core.ids import DocumentId, MessageId
from pincite.core.messages import ModelUsage
from pincite.core.querylog import LoggedQuery, Outcome

KNOWN = select(query_logs.c.message_id).where(query_logs.c.message_id.in_(bindparam("ids", expanding=True)))
NEWEST = (
    select(query_logs)
    .where(query_logs.c.workspace_id == bindparam("own"), query_logs.c.asked_at < bindparam("before"))
    .order_by(query_logs.c.asked_at.desc(), query_logs.c.message_id.desc())
    .limit(bindparam("count"))
)
SOME = select(query_logs).where(
    query_logs.c.workspace_id == bindparam("own"), query_logs.c.message_id.in_(bindparam("ids", expanding=True))
)
REWRITTEN = (
    update(query_logs)
    .where(query_logs.c.workspace_id == bindparam("own"), query_logs.c.message_id == bindparam("this_message"))
    .values(question=bindparam("words"), received=bindparam("came"))
)
END_OF_TIME = datetime(9999, 12, 31, tzinfo=UTC)


class SqlQueryLogs:
    """The log of questions of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def add(self, queries: Sequence[LoggedQuery]) -> None:
        """Insert questions. One whose message is logged already is left as it is."""
        await self._tx.lock()
        await ensure_workspace(self._tx)
        unique = {query.message_id: query for query in reversed(queries)}
        known = {row.message_id for row in await self._tx.rows(KNOWN, ids=list(unique))}
        new = [query for key, query in unique.items() if key not in known]
        await self._tx.insert(query_logs, *map(_values, new))
        sources = [row for query in new for row in rows_of_sources(query.message_id, query.document_ids)]
        await self._tx.insert(source_documents, *sources)

    async def list(self, *, limit: int = 100, before: datetime | None = None) -> list[LoggedQuery]:
        """Return questions, newest first, those asked before an instant."""
        return [_query(row) for row in await self._tx.rows(NEWEST, before=before or END_OF_TIME, count=limit)]

    async def of(self, message_ids: Sequence[MessageId]) -> Sequence[LoggedQuery]:
        """Return the questions with these ids, of those that are logged."""
        return [_query(row) for some in batches(message_ids) for row in await self._tx.rows(SOME, ids=some)]

    async def rewrite(self, query: LoggedQuery) -> None:
        """Put other words in the place of a logged question's own and of what was received: for what was erased."""
        await self._tx.change(REWRITTEN, this_message=query.message_id, words=query.question, came=query.received)


def _values(query: LoggedQuery) -> dict[str, Any]:
    return {
        "message_id": query.message_id,
        "asked_at": query.asked_at,
        "surface": query.surface,
        "question": query.question,
        "outcome": query.outcome.value,
        "strategy": query.strategy.value,
        "model": query.model,
        **query.timings.as_dict(),
        "prompt_tokens": query.usage.prompt_tokens,
        "completion_tokens": query.usage.completion_tokens,
        "estimated": query.usage.estimated,
        "truncated": query.usage.truncated,
        "scores": dump(query.scores),
        "received": query.received,
        "error": query.error,
        "document_ids": dump(query.document_ids),
        "withheld": query.withheld,
        "answerable": query.answerable,
    }


def _query(row: Row[Any]) -> LoggedQuery:
    return LoggedQuery(
        message_id=MessageId(row.message_id),
        asked_at=row.asked_at,
        surface=row.surface,
        question=row.question,
        outcome=Outcome(row.outcome),
        strategy=Strategy(row.strategy),
        model=row.model,
        timings=Timings(row.embedding_ms, row.retrieval_ms, row.time_to_first_token_ms, row.generation_ms),
        usage=ModelUsage(row.prompt_tokens, row.completion_tokens, row.estimated, row.truncated),
        scores=load(tuple[float, ...], row.scores),
        received=row.received,
        error=row.error,
        document_ids=load(tuple[DocumentId, ...], row.document_ids),
        withheld=row.withheld,
        answerable=row.answerable,
    )
