"""Takes files in: keeps the bytes, reads them in isolation, cuts, embeds and publishes them."""

import mimetypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath

from pincite.core.documents import Collection, Document, ParsedDocument, Reason, Stage, Version
from pincite.core.errors import ConflictError, ErrorKind, NotFoundError, PinciteError, RefusedInput
from pincite.core.ids import DocumentId, VersionId, WorkspaceId, new_id
from pincite.core.ports.blobs import Blob, BlobStore
from pincite.core.ports.models import EmbeddingModel
from pincite.core.ports.parsing import ParseProgress, Parser
from pincite.core.ports.store import Store, UnitOfWork
from pincite.ingest.chunking import ChunkRules
from pincite.ingest.embedding import Embedder
from pincite.ingest.naming import printable

CLAIM_ATTEMPTS = 20
"""Tries for a path while other writers take paths between our look and our write."""

_OF_THE_FILE = {ErrorKind.REFUSED, ErrorKind.CONFLICT, ErrorKind.NOT_FOUND}
"""Errors that concern one file alone; others would meet the next file too."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a document is: its stage, and units (pages, then chunks) done and in all (0 while unknown)."""

    document_id: DocumentId
    stage: Stage
    done: int = 0
    total: int = 0


ProgressListener = Callable[[Progress], None]


