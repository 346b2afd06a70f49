"""What comes in, and which document it belongs to."""

import mimetypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import ConflictError
from pincite.core.ids import DocumentId, new_id
from pincite.core.ports.blobs import Blob
from pincite.core.ports.store import UnitOfWork
from pincite.ingest.naming import printable


@dataclass(frozen=True, slots=True)
class Arrival:
    """What comes in: the path it will have in the collection, its address, and its bytes or the file that holds them.

    `place` is the address of the file's name in a folder, for one that was found there; its state is then remembered.
    `is_queued` puts reading it into the queue, in the transaction that keeps it. With `is_retry` bytes that were refused before are
    read again.
    """

    path: str
    source_uri: str
    content: Path | bytes
    title: str = ""
    place: str = ""
    is_queued: bool = False
    is_retry: bool = False


async def place(
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
    raise _paths_taken(arrival.path)


async def free_path(work: UnitOfWork, document: Document, paths: Sequence[str]) -> str:
    """Return the first path that no other document has."""
    for path in paths:
        row = await work.documents.at_path(document.collection_id, path)
        if row is None or row.id == document.id:
            return path
    raise _paths_taken(paths[0])


def _paths_taken(path: str) -> ConflictError:
    return ConflictError(f"Other documents have the path “{path}”. Remove one, or rename the file.", code="paths_taken")


def renamed(document: Document, path: str, address: str) -> Document:
    """Return a document under another path; pending when the new name may mean another way to read it."""
    before, after = PurePosixPath(document.path), PurePosixPath(path)
    moved = replace(
        document,
        path=path,
        source_uri=address,
        title=_title_of(path) if document.title == _title_of(document.path) else document.title,
        updated_at=datetime.now(UTC),
    )
    return moved if before.suffix.lower() == after.suffix.lower() else replace(moved, stage=Stage.PENDING, reason=None)


def _title_of(path: str) -> str:
    return printable(PurePosixPath(path).name) or path


def received(document: Document, arrival: Arrival, blob: Blob, *, reads_as: str = "") -> Document:
    """Return a document that other bytes came for, or the same again.

    One that is ready with them is left as it is, and so is one that whoever `reads_as` now has refused for them.
    """
    is_settled = document.stage is Stage.READY or (is_refused(document, reads_as) and not arrival.is_retry)
    if is_settled and document.sha256 == blob.sha256:
        return replace(document, source_uri=arrival.source_uri)
    return replace(
        document,
        source_uri=arrival.source_uri,
        stage=Stage.PENDING,
        reason=None,
        updated_at=datetime.now(UTC),
        sha256=blob.sha256,
        size_bytes=blob.size_bytes,
        refused_by="",
    )


def is_refused(document: Document, reads_as: str) -> bool:
    """Say whether a document failed for its bytes, read just as they would be now."""
    return document.stage is Stage.FAILED and document.refused_by == reads_as != ""


def new_document(collection: Collection, arrival: Arrival, path: str) -> Document:
    """Return a document for what came in, pending."""
    now = datetime.now(UTC)
    return Document(
        id=DocumentId(new_id()),
        collection_id=collection.id,
        path=path,
        title=printable(arrival.title) or _title_of(path),
        content_type=mimetypes.guess_type(path)[0] or "application/octet-stream",
        source_uri=arrival.source_uri,
        stage=Stage.PENDING,
        created_at=now,
        updated_at=now,
    )
