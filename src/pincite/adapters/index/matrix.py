"""Exact search by cosine over a mapped matrix and the rows laid over it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from pincite.adapters.index.matrix_documents import MatrixDocuments, records_of
from pincite.adapters.index.publication import Stamp
from pincite.adapters.index.seals import Seal
from pincite.adapters.index.signs import Floats, SignCodes
from pincite.core.errors import ConflictError, StoreError
from pincite.core.ids import ChunkId, DocumentId
from pincite.core.ports.changes import Change
from pincite.core.ports.index import IndexHit
from pincite.core.ports.models import Vector

Flags: TypeAlias = NDArray[np.bool_]
Places: TypeAlias = NDArray[np.intp]
Rows: TypeAlias = NDArray[Any]
"""Records of `ROW`."""

ID_BYTES = 64
ROW = np.dtype([("chunk", f"S{ID_BYTES}"), ("key", "<u8"), ("document", "<i4"), ("unused", "<i4")])
"""A row's chunk, a hash to find it by, and its document's number."""
_FEW = 2
"""Where less than one row in this many may be found, gathering those is cheaper than a product with all."""
_AT_ONCE = 256
_FEW_FOR_SIGNS = 16
"""Where less than one row in this many may be found, it is cheaper than counting the signs of all."""


@dataclass(frozen=True, slots=True)
class MatrixState:
    """What is published. `dead` names the file of deletion flags; the first `coded` rows have sign codes; `seals` by file name."""

    generation: str = ""
    seq: int = 0
    base: int = 0
    dimensions: int = 0
    rows: int = 0
    documents: int = 0
    dead: str = ""
    dead_rows: int = 0
    coded: int = 0
    seals: Mapping[str, Seal] = field(default_factory=dict[str, Seal])


@dataclass(frozen=True, slots=True)
class Laid:
    """Rows in memory: chunks, their documents, and vectors `(n, dim)`."""

    chunks: tuple[ChunkId, ...]
    documents: tuple[DocumentId, ...]
    vectors: Floats


@dataclass(frozen=True)
class MatrixView:
    """One moment of a dense mirror: `vectors` `(rows, dim)` without those flagged `dead`, and the rows laid over them."""

    seq: int
    base: int
    state: MatrixState
    stamp: Stamp | None
    vectors: Floats
    rows: Rows
    dead: Flags
    documents: MatrixDocuments
    signs: SignCodes | None = None
    laid: Laid | None = None

    @property
    def dimensions(self) -> int:
        """Return the size of its vectors, 0 while it has none."""
        return self.vectors.shape[1] if len(self.vectors) or self.laid is None else self.laid.vectors.shape[1]

    def rows_of(self, chunks: Collection[ChunkId]) -> Places:
        """Return the rows of chunks, dead ones too."""
        keys = np.array([key_of(chunk) for chunk in chunks], np.uint64)
        found = np.flatnonzero(np.isin(self.rows["key"], keys))
        wanted = {chunk.encode() for chunk in chunks}
        return np.array([row for row in found if self.rows["chunk"][row] in wanted], np.intp)

    def search(self, query: Floats, *, limit: int, documents: Collection[DocumentId] | None) -> list[IndexHit]:
        """Return up to `limit` hits by falling cosine to a query `(dim,)` of length 1; of equal ones the older first."""
        if limit < 1 or (documents is not None and not documents):
            return []
        hits = self._mapped(query, limit, documents)
        if self.laid:
            hits += _laid_hits(self.laid, query, documents)
            hits.sort(key=lambda hit: -hit.score)
        return hits[:limit]

    def _mapped(self, query: Floats, limit: int, documents: Collection[DocumentId] | None) -> list[IndexHit]:
        if not len(self.rows):
            return []
        allowed = self._allowed(documents)
        looked_at = allowed
        if self.signs and (allowed is None or len(allowed) * _FEW_FOR_SIGNS > len(self.rows)):
            looked_at = self.signs.candidates(query, allowed, limit=limit)
        if looked_at is None:
            looked_at, scores = np.arange(len(self.rows)), _products(self.vectors, query)
        elif len(looked_at) * _FEW < len(self.rows):
            scores = _gathered_products(self.vectors, query, looked_at)
        else:
            scores = _products(self.vectors, query)[looked_at]
        best = top(scores, limit)
        return [
            IndexHit(chunk, float(score)) for chunk, score in zip(chunks_at(self.rows, looked_at[best]), scores[best], strict=True)
        ]

    def _allowed(self, documents: Collection[DocumentId] | None) -> Places | None:
        """Return the rows that may be found, None for all."""
        if documents is None:
            return np.flatnonzero(~self.dead) if self.dead.any() else None
        chosen = np.zeros(len(self.documents) + 1, np.bool_)
        chosen[self.documents.among(documents)] = True
        return np.flatnonzero(chosen[self.rows["document"]] & ~self.dead)

    def under(self, changes: Sequence[Change], *, seq: int, base: int, dimensions: int) -> "MatrixView":
        """Return this view with changes laid over it."""
        latest = {change.chunk_id: change for change in changes}
        dead = self.dead.copy()
        dead[self.rows_of(latest)] = True
        laid = lay(latest, dimensions)
        if self.laid:
            kept = [number for number, chunk in enumerate(self.laid.chunks) if chunk not in latest]
            laid = Laid(
                tuple(self.laid.chunks[number] for number in kept) + laid.chunks,
                tuple(self.laid.documents[number] for number in kept) + laid.documents,
                np.concatenate([self.laid.vectors[kept], laid.vectors]),
            )
        return replace(self, seq=seq, base=base, dead=dead, laid=laid)


def empty_view(stamp: Stamp | None) -> MatrixView:
    """Return a view of nothing."""
    rows, dead, documents = np.zeros(0, ROW), np.zeros(0, np.bool_), MatrixDocuments(records_of([]))
    return MatrixView(0, 0, MatrixState(), stamp, np.zeros((0, 0), np.float32), rows, dead, documents)


def chunks_at(rows: Rows, places: Places) -> list[ChunkId]:
    """Return the chunks of some rows."""
    names: list[bytes] = rows["chunk"][places].tolist()
    return [ChunkId(name.decode()) for name in names]


def lay(latest: Mapping[ChunkId, Change], dimensions: int) -> Laid:
    """Return the rows that changes bring. Raises `ConflictError` for a vector of another size."""
    found = [(change, change.vector) for change in latest.values() if not change.deleted and change.vector is not None]
    vectors = np.zeros((len(found), dimensions), np.float32)
    for row, (_, vector) in enumerate(found):
        vectors[row] = unit(vector, dimensions)
    return Laid(tuple(change.chunk_id for change, _ in found), tuple(change.document_id for change, _ in found), vectors)


def unit(vector: Vector, dimensions: int) -> Floats:
    """Return a vector brought to length 1 (zero and undefined numbers stay 0). Raises `ConflictError` for another size."""
    if len(vector) != dimensions:
        raise ConflictError(f"This collection holds vectors of {dimensions} numbers; this one has {len(vector)}.")
    found = np.nan_to_num(np.asarray(vector, np.float32), posinf=0.0, neginf=0.0)
    length = np.linalg.norm(found)
    return np.divide(found, length, dtype=np.float32) if length > 0 else found


def key_of(chunk: ChunkId) -> int:
    """Return the hash under which a row is found. Raises `StoreError` for an id that doesn't fit a row."""
    name = chunk.encode()
    if len(name) > ID_BYTES:
        raise StoreError(f"The chunk id {chunk!r} is longer than {ID_BYTES} bytes.")
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "little")


