"""Builds the services from the settings: the only place where an implementation is chosen."""

import asyncio
import logging
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import Protocol, runtime_checkable

from pincite.answering.engine import QueryEngine
from pincite.answering.evidence import EvidenceRule, rule_for
from pincite.answering.extractive import ExtractiveChatModel
from pincite.answering.records import StoredQueryLog, StoredRecorder
from pincite.core.documents import Collection, EmbeddingSpec
from pincite.core.errors import ConfigurationError, ConflictError, ModelChangedError, NotFoundError, StoreError
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.changes import ChangeFeed
from pincite.core.ports.identity import Credentials
from pincite.core.ports.models import ChatModel, EmbeddingModel
from pincite.core.ports.parsing import Parser
from pincite.core.ports.querylog import QueryLog
from pincite.core.ports.queue import Queue
from pincite.core.ports.store import Store
from pincite.evaluation.runs import Bench, Evaluator
from pincite.ingest.chunking import ChunkRules
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.jobs import IngestJobs
from pincite.ingest.reembedding import Reembedder
from pincite.ingest.removing import CollectionRemoval
from pincite.ingest.rereading import Rereader
from pincite.retrieval.locator import StoredLocator
from pincite.retrieval.pages import StoredPages
from pincite.retrieval.searcher import Searcher
from pincite.settings import Settings
from pincite.upkeep.backups import INDEX, STAGING, Backups
from pincite.upkeep.checks import Checks
from pincite.upkeep.close_look import CloseLook
from pincite.upkeep.file_checks import AsideCheck, BytesCheck, MirrorCheck, StrayCheck
from pincite.upkeep.manifest import DATABASE
from pincite.upkeep.row_checks import DatabaseCheck, DocumentCheck, ParentCheck, QuoteCheck, VectorCheck

BLOBS = "blobs"
LOCAL_WORKSPACE = WorkspaceId("00000000-0000-7000-8000-000000000001")
"""The workspace of an installation without accounts."""


@runtime_checkable
class Closable(Protocol):
    """A model that keeps connections."""

    async def aclose(self) -> None:
        """Close them."""
        ...


