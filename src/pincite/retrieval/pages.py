"""Pages of documents as pictures, on which the boxes of quotes lie."""

from dataclasses import dataclass

from pincite.core.documents import Document, PagePicture
from pincite.core.errors import NotFoundError, UsageError
from pincite.core.ids import VersionId, WorkspaceId
from pincite.core.ports.blobs import BlobStore
from pincite.core.ports.parsing import Parser
from pincite.core.ports.store import Store

LEAST_WIDTH, USUAL_WIDTH, MOST_WIDTH = 16, 1000, 4000


@dataclass(frozen=True, slots=True)
class PagedFile:
    """The bytes whose pages are shown, and what they are."""

    sha256: str
    content_type: str


@dataclass(frozen=True, slots=True)
class StoredPages:
    """Pages of the workspace's stored files."""

    store: Store
    blobs: BlobStore
    parser: Parser
    workspace_id: WorkspaceId

    async def file(self, document: Document, version_id: VersionId | None = None) -> PagedFile:
        """Return the file of one of a document's versions: of the one that is searched unless another is named.

        A document that has none yet, or that could not be read, shows the bytes it has. Raises `NotFoundError` (`version`).
        """
        wanted = version_id or document.version_id
        if wanted is None:
            return PagedFile(document.sha256, document.content_type)
        async with self.store.open(self.workspace_id) as work:
            version = await work.versions.get(wanted)
        if version is None or version.document_id != document.id:
            raise NotFoundError("There is no such version of the document.", code="version")
        return PagedFile(version.sha256, version.content_type)

    async def picture(self, file: PagedFile, page: int, *, width: int = USUAL_WIDTH) -> PagePicture:
        """Draw a page, counted from 1. Raises `NotFoundError`, `RefusedInput`, and `UsageError` for a width that can't be."""
        if not LEAST_WIDTH <= width <= MOST_WIDTH:
            raise UsageError(f"A picture can be from {LEAST_WIDTH} to {MOST_WIDTH} pixels wide, not {width}.", code="width")
        path = await self.blobs.local_path(file.sha256)
        return await self.parser.picture(path, content_type=file.content_type, page=page, width=width)
