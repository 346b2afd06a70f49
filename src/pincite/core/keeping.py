"""What stays of documents that were removed, and what may not be removed at all."""

from dataclasses import dataclass
from datetime import datetime

from pincite.core.documents import Document, Reason, Stage
from pincite.core.errors import ConflictError, NotFoundError
from pincite.core.ids import CollectionId, DocumentId


@dataclass(frozen=True, slots=True)
class Hold:
    """Somebody's word that a document stays, with all inside it: it is neither removed nor erased until it is released."""

    document_id: DocumentId
    collection_id: CollectionId
    held_at: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RemovedDocument:
    """A document as it was when it was removed. Its versions that answers cite are kept as evidence."""

    document: Document
    removed_at: datetime


def removed(document: Document, removed_at: datetime) -> RemovedDocument:
    """Return what stays of a document's row: nothing that would let it be found or read on."""
    rest = Document(
        id=document.id,
        collection_id=document.collection_id,
        path=document.path,
        title=document.title,
        content_type=document.content_type,
        source_uri=document.source_uri,
        stage=Stage.FAILED,
        created_at=document.created_at,
        updated_at=document.updated_at,
        reason=Reason("removed", "The document was removed."),
        sha256=document.sha256,
        size_bytes=document.size_bytes,
        pages=document.pages,
    )
    return RemovedDocument(rest, removed_at)


@dataclass(frozen=True, slots=True)
class Erasure:
    """That a document was erased. `hashes` are those of its bytes, until all is destroyed: then `finished_at` is set."""

    document_id: DocumentId
    collection_id: CollectionId
    erased_at: datetime
    hashes: tuple[str, ...] = ()
    finished_at: datetime | None = None


def held(path: str) -> ConflictError:
    """Return the error for a document that is to go and is on hold."""
    return ConflictError(f"{path} is on hold: it is neither removed nor erased until it is released.", code="held")


def was_erased() -> NotFoundError:
    """Return the error for a document of which nothing is left but that it was erased."""
    return NotFoundError("The document was erased.", code="erased")
