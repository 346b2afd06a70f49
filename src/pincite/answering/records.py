"""Keeps answers, and the log of questions, in the store."""

import asyncio
import logging
from dataclasses import dataclass, field, replace

from pincite.answering.issuing import Receipts
from pincite.core.answers import AnswerRecord, CitedVersion
from pincite.core.errors import PinciteError
from pincite.core.ids import MessageId, WorkspaceId
from pincite.core.messages import ModelUsage
from pincite.core.ports.metering import Metering
from pincite.core.ports.store import Store, UnitOfWork
from pincite.core.querylog import LoggedQuery, Outcome
from pincite.core.redacting import mask, redacted, redacted_query, rests_on
from pincite.core.usage import Usage, UsageKind

MOST_WAITING = 10_000
"""Logged questions that wait for a store which takes none; later ones are dropped."""

_UNRECORDED = (Outcome.PARTIAL, Outcome.FAILED)

_log = logging.getLogger("pincite.querylog")


@dataclass(frozen=True, slots=True)
class StoredRecorder:
    """A `Recorder` over the workspace's rows, which charges what an answer took and has its receipt issued."""

    store: Store
    workspace_id: WorkspaceId
    metering: Metering | None = None
    receipts: Receipts | None = None

    async def record(self, record: AnswerRecord) -> None:
        """Store the answer in a transaction of its own, opened when the model has finished.

        Of documents that were erased while it was being written nothing is stored.
        """
        answer = record.answer
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            record = await _with_versions(work, record)
            if gone := await work.keeping.erased(rests_on(record)):
                record = redacted(record, gone, mask)
            await work.answers.add(record)
            if self.receipts:
                await self.receipts.try_to_issue(work, record)
            await _charge(work, self.metering, answer.message_id, answer.model, answer.usage)
            if record.judging and record.judging.usage.tokens:
                judging = record.judging
                await _charge(work, self.metering, answer.message_id, judging.model, judging.usage, UsageKind.VERDICT)
            await work.commit()


@dataclass
class StoredQueryLog:
    """A `QueryLog` over the workspace's rows: one task writes what has gathered, in one transaction.

    It charges what answers took that broke off or failed: nobody records these.
    """

    store: Store
    workspace_id: WorkspaceId
    metering: Metering | None = None
    _waiting: list[LoggedQuery] = field(default_factory=list[LoggedQuery])
    _writing: asyncio.Task[None] | None = None

    def note(self, query: LoggedQuery) -> None:
        """Take note of a question; a task of the running event loop writes it."""
        if len(self._waiting) >= MOST_WAITING:
            _log.warning("The log of questions can't be written; a question was not logged.")
            return
        self._waiting.append(query)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write())

    async def close(self) -> None:
        """Write what was noted and not written yet."""
        if self._writing:
            await self._writing
        if self._waiting:
            await self._write()

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                async with self.store.open(self.workspace_id) as work:
                    await work.lock()
                    await work.query_logs.add([await _without_erased(work, query) for query in batch])
                    for query in batch:
                        if query.outcome in _UNRECORDED and query.usage.tokens:
                            await _charge(work, self.metering, query.message_id, query.model, query.usage)
                    await work.commit()
            except PinciteError as error:
                _log.warning("%d questions were not logged: %s", len(batch), error.message)


async def _with_versions(work: UnitOfWork, record: AnswerRecord) -> AnswerRecord:
    """Return a record that says what was cited: titles and paths as they were shown, hash and parser as they are kept."""
    shown = {passage.version_id: passage for source in record.answer.sources for passage in source.passages}
    found: list[CitedVersion] = []
    for version_id, document_id in dict.fromkeys((quote.version_id, quote.document_id) for quote in record.evidence):
        kept, passage = await work.versions.get(version_id), shown.get(version_id)
        title, path = (passage.title, passage.path) if passage else ("", "")
        read = (kept.sha256, kept.parser, kept.parser_version) if kept else ()
        found.append(CitedVersion(document_id, version_id, title, path, *read))
    return replace(record, basis=replace(record.basis, versions=tuple(found)))


async def _charge(
    work: UnitOfWork,
    metering: Metering | None,
    message_id: MessageId,
    model: str,
    usage: ModelUsage,
    kind: UsageKind = UsageKind.CHAT,
) -> None:
    if metering is None:
        return
    meta = {"estimated": "true"} if usage.estimated else {}
    spent = Usage(kind, message_id, model, usage.prompt_tokens, usage.completion_tokens, meta)
    await metering.charge(work.usage, spent)


async def _without_erased(work: UnitOfWork, query: LoggedQuery) -> LoggedQuery:
    is_gone = query.document_ids and await work.keeping.erased(query.document_ids)
    return redacted_query(query, mask) if is_gone else query
