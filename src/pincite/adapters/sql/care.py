"""A close look at the rows of a store, beyond what each start and each plain check reads."""

import asyncio
import hashlib
import json
import sqlite3
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import closing, contextmanager
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from pincite.adapters.sql import canonical
from pincite.adapters.sql.connections import connect
from pincite.adapters.sql.errors import translated
from pincite.adapters.sql.plain import load
from pincite.core.documents import EmbeddingSpec
from pincite.core.ids import CollectionId, DocumentId, MessageId, WorkspaceId
from pincite.core.ports.care import BrokenDocument, Counted, KeptVectors
from pincite.core.ports.signer import SignatureCheck
from pincite.core.receipts import Receipt, is_sound

T = TypeVar("T")

MOST_TOLD = 5
WORTHLESS_ALONE = ("vectors", "figures", "files", "ingestions", "read_pages", "summaries", "summary_runs", "tombstones")
"""Tables whose rows are made from others. What else is without its parents may be all that is left of something."""

SEARCHED = """
    SELECT d.id, d.path, coalesce(v.sha256, d.sha256), d.chunks, v.id, t.data
    FROM documents d LEFT JOIN versions v ON v.id = d.version_id LEFT JOIN canonical_texts t ON t.version_id = d.version_id
    WHERE d.version_id IS NOT NULL ORDER BY d.id
"""
SEARCHED_COUNT = "SELECT count(*) FROM documents WHERE version_id IS NOT NULL"
CHUNKS = """
    SELECT c.document_id, c.start_char, c.end_char, c.text, c.generated
    FROM chunks c JOIN documents d ON d.id = c.document_id AND d.version_id = c.version_id
    WHERE c.chunk_type != 'summary' ORDER BY c.document_id
"""
VECTORS = """
    SELECT l.workspace_id, l.id, l.name, l.embedding,
      (SELECT count(*) FROM chunks c JOIN documents d ON d.id = c.document_id AND d.stage = 'ready'
        WHERE c.collection_id = l.id AND l.embedding IS NOT NULL AND NOT EXISTS
        (SELECT 1 FROM vectors v WHERE v.chunk_id = c.id AND v.model_id = :model)),
      (SELECT count(*) FROM vectors v JOIN chunks c ON c.id = v.chunk_id
        WHERE c.collection_id = l.id AND v.model_id = :model AND length(v.data) != :size),
      (SELECT count(*) FROM vectors v JOIN chunks c ON c.id = v.chunk_id
        WHERE c.collection_id = l.id AND v.model_id NOT IN (:model, :next))
    FROM collections l WHERE l.id = :collection
"""
MODELS = "SELECT id, embedding, next_embedding FROM collections ORDER BY name"
UNFIT = """
    DELETE FROM vectors WHERE model_id = :model AND length(data) != :size
    AND chunk_id IN (SELECT id FROM chunks WHERE collection_id = :collection)
"""
QUOTES = "SELECT nonce, text, commitment FROM evidence WHERE NOT erased"
RECEIPTS = "SELECT workspace_id, message_id, number, statement, signature FROM receipts ORDER BY workspace_id, number"
ORIGINS = "SELECT sha256, source_uri FROM documents WHERE sha256 IN (SELECT value FROM json_each(?)) ORDER BY 1, 2"


class SqliteCare:
    """A `RowCare`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def damage(self) -> list[str]:
        """Return what the database says of its own file, a sentence each. Reads all of it."""
        return await self._read(_damage)

    async def rebuild_indexes(self) -> None:
        """Make the database's own indexes anew from its tables."""
        await self._read(lambda connection: connection.execute("REINDEX").close())

    async def parentless(self) -> Mapping[str, int]:
        """Count, by table, the rows without what they belong to."""
        return await self._read(_parentless)

    async def drop_parentless(self) -> int:
        """Delete those of them that are worth nothing alone (vectors, marks of files, tombstones, progress); return how many."""
        return await self._read(_drop_parentless)

    async def broken_documents(self, counted: Counted) -> list[BrokenDocument]:
        """Return the documents with a version whose text or chunks are missing, or don't agree with each other."""
        return await self._read(lambda connection: _broken_documents(connection, counted))

    async def vectors(self) -> list[KeptVectors]:
        """Count what fits of the vectors of each collection."""
        return await self._read(_vectors)

    async def drop_unfit(self, collection_id: CollectionId) -> int:
        """Delete a collection's vectors of another size than its model's; return how many."""
        return await self._read(lambda connection: _drop_unfit(connection, collection_id))

    async def broken_quotes(self) -> int:
        """Count the quotes of stored answers that aren't as they were committed to."""
        return await self._read(lambda connection: sum(not _is_kept(*row) for row in connection.execute(QUOTES)))

    async def broken_receipts(self, is_signed: SignatureCheck) -> int:
        """Count the receipts that aren't as they were signed, or don't follow the one before."""
        return await self._read(lambda connection: _broken_receipts(connection, is_signed))

    async def origins(self, hashes: Collection[str]) -> list[tuple[str, str]]:
        """Return (hash, address) of the files that bytes came from."""
        wanted = json.dumps(list(hashes))
        return await self._read(lambda connection: [(row[0], row[1]) for row in connection.execute(ORIGINS, (wanted,))])

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.to_thread(self._on_connection, work)

    def _on_connection(self, work: Callable[[sqlite3.Connection], T]) -> T:
        with translated(self._path), closing(connect(self._path)) as connection:
            return work(connection)


