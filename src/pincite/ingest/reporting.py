"""Tells how far documents are: to whoever listens, at once, and to the store, now and then."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace

from pincite.core.documents import Document, Stage
from pincite.core.errors import StoreError
from pincite.core.ids import DocumentId, WorkspaceId
from pincite.core.ingestions import Ingestion
from pincite.core.ports.store import Store, UnitOfWork

REPORT_S = 0.5
"""Seconds between two writes of how far a document is: progress comes far more often than anybody looks."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a document is: its stage, and units (pages, then chunks) done and in all (0 while unknown)."""

    document_id: DocumentId
    stage: Stage
    done: int = 0
    total: int = 0


ProgressListener = Callable[[Progress], None]


def unheard(progress: Progress) -> None:
    """Listen to nothing."""


class Reports:
    """How far one try at an attempt is. Times of stages are added to those of the tries before it."""

    def __init__(self, document_id: DocumentId, ingestion: Ingestion | None, listener: ProgressListener) -> None:
        self._document_id = document_id
        self._listener = listener
        self._last = ingestion
        self._written = ingestion
        self._since = time.perf_counter()

    def hear(self, stage: Stage, done: int = 0, total: int = 0) -> None:
        """Take note, and tell the listener."""
        self._note(stage, done, total)
        self._listener(Progress(self._document_id, stage, done, total))

    async def end(self, work: UnitOfWork, stage: Stage, units: int = 0) -> None:
        """Write how the try ended, in the transaction that ends it. Whoever listens is told when that is committed."""
        self._note(stage, units, units)
        await self._write(work)

    async def pause(self, work: UnitOfWork) -> None:
        """Write how far the try is, which is put aside."""
        if self._last is not None:
            self._note(self._last.stage, self._last.done, self._last.total)
        await self._write(work)

    async def keep(self, store: Store, workspace_id: WorkspaceId) -> None:
        """Write what there is to tell, now and then, until cancelled. A store that takes nothing now takes the next."""
        while True:
            await asyncio.sleep(REPORT_S)
            if self._last == self._written:
                continue
            with suppress(StoreError):
                async with store.open(workspace_id) as work:
                    await self._write(work)
                    await work.commit()

    def _note(self, stage: Stage, done: int, total: int) -> None:
        if self._last is None:
            return
        now = time.perf_counter()
        timings = self._last.timings.plus(self._last.stage, (now - self._since) * 1000)
        self._since = now
        self._last = replace(self._last, stage=stage, done=done, total=total, timings=timings)

    async def _write(self, work: UnitOfWork) -> None:
        if self._last is not None:
            await work.ingestions.report(self._last)
            self._written = self._last


@asynccontextmanager
async def reported(
    store: Store, workspace_id: WorkspaceId, document: Document, listener: ProgressListener
) -> AsyncGenerator[Reports]:
    """Keep how far the last attempt to read a document is, as long as the block runs."""
    async with store.open(workspace_id) as work:
        ingestion = (await work.ingestions.of([document.id])).get(document.id)
    # A try begins before the first stage, whatever the one before it had come to.
    reports = Reports(document.id, replace(ingestion, stage=Stage.PENDING) if ingestion else None, listener)
    keeping = asyncio.create_task(reports.keep(store, workspace_id))
    try:
        yield reports
    finally:
        keeping.cancel()
