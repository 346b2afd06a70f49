"""Vectors between float32 and the half-precision blobs of the table."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from pincite.core.ports.models import Vector


def pack(vector: Vector) -> bytes:
    """Return `2 * len(vector)` bytes: little-endian float16, rounded half to even."""
    return np.asarray(vector, dtype=np.float32).astype("<f2").tobytes()


def unpack_all(blobs: Sequence[bytes | None]) -> list[Vector | None]:
    """Return the vectors of some blobs in order, None where there is none.

    Each is a float32 `memoryview` into one shared buffer: numpy reads it without a copy, and keeping one keeps all of them.
    """
    present = b"".join(blob for blob in blobs if blob is not None)
    numbers = np.frombuffer(present, dtype="<f2").astype(np.float32)
    return list(_cut(numbers.data.cast("B").cast("f"), blobs))


def _cut(numbers: "memoryview[float]", blobs: Iterable[bytes | None]) -> Iterator[Vector | None]:
    at = 0
    for blob in blobs:
        if blob is None:
            yield None
        else:
            yield numbers[at : (at := at + len(blob) // 2)]
