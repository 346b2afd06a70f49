"""Compound files ([MS-CFB]): storages and streams, as folders and files. Nothing is believed: chains end, trees have no loops."""

import struct
from array import array
from dataclasses import dataclass, field
from mmap import mmap

from pincite.core.errors import RefusedInput

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER_BYTES = 512
_ENTRY_BYTES = 128
_FIRST_TABLE_AT = 76
_TABLES_IN_HEADER = 109
_LAST = 0xFFFFFFFA
_STORAGE, _STREAM, _ROOT = 1, 2, 5
_MAX_ENTRIES = 200_000
_SHIFTS = {(9, 6), (12, 6)}


@dataclass(frozen=True, slots=True)
class Stream:
    """Where the bytes of a stream stand."""

    start: int
    size_bytes: int


@dataclass(slots=True)
class Storage:
    """A folder of streams and storages, by name."""

    streams: dict[str, Stream] = field(default_factory=dict[str, Stream])
    storages: dict[str, "Storage"] = field(default_factory=dict[str, "Storage"])


class Compound:
    """An open compound file. Raises `RefusedInput` (`corrupt`), here and when streams are read."""

    def __init__(self, raw: bytes | mmap) -> None:
        self._raw = raw
        if len(raw) < _HEADER_BYTES or raw[:8] != MAGIC:
            raise _damaged()
        shifts = struct.unpack_from("<HH", raw, 30)
        if shifts not in _SHIFTS:
            raise _damaged()
        self._sector_bytes, self._small_bytes = 1 << shifts[0], 1 << shifts[1]
        self._table = self._read_table()
        directory, self._cutoff, small_table = (struct.unpack_from("<I", raw, at)[0] for at in (48, 56, 60))
        self._small_table = _numbers(self._chain(small_table, len(raw)))
        self._entries = self._chain(directory, _MAX_ENTRIES * _ENTRY_BYTES)
        self.root, container = self._tree()
        self._small = self._chain(container.start, container.size_bytes)[: container.size_bytes]

    def read(self, stream: Stream) -> bytes:
        """Return the bytes of a stream."""
        if stream.size_bytes >= self._cutoff:
            return self._chain(stream.start, stream.size_bytes)[: stream.size_bytes]
        pieces: list[bytes] = []
        at, left = stream.start, stream.size_bytes
        while left > 0 and at < len(self._small_table):
            pieces.append(self._small[at * self._small_bytes :][: self._small_bytes])
            at, left = self._small_table[at], left - self._small_bytes
        return b"".join(pieces)[: stream.size_bytes]

    def _sector(self, number: int) -> bytes:
        start = (number + 1) * self._sector_bytes
        return self._raw[start : start + self._sector_bytes]

    def _chain(self, first: int, most_bytes: int) -> bytes:
        """Return the sectors of a chain, as many as `most_bytes` fill at most: a chain that runs in a circle ends there, too."""
        pieces: list[bytes] = []
        number, left = first, min(most_bytes, len(self._raw))
        while number < len(self._table) and left > 0:
            pieces.append(self._sector(number))
            number, left = self._table[number], left - self._sector_bytes
        return b"".join(pieces)

    def _read_table(self) -> "array[int]":
        """Return for each sector the next one of its chain. Where the table itself stands is a list in the header, then a chain."""
        tables = list(struct.unpack_from(f"<{_TABLES_IN_HEADER}I", self._raw, _FIRST_TABLE_AT))
        (more,) = struct.unpack_from("<I", self._raw, 68)
        most = len(self._raw) // self._sector_bytes + 1
        seen: set[int] = set()
        while more < most and more not in seen:
            seen.add(more)
            *listed, more = _numbers(self._sector(more)) or [_LAST]
            tables += listed
        return _numbers(b"".join(self._sector(number) for number in dict.fromkeys(tables) if number < most))

    def _tree(self) -> tuple[Storage, Stream]:
        root = Storage()
        kind, _, child, container = self._entry(0)[1:]
        if kind != _ROOT:
            raise _damaged()
        waiting, seen = [(child, root)], {0}
        while waiting:
            number, folder = waiting.pop()
            if number in seen or (number + 1) * _ENTRY_BYTES > len(self._entries):
                continue
            seen.add(number)
            name, kind, siblings, child, stream = self._entry(number)
            waiting += [(each, folder) for each in siblings]
            if kind == _STREAM:
                folder.streams.setdefault(name, stream)
            elif kind == _STORAGE:
                waiting.append((child, folder.storages.setdefault(name, Storage())))
        return root, container

    def _entry(self, number: int) -> tuple[str, int, tuple[int, int], int, Stream]:
        raw = self._entries[number * _ENTRY_BYTES :][:_ENTRY_BYTES]
        if len(raw) < _ENTRY_BYTES:
            raise _damaged()
        name = raw[: max(0, min(64, int.from_bytes(raw[64:66], "little")) - 2)].decode("utf-16-le", "replace")
        left, right, child = struct.unpack_from("<III", raw, 68)
        start, size_bytes = struct.unpack_from("<II", raw, 116)
        return name, raw[66], (left, right), child, Stream(start, size_bytes)


def _numbers(raw: bytes) -> "array[int]":
    numbers = array("I", raw[: len(raw) - len(raw) % 4])
    if struct.pack("=I", 1) != struct.pack("<I", 1):
        numbers.byteswap()
    return numbers


def _damaged() -> RefusedInput:
    return RefusedInput("The file is damaged or cut off. Copy it again, or save it again from its program.", code="corrupt")
