"""How vectors are kept: as little-endian IEEE 754 half precision, of the one model that a collection froze."""

import struct
from array import array
from collections.abc import Iterable, Sequence

from pincite.core.documents import Chunk, Collection, Document
from pincite.core.errors import ConflictError
from pincite.core.ids import ChunkId
from pincite.core.ports.models import Vector


def pack_float16(vector: Vector) -> bytes:
    """Return a vector as `2 * len(vector)` bytes, rounded half to even."""
    return struct.pack(f"<{len(vector)}e", *vector)


def unpack_float16(data: bytes) -> Vector:
    """Return the vector that `pack_float16` made, as `array('f')`."""
    return array("f", struct.unpack(f"<{len(data) // 2}e", data))


def refuse_stray_chunks(document: Document, chunks: Sequence[Chunk], vectors: Iterable[ChunkId]) -> None:
    """Raise `ValueError` unless all chunks are of the document's version, and all vectors of these chunks."""
    if any(chunk.document_id != document.id or chunk.version_id != document.version_id for chunk in chunks):
        raise ValueError("every published chunk belongs to the document's version")
    if not {chunk.id for chunk in chunks}.issuperset(vectors):
        raise ValueError("every published vector belongs to a published chunk")


def refuse_foreign_vectors(collection: Collection, vectors: Iterable[Vector], *, model_id: str) -> None:
    """Raise `ConflictError` unless every vector is of the model, and of the size, that the collection froze."""
    spec = collection.embedding
    for vector in vectors:
        if spec is None:
            raise ConflictError(f"The collection “{collection.name}” is searched by words alone and takes no vectors.")
        if model_id != spec.model_id:
            raise ConflictError(
                f"The collection “{collection.name}” is embedded with {spec.name}; "
                f"vectors of {model_id or 'another model'} don't fit."
            )
        if len(vector) != spec.dimensions:
            raise ConflictError(
                f"The collection “{collection.name}” holds vectors of {spec.dimensions} numbers; this one has {len(vector)}."
            )
