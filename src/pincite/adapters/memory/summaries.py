"""Summaries of documents in memory, and a summariser that writes what it is told."""

from collections.abc import Sequence
from dataclasses import replace

from pincite.adapters.memory.store_tables import Transaction
from pincite.core.documents import Chunk
from pincite.core.errors import NotFoundError, UpstreamError
from pincite.core.ids import CollectionId, DocumentId, VersionId
from pincite.core.messages import ModelUsage
from pincite.core.summaries import OPEN, Summary, SummaryRun, WrittenSummary
from pincite.core.vectors import pack_float16, unpack_float16


class MemorySummaries:
    """Summaries of documents of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def begin(self, document_id: DocumentId, version_id: VersionId) -> SummaryRun:
        """Return the next attempt, from 1, which waits to be done. Raises `NotFoundError` for an unknown document."""
        await self._require(document_id)
        tables, own = await self._tx.lock(), self._tx.workspace_id
        last = tables.summary_runs.get(own, document_id)
        begun = SummaryRun(document_id, version_id, last.attempt + 1 if last else 1)
        tables.summary_runs.put(own, document_id, begun)
        return begun

    async def report(self, run: SummaryRun) -> None:
        """Keep how far an attempt is, but for its tokens. Changes nothing once a later one was begun."""
        tables, own = await self._tx.lock(), self._tx.workspace_id
        last = tables.summary_runs.get(own, run.document_id)
        if last and last.attempt == run.attempt:
            tokens = {name: getattr(last, name) for name in ("input_tokens", "output_tokens", "embedded_tokens", "version_id")}
            tables.summary_runs.put(own, run.document_id, replace(run, **tokens))

    async def count_tokens(self, document_id: DocumentId, *, input: int = 0, output: int = 0, embedded: int = 0) -> None:
        """Add to the tokens of a document's last attempt."""
        tables, own = await self._tx.lock(), self._tx.workspace_id
        if last := tables.summary_runs.get(own, document_id):
            counted = replace(
                last,
                input_tokens=last.input_tokens + input,
                output_tokens=last.output_tokens + output,
                embedded_tokens=last.embedded_tokens + embedded,
            )
            tables.summary_runs.put(own, document_id, counted)

    async def runs(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, SummaryRun]:
        """Return the last attempts of documents, of those that have one."""
        rows = {each: self._tx.tables.summary_runs.get(self._tx.workspace_id, each) for each in document_ids}
        return {key: row for key, row in rows.items() if row}

    async def open_runs(self, collection_id: CollectionId) -> list[SummaryRun]:
        """Return the attempts of a collection that wait or are under way, by document."""
        own, tables = self._tx.workspace_id, self._tx.tables
        mine = {row.id for row in tables.documents.all(own) if row.collection_id == collection_id}
        found = [run for run in tables.summary_runs.all(own) if run.document_id in mine and run.state in OPEN]
        return sorted(found, key=lambda run: run.document_id)

    async def put(self, document_id: DocumentId, summaries: Sequence[Summary]) -> None:
        """Keep summaries of a document, in place of those with the same key. Raises `NotFoundError` for an unknown document."""
        await self._require(document_id)
        tables = await self._tx.lock()
        for each in summaries:
            halved = unpack_float16(pack_float16(each.vector)) if each.vector is not None else None
            tables.summaries.put(self._tx.workspace_id, f"{document_id}/{each.key}", (document_id, replace(each, vector=halved)))

    async def known(self, keys: Sequence[str]) -> dict[str, Summary]:
        """Return what the workspace has under some keys, of whichever document."""
        wanted = set(keys)
        rows = [row for _, row in self._tx.tables.summaries.all(self._tx.workspace_id) if row.key in wanted]
        return {row.key: row for row in sorted(rows, key=lambda row: row.vector is not None)}

    async def of_document(self, document_id: DocumentId) -> list[Summary]:
        """Return the summaries that are kept of a document, by key."""
        rows = [row for owner, row in self._tx.tables.summaries.all(self._tx.workspace_id) if owner == document_id]
        return sorted(rows, key=lambda row: row.key)

    async def keep(self, document_id: DocumentId, keys: Sequence[str]) -> None:
        """Forget the summaries of a document but for some."""
        tables, wanted = await self._tx.lock(), set(keys)
        tables.summaries.drop_where(self._tx.workspace_id, lambda row: row[0] == document_id and row[1].key not in wanted)

    async def _require(self, document_id: DocumentId) -> None:
        tables = await self._tx.lock()
        if tables.documents.get(self._tx.workspace_id, document_id) is None:
            raise NotFoundError("There is no such document.")


class ScriptedSummariser:
    """Writes how many passages there are and how the first begins. `calls` holds the passages of each call.

    `fail_at` raises `error` in place of that call, counted from 0, and of those after it.
    """

    def __init__(self, *, fail_at: int | None = None, error: UpstreamError | None = None, revision: str = "1") -> None:
        self.fail_at = fail_at
        self.error = error or UpstreamError("The scripted summariser failed as told.")
        self.calls: list[tuple[Chunk, ...]] = []
        self._revision = revision

    @property
    def name(self) -> str:
        """Return its name."""
        return "scripted"

    @property
    def revision(self) -> str:
        """Return the revision given."""
        return self._revision

    async def summarise(self, passages: Sequence[Chunk]) -> WrittenSummary:
        """Return what it writes, with a token for each word read and written."""
        if self.fail_at is not None and len(self.calls) >= self.fail_at:
            raise self.error
        self.calls.append(tuple(passages))
        text = f"Summary of {len(passages)}: {' '.join(passages[0].text.split()[:12])}"
        read = sum(len(passage.text.split()) for passage in passages)
        return WrittenSummary(text, ModelUsage(read, len(text.split())))
