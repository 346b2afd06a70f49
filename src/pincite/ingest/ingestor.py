"""Takes files in: keeps the bytes, reads them in isolation, cuts, embeds and publishes them."""

import asyncio
from collections.abc import Callable, Sequence
from collections.abc import Collection as Many
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import count

from pincite.core.documents import Collection, Document, ParsedDocument, Reason, Stage
from pincite.core.errors import ErrorKind, ModelChangedError, NotFoundError, PinciteError, StoreError
from pincite.core.files import FileState
from pincite.core.ids import DocumentId, WorkspaceId
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.metering import Metering
from pincite.core.ports.models import EmbeddingModel
from pincite.core.ports.ocr import PageNotes
from pincite.core.ports.parsing import REFUSALS, ParseProgress, Parser
from pincite.core.ports.store import Store
from pincite.ingest.arrivals import Arrival, free_path, is_refused, renamed
from pincite.ingest.blob_keeping import forget
from pincite.ingest.charging import settle
from pincite.ingest.chunking import ChunkRules
from pincite.ingest.contents import Contents, move_contents, remove_with_contents
from pincite.ingest.describing import Vision
from pincite.ingest.embedding import Embedder
from pincite.ingest.families import contents_of
from pincite.ingest.figures import MAX_FIGURES
from pincite.ingest.illustrating import Illustrator
from pincite.ingest.overtaking import is_overtaken, outcome
from pincite.ingest.page_notes import DocumentNotes
from pincite.ingest.picture_text import PictureText
from pincite.ingest.publishing import KEEP_CHARACTERS, Follow, OvertakenError, Publisher, ReadElsewhereError, Reading, reading_of
from pincite.ingest.queueing import begin
from pincite.ingest.receiving import Receiver
from pincite.ingest.reporting import ProgressListener, Reports, reported, unheard
from pincite.ingest.turns import GaveWayError, Turn, never

MODELS = 3
"""Embedding models that a collection may come to while one document is on its way."""

_OF_THE_FILE = {ErrorKind.REFUSED, ErrorKind.CONFLICT, ErrorKind.NOT_FOUND}
"""Errors that concern one file alone; others would meet the next file too."""