def top(scores: Floats, limit: int) -> Places:
    """Return where the `limit` highest scores stand, highest first, of equal ones the earlier first."""
    if limit < len(scores):
        least = np.partition(scores, len(scores) - limit)[-limit]
        places = np.flatnonzero(scores >= least)
    else:
        places = np.arange(len(scores))
    return places[np.argsort(-scores[places], kind="stable")][:limit]


def _products(vectors: Floats, query: Floats) -> Floats:
    """Return the products of all rows with a query, a few rows at a time.

    BLAS would share a large product among threads. Where these must wait for a core, that costs up to twenty times the product.
    """
    scores = np.empty(len(vectors), np.float32)
    for start in range(0, len(vectors), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        np.dot(vectors[part], query, out=scores[part])
    return scores


def _gathered_products(vectors: Floats, query: Floats, places: Places) -> Floats:
    """Return the products of some rows with a query, a few rows at a time: on one thread, and within the cache."""
    scores = np.empty(len(places), np.float32)
    rows = np.empty((min(_AT_ONCE, len(places)), vectors.shape[1]), np.float32)
    for start in range(0, len(places), _AT_ONCE):
        some = places[start : start + _AT_ONCE]
        np.take(vectors, some, axis=0, out=rows[: len(some)], mode="clip")  # "raise" would copy through a buffer
        np.dot(rows[: len(some)], query, out=scores[start : start + len(some)])
    return scores


def _laid_hits(laid: Laid, query: Floats, documents: Collection[DocumentId] | None) -> list[IndexHit]:
    scores = laid.vectors @ query
    return [
        IndexHit(chunk, float(score))
        for chunk, document, score in zip(laid.chunks, laid.documents, scores, strict=True)
        if documents is None or document in documents
    ]
