"""From what was read to a document that is found: first by its words, then, vector by vector, by its meaning."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

from pincite.core.documents import CanonicalText, Chunk, Document, ParsedDocument, Stage, Version
from pincite.core.errors import PinciteError, RefusedInput
from pincite.core.figures import Figure, FigurePlace
from pincite.core.ids import ChunkId, CollectionId, VersionId, WorkspaceId, new_id
from pincite.core.ports.metering import Metering
from pincite.core.ports.models import EmbeddingModel, Vector
from pincite.core.ports.parsing import Parser
from pincite.core.ports.store import Store, UnitOfWork
from pincite.ingest.charging import settle
from pincite.ingest.embedding import Cut, Embedder, embed, tokens_of
from pincite.ingest.naming import printable
from pincite.ingest.overtaking import is_overtaken, outcome
from pincite.ingest.reporting import Reports
from pincite.ingest.summarising import begin_summaries
from pincite.ingest.turns import GaveWayError, GivesWay

KEEP_CHARACTERS = 50_000
"""Texts from this length on are kept as soon as they are read; shorter ones are read again sooner than committed twice."""

FOLLOWED_CHUNKS = 1_000
"""A document of so many chunks brings the indexes up to date itself."""

Follow = Callable[[WorkspaceId, CollectionId], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Reading:
    """A version with its text and figures. `is_stored`: the store has all of it. `is_anew`: it replaces one like it.

    `places` are figures whose bytes haven't been taken out of the file yet. `remarks` are sentences about what of it couldn't be
    told, beside those of the parser.
    """

    version: Version
    canonical: CanonicalText
    figures: tuple[Figure, ...] = ()
    places: tuple[FigurePlace, ...] = ()
    is_stored: bool = False
    is_anew: bool = False
    remarks: tuple[str, ...] = ()


class ReadElsewhereError(Exception):
    """Somebody else has stored what was read of the same bytes meanwhile, as `version` with `figures`: go on with that."""

    def __init__(self, version: Version, figures: Sequence[Figure]) -> None:
        super().__init__()
        self.version = version
        self.figures = tuple(figures)

    def instead(self, reading: Reading) -> Reading:
        """Return what is stored in place of a reading."""
        return replace(reading, version=self.version, figures=self.figures, is_stored=True)


class OvertakenError(Exception):
    """The document isn't ours any more. `document` is what became of it."""

    def __init__(self, document: Document) -> None:
        super().__init__()
        self.document = document


def reading_of(document: Document, parsed: ParsedDocument, name: str) -> Reading:
    """Return what was read of a document under a name."""
    version = Version(
        id=VersionId(new_id()),
        document_id=document.id,
        sha256=document.sha256,
        size_bytes=document.size_bytes,
        content_type=parsed.content_type,
        parser=parsed.parser,
        parser_version=parsed.parser_version,
        created_at=datetime.now(UTC),
        read_as=suffix_of(name),
        title=parsed.title or "",
        pages_unread=parsed.pages_unread,
        meta=parsed.meta,
        doc_date=parsed.doc_date,
        contained=parsed.contained,
        warnings=parsed.warnings,
    )
    return Reading(version, parsed.canonical, places=parsed.figures)


def suffix_of(name: str) -> str:
    """Return what of a file's name says how to read it."""
    return PurePosixPath(name).suffix.lower()