def _damage(connection: sqlite3.Connection) -> list[str]:
    try:
        found = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({MOST_TOLD})")]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    return [] if found == ["ok"] else found


def _parentless(connection: sqlite3.Connection) -> Mapping[str, int]:
    return Counter(str(row[0]) for row in connection.execute("PRAGMA foreign_key_check"))


def _drop_parentless(connection: sqlite3.Connection) -> int:
    with _writing(connection):
        return sum(_drop_of(connection, table) for table in WORTHLESS_ALONE)


def _drop_of(connection: sqlite3.Connection, table: str) -> int:
    rows = [row[1] for row in connection.execute(f"PRAGMA foreign_key_check({table})")]
    connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", ((row,) for row in set(rows)))
    return len(set(rows))


@contextmanager
def _writing(connection: sqlite3.Connection) -> Generator[None]:
    connection.execute("BEGIN IMMEDIATE")
    with connection:  # commits, or rolls back
        yield


def _broken_documents(connection: sqlite3.Connection, counted: Counted) -> list[BrokenDocument]:
    """Go through documents and chunks side by side, as both are at one moment."""
    connection.execute("BEGIN")
    (total,) = connection.execute(SEARCHED_COUNT).fetchone()
    chunks = groupby(connection.cursor().execute(CHUNKS), key=lambda row: row[0])
    following = next(chunks, None)
    found: list[BrokenDocument] = []
    for number, (document_id, path, sha256, wanted, version_id, data) in enumerate(connection.execute(SEARCHED)):
        counted(number, total)
        places: list[tuple[int, int, str, int]] = []
        while following is not None and following[0] <= document_id:
            if following[0] == document_id:
                places = [(row[1], row[2], row[3], row[4]) for row in following[1]]
            following = next(chunks, None)
        why = _why_broken(version_id, data, wanted, places)
        if why:
            found.append(BrokenDocument(DocumentId(document_id), path, sha256, why))
    connection.execute("COMMIT")
    return found


def _why_broken(version_id: str | None, data: bytes | None, wanted: int, places: list[tuple[int, int, str, int]]) -> str:
    if version_id is None:
        return "its version is missing"
    if data is None:
        return "its text is missing"
    if not places or len(places) != wanted:
        return f"{len(places)} of its {wanted} passages are there"
    try:
        text = canonical.decode(data).text
    except (zlib.error, struct.error, ValueError, KeyError, TypeError):
        return "its text is damaged"
    if any(text[start:end] != shown for start, end, shown, generated in places if not generated):
        return "its passages don't stand in its text"
    return ""


def _vectors(connection: sqlite3.Connection) -> list[KeptVectors]:
    found: list[KeptVectors] = []
    for collection_id, embedding, next_embedding in connection.execute(MODELS).fetchall():
        spec, coming = _spec(embedding), _spec(next_embedding)
        asked = {
            "collection": collection_id,
            "model": spec.model_id if spec else "",
            "size": spec.dimensions * 2 if spec else 0,
            "next": coming.model_id if coming else "",
        }
        workspace_id, _, name, _, *counts = connection.execute(VECTORS, asked).fetchone()
        found.append(KeptVectors(WorkspaceId(workspace_id), CollectionId(collection_id), name, spec, *counts))
    return found


def _drop_unfit(connection: sqlite3.Connection, collection_id: CollectionId) -> int:
    row = connection.execute("SELECT embedding FROM collections WHERE id = ?", (collection_id,)).fetchone()
    spec = _spec(row[0]) if row else None
    if spec is None:
        return 0
    asked = {"collection": collection_id, "model": spec.model_id, "size": spec.dimensions * 2}
    with _writing(connection):
        return connection.execute(UNFIT, asked).rowcount


def _spec(data: str | None) -> EmbeddingSpec | None:
    return load(EmbeddingSpec, data) if data else None


def _broken_receipts(connection: sqlite3.Connection, is_signed: SignatureCheck) -> int:
    broken = 0
    for _, rows in groupby(connection.execute(RECEIPTS), key=lambda row: row[0]):
        previous: Receipt | None = None
        for _, message_id, number, statement, signature in rows:
            receipt = Receipt(MessageId(message_id), number, statement, signature)
            broken += not is_sound(receipt, previous, is_signed)
            previous = receipt
    return broken


def _is_kept(nonce: str, text: str, commitment: str) -> bool:
    try:
        return hashlib.sha256(bytes.fromhex(nonce) + text.encode(errors="surrogatepass")).hexdigest() == commitment
    except ValueError:
        return False
