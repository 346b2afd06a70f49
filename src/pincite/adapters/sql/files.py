"""Rows of what is known of documents' files."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, bindparam, delete, select, union_all

from pincite.adapters.sql.batches import batches
from pincite.adapters.sql.tables import documents, files, versions
from pincite.adapters.sql.transaction import Transaction
from pincite.core.documents import Stage
from pincite.core.errors import NotFoundError
from pincite.core.files import FileState, KnownFile, whole_version
from pincite.core.ids import CollectionId, DocumentId

AFTER_SLASH = chr(ord("/") + 1)

HOMES = select(documents.c.id, documents.c.collection_id).where(
    documents.c.workspace_id == bindparam("own"), documents.c.id.in_(bindparam("document_ids", expanding=True))
)
FORGOTTEN = delete(files).where(
    files.c.workspace_id == bindparam("own"), files.c.document_id.in_(bindparam("document_ids", expanding=True))
)
VERSION_OF_BYTES = select(versions.c.sha256).where(versions.c.id == documents.c.version_id).scalar_subquery().label("of_bytes")
SHOWN = (
    documents.c.id,
    documents.c.path,
    documents.c.source_uri,
    documents.c.stage,
    documents.c.reason_code,
    documents.c.sha256,
    documents.c.size_bytes,
    documents.c.version_id,
    VERSION_OF_BYTES,
    files.c.place,
    files.c.stamp,
    files.c.inode,
    files.c.sha256.label("file_sha256"),
    files.c.settled,
)
IN_PLACE = (files.c.place >= bindparam("folder")) & (files.c.place < bindparam("beyond"))
BY_PLACE = (
    select(*SHOWN)
    .join(files, files.c.document_id == documents.c.id)
    .where(
        documents.c.workspace_id == bindparam("own"),
        files.c.collection_id == bindparam("in_collection"),
        IN_PLACE,
    )
)
BY_ADDRESS = (
    select(*SHOWN)
    .outerjoin(files, files.c.document_id == documents.c.id)
    .where(
        documents.c.workspace_id == bindparam("own"),
        documents.c.collection_id == bindparam("in_collection"),
        documents.c.source_uri >= bindparam("folder"),
        documents.c.source_uri < bindparam("beyond"),
        # Those with a place there are among the others.
        files.c.place.is_(None) | ~IN_PLACE,
    )
)
UNDER = union_all(BY_PLACE, BY_ADDRESS)


class SqlFiles:
    """What is known of the files of the transaction's workspace."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    async def remember(self, states: Mapping[DocumentId, FileState]) -> None:
        """Keep the states of documents' files in place of earlier ones. Raises `NotFoundError` for an unknown document."""
        await self._tx.lock()
        for some in batches(list(states)):
            homes = await self._tx.rows(HOMES, document_ids=some)
            if len(homes) < len(some):
                raise NotFoundError("There is no such document.")
            await self._tx.change(FORGOTTEN, document_ids=some)
            await self._tx.insert(files, *(_values(home, states[DocumentId(home.id)]) for home in homes))

    async def under(self, collection_id: CollectionId, folder: str) -> list[KnownFile]:
        """Return, by path, the documents with a file in a folder; see the port."""
        beyond = folder[:-1] + AFTER_SLASH
        rows = await self._tx.rows(UNDER, in_collection=collection_id, folder=folder, beyond=beyond)
        return sorted(map(_known, rows), key=lambda known: known.path)


def _values(home: Row[Any], state: FileState) -> dict[str, Any]:
    return {
        "document_id": home.id,
        "collection_id": home.collection_id,
        "place": state.place,
        "stamp": state.stamp,
        "inode": state.inode,
        "sha256": state.sha256,
        "settled": state.settled,
    }


def _known(row: Row[Any]) -> KnownFile:
    document_id, path, source_uri, name, reason, sha256, size_bytes, version_id, of_bytes, *file = tuple(row)
    # A document without a remembered file has nulls there, the place first.
    state = FileState(*file) if file[0] is not None else None
    stage = Stage(name)
    searched = whole_version(version_id, of_bytes, stage=stage, sha256=sha256)
    return KnownFile(document_id, path, source_uri, stage, reason or "", sha256, size_bytes, searched, state)