def _ignore(progress: Progress) -> None:
    """Listen to nothing."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """What comes in: the path it will have in the collection, its address, and its stored bytes."""

    path: str
    source_uri: str
    blob: Blob
    title: str = ""


@dataclass(frozen=True)
class Ingestor:
    """Receives documents (bytes and row are durable) and processes them (pending → … → ready or failed)."""

    store: Store
    blobs: BlobStore
    parser: Parser
    workspace_id: WorkspaceId
    rules: ChunkRules = ChunkRules()

    async def receive(self, collection: Collection, arrival: Arrival, *, free_paths: Sequence[str] = ()) -> Document:
        """Store the document row. Equal bytes at a path that is ready are left as they are.

        The document at the arrival's path is replaced. With `free_paths`, it is the one of them that has the same address, else
        the first that no document has. Raises `ConflictError` when other addresses have them all.
        """
        for _ in range(CLAIM_ATTEMPTS):
            try:
                return await self._claim(collection, arrival, free_paths)
            except ConflictError as error:
                # Another writer took the path between our look and our write: look again.
                if error.code == "paths_taken":
                    raise
        return await self._claim(collection, arrival, free_paths)

    async def _claim(self, collection: Collection, arrival: Arrival, free_paths: Sequence[str]) -> Document:
        async with self.store.open(self.workspace_id) as work:
            path, existing = await _place(work, collection, arrival, free_paths)
            if existing and existing.stage is Stage.READY and existing.sha256 == arrival.blob.sha256:
                return existing
            document = replace(
                existing or _new_document(collection, arrival, path),
                stage=Stage.PENDING,
                reason=None,
                updated_at=datetime.now(UTC),
                sha256=arrival.blob.sha256,
                size_bytes=arrival.blob.size_bytes,
            )
            await work.documents.save(document)
            await work.commit()
        return document

    async def process(
        self,
        document: Document,
        embedding: EmbeddingModel | None,
        *,
        name: str = "",
        title: str = "",
        on_progress: ProgressListener = _ignore,
    ) -> Document:
        """Bring a received document to `ready`, or to `failed` with its reason. Returns the document as it then is.

        Raises `StoreError` and `UpstreamError`: they don't concern this document alone.
        """
        if document.stage is Stage.READY:
            return document
        try:
            parsed = await self._parse(document, name or document.path, on_progress)
            return await self._publish(document, parsed, embedding, title, on_progress)
        except PinciteError as error:
            if error.kind is ErrorKind.STORE:
                raise
            failed = await self._fail(document, _reason_of(error))
            if error.kind not in _OF_THE_FILE:
                raise
            return failed

    @property
    def _embedder(self) -> Embedder:
        return Embedder(self.store, self.workspace_id, self.rules)

    async def _parse(self, document: Document, name: str, on_progress: ProgressListener) -> ParsedDocument:
        def report(progress: ParseProgress) -> None:
            on_progress(Progress(document.id, Stage.PARSING, progress.pages_done, progress.pages_total))

        on_progress(Progress(document.id, Stage.PARSING))
        path = await self.blobs.local_path(document.sha256)
        return await self.parser.parse(path, name=name, on_progress=report)

    async def _publish(
        self,
        document: Document,
        parsed: ParsedDocument,
        embedding: EmbeddingModel | None,
        title: str,
        on_progress: ProgressListener,
    ) -> Document:
        version = _version_of(document, parsed)
        shown = printable(title or parsed.title or "") or document.title
        on_progress(Progress(document.id, Stage.CHUNKING))

        def report(done: int, total: int) -> None:
            on_progress(Progress(document.id, Stage.EMBEDDING, done, total))

        chunks, vectors = await self._embedder.prepare(version, parsed.canonical, embedding, title=shown, on_progress=report)
        if not chunks:
            raise RefusedInput("No readable text was found in the file. If it is a scan, it needs OCR first.", code="no_text")
        ready = replace(
            document,
            title=shown,
            content_type=parsed.content_type,
            stage=Stage.READY,
            version_id=version.id,
            pages=len(parsed.canonical.pages),
            pages_unread=parsed.pages_unread,
            chunks=len(chunks),
            locale=chunks[0].lang,
            meta={**document.meta, **parsed.meta},
            updated_at=datetime.now(UTC),
        )
        async with self.store.open(self.workspace_id) as work:
            await work.versions.add(version, parsed.canonical)
            await work.chunks.publish(ready, chunks, vectors, model_id=embedding.spec.model_id if embedding else "")
            await work.commit()
        on_progress(Progress(document.id, Stage.READY, len(chunks), len(chunks)))
        return ready

    async def _fail(self, document: Document, reason: Reason) -> Document:
        """Keep the reason, unless the document was removed or became ready meanwhile. An earlier version stays searchable."""
        async with self.store.open(self.workspace_id) as work:
            current = await work.documents.get(document.id)
            if current is None:
                return replace(document, stage=Stage.FAILED, reason=_REMOVED)
            if current.stage is Stage.READY and current.sha256 == document.sha256:
                return current
            if current.version_id:
                reason = replace(reason, message=f"{reason.message} The earlier version is still searched.")
            failed = replace(current, stage=Stage.FAILED, reason=reason, updated_at=datetime.now(UTC))
            await work.documents.save(failed)
            await work.commit()
        return failed

    async def remove(self, document_id: DocumentId) -> None:
        """Make a document unfindable at once and delete its rows, and its bytes when nothing else has them."""
        async with self.store.open(self.workspace_id) as work:
            document = await work.documents.get(document_id)
            if document is None:
                raise NotFoundError("There is no such document.")
            hashes = {document.sha256, *(version.sha256 for version in await work.versions.of_document(document_id))}
            await work.documents.remove(document_id)
            await work.commit()
            unused = [sha256 for sha256 in hashes if not await work.versions.blob_in_use(sha256)]
        for sha256 in unused:
            await self.blobs.delete(sha256)


_REMOVED = Reason("removed", "The document was removed while it was read. Add the file again if you want it.")


def _reason_of(error: PinciteError) -> Reason:
    if error.kind is ErrorKind.NOT_FOUND:
        return Reason("unreadable", f"{error.message} Add the file again.")
    return Reason(error.code, error.message)


async def _place(
    work: UnitOfWork, collection: Collection, arrival: Arrival, free_paths: Sequence[str]
) -> tuple[str, Document | None]:
    """Return the path that an arrival gets, and the document that it replaces there."""
    if not free_paths:
        return arrival.path, await work.documents.at_path(collection.id, arrival.path)
    rows = {path: await work.documents.at_path(collection.id, path) for path in free_paths}
    for path, row in rows.items():
        if row and row.source_uri == arrival.source_uri:
            return path, row
    for path, row in rows.items():
        if row is None:
            return path, None
    raise ConflictError(f"Other documents have the path “{arrival.path}”. Remove one, or rename the file.", code="paths_taken")


def _new_document(collection: Collection, arrival: Arrival, path: str) -> Document:
    now = datetime.now(UTC)
    return Document(
        id=DocumentId(new_id()),
        collection_id=collection.id,
        path=path,
        title=printable(arrival.title) or printable(PurePosixPath(path).name) or path,
        content_type=mimetypes.guess_type(path)[0] or "application/octet-stream",
        source_uri=arrival.source_uri,
        stage=Stage.PENDING,
        created_at=now,
        updated_at=now,
    )


def _version_of(document: Document, parsed: ParsedDocument) -> Version:
    return Version(
        id=VersionId(new_id()),
        document_id=document.id,
        sha256=document.sha256,
        size_bytes=document.size_bytes,
        content_type=parsed.content_type,
        parser=parsed.parser,
        parser_version=parsed.parser_version,
        created_at=datetime.now(UTC),
    )
