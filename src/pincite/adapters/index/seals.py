"""Telling whether files are still as they were written.

Whoever publishes files notes of each how many of its first bytes count, their checksum, and when the file was last written. A file
that nobody has written to since is taken for whole without being read, so opening costs a look at its times. Any other is read
and summed up: somebody may be appending to it at this moment, or may have spoilt it.
"""

import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Seal:
    """The first `size_bytes` of a file, their CRC-32, and when the file was written (nanoseconds; 0 when nobody noted it)."""

    size_bytes: int = 0
    crc: int = 0
    mtime_ns: int = 0


def check(path: Path, seal: Seal) -> None:
    """Raise `ValueError` unless the sealed bytes are there and as they were, `OSError` when the file can't be read."""
    found = path.stat()
    if found.st_size < seal.size_bytes:
        raise ValueError(f"{path.name} is cut off")
    if found.st_mtime_ns != seal.mtime_ns and not is_whole(path, seal):
        raise ValueError(f"{path.name} has changed")


def is_whole(path: Path, seal: Seal) -> bool:
    """Say whether the sealed bytes are as they were, by reading them. Raises `OSError` when the file can't be read."""
    return _crc_of(path, seal.size_bytes) == seal.crc


def _crc_of(path: Path, size_bytes: int) -> int:
    crc, left = 0, size_bytes
    with path.open("rb") as file:
        while left and (piece := file.read(min(_PIECE_BYTES, left))):
            crc = zlib.crc32(piece, crc)
            left -= len(piece)
    return crc


def append(path: Path, seal: Seal, data: bytes | memoryview) -> Seal:
    """Write behind the sealed bytes, durably, and return the seal of all. What lay there was never published."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        rest = memoryview(data).cast("B") if len(data) else memoryview(b"")
        at = seal.size_bytes
        while rest:
            written = os.pwrite(handle, rest, at)
            rest, at = rest[written:], at + written
        os.fsync(handle)
        written_ns = os.fstat(handle).st_mtime_ns
    finally:
        os.close(handle)
    return Seal(at, zlib.crc32(data, seal.crc), written_ns)


def marks_of(paths: Iterable[Path]) -> dict[str, tuple[int, int]]:
    """Return size and time of files that are never changed once written, by name."""
    return {path.name: (found.st_size, found.st_mtime_ns) for path in paths for found in [path.stat()]}
