"""Rows of what is on its way: attempts to read documents, and the pages that OCR has read of them so far."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from pincite.core.ids import DocumentId
from pincite.core.ingestions import Ingestion


class IngestionRows(Protocol):
    """Attempts to read documents of the workspace, one row a document."""

    async def begin(self, document_id: DocumentId) -> Ingestion:
        """Return the next attempt, from 1. Raises `NotFoundError` for an unknown document."""
        ...

    async def report(self, ingestion: Ingestion) -> None:
        """Keep how far an attempt is, and its timings. Changes nothing once a later one was begun."""
        ...

    async def count_tokens(self, document_id: DocumentId, tokens: int) -> None:
        """Add to the `embedded_tokens` of a document's last attempt."""
        ...

    async def of(self, document_ids: Sequence[DocumentId]) -> dict[DocumentId, Ingestion]:
        """Return the last attempts of documents, of those that have one."""
        ...


class ReadPageRows(Protocol):
    """Pages that OCR read of documents that aren't ready yet, as their reader made them; they go with the document."""

    async def keep(self, document_id: DocumentId, sha256: str, reader: str, page: int, data: bytes) -> None:
        """Keep what a reader made of a page of a document's file, or of a picture in it, told by the hash of its bytes.

        What was kept of it before stays. Raises `NotFoundError` for an unknown document.
        """
        ...

    async def of(self, document_id: DocumentId, sha256: str, reader: str) -> Mapping[int, bytes]:
        """Return what a reader made of pages of these bytes, by page."""
        ...

    async def drop(self, document_id: DocumentId) -> None:
        """Delete all that is kept of a document's pages."""
        ...
