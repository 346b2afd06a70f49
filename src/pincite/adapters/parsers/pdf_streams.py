"""Streams of a PDF that swell when they are unpacked, as in files made to exhaust whoever reads them."""

import mmap
import re
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice

_FREE_BYTES = 16 * 1024 * 1024
_MAX_RATIO = 200
_MOST_BYTES = 256 * 1024 * 1024
"""Unpacked in all streams together, before this gives up."""
_MAX_STREAMS = 2000
_HEAD_BYTES = 2048
_PIECE_BYTES = 65_536
_STREAM = re.compile(rb"(?<!end)stream\r?\n")
_FLATE = re.compile(rb"/(?:FlateDecode|Fl)\b")


def has_swelling_stream(path: str) -> bool:
    """Whether a stream unpacks to more than 16 MB and 200 times its size. Pictures may: a blank page that was scanned does."""
    left = _MOST_BYTES
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for found in islice(_STREAM.finditer(data), _MAX_STREAMS):
            head = data[max(0, found.start() - _HEAD_BYTES) : found.start()]
            head = head[head.rfind(b"obj") + 1 :]
            filters = len(_FLATE.findall(head))
            if not filters or b"/Image" in head:
                continue
            packed, unpacked = _sizes(data, found.end(), filters)
            if unpacked > max(_FREE_BYTES, _MAX_RATIO * packed):
                return True
            left -= unpacked
            if left < 0:
                break
    return False


def _sizes(data: mmap.mmap, start: int, filters: int) -> tuple[int, int]:
    """Return how many bytes a stream takes and how many come out, as far as it takes to tell whether it swells."""
    taken = 0

    def packed() -> Iterator[bytes]:
        nonlocal taken
        for at in range(start, len(data), _PIECE_BYTES):
            piece = data[at : at + _PIECE_BYTES]
            taken += len(piece)
            yield piece

    pieces: Iterable[bytes] = packed()
    for _ in range(filters):
        pieces = _unpacked(pieces)
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > max(_FREE_BYTES, _MAX_RATIO * taken):
            break
    return taken, size


def _unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what comes out of a packed stream, a piece at a time; a damaged one ends where the damage is."""
    unpacking = zlib.decompressobj()
    for piece in pieces:
        rest = piece
        while rest and not unpacking.eof:
            try:
                yield unpacking.decompress(rest, _PIECE_BYTES)
            except zlib.error:
                return
            rest = unpacking.unconsumed_tail
        if unpacking.eof:
            return
