"""Arrays in one file that is read by mapping it: a checksummed header, then each array on a 64-byte boundary."""

import contextlib
import json
import mmap
import os
import struct
import tempfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

AnyArray: TypeAlias = npt.NDArray[np.generic]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Floats: TypeAlias = npt.NDArray[np.float32]

MAGIC = b"PINARR01"
PREFIX = struct.Struct("<8sIIQQ")
"""Magic, bytes and CRC-32 of the header, bytes and CRC-32 of the body."""
ALIGNMENT = 64


Arrays: TypeAlias = Mapping[str, AnyArray]


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write the file in one step: readers see the old one or the new one, whole. Raises `OSError`."""
    body, entries = bytearray(), dict[str, tuple[str, tuple[int, ...], int]]()
    for name, values in arrays.items():
        body += b"\0" * (-len(body) % ALIGNMENT)
        entries[name] = (values.dtype.str, values.shape, len(body))
        body += np.ascontiguousarray(values).tobytes()
    header = json.dumps(entries).encode()
    header += b" " * (-(PREFIX.size + len(header)) % ALIGNMENT)
    prefix = PREFIX.pack(MAGIC, len(header), zlib.crc32(header), len(body), zlib.crc32(body))
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines((prefix, header, body))
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def read_arrays(path: Path) -> Arrays | None:
    """Map the file's arrays. None when there is no file, or when any byte of it is damaged."""
    try:
        data = np.asarray(np.memmap(path, np.uint8, "r"))
        magic, header_bytes, header_crc, body_bytes, body_crc = PREFIX.unpack(data[: PREFIX.size].tobytes())
    except (OSError, ValueError, struct.error):
        return None
    start = PREFIX.size + header_bytes
    header, body = data[PREFIX.size : start].tobytes(), data[start:]
    if magic != MAGIC or zlib.crc32(header) != header_crc or len(body) != body_bytes or zlib.crc32(body.data) != body_crc:
        return None
    entries: dict[str, tuple[str, list[int], int]] = json.loads(header)
    return {name: _view(body, *entry) for name, entry in entries.items()}


def release_pages(arrays: Arrays) -> None:
    """Give the memory of mapped arrays back. What is read again comes from the file, by itself; other arrays stay as they are."""
    for values in arrays.values():
        source: Any = values
        while isinstance(source, np.ndarray):
            source = source.base
        if isinstance(source, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            source.madvise(mmap.MADV_DONTNEED)


def _view(body: Bytes, kind: str, shape: list[int], offset: int) -> AnyArray:
    size_bytes = int(np.prod(shape)) * np.dtype(kind).itemsize
    return body[offset : offset + size_bytes].view(kind).reshape(shape)
