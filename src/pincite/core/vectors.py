"""How vectors are kept: as little-endian IEEE 754 half precision, of the one model that a collection has."""

import struct
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pincite.core.documents import Chunk, Collection, Document, EmbeddingSpec
from pincite.core.errors import ConflictError, ModelChangedError
from pincite.core.ids import ChunkId
from pincite.core.ports.changes import LogState
from pincite.core.ports.index import IndexSpace
from pincite.core.ports.models import Vector


@dataclass(frozen=True, slots=True)
class Embedded:
    """A model that a collection has or is being brought to, and where its log stood when that was begun."""

    model_id: str
    seq: int


def log_of(space: IndexSpace, state: LogState, models: Iterable[Embedded]) -> LogState:
    """Return where the log stands for the mirrors of a space.

    A mirror of a model that was read before the collection was brought to it can't know the vectors that were added to chunks
    it had read: it lies behind the horizon. Raises `ModelChangedError` for a model that isn't among `models`.
    """
    if not space.model_id:
        return state
    begun = [model.seq for model in models if model.model_id == space.model_id]
    if not begun:
        raise ModelChangedError("The collection has another embedding model by now.", retryable=True)
    return LogState(state.head, max(state.horizon, *begun))


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


def refuse_unfit_vectors(
    collection: Collection, chunks: Sequence[Chunk], vectors: Mapping[ChunkId, Vector], *, model_id: str, whole: bool
) -> None:
    """Refuse vectors that aren't of the collection's model and size, and if they are to be `whole` a chunk without one.

    Raises `ModelChangedError` for another model, or none, than the collection has now; `ConflictError` for another size.
    """
    spec = collection.embedding
    if model_id != collection.model_id:
        has = f"is embedded with {spec.name}" if spec else "is searched by words alone"
        raise ModelChangedError(f"The collection “{collection.name}” {has}; {_vectors_of(model_id)} don't fit.")
    if spec is None and vectors:
        raise ConflictError(f"The collection “{collection.name}” is searched by words alone and takes no vectors.")
    if spec is not None:
        refuse_other_sizes(collection, spec, vectors.values())
        if whole and any(chunk.id not in vectors for chunk in chunks):
            raise ValueError("every chunk of a ready document has its vector, in a collection with a model")


def is_of(spec: EmbeddingSpec | None, model_id: str) -> bool:
    """Say whether a collection's model is the one of an id."""
    return spec is not None and spec.model_id == model_id


def refuse_unprepared(collection: Collection, model_id: str) -> EmbeddingSpec:
    """Return the model of an id that a collection has or is being brought to. Raises `ModelChangedError` for another."""
    for spec in (collection.next_embedding, collection.embedding):
        if spec is not None and spec.model_id == model_id:
            return spec
    raise ModelChangedError(
        f"The collection “{collection.name}” is not being brought to {model_id} any more: another process brings it to another "
        "embedding model, or has done so. Look at PINCITE_EMBEDDING there, and run `pincite reembed` again."
    )


def refuse_other_sizes(collection: Collection, spec: EmbeddingSpec, vectors: Iterable[Vector]) -> None:
    """Raise `ConflictError` for a vector of another size than the model's."""
    for vector in vectors:
        if len(vector) != spec.dimensions:
            raise ConflictError(
                f"The collection “{collection.name}” holds vectors of {spec.dimensions} numbers; this one has {len(vector)}."
            )


def vectors_lacking() -> ModelChangedError:
    """Return the error for a version that is to be searched and whose vectors aren't all there any more."""
    return ModelChangedError("Vectors of the document are gone: its collection came to another model and back.", retryable=True)


def _vectors_of(model_id: str) -> str:
    return f"vectors of {model_id}" if model_id else "chunks without vectors"
