"""An embedding model whose vectors are kept in a file, for runs over the same texts again and again."""

import asyncio
import hashlib
import sqlite3
from array import array
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from pincite.core.documents import EmbeddingSpec
from pincite.core.ports.models import EmbeddingModel, Vector

FILE_NAME = "vectors.sqlite"
TEXTS_A_ROUND = 256
"""Vectors are saved after so many texts: a run that is stopped loses no more."""

BUSY_TIMEOUT_S = 60.0
SCHEMA = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"


class CachedEmbedding:
    """An `EmbeddingModel` that asks `inner` only for what the file in `folder` lacks. Processes may share the file."""

    def __init__(self, inner: EmbeddingModel, folder: Path) -> None:
        self._inner = inner
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / FILE_NAME
        with closing(self._connect()) as connection, connection:
            connection.execute(SCHEMA)

    @property
    def spec(self) -> EmbeddingSpec:
        """Return the inner model's."""
        return self._inner.spec

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector per text, in order. Raises as the inner model does."""
        keys = [self._key("passage", text) for text in texts]
        known = await asyncio.to_thread(self._load, keys)
        missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in known}.items())
        for start in range(0, len(missing), TEXTS_A_ROUND):
            round_ = missing[start : start + TEXTS_A_ROUND]
            vectors = await self._inner.embed_passages([text for _, text in round_])
            fresh = {key: array("f", vector).tobytes() for (key, _), vector in zip(round_, vectors, strict=True)}
            await asyncio.to_thread(self._save, fresh)
            known |= fresh
        return [array("f", known[key]) for key in keys]

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question. Raises as the inner model does."""
        [vector] = await self.embed_queries([text])
        return vector

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of several wordings of one question, in order. Raises as the inner model does."""
        keys = [self._key("query", text) for text in texts]
        known = await asyncio.to_thread(self._load, keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            vectors = await self._inner.embed_queries(list(missing.values()))
            fresh = {key: array("f", vector).tobytes() for key, vector in zip(missing, vectors, strict=True)}
            await asyncio.to_thread(self._save, fresh)
            known |= fresh
        return [array("f", known[key]) for key in keys]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the inner model's counts."""
        return self._inner.count_tokens(texts)

    def _key(self, kind: str, text: str) -> bytes:
        digest = hashlib.sha256(f"{self.spec.model_id}\0{kind}\0".encode())
        digest.update(text.encode(errors="surrogatepass"))
        return digest.digest()

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=BUSY_TIMEOUT_S)

    def _load(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        with closing(self._connect()) as connection:
            for key in set(keys):
                row = connection.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = row[0]
        return found

    def _save(self, vectors: dict[bytes, bytes]) -> None:
        with closing(self._connect()) as connection, connection:
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", vectors.items())
