"""The same installation with plain, blocking methods."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pincite.answering.receipt_checks import CheckedReceipt
from pincite.answering.standings import AnswerStandings
from pincite.client.installation import Installation, quiet, uncounted, unheard_added, unheard_summaries
from pincite.client.runs import Run
from pincite.core.answers import Answer, AnswerEvent, AnswerRecord
from pincite.core.documents import Collection as CollectionOfDocuments
from pincite.core.documents import Document, PagePicture
from pincite.core.errors import UsageError
from pincite.core.evidence import Filter, Source, Strategy
from pincite.core.keeping import Hold
from pincite.core.policies import Policy
from pincite.core.standings import QuoteStanding
from pincite.core.summaries import SummaryRun
from pincite.ingest.adding import Added
from pincite.ingest.erasing import Erased
from pincite.ingest.reembedding import CountListener, Reembedding
from pincite.ingest.reporting import Progress
from pincite.ingest.summarising import SummaryListener
from pincite.ingest.sync_report import SyncReport
from pincite.ingest.syncing import Prune, SyncListeners
from pincite.retrieval.find import Found
from pincite.retrieval.history import History
from pincite.retrieval.pages import USUAL_WIDTH
from pincite.upkeep.backups import BackedUp, HeadwayListener, Restored, unheard

T = TypeVar("T")


class SyncPincite:
    """`Pincite` with blocking methods: the same names, arguments and results. Use as a context manager, or call `close`."""

    def __init__(self, client: Installation) -> None:
        self._client = client
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="pincite", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self._loop.is_closed():
            work.close()
            raise UsageError("This client is closed. Open another one with `Pincite.sync()`.", code="closed")
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """Release files and processes."""
        if self._loop.is_closed():
            return
        self._run(self._client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def add(
        self,
        *paths: str | Path,
        on_progress: Callable[[str, Progress], None] = quiet,
        on_added: Callable[[Added], None] = unheard_added,
        on_summaries: SummaryListener = unheard_summaries,
    ) -> list[Added]:
        """Add files, and the files in folders; returns what became of each."""
        return self._run(self._client.add(*paths, on_progress=on_progress, on_added=on_added, on_summaries=on_summaries))

    def sync_folders(
        self,
        *paths: str | Path,
        prune: Prune | str = Prune.CAREFUL,
        retry: bool = False,
        dry_run: bool = False,
        listeners: SyncListeners | None = None,
    ) -> SyncReport:
        """Bring the collection in step with folders."""
        return self._run(self._client.sync_folders(*paths, prune=prune, retry=retry, dry_run=dry_run, listeners=listeners))

    def add_text(self, text: str, *, path: str, title: str = "", source_uri: str = "") -> Added:
        """Add a text of your own under a path."""
        return self._run(self._client.add_text(text, path=path, title=title, source_uri=source_uri))

    def use_summaries(self, wanted: bool, *, on_summaries: SummaryListener = unheard_summaries) -> list[SummaryRun]:
        """Have the collection's documents summarised and found by their summaries, or end that."""
        return self._run(self._client.use_summaries(wanted, on_summaries=on_summaries))

    def retry_summaries(self, *, on_summaries: SummaryListener = unheard_summaries) -> list[SummaryRun]:
        """Make the summaries of the collection's documents that failed."""
        return self._run(self._client.retry_summaries(on_summaries=on_summaries))

    def use_policy(self, policy: Policy | str) -> CollectionOfDocuments:
        """Say what becomes of claims in answers that the collection's documents don't support."""
        return self._run(self._client.use_policy(policy))

    def search(
        self, query: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> list[Source]:
        """Return the best passages as sources, one per page, best first."""
        return self._run(self._client.search(query, limit=limit, strategy=strategy, filter=filter))

    def run(self) -> "SyncRun":
        """Return a run of searches whose sources are numbered once over all of them."""
        return SyncRun(self._client.run(), self._run)

    def ask(
        self, question: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> Answer:
        """Return the answer with its sources, claims and citations."""
        return self._run(self._client.ask(question, limit=limit, strategy=strategy, filter=filter))

    def stream(
        self, question: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> Iterator[AnswerEvent]:
        """Yield a `SourcesChunk`, then `TokenChunk`s, then a `DoneChunk`."""
        yield from self._each(self._client.stream(question, limit=limit, strategy=strategy, filter=filter))

    def _each(self, items: AsyncGenerator[T, None]) -> Iterator[T]:
        try:
            while (item := self._run(_next(items))) is not None:
                yield item
        finally:
            if not self._loop.is_closed():
                self._run(items.aclose())

    def answer(self, message_id: str) -> AnswerRecord:
        """Return a stored answer by its `message_id`, with its question and its frozen quotes."""
        return self._run(self._client.answer(message_id))

    def receipt(self, message_id: str, *, withhold: Collection[str | int] = ()) -> bytes:
        """Return the signed receipt of a stored answer, to be kept byte for byte."""
        return self._run(self._client.receipt(message_id, withhold=withhold))

    def verify(self, receipt: CheckedReceipt) -> list[QuoteStanding]:
        """Return what became of each quote of a checked receipt in this installation's documents."""
        return self._run(self._client.verify(receipt))

    def drift(self) -> Iterator[AnswerStandings]:
        """Yield each stored answer that cites the collection's documents, with what became of its quotes."""
        yield from self._each(self._client.drift())

    def documents(self) -> list[Document]:
        """Return the collection's documents by path."""
        return self._run(self._client.documents())

    def find(self, name: str, text: str) -> list[Found]:
        """Return every occurrence of a text in a document, with pages and boxes."""
        return self._run(self._client.find(name, text))

    def page_picture(self, name: str, page: int, *, width: int = USUAL_WIDTH, version_id: str = "") -> PagePicture:
        """Return a page of a document, counted from 1, as a PNG."""
        return self._run(self._client.page_picture(name, page, width=width, version_id=version_id))

    def history(self, name: str) -> History:
        """Return a document's versions, newest first, other documents with the same bytes, and its hold."""
        return self._run(self._client.history(name))

    def remove(self, name: str) -> Document:
        """Remove a document with all inside it."""
        return self._run(self._client.remove(name))

    def hold(self, name: str, *, reason: str = "") -> Hold:
        """Put a document on hold: it is neither removed nor erased until it is released."""
        return self._run(self._client.hold(name, reason=reason))

    def release(self, name: str) -> Document:
        """End a document's hold."""
        return self._run(self._client.release(name))

    def erase(self, name: str) -> Erased:
        """Destroy a document with all inside it, for good."""
        return self._run(self._client.erase(name))

    def reembed(self, *, dry_run: bool = False, on_progress: CountListener = uncounted) -> Reembedding:
        """Bring the collection to the embedding model that the settings name; returns what that took."""
        return self._run(self._client.reembed(dry_run=dry_run, on_progress=on_progress))

    def backup(self, target: str | Path, *, force: bool = False, on_headway: HeadwayListener = unheard) -> BackedUp:
        """Write the whole installation to one file."""
        return self._run(self._client.backup(target, force=force, on_headway=on_headway))

    def restore(self, file: str | Path, *, force: bool = False, on_headway: HeadwayListener = unheard) -> Restored:
        """Put what a backup holds into the home."""
        return self._run(self._client.restore(file, force=force, on_headway=on_headway))


class SyncRun:
    """`Run` with blocking methods."""

    def __init__(self, run: Run, wait: Callable[[Coroutine[Any, Any, list[Source]]], list[Source]]) -> None:
        self._of = run
        self._wait = wait

    @property
    def sources(self) -> list[Source]:
        """Return all sources that were found so far, by their numbers."""
        return self._of.sources

    def search(
        self, query: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> list[Source]:
        """Return the best passages as sources, best first, under the numbers of this run."""
        return self._wait(self._of.search(query, limit=limit, strategy=strategy, filter=filter))


async def _next(items: AsyncGenerator[T, None]) -> T | None:
    return await anext(items, None)