class Models:
    """The models of an installation, loaded when first needed."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._learnt = settings.embedding in ("none", "local")

    @cached_property
    def embedding(self) -> EmbeddingModel | None:
        """Return the configured embedding model; None when search is by words alone."""
        name = self._settings.embedding
        if name == "none":
            return None
        if name == "local":
            return _local_embedding(self._settings.home_path / "cache")
        if name.startswith("openai:"):
            return _openai_embedding(self._settings, name.removeprefix("openai:"))
        return _folder_embedding(Path(name).expanduser())

    def embedding_of(self, collection: Collection) -> EmbeddingModel | None:
        """Return the model that a collection is embedded with. Raises `ModelChangedError` when another one is configured."""
        if collection.embedding is None:
            return None
        model = self.embedding
        if model is None or model.spec.model_id != collection.embedding.model_id:
            raise ModelChangedError(_model_changed(collection.name, collection.embedding, model))
        return model

    def chosen(self) -> EmbeddingModel | None:
        """Return the model that collections are brought to; None only when words alone were chosen.

        Raises `ConfigurationError` where the local model isn't installed.
        """
        if self.embedding is None and self._settings.embedding != "none":
            raise ConfigurationError(
                "The local embedding model isn't installed here, so no collection can be brought to it. Set PINCITE_EMBEDDING to "
                "another model, or to `none` to search by words alone.",
                code="no_local_model",
            )
        return self.embedding

    async def learn(self) -> None:
        """Learn the size of a served embedding model's vectors, which takes a request, before somebody has to wait for it.

        Raises as its `spec`. The event loop isn't held up meanwhile.
        """
        if not self._learnt:
            await asyncio.to_thread(lambda: self.embedding and self.embedding.spec)
            self._learnt = True

    async def aclose(self) -> None:
        """Close the connections to providers."""
        for model in (vars(self).get("embedding"), vars(self).get("chat")):
            if isinstance(model, Closable):
                await model.aclose()

    @property
    def evidence(self) -> EvidenceRule:
        """Return the rule by which the embedding model's scores count as evidence."""
        return rule_for(self.embedding.spec.name if self.embedding else None)

    @cached_property
    def chat(self) -> ChatModel:
        """Return the configured chat model."""
        settings = self._settings
        if settings.chat == "extractive":
            return ExtractiveChatModel(self.embedding)
        from pincite.adapters.models.openai_chat import OpenAIChatModel

        return OpenAIChatModel(
            settings.chat_model,
            settings.openai_api_key or None,
            settings.openai_base_url or None,
            protocol="responses" if settings.chat == "openai" else "chat",
            timeout_s=settings.chat_request_timeout_seconds,
            connect_timeout_s=settings.chat_connect_timeout_seconds,
            first_token_timeout_s=settings.chat_first_token_timeout_seconds,
            silence_timeout_s=settings.chat_silence_timeout_seconds,
            max_output_tokens=settings.chat_max_output_tokens,
        )


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
    workspace_id: WorkspaceId

    def engine(self, llm: ChatModel | None = None) -> QueryEngine:
        """Return the answering path, with the configured chat model unless another is given."""
        return QueryEngine(
            self.searcher,
            llm or self.models.chat,
            locator=self.locator,
            recorder=self.recorder,
            evidence=self.models.evidence,
            max_context_characters=self.settings.chat_max_context_characters,
            log=self.query_log,
        )

    async def collection(self, name: str, *, create: bool = False) -> Collection:
        """Return a collection by name. Raises `NotFoundError` unless it may be created."""
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
    from pincite.adapters.sql.store import open_store

    home = _home(settings)
    store = open_store(home / DATABASE)
    blobs = DiskBlobs(home / BLOBS)
    parser = _parser(settings)
    models = Models(settings)
    dense, lexical = MappedDenseIndex(home / INDEX, store.changes), TantivyIndex(home / INDEX, store.changes)
    ingestor = Ingestor(store, blobs, parser, LOCAL_WORKSPACE, _rules(settings), models.embedding_of)
    return Services(
        settings=settings,
        store=store,
        changes=store.changes,
        blobs=blobs,
        parser=parser,
        models=models,
        ingestor=ingestor,
        searcher=Searcher(store, dense, lexical, models.embedding_of, LOCAL_WORKSPACE),
        reembedder=Reembedder(store, store.changes, dense, LOCAL_WORKSPACE),
        locator=StoredLocator(store, blobs, parser, LOCAL_WORKSPACE),
        pages=StoredPages(store, blobs, parser, LOCAL_WORKSPACE),
        recorder=StoredRecorder(store, LOCAL_WORKSPACE),
        query_log=StoredQueryLog(store, LOCAL_WORKSPACE),
        credentials=store.credentials,
        queue=store.queue,
        ingest_jobs=IngestJobs(store, ingestor, LOCAL_WORKSPACE, models.embedding_of),
        removal=CollectionRemoval(store, blobs, dense, lexical),
        workspace_id=LOCAL_WORKSPACE,
    )


def _parser(settings: Settings) -> Parser:
    from pincite.adapters.parsers.isolation import IsolatedParser, ParseLimits

    limits = ParseLimits(
        timeout_s=settings.parse_timeout_s,
        memory_bytes=settings.parse_memory_mb * 1_000_000,
        file_bytes=settings.max_file_bytes,
        pages=settings.max_pages,
    )
    return IsolatedParser(limits)


def _model_changed(collection: str, has: EmbeddingSpec, model: EmbeddingModel | None) -> str:
    configured = f"{model.spec.name} (revision {model.spec.revision})" if model else "none"
    return (
        f"Collection {collection!r} is embedded with {has.name} (revision {has.revision}); PINCITE_EMBEDDING here means "
        f"{configured}. To bring the collection to that, run `pincite reembed --collection {quote(collection)}`. If it was brought "
        "to another model elsewhere, set PINCITE_EMBEDDING to that one here too."
    )


def _rules(settings: Settings) -> ChunkRules:
    return ChunkRules(settings.chunk_tokens, settings.chunk_overlap_percent)


def backups(settings: Settings) -> Backups:
    """Build what backs the installation up and restores it. The store isn't opened. Raises `StoreError` without a usable home."""
    from importlib.metadata import version

    from pincite.adapters.archives.tar import TarArchives
    from pincite.adapters.blobs.disk import DiskBlobs
    from pincite.adapters.sql.file import SqliteFile

    home = _home(settings)
    return Backups(home, SqliteFile(home / DATABASE), DiskBlobs(home / BLOBS), TarArchives(), version("pincite"))


