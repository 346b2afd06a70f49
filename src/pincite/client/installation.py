"""An installation, opened for one collection: documents in, cited answers out."""

from collections.abc import AsyncGenerator, Callable
from collections.abc import Collection as Many
from contextlib import aclosing
from pathlib import Path

from pincite.answering.exchange import Ask
from pincite.answering.fold import fold
from pincite.answering.issuing import withholding
from pincite.answering.receipt_checks import CheckedReceipt
from pincite.answering.sources import group_sources
from pincite.answering.standings import AnswerStandings
from pincite.bootstrap import backups
from pincite.client.opened import Opened
from pincite.client.runs import Run
from pincite.core.answers import Answer, AnswerEvent, AnswerRecord
from pincite.core.documents import CanonicalText, Collection, Document, PagePicture
from pincite.core.errors import NotFoundError, UsageError
from pincite.core.evidence import Filter, Query, Retrieval, Source, Strategy
from pincite.core.ids import DocumentId, MessageId, VersionId
from pincite.core.keeping import Hold
from pincite.core.standings import QuoteStanding
from pincite.core.summaries import SummaryRun
from pincite.ingest.adding import Added, FileAdding
from pincite.ingest.arrivals import Arrival
from pincite.ingest.erasing import Erased
from pincite.ingest.folders import files_of, folders_at, paths_named
from pincite.ingest.naming import named, printable, text_path, whole
from pincite.ingest.reembedding import CountListener, Reembedding
from pincite.ingest.reporting import Progress
from pincite.ingest.summarising import SummaryListener
from pincite.ingest.sync_report import SyncReport
from pincite.ingest.syncing import Prune, Syncer, SyncListeners, SyncOptions
from pincite.retrieval.asking import strategy_of
from pincite.retrieval.find import Found, occurrences
from pincite.retrieval.history import History
from pincite.retrieval.pages import USUAL_WIDTH
from pincite.upkeep.backups import BackedUp, HeadwayListener, Restored, unheard


def quiet(file: str, progress: Progress) -> None:
    """Listen to nothing."""


def unheard_added(added: Added) -> None:
    """Listen to nothing."""


def unheard_summaries(document: Document, run: SummaryRun) -> None:
    """Listen to nothing."""


def uncounted(done: int, total: int) -> None:
    """Listen to nothing."""


