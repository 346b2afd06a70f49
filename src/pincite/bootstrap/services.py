"""Builds the services from the settings: the only place where an implementation is chosen."""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pincite.answering.answerable import ASKED_FROM, Answerability
from pincite.answering.engine import QueryEngine
from pincite.answering.extractive import ExtractiveChatModel
from pincite.answering.issuing import Receipts
from pincite.answering.records import StoredQueryLog, StoredRecorder
from pincite.answering.standings import Standings
from pincite.answering.summarising import summariser_of
from pincite.billing.ledger import Ledger
from pincite.billing.pricing import load_prices
from pincite.bootstrap.home import BLOBS, home_of
from pincite.bootstrap.models import Models
from pincite.bootstrap.reading import parser_of, reads_as
from pincite.bootstrap.receipts import receipts_of
from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import ConflictError, NotFoundError
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.jobs import JobKind
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.changes import ChangeFeed
from pincite.core.ports.identity import Credentials
from pincite.core.ports.metering import Metering
from pincite.core.ports.models import ChatModel
from pincite.core.ports.parsing import Parser
from pincite.core.ports.querylog import QueryLog
from pincite.core.ports.queue import Queue
from pincite.core.ports.store import Store
from pincite.core.summaries import SummaryState
from pincite.ingest.chunking import ChunkRules
from pincite.ingest.describing import Vision, VisionRules
from pincite.ingest.erasing import Eraser
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.jobs import IngestJobs
from pincite.ingest.keeping import Keeper
from pincite.ingest.ocr import OcrParser
from pincite.ingest.picture_text import PictureText
from pincite.ingest.publishing import Follow
from pincite.ingest.reembedding import Reembedder
from pincite.ingest.removing import CollectionRemoval
from pincite.ingest.summarising import Summaries
from pincite.ingest.summary_jobs import SummaryJobs
from pincite.retrieval.history import StoredHistories
from pincite.retrieval.locator import StoredLocator
from pincite.retrieval.pages import StoredPages
from pincite.retrieval.searcher import Searcher
from pincite.settings import Settings
from pincite.upkeep.backups import INDEX
from pincite.upkeep.manifest import DATABASE
from pincite.workspaces.collections import name_of

LOCAL_WORKSPACE = WorkspaceId("00000000-0000-7000-8000-000000000001")
"""The workspace of an installation without accounts."""


@dataclass(frozen=True)
class Services:
    """Everything the doors use, built once."""

    settings: Settings
    store: Store
    changes: ChangeFeed
    blobs: BlobStore
    parser: Parser
    models: Models
    ingestor: Ingestor
    searcher: Searcher
    reembedder: Reembedder
    locator: StoredLocator
    pages: StoredPages
    recorder: StoredRecorder
    query_log: QueryLog
    credentials: Credentials
    queue: Queue
    ingest_jobs: IngestJobs
    removal: CollectionRemoval
    keeper: Keeper
    eraser: Eraser
    histories: StoredHistories
    receipts: Receipts
    standings: Standings
    workspace_id: WorkspaceId

    def summaries(self, llm: ChatModel | None = None) -> Summaries:
        """Return what summarises documents, with the configured chat model unless another is given."""
        writer = summariser_of(llm or self.models.chat)
        return Summaries(self.store, writer, self.models.embedding_of, self.workspace_id, self.ingestor.metering)

    async def jobs_of(self, document: Document, *, to_retry: bool = False) -> IngestJobs | Summaries:
        """Return what tries again and cancels what is done with a document: of a ready one its summaries, if it is to have any.

        Pictures that are still to be described are tried again first.
        """
        if to_retry and await self.ingestor.illustrator.has_left(document.version_id):
            return self.ingest_jobs
        async with self.store.open(self.workspace_id) as work:
            run = (await work.summaries.runs([document.id])).get(document.id)
        is_summarised = document.stage is Stage.READY and run is not None and run.state is not SummaryState.OFF
        return self.summaries() if is_summarised else self.ingest_jobs

    @property
    def handlers(self) -> dict[JobKind, IngestJobs | SummaryJobs]:
        """Return what a worker does with jobs, by kind, in the workspace of each."""
        summaries = SummaryJobs(lambda workspace_id: replace(self.summaries(), workspace_id=workspace_id))
        return {JobKind.INGEST: self.ingest_jobs, JobKind.SUMMARISE: summaries}

    def engine(self, llm: ChatModel | None = None) -> QueryEngine:
        """Return the answering path, with the configured chat model unless another is given."""
        llm = llm or self.models.chat
        declines, least = not isinstance(llm, ExtractiveChatModel), self.settings.answerable_least
        return QueryEngine(
            self.searcher,
            llm,
            locator=self.locator,
            recorder=self.recorder,
            answerability=Answerability(self.models.embedding, least * ASKED_FROM if declines else least, requests=declines),
            max_context_characters=self.settings.chat_max_context_characters,
            log=self.query_log,
            verifier=self.models.verifier,
            review=self.models.review(llm),
        )

    async def collection(self, name: str, *, create: bool = False) -> Collection:
        """Return a collection by name. Raises `UsageError` for what is no name, `NotFoundError` unless it may be created."""
        name = name_of(name)
        async with self.store.open(self.workspace_id) as work:
            found = await work.collections.named(name)
        if found is None and create:
            return await self._create(name)
        if found is None:
            raise NotFoundError(
                f"There is no collection {name!r}. Add a document to it first: pincite add PATH --collection {name}"
            )
        return found

    async def _create(self, name: str) -> Collection:
        await self.models.learn()
        model = self.models.embedding
        collection = Collection(CollectionId(new_id()), self.workspace_id, name, model.spec if model else None, datetime.now(UTC))
        try:
            async with self.store.open(self.workspace_id) as work:
                await work.collections.add(collection)
                await work.commit()
        except ConflictError:
            return await self.collection(name)
        return collection

    async def close(self) -> None:
        """Release what is open: all of it, also when cancelled meanwhile. A connection that is closed by half complains."""
        closing = asyncio.ensure_future(self._close())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            await asyncio.wait({closing})
            raise

    async def _close(self) -> None:
        self.parser.close()
        await self.models.aclose()
        await self.query_log.close()
        await self.store.close()


