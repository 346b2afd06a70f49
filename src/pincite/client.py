"""The public face of the library: documents in, cited answers out."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from pincite.answering.engine import Ask
from pincite.answering.fold import fold
from pincite.answering.sources import group_sources
from pincite.bootstrap import Services, build
from pincite.core.answers import Answer, AnswerEvent, Span
from pincite.core.documents import CanonicalText, Collection, Document, Reason, Stage
from pincite.core.errors import NotFoundError, UsageError
from pincite.core.evidence import Filter, Query, Source, Strategy
from pincite.core.ids import DocumentId
from pincite.core.ports.models import ChatModel
from pincite.ingest.folders import FileToAdd, files_of
from pincite.ingest.ingestor import Arrival, Progress
from pincite.retrieval.find import occurrences
from pincite.settings import Settings, load_settings

T = TypeVar("T")

PARALLEL_FILES = 2
"""Files on their way at once: one is read while another is embedded."""

DEFAULT_COLLECTION = "default"


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one file: `stage` is `ready` or `failed`, and then `reason` says why."""

    source: str
    document_id: DocumentId
    stage: Stage
    reason: Reason | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as the command line prints it."""
        return {
            "source": self.source,
            "document_id": self.document_id,
            "stage": self.stage.value,
            "reason": self.reason.code if self.reason else None,
            "message": self.reason.message if self.reason else None,
        }


@dataclass(frozen=True, slots=True)
class Found:
    """One occurrence of a text in a document: offsets in the canonical text, and where it stands in the file."""

    text: str
    start: int
    end: int
    spans: tuple[Span, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the occurrence as the command line prints it."""
        return {"text": self.text, "start": self.start, "end": self.end, "spans": [span.as_dict() for span in self.spans]}


def _quiet(file: str, progress: Progress) -> None:
    """Listen to nothing."""