@dataclass(frozen=True)
class Publisher:
    """Brings what was read of a document to where it is found. Each step is committed, and not done again."""

    store: Store
    workspace_id: WorkspaceId
    embedder: Embedder
    metering: Metering | None = None
    follow: Follow | None = None
    """Brings the indexes up to date with a collection, after long documents: whoever searches first shouldn't have to wait."""

    async def stored(self, document: Document, name: str, parser: Parser) -> Reading | None:
        """Return what was read before of the document's bytes, under such a name and by a parser that hasn't changed since."""
        async with self.store.open(self.workspace_id) as work:
            versions = await work.versions.of_document(document.id)
            fitting = [each for each in versions if each.sha256 == document.sha256 and each.read_as == suffix_of(name)]
        for version in reversed(fitting):
            if await parser.version_of(version.parser) == version.parser_version:
                async with self.store.open(self.workspace_id) as work:
                    canonical = await work.versions.canonical(version.id)
                    figures = await work.figures.of_version(version.id)
                if canonical:
                    return Reading(version, canonical, tuple(figures), is_stored=True)
        return None

    async def followed(self, document: Document, *, chunks: int) -> None:
        """Bring the indexes up to date when a document of so many chunks is worth it. What goes wrong is left to who searches."""
        if self.follow and chunks >= FOLLOWED_CHUNKS:
            with suppress(PinciteError):
                await self.follow(self.workspace_id, document.collection_id)

    async def again(self, reading: Reading) -> Reading:
        """Return what was read with what the store says of it by now."""
        async with self.store.open(self.workspace_id) as work:
            version = await work.versions.get(reading.version.id)
        return replace(reading, version=version, is_stored=True) if version else replace(reading, is_stored=False)

    async def keep(self, document: Document, reading: Reading) -> Reading:
        """Store what was read, so that it needn't be read again. Raises `OvertakenError`."""
        try:
            async with self.ours(document) as (work, _):
                await _add(work, reading)
                await work.commit()
        except ReadElsewhereError as elsewhere:
            return elsewhere.instead(reading)
        return replace(reading, is_stored=True)

    async def publish(
        self,
        document: Document,
        reading: Reading,
        embedding: EmbeddingModel | None,
        *,
        title: str,
        reports: Reports,
        gives_way: GivesWay,
        words_alone: bool = False,
        is_queued: bool = False,
    ) -> Document:
        """Let a document be found, by its words as soon as they are cut, and return it when it is ready.

        A first version is searched while its vectors are made. A changed one takes the place of the one before when it is whole.
        With `words_alone` it is not made ready: something is still to be added to a stored version, which is found meanwhile.
        Raises `RefusedInput`, `ModelChangedError`, `UpstreamError`, `StoreError`, `OvertakenError`, `ReadElsewhereError`; and
        `GaveWayError` when others go first, between two batches of vectors. With `is_queued` whoever takes the job summarises it.
        """
        shown = printable(title or reading.version.title) or document.title
        reports.hear(Stage.CHUNKING)
        cut = await self.embedder.cut(
            reading.version,
            reading.canonical,
            reading.figures,
            embedding,
            title=shown,
            on_cut=lambda done: reports.hear(Stage.CHUNKING, done),
        )
        if not cut.chunks:
            raise _without_text(reading)
        run = _Run(self, document, reading, cut, embedding, shown, reports, is_queued)
        if words_alone:
            return await run.words()
        if cut.are_stored or any(True for _ in cut.batches()):
            return await run.step_by_step(gives_way)
        return await run.at_once()

    @asynccontextmanager
    async def ours(self, document: Document) -> AsyncGenerator[tuple[UnitOfWork, Document]]:
        """Open a unit of work in which nobody else changes the document. Raises `OvertakenError` when somebody has."""
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            current = await work.documents.get(document.id)
            if current is None or is_overtaken(document, current):
                raise OvertakenError(outcome(document, current))
            yield work, current


@dataclass(frozen=True, slots=True)
class _Batch:
    """Vectors that are to be stored, and the tokens that making them took."""

    vectors: Mapping[ChunkId, Vector]
    tokens: int = 0


