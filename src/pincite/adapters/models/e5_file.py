"""Reader of `e5-small-q4.bin`: tokenizer and weights of multilingual-e5-small in one little-endian file.

Layout: magic `E5S1`, version, sizes, special ids; pieces (offsets, scores, bytes); the character map; a directory of tensors;
their data. A tensor is float32, or rows of blocks of 32 weights in 18 bytes: a float16 scale, then 16 bytes whose low halves
are weights 0–15 and high halves weights 16–31, each less 8 (the Q4_0 form of ggml).
"""

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pincite.adapters.models.mapped_arrays import Bytes, Floats

MAGIC = b"E5S1"
BLOCK_WEIGHTS = 32
BLOCK_BYTES = 18


class SpecialIds(NamedTuple):
    """Ids that stand for no text of a user."""

    begin: int
    end: int
    pad: int
    unknown: int


@dataclass(frozen=True, slots=True)
class TensorEntry:
    """Where a tensor's bytes lie."""

    offset: int
    size_bytes: int


class Cursor:
    """Reads little-endian values one after the other. Raises `ValueError` past the end."""

    def __init__(self, data: Bytes) -> None:
        self._data = data
        self.offset = 0

    def take(self, size_bytes: int) -> bytes:
        """Return the next bytes."""
        end = self.offset + size_bytes
        if size_bytes < 0 or end > len(self._data):
            raise ValueError("The weight file ends early.")
        taken = self._data[self.offset : end].tobytes()
        self.offset = end
        return taken

    def integers(self, code: str) -> tuple[int, ...]:
        """Return the values of a `struct` format made of integers."""
        return struct.unpack(f"<{code}", self.take(struct.calcsize(f"<{code}")))

    def integer(self, code: str = "i") -> int:
        """Return one integer."""
        return self.integers(code)[0]


class E5File:
    """The opened file; tensors stay on disk until they are asked for. Raises `ValueError` for a file of another form."""

    def __init__(self, path: Path) -> None:
        self._data: Bytes = np.asarray(np.memmap(path, np.uint8, "r"))
        cursor = Cursor(self._data)
        if cursor.take(4) != MAGIC:
            raise ValueError("Not a packed e5 file.")
        cursor.integer("I")
        self.width, self.layers, self.heads, self.inner, self.vocabulary, self.positions, _ = cursor.integers("7i")
        cursor.take(8)
        pieces = cursor.integer()
        begin, end, pad, unknown = cursor.integers("4i")
        self.special = SpecialIds(begin, end, pad, unknown)
        blob_bytes = cursor.integer("Q")
        self._piece_offsets = struct.unpack(f"<{pieces + 1}I", cursor.take(4 * (pieces + 1)))
        self.piece_scores: Floats = np.frombuffer(cursor.take(4 * pieces), "<f4")
        self._piece_bytes = cursor.take(blob_bytes)
        self.characters = _character_map(cursor)
        self._tensors = _directory(cursor)

    def pieces(self) -> list[bytes]:
        """Return the tokenizer's pieces by id, in UTF-8."""
        return [self._piece_bytes[start:end] for start, end in pairwise(self._piece_offsets)]

    def floats(self, name: str) -> Floats:
        """Return a float32 tensor as one row."""
        return np.frombuffer(self._raw(name).tobytes(), "<f4")

    def blocks(self, name: str, columns: int) -> Bytes:
        """Return a 4-bit matrix as mapped blocks `(rows, columns / 32, 18)`."""
        return self._raw(name).reshape(-1, columns // BLOCK_WEIGHTS, BLOCK_BYTES)

    def matrix(self, name: str, columns: int) -> Floats:
        """Return a 4-bit matrix as float32 `(rows, columns)`."""
        return dequantize(self.blocks(name, columns))

    def place(self, name: str) -> TensorEntry:
        """Return where a tensor's bytes lie."""
        return self._tensors[name]

    def _raw(self, name: str) -> Bytes:
        entry = self._tensors[name]
        return self._data[entry.offset : entry.offset + entry.size_bytes]


def dequantize(blocks: Bytes) -> Floats:
    """Return the float32 weights `(rows, columns)` of blocks `(rows, columns / 32, 18)`."""
    scales = np.ascontiguousarray(blocks[..., :2]).view("<f2").astype(np.float32)
    codes = blocks[..., 2:]
    half = BLOCK_WEIGHTS // 2
    weights = np.empty((*blocks.shape[:2], BLOCK_WEIGHTS), np.float32)
    weights[..., :half] = codes & 15
    weights[..., half:] = codes >> 4
    weights -= 8
    weights *= scales
    return weights.reshape(blocks.shape[0], -1)


def _character_map(cursor: Cursor) -> dict[int, str]:
    count = cursor.integer()
    packed = cursor.take(cursor.integer("I"))
    mapped: dict[int, str] = {}
    offset = 0
    for _ in range(count):
        code_point, length = struct.unpack_from("<IB", packed, offset)
        mapped[code_point] = "".join(map(chr, struct.unpack_from(f"<{length}I", packed, offset + 5)))
        offset += 5 + 4 * length
    return mapped


def _directory(cursor: Cursor) -> dict[str, TensorEntry]:
    tensors: dict[str, TensorEntry] = {}
    for _ in range(cursor.integer()):
        name = cursor.take(cursor.integer("H")).decode()
        _kind, _values, offset, size_bytes = cursor.integers("BIQQ")
        tensors[name] = TensorEntry(offset, size_bytes)
    return tensors