class Pincite:
    """An installation, opened for one collection. Use as an async context manager, or `Pincite.sync()` without async.

    `home` holds everything (default: PINCITE_HOME). `llm` replaces the configured chat model.
    """

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        collection: str = DEFAULT_COLLECTION,
        llm: ChatModel | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.settings = settings or load_settings(home=str(home) if home else None)
        self._collection_name = collection
        self._llm = llm
        self._services: Services | None = None

    @staticmethod
    def sync(
        home: str | Path | None = None,
        *,
        collection: str = DEFAULT_COLLECTION,
        llm: ChatModel | None = None,
        settings: Settings | None = None,
    ) -> "SyncPincite":
        """Return the same installation with plain, blocking methods."""
        return SyncPincite(Pincite(home, collection=collection, llm=llm, settings=settings))

    @property
    def services(self) -> Services:
        """Return the services, built when first needed."""
        if self._services is None:
            self._services = build(self.settings)
        return self._services

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def close(self) -> None:
        """Release files and processes."""
        if self._services is not None:
            await self._services.close()
            self._services = None

    async def collection(self, *, create: bool = False) -> Collection:
        """Return the collection that this client works on. Raises `NotFoundError`."""
        return await self.services.collection(self._collection_name, create=create)

    async def add(self, *paths: str | Path, on_progress: Callable[[str, Progress], None] = _quiet) -> list[Added]:
        """Add files, and the files in folders; returns what became of each. A file that fails doesn't stop the others.

        Raises `NotFoundError` for a path that isn't there, before anything is added.
        """
        files = files_of([Path(path) for path in paths])
        collection = await self.collection(create=True)
        gate = asyncio.Semaphore(PARALLEL_FILES)

        async def one(item: FileToAdd) -> Added:
            async with gate:
                return await self._add_file(collection, item, on_progress)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(one(item)) for item in files]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return [task.result() for task in tasks]

    async def add_text(self, text: str, *, path: str, title: str = "", source_uri: str = "") -> Added:
        """Add a text of your own under a path such as `notes/minutes.md`; the same path again replaces it."""
        services = self.services
        collection = await self.collection(create=True)
        blob = await services.blobs.put_bytes(text.encode())
        arrival = Arrival(path, source_uri or path, blob, title)
        document = await services.ingestor.receive(collection, arrival)
        done = await services.ingestor.process(document, services.models.embedding_of(collection), title=title)
        return Added(path, done.id, done.stage, done.reason)

    async def _add_file(self, collection: Collection, item: FileToAdd, on_progress: Callable[[str, Progress], None]) -> Added:
        services = self.services
        uri = item.file.resolve().as_uri()
        path = await self._free_path(collection, item, uri)
        blob = await services.blobs.put_file(item.file)
        document = await services.ingestor.receive(collection, Arrival(path, uri, blob))
        done = await services.ingestor.process(
            document,
            services.models.embedding_of(collection),
            name=item.file.name,
            on_progress=lambda progress: on_progress(str(item.file), progress),
        )
        return Added(str(item.file), done.id, done.stage, done.reason)

    async def _free_path(self, collection: Collection, item: FileToAdd, uri: str) -> str:
        """Return the shortest path that isn't another file's: its name, then its name with folders before it."""
        parts = item.file.resolve().parts
        path = item.path
        async with self.services.store.open(self.services.workspace_id) as work:
            for depth in range(path.count("/") + 2, len(parts) + 1):
                taken = await work.documents.at_path(collection.id, path)
                if taken is None or taken.source_uri == uri:
                    break
                path = "/".join(parts[-depth:])
        return path.lstrip("/")

    async def search(
        self, query: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> list[Source]:
        """Return the best passages as sources, one per page, best first."""
        text = query.strip()
        if not text:
            raise UsageError("The query is empty. Write what you are looking for.", code="query_empty")
        collection = await self.collection()
        found = await self.services.searcher.retrieve(
            Query(text, (collection.id,), filter or Filter(), limit=limit, strategy=Strategy(strategy))
        )
        return group_sources(found.passages)

    async def ask(
        self, question: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> Answer:
        """Return the answer with its sources, claims and citations: the fold of `stream`."""
        return await fold(self.stream(question, limit=limit, strategy=strategy, filter=filter))

    async def stream(
        self, question: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Yield a `SourcesChunk`, then `TokenChunk`s, then a `DoneChunk`."""
        collection = await self.collection()
        ask = Ask(question, (collection.id,), filter or Filter(), limit, Strategy(strategy))
        async with aclosing(self.services.engine(self._llm).stream(ask)) as events:
            async for event in events:
                yield event

    async def documents(self) -> list[Document]:
        """Return the collection's documents by path."""
        collection = await self.collection()
        found: list[Document] = []
        async with self.services.store.open(self.services.workspace_id) as work:
            while batch := await work.documents.list(collection.id, after_path=found[-1].path if found else ""):
                found.extend(batch)
        return found

    async def document(self, name: str) -> Document:
        """Return a document by id, path, file name or title. Raises `NotFoundError`, `UsageError` when several have the name."""
        documents = await self.documents()
        for key in (_by_id, _by_path, _by_address, _by_file_name, _by_title):
            matches = [document for document in documents if key(document, name)]
            if len(matches) > 1:
                paths = ", ".join(document.path for document in matches[:5])
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

    async def remove(self, name: str) -> Document:
        """Remove a document; it can't be found from then on. Stored answers keep the passages they cite."""
        document = await self.document(name)
        await self.services.ingestor.remove(document.id)
        return document


def _by_id(document: Document, name: str) -> bool:
    return document.id == name


def _by_path(document: Document, name: str) -> bool:
    return document.path == name


def _by_address(document: Document, name: str) -> bool:
    return document.source_uri in {name, Path(name).expanduser().resolve().as_uri()}


def _by_file_name(document: Document, name: str) -> bool:
    return document.path.rsplit("/", 1)[-1] == name.rsplit("/", 1)[-1]


def _by_title(document: Document, name: str) -> bool:
    return document.title.casefold() == name.casefold()


class SyncPincite:
    """`Pincite` with blocking methods: the same names, arguments and results. Use as a context manager, or call `close`."""

    def __init__(self, client: Pincite) -> None:
        self._client = client
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="pincite", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """Release files and processes."""
        if self._loop.is_closed():
            return
        self._run(self._client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def add(self, *paths: str | Path, on_progress: Callable[[str, Progress], None] = _quiet) -> list[Added]:
        """Add files, and the files in folders; returns what became of each."""
        return self._run(self._client.add(*paths, on_progress=on_progress))

    def add_text(self, text: str, *, path: str, title: str = "", source_uri: str = "") -> Added:
        """Add a text of your own under a path."""
        return self._run(self._client.add_text(text, path=path, title=title, source_uri=source_uri))

    def search(
        self, query: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> list[Source]:
        """Return the best passages as sources, one per page, best first."""
        return self._run(self._client.search(query, limit=limit, strategy=strategy, filter=filter))

    def ask(
        self, question: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> Answer:
        """Return the answer with its sources, claims and citations."""
        return self._run(self._client.ask(question, limit=limit, strategy=strategy, filter=filter))

    def stream(
        self, question: str, *, limit: int = 6, strategy: Strategy | str = Strategy.HYBRID, filter: Filter | None = None
    ) -> Iterator[AnswerEvent]:
        """Yield a `SourcesChunk`, then `TokenChunk`s, then a `DoneChunk`."""
        events = self._client.stream(question, limit=limit, strategy=strategy, filter=filter)
        try:
            while (event := self._run(_next(events))) is not None:
                yield event
        finally:
            self._run(events.aclose())

    def documents(self) -> list[Document]:
        """Return the collection's documents by path."""
        return self._run(self._client.documents())

    def find(self, name: str, text: str) -> list[Found]:
        """Return every occurrence of a text in a document, with pages and boxes."""
        return self._run(self._client.find(name, text))

    def remove(self, name: str) -> Document:
        """Remove a document."""
        return self._run(self._client.remove(name))


async def _next(events: AsyncGenerator[AnswerEvent, None]) -> AnswerEvent | None:
    return await anext(events, None)
