"""What is known of documents' files, in memory."""

from collections.abc import Mapping

from pincite.adapters.memory.store_tables import Transaction
from pincite.core.documents import Document, Version
from pincite.core.errors import NotFoundError
from pincite.core.files import FileState, KnownFile, whole_version
from pincite.core.ids import CollectionId, DocumentId


class MemoryFiles:
    """What is known of the files of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def remember(self, states: Mapping[DocumentId, FileState]) -> None:
        """Keep the states of documents' files in place of earlier ones. Raises `NotFoundError` for an unknown document."""
        own = self._tx.workspace_id
        tables = await self._tx.lock()
        for document_id, state in states.items():
            if tables.documents.get(own, document_id) is None:
                raise NotFoundError("There is no such document.")
            tables.files.put(own, document_id, state)

    async def under(self, collection_id: CollectionId, folder: str) -> list[KnownFile]:
        """Return, by path, the documents with a file in a folder; see the port."""
        own, tables = self._tx.workspace_id, self._tx.tables
        known = [
            _known(document, tables.versions.get(own, document.version_id), tables.files.get(own, document.id))
            for document in tables.documents.all(own)
            if document.collection_id == collection_id
        ]
        found = [each for each in known if any(name.startswith(folder) for name in _names(each))]
        return sorted(found, key=lambda each: each.path)


def _names(known: KnownFile) -> tuple[str, ...]:
    return (known.source_uri, known.state.place) if known.state else (known.source_uri,)


def _known(document: Document, version: Version | None, state: FileState | None) -> KnownFile:
    return KnownFile(
        document.id,
        document.path,
        document.source_uri,
        document.stage,
        document.reason.code if document.reason else "",
        document.sha256,
        document.size_bytes,
        whole_version(document.version_id, version and version.sha256, stage=document.stage, sha256=document.sha256),
        state,
    )
