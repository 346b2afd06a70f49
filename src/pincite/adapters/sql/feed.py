"""The change log as mirrors read it: plain SQL on plain connections, because this runs before every query."""

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from pincite.adapters.sql import half
from pincite.adapters.sql.connections import Readers
from pincite.adapters.sql.errors import translated
from pincite.adapters.sql.passages import load_headings
from pincite.adapters.sql.plain import load
from pincite.core.documents import EmbeddingSpec
from pincite.core.ids import ChunkId, DocumentId
from pincite.core.ports.changes import Change, LogState
from pincite.core.ports.index import IndexSpace
from pincite.core.vectors import Embedded, log_of

STATE = """
    SELECT head_seq, log_horizon, embedding, embedding_seq, next_embedding, next_embedding_seq
    FROM collections WHERE id = ? AND workspace_id = ?
"""

IN_SPACE = "c.collection_id = :collection_id AND c.workspace_id = :workspace_id"
WITH_VECTOR = f"""
    c.id, c.document_id, c.title, c.heading_path, c.text, c.lang, v.data
    FROM chunks c LEFT JOIN vectors v ON v.chunk_id = c.id AND v.model_id = :model_id
    WHERE {IN_SPACE}
"""
TOMBSTONES = """
    SELECT t.seq, t.chunk_id, t.document_id, NULL, NULL, NULL, NULL, NULL
    FROM tombstones t
    WHERE t.collection_id = :collection_id AND t.workspace_id = :workspace_id AND t.seq > :after
    ORDER BY 1 LIMIT :limit
"""
# One statement is one snapshot, so a chunk can't be missing both as itself and as its tombstone, nor stand there twice.
READ_WORDS = f"""
    SELECT c.seq, c.id, c.document_id, c.title, c.heading_path, c.text, c.lang, NULL
    FROM chunks c WHERE {IN_SPACE} AND c.seq > :after
    UNION ALL {TOMBSTONES}
"""
READ_VECTORS = f"""
    SELECT c.seq, {WITH_VECTOR} AND c.seq > :after AND c.vector_seq = 0
    UNION ALL SELECT c.vector_seq, {WITH_VECTOR} AND c.vector_seq > :after
    UNION ALL {TOMBSTONES}
"""


class SqliteFeed:
    """Reads the change log with short transactions of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.readers = Readers(path)

    async def state(self, space: IndexSpace) -> LogState:
        """Return where the log stands; both 0 for an unknown collection. Takes microseconds, so it runs where it is called.

        Raises `ModelChangedError` (retryable) for a model that the collection neither has nor is being brought to.
        """
        with translated(self._path), self.readers.borrow() as connection:
            row = connection.execute(STATE, (space.collection_id, space.workspace_id)).fetchone()
        if row is None:
            return LogState(0, 0)
        head, horizon, *models = row
        pairs = zip(models[::2], models[1::2], strict=True)
        return log_of(space, LogState(head, horizon), [Embedded(_model_id(spec), seq) for spec, seq in pairs if spec])

    async def read(self, space: IndexSpace, *, after: int, limit: int) -> Sequence[Change]:
        """Return up to `limit` changes with `seq > after`, rising.

        Vectors are float32 memoryviews into one buffer for the whole batch: copy those that are to be kept.
        """
        return await asyncio.to_thread(self._read, space, after, limit)

    def close(self) -> None:
        """Close the connections."""
        self.readers.close()

    def _read(self, space: IndexSpace, after: int, limit: int) -> list[Change]:
        parameters = {
            "workspace_id": space.workspace_id,
            "collection_id": space.collection_id,
            "model_id": space.model_id,
            "after": after,
            "limit": limit,
        }
        with translated(self._path), self.readers.borrow() as connection:
            rows = connection.execute(READ_VECTORS if space.model_id else READ_WORDS, parameters).fetchall()
        vectors = half.unpack_all([row[7] for row in rows])
        return [
            Change(seq, ChunkId(chunk_id), DocumentId(document_id), False, title, load_headings(headings), text, lang, vector)
            if title is not None
            else Change(seq, ChunkId(chunk_id), DocumentId(document_id), deleted=True)
            for (seq, chunk_id, document_id, title, headings, text, lang, _), vector in zip(rows, vectors, strict=True)
        ]


@lru_cache(maxsize=256)
def _model_id(spec: str) -> str:
    return load(EmbeddingSpec, spec).model_id