def checks(settings: Settings) -> Checks:
    """Build what checks that rows and files fit together. Raises `StoreError` without a usable home."""
    parts = backups(settings)
    return Checks(parts.file, parts.blobs)


def close_look(services: Services) -> CloseLook:
    """Build what looks closely at all that is kept, and mends it."""
    from pincite.adapters.blobs.care import DiskBlobCare
    from pincite.adapters.home.care import DiskHomeCare
    from pincite.adapters.index.care import vector_care, word_care
    from pincite.adapters.sql.care import SqliteCare

    home, file = services.settings.home_path, checks(services.settings).file
    rows, bytes_ = SqliteCare(home / DATABASE), DiskBlobCare(home / BLOBS)
    place = DiskHomeCare(home, staging=STAGING, index=INDEX, database=DATABASE)
    changes = services.changes
    mirrors = {"words": word_care(home / INDEX, changes), "vectors": vector_care(home / INDEX, changes)}
    rereader = Rereader(services.store, services.ingestor, services.workspace_id, services.models.embedding_of)

    async def embed(collection_id: CollectionId) -> int:
        async with services.store.open(services.workspace_id) as work:
            collection = await work.collections.get(collection_id)
        return await services.reembedder.complete(collection_id, services.models.embedding_of(collection) if collection else None)

    return CloseLook(
        (
            DatabaseCheck(rows, place),
            ParentCheck(rows),
            BytesCheck(file, rows, services.blobs, bytes_),
            StrayCheck(file, services.blobs, bytes_, place),
            DocumentCheck(rows, bytes_, rereader.read),
            VectorCheck(rows, embed),
            QuoteCheck(rows),
            MirrorCheck(rows, place, mirrors),
            AsideCheck(place),
        )
    )


def _home(settings: Settings) -> Path:
    home = settings.home_path
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The folder {home} can't be used ({error.strerror}). Set PINCITE_HOME to one that can.", code="home"
        ) from error
    return home


def _local_embedding(cache: Path) -> EmbeddingModel | None:
    """Load the local model. Where its weights don't install, search by words alone and say what else there is."""
    from pincite.adapters.models.e5 import load_local_model

    try:
        return load_local_model(cache)
    except ConfigurationError as error:
        if error.code != "no_local_model":
            raise
        logging.getLogger("pincite").warning(error.message)
        return None


def _openai_embedding(settings: Settings, model: str) -> EmbeddingModel:
    from pincite.adapters.models.openai_embeddings import OpenAIEmbedding

    return OpenAIEmbedding(
        model,
        settings.openai_api_key or None,
        settings.openai_base_url or None,
        dimensions=settings.embedding_dimensions or None,
    )


def _folder_embedding(folder: Path) -> EmbeddingModel:
    from pincite.adapters.models.onnx_folder import OnnxFolderEmbedding

    if not folder.is_dir():
        raise ConfigurationError(
            f"PINCITE_EMBEDDING is {str(folder)!r}, which is neither `local`, `none`, `openai:MODEL` nor a folder that exists."
        )
    return OnnxFolderEmbedding(folder)


def evaluator(settings: Settings) -> Evaluator:
    """Build what measures retrieval and abstention: each run in a store of its own, with vectors cached between runs."""
    from pincite.adapters.models.cached import CachedEmbedding

    models = Models(settings)
    cache = _home(settings) / "cache"
    inner = models.embedding
    embedding = CachedEmbedding(inner, cache) if inner else None

    @asynccontextmanager
    async def open_bench() -> AsyncGenerator[Bench, None]:
        from pincite.adapters.index.dense import MappedDenseIndex
        from pincite.adapters.index.lexical import TantivyIndex
        from pincite.adapters.sql.store import open_store

        with tempfile.TemporaryDirectory(prefix="pincite-eval-") as folder:
            store = open_store(Path(folder) / "pincite.db")
            dense, lexical = MappedDenseIndex(Path(folder), store.changes), TantivyIndex(Path(folder), store.changes)
            try:
                yield Bench(store, Searcher(store, dense, lexical, lambda _: embedding, LOCAL_WORKSPACE), LOCAL_WORKSPACE)
            finally:
                await store.close()

    return Evaluator(open_bench, embedding, _rules(settings), models.evidence)
