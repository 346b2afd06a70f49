"""Rows of summaries of documents, and of the attempts to make them."""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Row, bindparam, delete, select, update

from pincite.adapters.sql import half
from pincite.adapters.sql.batches import batches
from pincite.adapters.sql.tables import documents, summaries, summary_runs
from pincite.adapters.sql.transaction import Transaction
from pincite.core.documents import Reason
from pincite.core.errors import NotFoundError
from pincite.core.ids import CollectionId, DocumentId, VersionId
from pincite.core.summaries import OPEN, Summary, SummaryRun, SummaryState

TOKENS = ("input_tokens", "output_tokens", "embedded_tokens")
IS_THERE = select(documents.c.id).where(documents.c.workspace_id == bindparam("own"), documents.c.id == bindparam("document"))
OWN_RUNS = summary_runs.c.workspace_id == bindparam("own")
ONE_RUN = update(summary_runs).where(OWN_RUNS, summary_runs.c.document_id == bindparam("document"))
ANEW = {"state": SummaryState.WAITING.value, "done": 0, "total": 0, "model": "", "summarising_ms": 0.0, **dict.fromkeys(TOKENS, 0)}
NEXT = ONE_RUN.values(
    attempt=summary_runs.c.attempt + 1, version_id=bindparam("version"), reason_code=None, reason_message=None, **ANEW
).returning(*summary_runs.c)
REPORT = ONE_RUN.where(summary_runs.c.attempt == bindparam("number")).values(
    state=bindparam("now_at"),
    done=bindparam("units"),
    total=bindparam("of_all"),
    reason_code=bindparam("code"),
    reason_message=bindparam("message"),
    model=bindparam("writer"),
    summarising_ms=bindparam("ms"),
)
COUNT = ONE_RUN.values({name: summary_runs.c[name] + bindparam(f"more_{name}") for name in TOKENS})
MANY = select(summary_runs).where(OWN_RUNS, summary_runs.c.document_id.in_(bindparam("some", expanding=True)))
OPEN_RUNS = (
    select(summary_runs)
    .join(documents, documents.c.id == summary_runs.c.document_id)
    .where(
        OWN_RUNS,
        documents.c.collection_id == bindparam("collection_id"),
        summary_runs.c.state.in_([state.value for state in OPEN]),
    )
    .order_by(summary_runs.c.document_id)
)
OWN = summaries.c.workspace_id == bindparam("own")
OF_DOCUMENT = select(summaries).where(OWN, summaries.c.document_id == bindparam("document")).order_by(summaries.c.key)
KNOWN = select(summaries).where(summaries.c.key.in_(bindparam("keys", expanding=True)), OWN).order_by(summaries.c.document_id)
GONE = delete(summaries).where(
    OWN, summaries.c.document_id == bindparam("document"), summaries.c.key.in_(bindparam("keys", expanding=True))
)


class SqlSummaries:
    """Summaries of documents of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def begin(self, document_id: DocumentId, version_id: VersionId) -> SummaryRun:
        """Return the next attempt, from 1, which waits to be done. Raises `NotFoundError` for an unknown document."""
        await self._require(document_id)
        if rows := (await self._tx.change(NEXT, document=document_id, version=version_id)).all():
            return _run(rows[0])
        await self._tx.insert(summary_runs, {"document_id": document_id, "version_id": version_id, "attempt": 1, **ANEW})
        return SummaryRun(document_id, version_id, 1)

    async def report(self, run: SummaryRun) -> None:
        """Keep how far an attempt is, but for its tokens. Changes nothing once a later one was begun."""
        await self._tx.change(
            REPORT,
            document=run.document_id,
            number=run.attempt,
            now_at=run.state.value,
            units=run.done,
            of_all=run.total,
            code=run.reason.code if run.reason else None,
            message=run.reason.message if run.reason else None,
            writer=run.model,
            ms=run.ms,
        )

    async def count_tokens(self, document_id: DocumentId, *, input: int = 0, output: int = 0, embedded: int = 0) -> None:
        """Add to the tokens of a document's last attempt."""
        more = {"more_input_tokens": input, "more_output_tokens": output, "more_embedded_tokens": embedded}
        await self._tx.change(COUNT, document=document_id, **more)

    async def runs(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, SummaryRun]:
        """Return the last attempts of documents, of those that have one."""
        found: dict[DocumentId, SummaryRun] = {}
        for some in batches(document_ids):
            found.update((DocumentId(row.document_id), _run(row)) for row in await self._tx.rows(MANY, some=some))
        return found

    async def open_runs(self, collection_id: CollectionId) -> list[SummaryRun]:
        """Return the attempts of a collection that wait or are under way, by document."""
        return [_run(row) for row in await self._tx.rows(OPEN_RUNS, collection_id=collection_id)]

    async def put(self, document_id: DocumentId, summaries: Sequence[Summary]) -> None:
        """Keep summaries of a document, in place of those with the same key. Raises `NotFoundError` for an unknown document."""
        await self._require(document_id)
        await self._drop(document_id, [each.key for each in summaries])
        await self._tx.insert(table_of_summaries, *(_values(document_id, each) for each in summaries))

    async def known(self, keys: Sequence[str]) -> dict[str, Summary]:
        """Return what the workspace has under some keys, of whichever document."""
        found: list[Row[Any]] = []
        for some in batches(list(dict.fromkeys(keys))):
            found += await self._tx.rows(KNOWN, keys=some)
        # One with a vector rather than one that lacks it still.
        return {each.key: each for each in sorted(_summaries(found), key=lambda each: each.vector is not None)}

    async def of_document(self, document_id: DocumentId) -> list[Summary]:
        """Return the summaries that are kept of a document, by key."""
        return _summaries(await self._tx.rows(OF_DOCUMENT, document=document_id))

    async def keep(self, document_id: DocumentId, keys: Sequence[str]) -> None:
        """Forget the summaries of a document but for some."""
        await self._tx.lock()
        wanted = set(keys)
        await self._drop(document_id, [each.key for each in await self.of_document(document_id) if each.key not in wanted])

    async def _drop(self, document_id: DocumentId, keys: Sequence[str]) -> None:
        for some in batches(keys):
            await self._tx.change(GONE, document=document_id, keys=some)

    async def _require(self, document_id: DocumentId) -> None:
        await self._tx.lock()
        if not await self._tx.row(IS_THERE, document=document_id):
            raise NotFoundError("There is no such document.")


table_of_summaries = summaries


def _values(document_id: DocumentId, summary: Summary) -> dict[str, Any]:
    return {
        "document_id": document_id,
        "key": summary.key,
        "text": summary.text,
        "vector": half.pack(summary.vector) if summary.vector is not None else None,
        "model_id": summary.model_id,
    }


def _summaries(rows: Iterable[Row[Any]]) -> list[Summary]:
    found = list(rows)
    vectors = half.unpack_all([row.vector for row in found])
    return [Summary(row.key, row.text, vector, row.model_id) for row, vector in zip(found, vectors, strict=True)]


def _run(row: Row[Any]) -> SummaryRun:
    return SummaryRun(
        document_id=DocumentId(row.document_id),
        version_id=VersionId(row.version_id),
        attempt=row.attempt,
        state=SummaryState(row.state),
        done=row.done,
        total=row.total,
        reason=Reason(row.reason_code, row.reason_message) if row.reason_code else None,
        model=row.model,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        embedded_tokens=row.embedded_tokens,
        ms=row.summarising_ms,
    )