@dataclass(frozen=True)
class Ingestor:
    """Receives documents (bytes and row are durable) and processes them (pending → … → ready or failed)."""

    store: Store
    blobs: BlobStore
    parser: Parser
    workspace_id: WorkspaceId
    rules: ChunkRules = ChunkRules()
    embedding_of: Callable[[Collection], EmbeddingModel | None] | None = None
    """Names the model of a collection that has come to another one while a document was on its way; without, that one fails."""
    metering: Metering | None = None
    """Charges attempts for what they embed; without, nothing is charged."""
    max_figures: int = MAX_FIGURES
    picture_text: PictureText | None = None
    """Reads the text in pictures; without, nothing does."""
    vision: Vision | None = None
    """Describes pictures; without, they are told of by the document's words alone."""
    reads_as: str = ""
    """Fingerprint of how files are read: bytes that were refused are read again when it has changed; without, always."""
    follow: Follow | None = None

    async def receive(self, collection: Collection, arrival: Arrival, *, free_paths: Sequence[str] = ()) -> Document:
        """Store the bytes and the document row. Equal bytes at a path that is ready are left as they are.

        So are those that were refused, as long as files are read as they were then.

        The document at the arrival's path is replaced. With `free_paths`, it is the one of them that has the same address, else
        the first that no document has. Raises `ConflictError` when other addresses have them all, and the `OSError` of a file
        that can't be read.
        """
        receiver = Receiver(self.store, self.blobs, self.workspace_id, self.metering, self.reads_as)
        return await receiver.receive(collection, arrival, free_paths=free_paths)

    async def process(
        self,
        document: Document,
        embedding: EmbeddingModel | None,
        *,
        name: str = "",
        title: str = "",
        on_progress: ProgressListener = unheard,
        is_queued: bool = False,
        is_anew: bool = False,
        gives_way: Turn = never,
    ) -> Document:
        """Bring a received document to `ready`, or to `failed` with its reason. Returns the document as it then is.

        The files inside it are brought to their ends before it is ready; with `is_queued` they are put into the queue. What is
        stored of the document is taken up, unless `is_anew` asks to read it again. One that `gives_way` before its vectors are
        made comes back `embedding`, to be processed again.

        `embedding` is the model of its collection; when the collection comes to another one meanwhile, `embedding_of` names that.
        Raises `StoreError`, `UpstreamError` and `ModelChangedError`: they don't concern this document alone. These, and a
        cancellation, leave it `failed` with what happened, unless the store can't be written.
        """
        if document.stage is Stage.READY or (is_refused(document, self.reads_as) and not is_anew):
            return document
        async with reported(self.store, self.workspace_id, document, on_progress) as reports:
            run = _Run(document, name or document.path, title, embedding, reports, is_queued, is_anew, gives_way)
            try:
                async with self.illustrator.forgetting(document) as figures:
                    return await self._process(run, figures)
            except OvertakenError as overtaken:
                return overtaken.document
            except GaveWayError:
                return await self._put_aside(run)
            except PinciteError as error:
                return await self._failed(run, error)
            except asyncio.CancelledError:
                with suppress(StoreError):
                    await asyncio.shield(self._fail(run, _STOPPED))
                raise

    async def _process(self, run: "_Run", figures: set[str]) -> Document:
        document = run.document
        reading = await (self._read_anew if run.is_anew else self._read)(run)
        path = await self.blobs.local_path(document.sha256)
        if document.stage is not Stage.EMBEDDING or not reading.is_stored:  # else they were kept before it was put aside
            await self._contents.keep(document, path, name=run.name, count=reading.version.contained)
        reading = await self.illustrator.take(reading, path, name=run.name)
        figures.update(figure.sha256 for figure in reading.figures)
        reading = await self.illustrator.read(reading, reports=run.reports, notes_of=partial(self._notes, run))
        reading = await self._kept(document, reading)
        are_aside = await self._process_contents(run)
        reading = await self._described(run, reading)
        done = await self._publish(run, reading, words_alone=are_aside)
        await self.illustrator.restore(reading, path, name=run.name)
        if are_aside:
            raise GaveWayError
        return done

    async def _put_aside(self, run: "_Run") -> Document:
        """Keep how far a document is. Returns it as it is."""
        async with self.store.open(self.workspace_id) as work:
            await run.reports.pause(work)
            current = await work.documents.get(run.document.id)
            await work.commit()
        return outcome(run.document, current) if current is None or is_overtaken(run.document, current) else current

    async def break_off(self, documents: Sequence[Document]) -> None:
        """Let documents fail that were put aside, with those inside them, and that nobody goes on with."""
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            for document in [inner for each in documents for inner in (each, *await contents_of(work, each))]:
                current = await work.documents.get(document.id)
                if current and current.stage is Stage.EMBEDDING and current.sha256 == document.sha256:
                    await work.documents.save(replace(current, stage=Stage.FAILED, reason=_STOPPED, updated_at=datetime.now(UTC)))
                    await settle(work, self.metering, current)
            await work.commit()

    async def _failed(self, run: "_Run", error: PinciteError) -> Document:
        """Keep why a document failed. Raises the error if other files would meet it too."""
        if error.kind in _OF_THE_FILE and not isinstance(error, ModelChangedError):
            return await self._fail(run, _reason_of(error), is_over=True)
        # Whoever is too busy to publish is too busy for this; and a failing disk must not hide the error that came first.
        if error.code != "store_busy":
            with suppress(StoreError):
                await self._fail(run, _reason_of(error))
        raise error

    @property
    def _publisher(self) -> Publisher:
        embedder = Embedder(self.store, self.workspace_id, self.rules)
        return Publisher(self.store, self.workspace_id, embedder, self.metering, self.follow)

    async def _described(self, run: "_Run", reading: Reading) -> Reading:
        """Have a model describe the pictures of a document, which is found by its words meanwhile."""

        async def show(reading: Reading) -> Reading:
            stored = reading if reading.is_stored else await self._publisher.keep(run.document, reading)
            if stored.canonical.text:
                await self._publish(run, stored, words_alone=True)
            return await self._publisher.again(stored)

        return await self.illustrator.describe(run.document, reading, reports=run.reports, gives_way=run.gives_way, show=show)

    async def _publish(self, run: "_Run", reading: Reading, *, words_alone: bool = False) -> Document:
        """Publish with the model that the collection has; again when it comes to another one, or others read the same bytes."""
        embedding = run.embedding
        for turn in count():
            embedding = await self._model_of(run.document, embedding)
            try:
                done = await self._publisher.publish(
                    run.document,
                    reading,
                    embedding,
                    title=run.title,
                    reports=run.reports,
                    gives_way=run.gives_way,
                    words_alone=words_alone,
                    is_queued=run.is_queued,
                )
            except ReadElsewhereError as elsewhere:
                reading = elsewhere.instead(reading)
            except ModelChangedError:
                if self.embedding_of is None or turn == MODELS:
                    raise
                # What is stored of it by now was cut for the other model.
                reading = await self._publisher.again(reading)
            else:
                if not words_alone:
                    run.reports.hear(Stage.READY, done.chunks, done.chunks)
                return done
        raise AssertionError

    async def _read(self, run: "_Run") -> Reading:
        """Return what was read of a document before, else read it."""
        stored = await self._publisher.stored(run.document, run.name, self.parser)
        return stored or reading_of(run.document, await self._parse(run), run.name)

    async def _read_anew(self, run: "_Run") -> Reading:
        return replace(reading_of(run.document, await self._parse(run), run.name), is_anew=True)

    @property
    def illustrator(self) -> Illustrator:
        """Return what keeps the pictures of the workspace's documents."""
        return Illustrator(
            self.store, self.blobs, self.parser, self.workspace_id, self.max_figures, self.picture_text, self.vision, self.metering
        )

    async def _kept(self, document: Document, reading: Reading) -> Reading:
        """Store a text that was long to read before anything else is done with it."""
        if reading.is_stored or len(reading.canonical.text) < KEEP_CHARACTERS:
            return reading
        return await self._publisher.keep(document, reading)

    async def _parse(self, run: "_Run") -> ParsedDocument:
        def report(progress: ParseProgress) -> None:
            run.reports.hear(Stage.PARSING, progress.pages_done, progress.pages_total)

        run.reports.hear(Stage.PARSING)
        path = await self.blobs.local_path(run.document.sha256)
        return await self.parser.parse(path, name=run.name, on_progress=report, notes=self._notes(run, run.document.sha256))

    def _notes(self, run: "_Run", sha256: str) -> PageNotes | None:
        """Return where pages of a document's file or pictures are noted; what is to be read again isn't taken from notes."""
        return None if run.is_anew else DocumentNotes(self._publisher, run.document, sha256, run.gives_way)

    @property
    def _contents(self) -> Contents:
        return Contents(self.store, self.blobs, self.parser, self.workspace_id, self.metering)

    async def contents(self, document: Document) -> list[Document]:
        """Return the documents of the files inside a document's, on every level, by path."""
        async with self.store.open(self.workspace_id) as work:
            return sorted(await contents_of(work, document), key=lambda each: each.path)

    async def _process_contents(self, run: "_Run") -> bool:
        """Read the files inside a document, or let them be read. One that fails doesn't stop the others.

        Says whether some were put aside: then the document can't be ready yet.
        """
        inner = await self._contents.unfinished(run.document)
        if not inner:
            return False
        await self._contents.begin(run.document, is_queued=run.is_queued)
        own = inner if not run.is_queued else ()
        done = [await self.process(each, run.embedding, gives_way=run.gives_way) for each in own]
        return any(each.stage is Stage.EMBEDDING for each in done)

    async def _model_of(self, document: Document, known: EmbeddingModel | None) -> EmbeddingModel | None:
        """Return the model of the document's collection: the one that is known, unless the collection has another by now."""
        if self.embedding_of is None:
            return known
        async with self.store.open(self.workspace_id) as work:
            collection = await work.collections.get(document.collection_id)
        if collection is None or collection.model_id == (known.spec.model_id if known else ""):
            return known
        return self.embedding_of(collection)

    async def _fail(self, run: "_Run", reason: Reason, *, is_over: bool = False) -> Document:
        """Keep the reason, unless the document isn't ours any more. An earlier version stays searchable.

        The attempt is over, and charged for, if no other try can follow: what is in the queue is tried again unless `is_over`.
        """
        document = run.document
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            current = await work.documents.get(document.id)
            if current is None or is_overtaken(document, current):
                return outcome(document, current)
            searched = await work.versions.get(current.version_id) if current.version_id else None
            if searched:
                meanwhile = _BY_WORDS if searched.sha256 == current.sha256 else _EARLIER
                reason = replace(reason, message=f"{reason.message} {meanwhile}")
            refused_by = self.reads_as if reason.code in REFUSALS else ""
            failed = replace(current, stage=Stage.FAILED, reason=reason, refused_by=refused_by, updated_at=datetime.now(UTC))
            await work.documents.save(failed)
            await run.reports.end(work, Stage.FAILED)
            if is_over or not run.is_queued:
                await settle(work, self.metering, failed)
            await work.commit()
        if not run.is_queued:
            await self.break_off(await self.contents(failed))
        return failed

    async def move(self, document_id: DocumentId, address: str, state: FileState, *, paths: Sequence[str]) -> Document:
        """Give a document another path and address: `paths[0]`, or the next of them that is free. Nothing is embedded.

        A title that was the file's name becomes its new one. A name of another kind may mean another way to read the bytes: then
        the document comes back pending, to be processed. Raises `NotFoundError` and `ConflictError`.
        """
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            document = await work.documents.get(document_id)
            if document is None:
                raise NotFoundError("There is no such document.")
            moved = renamed(document, await free_path(work, document, paths), address)
            save = work.documents.save if moved.title == document.title else work.chunks.retitle
            await save(moved)
            await move_contents(work, document, moved)
            await work.files.remember({document_id: replace(state, sha256=document.sha256)})
            if moved.stage is Stage.PENDING:
                await begin(work, self.metering, moved)
            await work.commit()
        return moved

    async def remove(self, *document_ids: DocumentId) -> None:
        """Make documents, with all inside them, unfindable at once and delete their rows, and bytes that nothing else has.

        What answers cite of them is kept as evidence. Raises `NotFoundError` when there is no such document, `ConflictError`
        (`held`) for one on hold; then nothing is changed.
        """
        hashes: set[str] = set()
        async with self.store.open(self.workspace_id) as work:
            await work.lock()
            for document_id in document_ids:
                document = await work.documents.get(document_id)
                if document is None:
                    raise NotFoundError("There is no such document.")
                hashes |= await remove_with_contents(work, self.metering, document)
            await work.commit()
        # The documents are gone, and not to be looked for again because their bytes couldn't be deleted right away.
        with suppress(StoreError):
            await self._forget(hashes)

    async def _forget(self, hashes: Many[str]) -> None:
        await forget(self.store, self.blobs, self.workspace_id, hashes)


@dataclass(frozen=True, slots=True)
class _Run:
    """One try to bring a document to its end."""

    document: Document
    name: str
    title: str
    embedding: EmbeddingModel | None
    reports: Reports
    is_queued: bool
    is_anew: bool
    gives_way: Turn


_EARLIER = "The earlier version is still searched."
_BY_WORDS = "It is searched meanwhile, partly by its words alone."
_STOPPED = Reason("stopped", "Adding was stopped before the file was done. Add it again.")


def _reason_of(error: PinciteError) -> Reason:
    if error.kind is ErrorKind.NOT_FOUND:
        return Reason("unreadable", f"{error.message} Add the file again.")
    return Reason(error.code, error.message)