def build(settings: Settings) -> Services:
    """Build the services of an installation. Raises `StoreError` when its home can't be used."""
    from pincite.adapters.blobs.disk import DiskBlobs
    from pincite.adapters.index.dense import MappedDenseIndex
    from pincite.adapters.index.lexical import TantivyIndex
    from pincite.adapters.sql.scrubbing import SqliteScrubber
    from pincite.adapters.sql.store import open_store

    home = home_of(settings)
    store, blobs = open_store(home / DATABASE), DiskBlobs(home / BLOBS)
    blobs.sweep()
    parser, models = parser_of(settings), Models(settings)
    dense, lexical = MappedDenseIndex(home / INDEX, store.changes), TantivyIndex(home / INDEX, store.changes)
    metering, receipts = _metering(settings), receipts_of(settings, store, LOCAL_WORKSPACE)
    searcher = Searcher(store, dense, lexical, models.embedding_of, LOCAL_WORKSPACE)
    ingestor = replace(_ingestor(settings, store, blobs, parser, models, metering), follow=_following(store, searcher))
    return Services(
        settings=settings,
        store=store,
        changes=store.changes,
        blobs=blobs,
        parser=parser,
        models=models,
        ingestor=ingestor,
        searcher=searcher,
        reembedder=Reembedder(store, store.changes, dense, LOCAL_WORKSPACE),
        locator=StoredLocator(store, blobs, parser, LOCAL_WORKSPACE),
        pages=StoredPages(store, blobs, parser, LOCAL_WORKSPACE),
        recorder=StoredRecorder(store, LOCAL_WORKSPACE, metering, receipts),
        query_log=StoredQueryLog(store, LOCAL_WORKSPACE, metering),
        credentials=store.credentials,
        queue=store.queue,
        ingest_jobs=IngestJobs(store, ingestor, models.embedding_of),
        removal=CollectionRemoval(store, blobs, dense, lexical, metering),
        keeper=Keeper(store, blobs, LOCAL_WORKSPACE, timedelta(days=settings.keep_cited_days)),
        eraser=Eraser(store, blobs, dense, lexical, SqliteScrubber(home / DATABASE), LOCAL_WORKSPACE, metering),
        histories=StoredHistories(store, LOCAL_WORKSPACE),
        receipts=receipts,
        standings=Standings(store, LOCAL_WORKSPACE),
        workspace_id=LOCAL_WORKSPACE,
    )


def _following(store: Store, searcher: Searcher) -> Follow:
    """Return what brings the indexes up to date with a collection of any workspace."""

    async def follow(workspace_id: WorkspaceId, collection_id: CollectionId) -> None:
        async with store.open(workspace_id) as work:
            collection = await work.collections.get(collection_id)
        if collection:
            await searcher.follow(collection)

    return follow


def _ingestor(
    settings: Settings, store: Store, blobs: BlobStore, parser: OcrParser, models: Models, metering: Metering | None
) -> Ingestor:
    return Ingestor(
        store,
        blobs,
        parser,
        LOCAL_WORKSPACE,
        rules_of(settings),
        models.embedding_of,
        metering,
        settings.max_figures,
        PictureText(parser.reader, settings.ocr_pictures) if parser.reader else None,
        _vision(settings, models),
        reads_as(settings, parser),
    )


def _vision(settings: Settings, models: Models) -> Vision | None:
    rules = VisionRules(settings.vision_max_pictures, settings.vision_least_side_pixels, settings.vision_max_picture_bytes)
    return Vision(models.vision, rules) if models.vision else None


def _metering(settings: Settings) -> Metering | None:
    if settings.pricing == "off":
        return None
    return Ledger(load_prices(Path(settings.pricing).expanduser() if settings.pricing else None))


def rules_of(settings: Settings) -> ChunkRules:
    """Return how texts are cut."""
    return ChunkRules(settings.chunk_tokens, settings.chunk_overlap_percent)
