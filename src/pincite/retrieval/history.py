"""What became of a document: its versions, where else its bytes stand, whether it is on hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pincite.core.documents import Document, Version
from pincite.core.ids import DocumentId, VersionId, WorkspaceId
from pincite.core.keeping import Hold
from pincite.core.ports.store import Store


@dataclass(frozen=True, slots=True)
class PastVersion:
    """A version of a document: whether it is searched, whether answers cite it, and which one it took the place of."""

    version: Version
    is_searched: bool = False
    is_cited: bool = False
    supersedes_id: VersionId | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the version as the command line prints it."""
        version = self.version
        return {
            "version_id": version.id,
            "created_at": version.created_at.isoformat(),
            "sha256": version.sha256,
            "size_bytes": version.size_bytes,
            "content_type": version.content_type,
            "parser": version.parser,
            "parser_version": version.parser_version,
            "searched": self.is_searched,
            "cited": self.is_cited,
            "supersedes_id": self.supersedes_id,
        }


@dataclass(frozen=True, slots=True)
class History:
    """A document with its versions, newest first, and other documents of the workspace with the same bytes."""

    document: Document
    versions: tuple[PastVersion, ...]
    duplicates: tuple[Document, ...] = ()
    hold: Hold | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """What a list tells of a document beside its row: versions, other documents with the same bytes, and its hold."""

    versions: int = 0
    duplicate_ids: tuple[DocumentId, ...] = ()
    hold: Hold | None = None


@dataclass(frozen=True, slots=True)
class StoredHistories:
    """Histories of the workspace's documents."""

    store: Store
    workspace_id: WorkspaceId

    async def of(self, document: Document) -> History:
        """Return the history of a document."""
        async with self.store.open(self.workspace_id) as work:
            versions = await work.versions.of_document(document.id, drafts=False)
            cited = await work.keeping.cited(document.id)
            holds = await work.keeping.holds([document.id])
            alike = await work.documents.with_bytes({document.sha256} - {""})
        before = [None, *(version.id for version in versions)]
        past = [
            PastVersion(version, version.id == document.version_id, version.id in cited, earlier)
            for version, earlier in zip(versions, before, strict=False)
        ]
        duplicates = tuple(each for each in alike if each.id != document.id)
        return History(document, tuple(reversed(past)), duplicates, holds.get(document.id))

    async def standings(self, documents: Sequence[Document]) -> dict[DocumentId, Standing]:
        """Return what a list tells of documents, for all of them."""
        ids = [document.id for document in documents]
        async with self.store.open(self.workspace_id) as work:
            counts, holds = await work.versions.counts(ids), await work.keeping.holds(ids)
            alike = await work.documents.with_bytes({document.sha256 for document in documents} - {""})
        with_bytes: dict[str, list[DocumentId]] = {}
        for each in alike:
            with_bytes.setdefault(each.sha256, []).append(each.id)
        return {
            document.id: Standing(
                counts.get(document.id, 0),
                tuple(each for each in with_bytes.get(document.sha256, ()) if each != document.id),
                holds.get(document.id),
            )
            for document in documents
        }