@dataclass(frozen=True)
class _Run:
    """The publication of one version."""

    publisher: Publisher
    document: Document
    reading: Reading
    cut: Cut
    embedding: EmbeddingModel | None
    title: str
    reports: Reports
    is_queued: bool

    @property
    def _version(self) -> Version:
        return self.reading.version

    @property
    def _model_id(self) -> str:
        return self.embedding.spec.model_id if self.embedding else ""

    async def words(self) -> Document:
        """Store the chunks, to be found by their words where nothing else of the document is found yet."""
        await self._store()
        return self.document

    async def at_once(self) -> Document:
        """Publish chunks whose vectors are all known, in one step."""
        async with self.publisher.ours(self.document) as (work, current):
            ready = self._searched(current, Stage.READY)
            await self._add_version(work)
            await work.chunks.publish(ready, self.cut.chunks, self.cut.vectors, model_id=self._model_id)
            await self._end(work, ready)
            await work.commit()
        await self._followed()
        return ready

    async def step_by_step(self, gives_way: GivesWay) -> Document:
        """Store the chunks, then their vectors, batch by batch, the last one together with the switch to `ready`."""
        done, total = len(self.cut.vectors), len(self.cut.chunks)
        self.reports.hear(Stage.EMBEDDING, done, total)
        await self._store()
        async with self._following():
            made = _Batch(self.cut.vectors if self.cut.are_stored else {})
            for batch in self.cut.batches():
                await self._fill(made)
                if await gives_way():
                    raise GaveWayError
                made = await self._made(batch)
                done += len(made.vectors)
                self.reports.hear(Stage.EMBEDDING, done, total)
        async with self.publisher.ours(self.document) as (work, current):
            ready = self._searched(current, Stage.READY)
            await self._put(work, current, made)
            await work.chunks.switch(ready, model_id=self._model_id)
            await self._end(work, ready)
            await work.commit()
        await self._followed()
        return ready

    async def _made(self, batch: Mapping[str, Sequence[Chunk]]) -> "_Batch":
        if self.embedding is None:
            return _Batch({})
        return _Batch(await embed(batch, self.embedding), tokens_of(batch, self.embedding))

    async def _followed(self) -> None:
        await self.publisher.followed(self.document, chunks=len(self.cut.chunks))

    @asynccontextmanager
    async def _following(self) -> AsyncGenerator[None]:
        """Bring the indexes up to date with the words while vectors are made, unless that is broken off."""
        following = asyncio.create_task(self._followed())
        try:
            yield
            await following
        finally:
            following.cancel()

    async def _store(self) -> None:
        """Store the chunks: those of a first version where they are found, those of a changed one beside the ones before."""
        async with self.publisher.ours(self.document) as (work, current):
            if self.cut.are_stored:
                await work.documents.save(replace(current, stage=Stage.EMBEDDING, updated_at=datetime.now(UTC)))
            else:
                await self._add_version(work)
                await self._store_chunks(work, current)
            await work.commit()

    async def _store_chunks(self, work: UnitOfWork, current: Document) -> None:
        searched = self._searched(current, Stage.EMBEDDING)
        if current.version_id in (None, self._version.id):
            await work.chunks.publish(searched, self.cut.chunks, self.cut.vectors, model_id=self._model_id)
        else:
            await work.chunks.keep(searched, self.cut.chunks, self.cut.vectors, model_id=self._model_id)
            await work.documents.save(replace(current, stage=Stage.EMBEDDING, updated_at=datetime.now(UTC)))

    async def _fill(self, made: "_Batch") -> None:
        if not made.vectors:
            return
        async with self.publisher.ours(self.document) as (work, current):
            await self._put(work, current, made)
            await work.commit()

    async def _put(self, work: UnitOfWork, current: Document, made: "_Batch") -> None:
        """Store vectors, and count what they took in the same transaction: no token is counted twice, and none is forgotten."""
        if made.vectors:
            await work.embeddings.fill(current.collection_id, made.vectors, model_id=self._model_id)
        if made.tokens:
            await work.ingestions.count_tokens(current.id, made.tokens)

    async def _end(self, work: UnitOfWork, ready: Document) -> None:
        await self.reports.end(work, Stage.READY, ready.chunks)
        await work.read_pages.drop(ready.id)
        await settle(work, self.publisher.metering, ready)
        await begin_summaries(work, self.publisher.metering, ready, is_queued=self.is_queued)

    async def _add_version(self, work: UnitOfWork) -> None:
        if self.reading.is_stored:
            await work.versions.cut(self._version.id, self.cut.chunking)
        else:
            await _add(work, replace(self.reading, version=replace(self._version, chunking=self.cut.chunking)))

    def _searched(self, current: Document, stage: Stage) -> Document:
        """Return the document as it is when this version is the one that is searched."""
        version, canonical, chunks = self._version, self.reading.canonical, self.cut.chunks
        return replace(
            current,
            title=self.title,
            content_type=version.content_type,
            stage=stage,
            reason=None,
            version_id=version.id,
            pages=len(canonical.pages),
            pages_unread=version.pages_unread,
            pages_ocr=len(canonical.pages_by_ocr),
            warnings=(*version.warnings, *self.reading.remarks),
            chunks=len(chunks),
            locale=chunks[0].lang,
            doc_date=version.doc_date,
            meta={**current.meta, **version.meta},
            updated_at=datetime.now(UTC),
        )


def _without_text(reading: Reading) -> RefusedInput:
    """Return why a document without chunks is refused. Where a model failed it isn't the file's fault, and may be tried again."""
    said = "No readable text was found in the file."
    if reading.remarks:
        return RefusedInput(" ".join((said, *reading.remarks)), code="not_described")
    where = " Its pictures hold none that OCR or a vision model can read here." if reading.figures else ""
    return RefusedInput(f"{said}{where}", code="no_text")


async def _add(work: UnitOfWork, reading: Reading) -> None:
    """Add what was read as the document's one draft, unless somebody else has read the same."""
    version = reading.version
    for other in await work.versions.of_document(version.document_id):
        if _key(other) == _key(version) and not reading.is_anew:
            raise ReadElsewhereError(other, await work.figures.of_version(other.id))
    await work.versions.drop_drafts(version.document_id)
    await work.versions.add(version, reading.canonical)
    await work.figures.add(reading.figures)


def _key(version: Version) -> tuple[str, str | None, str, str]:
    return version.sha256, version.read_as, version.parser, version.parser_version
