"""Appending rows, sign codes and deletion flags to the files of a dense mirror. Only who holds the lock does this."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from pincite.adapters.index.matrix import ROW, Flags, Laid, MatrixState, key_of
from pincite.adapters.index.signs import BLOCK, Floats, encode, scales

VECTORS = "vectors.f32"
ROWS = "rows.bin"
DOCUMENTS = "documents.txt"
CODES = "codes.u64"
SCALES = "scales.f32"
CENTER = "center.f32"


def append_rows(folder: Path, state: MatrixState, documents: dict[str, int], laid: Laid) -> MatrixState:
    """Write rows behind those of `state` and return the state with them; number new documents in `documents`."""
    known = len(documents)
    rows = np.zeros(len(laid.chunks), ROW)
    rows["chunk"] = [chunk.encode() for chunk in laid.chunks]
    rows["key"] = [key_of(chunk) for chunk in laid.chunks]
    rows["document"] = [documents.setdefault(document, len(documents)) for document in laid.documents]
    lines = "".join(f"{document}\n" for document in list(documents)[known:]).encode()
    _write_at(folder / VECTORS, state.rows * laid.vectors.shape[1] * 4, laid.vectors.data)
    _write_at(folder / ROWS, state.rows * ROW.itemsize, rows.data)
    _write_at(folder / DOCUMENTS, state.documents_bytes, lines)
    return replace(state, rows=state.rows + len(rows), documents_bytes=state.documents_bytes + len(lines))


def write_dead(folder: Path, state: MatrixState, dead: Flags) -> MatrixState:
    """Write the deletion flags of all rows under a name of their own, and return the state that names them."""
    count = int(dead.sum())
    if count == state.dead_rows:
        return state
    name = f"dead-{state.seq}.bits"
    _write_at(folder / name, 0, np.packbits(dead).data)
    return replace(state, dead=name, dead_rows=count)


def code_rows(folder: Path, state: MatrixState, *, sign_rows: int) -> MatrixState:
    """Write the sign codes that are missing, once there are `sign_rows` rows. The first rows' mean is the centre for good."""
    if state.rows < sign_rows or state.rows == state.coded:
        return state
    vectors = np.memmap(folder / VECTORS, np.float32, "r", shape=(state.rows, state.dimensions)).view(np.ndarray)
    if state.coded:
        center = np.fromfile(folder / CENTER, np.float32)
    else:
        center = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
        _write_at(folder / CENTER, 0, center.data)
    for start in range(state.coded - state.coded % BLOCK, state.rows, BLOCK):
        _code_block(folder, vectors[start : start + BLOCK], center, start=start)
    return replace(state, coded=state.rows)


def _code_block(folder: Path, vectors: Floats, center: Floats, *, start: int) -> None:
    codes = encode(vectors - center)
    block = np.zeros((codes.shape[1], BLOCK), np.uint64)
    block[:, : len(codes)] = codes.T
    _write_at(folder / CODES, start // BLOCK * block.nbytes, block.data)
    _write_at(folder / SCALES, start * 8, scales(vectors, center).data)


def _write_at(path: Path, offset: int, data: bytes | memoryview) -> None:
    """Write durably at a place in a file: a state that names these bytes may be published next."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    with os.fdopen(handle, "r+b") as file:
        file.seek(offset)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
