"""Appending rows, sign codes and deletion flags to the files of a dense mirror. Only who holds the lock does this.

What was published is never written again, not even with the same bytes: others have it mapped, and go by its checksum.
"""

import os
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from pincite.adapters.index.matrix import ROW, Flags, Laid, MatrixState, key_of
from pincite.adapters.index.matrix_documents import records_of
from pincite.adapters.index.seals import Seal, append
from pincite.adapters.index.signs import BLOCK, Codes, encode, scales
from pincite.core.ids import DocumentId

VECTORS = "vectors.f32"
ROWS = "rows.bin"
DOCUMENTS = "documents.bin"
CODES = "codes.u64"
SCALES = "scales.f32"
CENTER = "center.f32"
TAIL = "tail of codes.u64"
"""The name under which the seals keep what of the last block of codes is in use. The seal of the file is over whole blocks."""


def append_rows(folder: Path, state: MatrixState, documents: dict[DocumentId, int], laid: Laid) -> MatrixState:
    """Write rows behind those of `state` and return the state with them.

    `documents` has the numbers of those of their documents that the files know; it gets those of the others, which are written.
    """
    new = [document for document in dict.fromkeys(laid.documents) if document not in documents]
    documents.update((document, number) for number, document in enumerate(new, state.documents))
    rows = np.zeros(len(laid.chunks), ROW)
    rows["chunk"] = [chunk.encode() for chunk in laid.chunks]
    rows["key"] = [key_of(chunk) for chunk in laid.chunks]
    rows["document"] = [documents[document] for document in laid.documents]
    records = records_of(new)
    state = _appended(folder, state, {VECTORS: laid.vectors.tobytes(), ROWS: rows.tobytes(), DOCUMENTS: records.tobytes()})
    return replace(state, rows=state.rows + len(rows), documents=state.documents + len(new))


def write_dead(folder: Path, state: MatrixState, dead: Flags) -> MatrixState:
    """Write the deletion flags of all rows under a name of their own, and return the state that names them."""
    count = int(dead.sum())
    if count == state.dead_rows:
        return state
    name = f"dead-{state.seq}.bits"
    (folder / name).unlink(missing_ok=True)  # of a writer that was killed before it published
    seals = {known: seal for known, seal in state.seals.items() if known != state.dead}
    state = replace(state, dead=name, dead_rows=count, seals=seals)
    return _appended(folder, state, {name: np.packbits(dead).tobytes()})


def code_rows(folder: Path, state: MatrixState, *, sign_rows: int) -> MatrixState:
    """Write the sign codes that are missing, once there are `sign_rows` rows. The first rows' mean is the centre for good."""
    if state.rows < sign_rows or state.rows == state.coded:
        return state
    vectors = np.memmap(folder / VECTORS, np.float32, "r", shape=(state.rows, state.dimensions)).view(np.ndarray)
    if state.coded:
        center = np.fromfile(folder / CENTER, np.float32)
    else:
        center = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
        for name in (CENTER, CODES, SCALES):
            (folder / name).unlink(missing_ok=True)
        state = _appended(folder, state, {CENTER: center.tobytes()})
    missing = [vectors[start : start + BLOCK] for start in range(state.coded, state.rows, BLOCK)]
    state = _appended(folder, state, {SCALES: b"".join(scales(rows, center).tobytes() for rows in missing)})
    codes = np.concatenate([encode(rows - center) for rows in missing])
    return replace(state, coded=state.rows, seals={**state.seals, **_write_codes(folder / CODES, state, codes)})


def tail_of(path: Path, state: MatrixState) -> bytes:
    """Return what of the last block of codes is in use, word by word. Raises `ValueError` when it isn't all there."""
    words, whole = -(-state.dimensions // 64), state.coded // BLOCK
    block = np.fromfile(path, np.uint64, words * BLOCK, offset=whole * words * BLOCK * 8)
    if len(block) != words * BLOCK:
        raise ValueError(f"{path.name} is cut off")
    return block.reshape(words, BLOCK)[:, : state.coded % BLOCK].tobytes()


def _write_codes(path: Path, state: MatrixState, codes: Codes) -> dict[str, Seal]:
    """Write codes `(n, words)` behind the `state.coded` first, in blocks, word by word; return the seals of all."""
    words, end = codes.shape[1], state.coded + len(codes)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        os.ftruncate(handle, -(-end // BLOCK) * words * BLOCK * 8)
        done = 0
        while done < len(codes):
            block, row = divmod(state.coded + done, BLOCK)
            part = np.ascontiguousarray(codes[done : done + BLOCK - row].T)
            for word in range(words):
                _write_all(handle, part[word].tobytes(), at=((block * words + word) * BLOCK + row) * 8)
            done += part.shape[1]
        os.fsync(handle)
    finally:
        os.close(handle)
    return _seals_of_codes(path, replace(state, coded=end))


def _seals_of_codes(path: Path, state: MatrixState) -> dict[str, Seal]:
    """Sum up the blocks that have become whole, and the tail."""
    words, whole = -(-state.dimensions // 64), state.coded // BLOCK
    known = state.seals.get(CODES, Seal())
    size_bytes = whole * words * BLOCK * 8
    crc = known.crc
    with path.open("rb") as file:
        file.seek(known.size_bytes)
        for _ in range(known.size_bytes, size_bytes, words * BLOCK * 8):
            crc = zlib.crc32(file.read(words * BLOCK * 8), crc)
    written_ns = path.stat().st_mtime_ns
    tail = tail_of(path, state) if state.coded % BLOCK else b""
    return {CODES: Seal(size_bytes, crc, written_ns), TAIL: Seal(len(tail), zlib.crc32(tail), written_ns)}


def _write_all(handle: int, data: bytes, *, at: int) -> None:
    rest = memoryview(data)
    while rest:
        written = os.pwrite(handle, rest, at)
        rest, at = rest[written:], at + written


def _appended(folder: Path, state: MatrixState, parts: Mapping[str, bytes]) -> MatrixState:
    """Append to files, each behind its sealed bytes, and return the state with their new seals."""
    return replace(
        state,
        seals={**state.seals, **{name: append(folder / name, state.seals.get(name, Seal()), data) for name, data in parts.items()}},
    )
