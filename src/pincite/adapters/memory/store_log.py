"""The change log of a store in memory."""

from collections.abc import Sequence
from dataclasses import replace

from pincite.adapters.memory.store_tables import Entry, Tables, Transaction
from pincite.core.ids import ChunkId, CollectionId, VersionId, WorkspaceId
from pincite.core.ports import changes
from pincite.core.ports.models import Vector
from pincite.core.vectors import pack_float16, unpack_float16


def entries(transaction: Transaction, tables: Tables) -> list[Entry]:
    """Return the workspace's entries of the log."""
    return tables.log.all(transaction.workspace_id)


def bury(transaction: Transaction, tables: Tables, gone: Sequence[Entry]) -> None:
    """Put tombstones in the place of entries."""
    for entry in gone:
        if entry.chunk:
            append(transaction, tables, Entry(0, entry.collection_id, entry.document_id), entry.chunk.id)
    for collection_id in {entry.collection_id for entry in gone}:
        rows = tables.log.all(transaction.workspace_id)
        buried = sorted(row.seq for row in rows if row.chunk is None and row.collection_id == collection_id)
        if len(buried) > changes.MOST_TOMBSTONES:
            prune(transaction, tables, collection_id, buried[-changes.MOST_TOMBSTONES // 2 - 1])


def prune(transaction: Transaction, tables: Tables, collection_id: CollectionId, through_seq: int) -> int:
    """Forget the tombstones up to a number, and move the horizon there. Return how many there were."""
    own, numbers = transaction.workspace_id, transaction.numbers(collection_id)
    if not numbers.horizon < through_seq <= numbers.head:
        return 0
    tables.numbers.put(own, collection_id, replace(numbers, horizon=through_seq))
    return tables.log.drop_where(
        own, lambda entry: entry.chunk is None and entry.collection_id == collection_id and entry.seq <= through_seq
    )


def append(transaction: Transaction, tables: Tables, entry: Entry, chunk_id: ChunkId) -> None:
    """Give an entry the next number and put it at the end of the log, in place of an earlier one of the same chunk."""
    own = transaction.workspace_id
    tables.kept.drop(own, chunk_id)
    tables.log.drop(own, chunk_id)
    tables.log.add(own, chunk_id, replace(entry, seq=take_number(transaction, tables, entry.collection_id), vector_seq=0))


def stored(transaction: Transaction, tables: Tables) -> list[Entry]:
    """Return the workspace's entries with a chunk, also of those that are kept beside the log."""
    own = transaction.workspace_id
    return [entry for entry in (*tables.log.all(own), *tables.kept.all(own)) if entry.chunk]


def drop_version(tables: Tables, own: WorkspaceId, version_id: VersionId) -> None:
    """Delete a version with its text and what is kept for it."""
    for rows in (tables.versions, tables.texts, tables.drafts):
        rows.drop(own, version_id)
    tables.kept.drop_where(own, lambda entry: entry.chunk is not None and entry.chunk.version_id == version_id)
    tables.figures.drop_where(own, lambda figure: figure.version_id == version_id)


def take_number(transaction: Transaction, tables: Tables, collection_id: CollectionId) -> int:
    """Reserve the next number of a collection's log."""
    numbers = transaction.numbers(collection_id)
    tables.numbers.put(transaction.workspace_id, collection_id, replace(numbers, head=numbers.head + 1))
    return numbers.head + 1


def halved(vector: Vector) -> Vector:
    """Return a vector as a store gives it back."""
    return unpack_float16(pack_float16(vector))