class Installation(Opened):
    """An installation, opened for one collection: documents in, cited answers out."""

    async def add(
        self,
        *paths: str | Path,
        on_progress: Callable[[str, Progress], None] = quiet,
        on_added: Callable[[Added], None] = unheard_added,
        on_summaries: SummaryListener = unheard_summaries,
    ) -> list[Added]:
        """Add files, and the files in folders; returns what became of each. A file that fails doesn't stop the others.

        `on_added` hears each outcome at once: also those before a `StoreError` or `UpstreamError`, which stop the rest. In a
        collection with summaries these are made at the end, and `on_summaries` hears how far they are, or why they failed.
        Raises `NotFoundError` for a path that isn't there, `UsageError` for an empty one, before anything is added.
        """
        files = files_of(paths_named(paths))
        collection = await self.collection(create=True)
        embedding = self.services.models.embedding_of(collection)
        adding = FileAdding(self.services.ingestor, collection, embedding, on_progress)
        added = await adding.add_all([(item, "") for item in files], lambda _, added: on_added(added))
        await self._summarise_waiting(collection, on_summaries)
        return added

    async def sync_folders(
        self,
        *paths: str | Path,
        prune: Prune | str = Prune.CAREFUL,
        retry: bool = False,
        dry_run: bool = False,
        listeners: SyncListeners | None = None,
    ) -> SyncReport:
        """Bring the collection in step with folders: their documents are added, updated, moved and removed, and no others touched.

        `prune` says what becomes of documents whose file is gone: with `"careful"` they are removed, but not when a folder is
        empty or more than half of its documents would go (`ConflictError`, `prune_unsure`, before anything is changed); with
        `"all"` they are always removed, with `"none"` never. `retry` tries files again that failed before and didn't change. With
        `dry_run` nothing is changed, and the report says what would be. Raises `NotFoundError` for a folder that isn't there,
        and `StoreError` and `UpstreamError`, which stop the rest.
        """
        if prune not in list(Prune):
            raise UsageError(f"There is no way to prune called {prune!r}. Take one of: {', '.join(Prune)}.", code="prune")
        folders = folders_at(paths_named(paths))
        syncer = Syncer(self.services.ingestor, SyncOptions(Prune(prune), retry), listeners or SyncListeners())
        if dry_run:
            return await syncer.preview(await self._collection_if_any(), folders)
        collection = await self.collection(create=True)
        report = await syncer.sync(collection, self.services.models.embedding_of(collection), folders)
        await self._summarise_waiting(collection, unheard_summaries)
        await self.services.keeper.purge()
        return report

    async def add_text(self, text: str, *, path: str, title: str = "", source_uri: str = "") -> Added:
        """Add a text of your own under a path such as `notes/minutes.md`; the same path again replaces it.

        Lone surrogates become U+FFFD. Raises `UsageError` for an empty path or one with `..`.
        """
        path = text_path(path)
        services = self.services
        collection = await self.collection(create=True)
        embedding = services.models.embedding_of(collection)
        arrival = Arrival(path, whole(source_uri) or path, whole(text).encode(), whole(title))
        document = await services.ingestor.receive(collection, arrival)
        done = await services.ingestor.process(document, embedding, title=whole(title))
        await self._summarise_waiting(collection, unheard_summaries)
        return Added(path, done.id, done.stage, done.reason, done.path)

    async def use_summaries(self, wanted: bool, *, on_summaries: SummaryListener = unheard_summaries) -> list[SummaryRun]:
        """Have the collection's documents summarised, also those that will come, and find them by their summaries; or end that.

        Summaries are written by the chat model, or without one taken from the most central sentences. They are generated text:
        found and shown as such, never quoted. Returns what became of each document's. Without them, those that are there are
        deleted. Raises `StoreError`.
        """
        collection = await self.collection(create=wanted)
        switched = await self.services.summaries(self._llm).switch(collection.id, wanted, is_queued=False)
        return await self._summarise_waiting(switched, on_summaries)

    async def retry_summaries(self, *, on_summaries: SummaryListener = unheard_summaries) -> list[SummaryRun]:
        """Make the summaries of the collection's documents that failed, or were stopped; what is kept of them isn't paid again."""
        collection = await self.collection()
        await self.services.summaries(self._llm).begin_failed(collection)
        return await self._summarise_waiting(collection, on_summaries)

    async def _summarise_waiting(self, collection: Collection, on_summaries: SummaryListener) -> list[SummaryRun]:
        if not collection.summaries:
            return []
        return await self.services.summaries(self._llm).make_waiting(collection, on_summaries)

    async def search(
        self, query: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> list[Source]:
        """Return the best passages as sources, one per page, best first."""
        return group_sources((await self._retrieved(query, limit, strategy, filter)).passages)

    def run(self) -> Run:
        """Return a run of searches whose sources are numbered once over all of them."""
        return Run(self._retrieved)

    async def _retrieved(self, query: str, limit: int, strategy: Strategy | str, filter: Filter | None) -> Retrieval:
        chosen = strategy_of(limit, strategy)
        text = query.strip()
        if not text:
            raise UsageError("The query is empty. Write what you are looking for.", code="query_empty")
        collection = await self.collection()
        return await self.services.searcher.retrieve(
            Query(text, (collection.id,), filter or Filter(), limit=limit, strategy=chosen)
        )

    async def ask(
        self, question: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> Answer:
        """Return the answer with its sources, claims and citations: the fold of `stream`."""
        return await fold(self.stream(question, limit=limit, strategy=strategy, filter=filter))

    async def stream(
        self, question: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Yield a `SourcesChunk`, then `TokenChunk`s, then a `DoneChunk`."""
        chosen = strategy_of(limit, strategy)
        collection = await self.collection()
        ask = Ask(question, (collection.id,), filter or Filter(), limit, chosen, surface=self._surface)
        async with aclosing(self.services.engine(self._llm).stream(ask)) as events:
            async for event in events:
                yield event

    async def answer(self, message_id: str) -> AnswerRecord:
        """Return a stored answer by its `message_id`, with its question and its frozen quotes. Raises `NotFoundError`.

        Quotes, citations and passages of documents that were erased since are empty and say `erased`.
        """
        async with self.services.store.open(self.services.workspace_id) as work:
            record = await work.answers.get(MessageId(message_id))
        if record is None:
            raise NotFoundError("There is no such answer.", code="answer")
        return record

    async def receipt(self, message_id: str, *, withhold: Many[str | int] = ()) -> bytes:
        """Return the signed receipt of a stored answer: what `pincite verify` reads, to be kept byte for byte.

        `withhold` names labels of the answer (`2`) and places (`"question"`) that it shall not show: it verifies all the same.
        """
        return await self.services.receipts.document(MessageId(message_id), withholding([str(each) for each in withhold]))

    async def verify(self, receipt: CheckedReceipt) -> list[QuoteStanding]:
        """Return what became of each quote of a checked receipt in this installation's documents. Changes nothing."""
        return await self.services.standings.of_receipt(receipt)

    async def drift(self) -> AsyncGenerator[AnswerStandings, None]:
        """Yield each stored answer that cites the collection's documents, with what became of its quotes."""
        collection = await self.collection()
        async with aclosing(self.services.standings.of_collection(collection.id)) as found:
            async for each in found:
                yield each

    async def documents(self) -> list[Document]:
        """Return the collection's documents by path."""
        collection = await self.collection()
        found: list[Document] = []
        async with self.services.store.open(self.services.workspace_id) as work:
            while batch := await work.documents.list(collection.id, after_path=found[-1].path if found else ""):
                found.extend(batch)
        return found

    async def document(self, name: str, *, removed: bool = False) -> Document:
        """Return a document by id, path, address, file name (or the end of its path) or title.

        With `removed`, where there is none, one that was removed: by its id, or the last at a path. Raises `NotFoundError`, and
        `UsageError` when several have the name.
        """
        if removed:
            return await self._also_removed(name)
        matches = named(await self.documents(), name)
        if len(matches) > 1:
            paths = ", ".join(printable(document.path) for document in matches[:5])
            raise UsageError(f"Several documents are called {name!r}: {paths}. Name one by its path or id.", code="ambiguous")
        if matches:
            return matches[0]
        raise NotFoundError(f"There is no document {name!r} in collection {self._collection_name!r}. `pincite list` shows them.")

    async def text(self, name: str) -> tuple[Document, CanonicalText]:
        """Return a document with its canonical text. Raises `NotFoundError` when it has none."""
        document = await self.document(name)
        async with self.services.store.open(self.services.workspace_id) as work:
            canonical = await work.versions.canonical(document.version_id) if document.version_id else None
        if canonical is None:
            why = f" {document.reason.message}" if document.reason else ""
            raise NotFoundError(f"{document.path} has no text.{why}")
        return document, canonical

    async def find(self, name: str, text: str) -> list[Found]:
        """Return every occurrence of a text in a document, white space and case apart, with pages and boxes."""
        document, canonical = await self.text(name)
        places = occurrences(canonical.text, text)
        if not places or document.version_id is None:
            return []
        spans = await self.services.locator.locate(document.version_id, places)
        return [Found(canonical.text[start:end], start, end, found) for (start, end), found in zip(places, spans, strict=True)]

    async def page_picture(self, name: str, page: int, *, width: int = USUAL_WIDTH, version_id: str = "") -> PagePicture:
        """Return a page of a document, counted from 1, as a PNG. Boxes of quotes lie on it, scaled by `width / page_width`.

        `version_id` is that of a citation, also of a document that was removed since. Raises `NotFoundError` for a page that isn't
        there and for formats that can't be drawn.
        """
        document = await self.document(name, removed=bool(version_id))
        pages = self.services.pages
        return await pages.picture(await pages.file(document, VersionId(version_id) if version_id else None), page, width=width)

    async def history(self, name: str) -> History:
        """Return a document's versions, newest first, other documents with the same bytes, and its hold."""
        return await self.services.histories.of(await self.document(name))

    async def remove(self, name: str) -> Document:
        """Remove a document with all inside it; it can't be found from then on. Stored answers keep the passages they cite.

        The versions that they cite stay to be seen for `keep_cited_days`. Raises `ConflictError` (`held`) for one on hold.
        """
        document = await self.document(name)
        await self.services.ingestor.remove(document.id)
        await self.services.keeper.purge()
        return document

    async def hold(self, name: str, *, reason: str = "") -> Hold:
        """Put a document on hold, with all inside it: it is neither removed nor erased until it is released.

        Also one that was removed already, by its id or path, as long as something of it is kept.
        """
        return await self.services.keeper.hold((await self.document(name, removed=True)).id, reason=reason)

    async def release(self, name: str) -> Document:
        """End a document's hold. Raises `ConflictError` (`not_held`) when there is none."""
        document = await self.document(name, removed=True)
        await self.services.keeper.release(document.id)
        return document

    async def erase(self, name: str) -> Erased:
        """Destroy a document with all inside it, for good: text, file, vectors, and what answers and logs repeat of it.

        Also one that was removed already, by its id or path, and by its id one of which something was left. Raises `ConflictError`
        (`held`; `inside` for a file whose bytes stand in another document's file).
        """
        async with self.services.store.open(self.services.workspace_id) as work:
            is_erased = await work.keeping.erased([DocumentId(name)])
        document_id = DocumentId(name) if is_erased else (await self.document(name, removed=True)).id
        return await self.services.eraser.erase(document_id)

    async def _also_removed(self, name: str) -> Document:
        """Return a document, or one that was removed: by its id, or the one that was removed last at a path."""
        try:
            return await self.document(name)
        except NotFoundError:
            async with self.services.store.open(self.services.workspace_id) as work:
                by_id = await work.keeping.removed(DocumentId(name))
                collection = await self._collection_if_any()
                removed = await work.keeping.removed_from(collection.id) if collection else []
            found = by_id or next((each for each in removed if each.document.path == name), None)
            if found is None:
                raise
            return found.document

    async def reembed(self, *, dry_run: bool = False, on_progress: CountListener = uncounted) -> Reembedding:
        """Bring the collection to the embedding model that the settings name; returns what that took.

        It is searched and added to with the model that it has until the new one's vectors are complete. With `dry_run` nothing
        is done, and the result says what there is to do. `on_progress` hears chunks done and in all. After an `UpstreamError`, a
        `StoreError` or a stop, running it again pays only for what is missing.
        """
        services = self.services
        collection, model = await self.collection(), services.models.chosen()
        if dry_run:
            return await services.reembedder.plan(collection.id, model)
        return await services.reembedder.run(collection.id, model, on_progress=on_progress)

    async def backup(self, target: str | Path, *, force: bool = False, on_headway: HeadwayListener = unheard) -> BackedUp:
        """Write the whole installation, all collections, to one file, or into a folder under the name of the moment.

        Others may go on writing. An existing file is overwritten only with `force`.
        """
        return await backups(self.settings).backup(Path(target), overwrite=force, on_headway=on_headway)

    async def restore(self, file: str | Path, *, force: bool = False, on_headway: HeadwayListener = unheard) -> Restored:
        """Put what a backup holds into the home, after checking it whole. A store that is there is replaced only with `force`.

        No process may have the store open; this client closes it first. Raises `RefusedInput`, `ConflictError`, `StoreError`.
        """
        await self.close()
        return await backups(self.settings).restore(Path(file), overwrite=force, on_headway=on_headway)
