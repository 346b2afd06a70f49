"""Pages that OCR reads of a document are kept as they come, until it is ready."""

from collections.abc import Mapping
from dataclasses import dataclass

from pincite.core.documents import Document
from pincite.core.errors import StoreError
from pincite.ingest.publishing import Publisher
from pincite.ingest.turns import GaveWayError, Turn


@dataclass(frozen=True, slots=True)
class DocumentNotes:
    """Implements `PageNotes` for a document's file, or for a picture in it, told by the hash of its bytes."""

    publisher: Publisher
    document: Document
    sha256: str
    gives_way: Turn

    async def known(self, reader: str) -> Mapping[int, bytes]:
        """Return what this reader made of pages before, by page."""
        async with self.publisher.store.open(self.publisher.workspace_id) as work:
            return await work.read_pages.of(self.document.id, self.sha256, reader)

    async def keep(self, reader: str, page: int, data: bytes) -> None:
        """Keep what it made of a page. Raises `OvertakenError`, and `GaveWayError` when others go before the next page."""
        try:
            async with self.publisher.ours(self.document) as (work, _):
                await work.read_pages.keep(self.document.id, self.sha256, reader, page, data)
                await work.commit()
        except StoreError:
            return  # at worst it is read once more
        if await self.gives_way(is_read=False):
            raise GaveWayError
