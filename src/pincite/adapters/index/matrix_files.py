"""A dense mirror in a folder: mapped by everybody, brought forward by who holds the lock."""

import logging
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pincite.adapters.index.matrix import ROW, Flags, Laid, MatrixState, MatrixView, Rows, chunks_at, empty_view, key_of, lay
from pincite.adapters.index.matrix_documents import DOCUMENT, MatrixDocuments
from pincite.adapters.index.matrix_writing import (
    CENTER,
    CODES,
    DOCUMENTS,
    ROWS,
    SCALES,
    TAIL,
    VECTORS,
    append_rows,
    code_rows,
    tail_of,
    write_dead,
)
from pincite.adapters.index.publication import Publication, Stamp, sync_folder
from pincite.adapters.index.seals import Seal, check, is_whole
from pincite.adapters.index.signs import BLOCK, Floats, SignCodes
from pincite.core.ids import DocumentId
from pincite.core.ports.changes import Change

_FORMAT = 3
SIGN_ROWS = 50_000
COMPACT_ROWS = 1_000
_COPIED_ROWS = 8192
_SPOT_CHECKS = 16
_log = logging.getLogger(__name__)


class MatrixMirror:
    """A `Mirror` of `MatrixView`, with sign codes from `sign_rows` rows on, compacted not before `compact_rows` rows are dead."""

    def __init__(self, folder: Path, *, dimensions: int, sign_rows: int = SIGN_ROWS, compact_rows: int = COMPACT_ROWS) -> None:
        self._publication = Publication(folder)
        self._dimensions = dimensions
        self._sign_rows = sign_rows
        self._compact_rows = compact_rows
        self._published: MatrixView | None = None
        self._overlaid: MatrixView | None = None
        self._damaged: Stamp | None = None

    def at_hand(self) -> MatrixView | None:
        """Return what was published and laid over it when this process last looked, None if somebody published since."""
        published, laid_over = self._published, self._overlaid
        if published is None or published.stamp != self._publication.stamp():
            return None
        return laid_over if laid_over and laid_over.stamp == published.stamp else published

    @property
    def size_bytes(self) -> int:
        """Return the size of the files that this process has open."""
        published = self._published
        return sum(seal.size_bytes for seal in published.state.seals.values()) if published else 0

    def load(self, *, overlaid: bool) -> MatrixView:
        """Return the published view, opened anew when another was published; with `overlaid` what was laid over it."""
        stamp = self._publication.stamp()
        published, laid_over = self._published, self._overlaid
        if published is None or published.stamp != stamp:
            published = self._published = self._open(stamp)
        if laid_over and laid_over.stamp != published.stamp:
            self._overlaid = laid_over = None  # it lies over files that are no longer published: its memory is given back
        return laid_over if overlaid and laid_over else published

    def overlay(self, view: MatrixView, changes: Sequence[Change], *, seq: int, base: int | None) -> MatrixView:
        """Return `view` with changes laid over it in memory."""
        start = view if base is None else empty_view(view.stamp)
        dimensions = self._dimensions_of(start, changes)
        found = start.under(changes, seq=seq, base=start.base if base is None else base, dimensions=dimensions)
        self._overlaid = found
        return found

    def apply(self, view: MatrixView, changes: Sequence[Change], *, seq: int, base: int | None) -> bool:
        """Write changes and publish. Raises `ConflictError` for a vector of another size."""
        start = view if base is None else empty_view(None)
        try:
            with self._publication.try_lock() as held:
                if held and self._publication.stamp() == view.stamp:
                    if start.state.generation and not self._sound(view):
                        return True
                    self._advance(start, changes, seq=seq, base=base)
                return held
        except OSError as error:
            _log.warning("The vector index can't be written (%s); new passages are searched in memory.", error.strerror)
            return False

    def damaged_files(self, view: MatrixView) -> list[str]:
        """Return the names of the files that aren't as they were published, by reading all of them."""
        folder = self._publication.generation(view.state.generation)
        return [name for name, seal in view.state.seals.items() if name != TAIL and not _is_whole(folder / name, seal)]

    def withdraw(self) -> bool:
        """Publish nothing any more, so that the mirror is made anew. False when somebody holds the lock."""
        return self._publication.withdraw()

    def _sound(self, view: MatrixView) -> bool:
        """Say whether the files that would be added to are still those that are mapped; else have them rebuilt."""
        try:
            self._map(view.stamp)
        except (OSError, ValueError) as damage:
            _log.warning("The vector index is damaged and is rebuilt (%s).", damage)
            self._damaged = view.stamp
            self._published = self._overlaid = None
            return False
        return True

    def _advance(self, view: MatrixView, changes: Sequence[Change], *, seq: int, base: int | None) -> None:
        latest = {change.chunk_id: change for change in changes}
        dimensions = self._dimensions_of(view, changes)
        laid = lay(latest, dimensions)
        dead = view.dead.copy()
        dead[view.rows_of(latest)] = True
        state = replace(view.state, seq=seq, base=view.base if base is None else base, dimensions=dimensions)
        documents = view.documents.numbers(frozenset(laid.documents))
        gone = int(dead.sum())
        if not state.generation or (gone >= self._compact_rows and gone * 3 > len(dead)):
            folder = self._publication.new_generation()
            state = MatrixState(folder.name, seq, state.base, dimensions)
            state, documents, dead = _copy(folder, state, view, dead)
        folder = self._publication.generation(state.generation)
        state = append_rows(folder, state, documents, laid)
        state = write_dead(folder, state, np.concatenate([dead, np.zeros(len(laid.chunks), np.bool_)]))
        state = code_rows(folder, state, sign_rows=self._sign_rows)
        sync_folder(folder)
        self._publication.write({"format": _FORMAT, **asdict(state)})
        self._clean(folder, state)

    def _clean(self, folder: Path, state: MatrixState) -> None:
        self._publication.remove_other_generations(state.generation)
        for path in folder.glob("dead-*.bits"):
            if path.name != state.dead:
                path.unlink(missing_ok=True)

    def _dimensions_of(self, view: MatrixView, changes: Sequence[Change]) -> int:
        first = next((len(change.vector) for change in changes if change.vector is not None), 0)
        return self._dimensions or view.dimensions or first

    def _open(self, stamp: Stamp | None) -> MatrixView:
        """Map what is published; while somebody publishes and cleans up, again. What can't be read counts as nothing."""
        while stamp and stamp != self._damaged:
            try:
                return self._map(stamp)
            except (OSError, ValueError) as damage:
                newer = self._publication.stamp()
                if newer == stamp:
                    _log.warning("The vector index is damaged or of another version and is rebuilt (%s).", damage)
                    break
                stamp = newer
        return empty_view(stamp)

    def _map(self, stamp: Stamp | None) -> MatrixView:
        state = _state(self._publication.read() or {})
        if self._dimensions not in (0, state.dimensions):
            raise ValueError(f"vectors of {state.dimensions} numbers")
        folder = self._publication.generation(state.generation)
        for name, seal in state.seals.items():
            if name != TAIL:
                check(folder / name, seal)
        rows = _mapped(folder / ROWS, ROW, (state.rows,))
        vectors = _mapped(folder / VECTORS, np.dtype(np.float32), (state.rows, state.dimensions))
        documents = MatrixDocuments(_mapped(folder / DOCUMENTS, DOCUMENT, (state.documents,)))
        if state.coded and not _is_tail_whole(folder, state):
            raise ValueError("files don't fit")
        _spot_check(rows, vectors, documents)
        return MatrixView(
            state.seq,
            state.base,
            state,
            stamp,
            vectors,
            rows,
            _dead(folder, state),
            documents,
            _signs(folder, state) if state.coded else None,
        )


def _state(data: Mapping[str, Any]) -> MatrixState:
    names = {field.name for field in fields(MatrixState)}
    if data.get("format") != _FORMAT or not names <= data.keys():
        raise ValueError("another format")
    values: dict[str, Any] = {name: data[name] for name in names}
    values["seals"] = {name: Seal(**seal) for name, seal in data["seals"].items()}
    return MatrixState(**values)


def _is_whole(path: Path, seal: Seal) -> bool:
    try:
        return is_whole(path, seal)
    except OSError:
        return False


def _is_tail_whole(folder: Path, state: MatrixState) -> bool:
    tail = tail_of(folder / CODES, state) if state.coded % BLOCK else b""
    return zlib.crc32(tail) == state.seals[TAIL].crc


def _mapped(path: Path, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Map an array. Raises `ValueError` for a file that is too short."""
    if 0 in shape:
        return np.zeros(shape, dtype)
    return np.memmap(path, dtype, "r", shape=shape).view(np.ndarray)


def _dead(folder: Path, state: MatrixState) -> Flags:
    if not state.dead:
        return np.zeros(state.rows, np.bool_)
    bits = np.fromfile(folder / state.dead, np.uint8)
    flags = np.unpackbits(bits, count=state.rows).astype(np.bool_)
    if int(flags.sum()) != state.dead_rows:  # rows that came since have no flags in the file: they are alive
        raise ValueError("deletion flags don't fit")
    return flags


def _signs(folder: Path, state: MatrixState) -> SignCodes:
    blocks, words = -(-state.coded // BLOCK), -(-state.dimensions // 64)
    codes = _mapped(folder / CODES, np.dtype(np.uint64), (blocks, words, BLOCK))
    scales = _mapped(folder / SCALES, np.dtype(np.float32), (state.coded, 2))
    return SignCodes(codes, scales, _mapped(folder / CENTER, np.dtype(np.float32), (state.dimensions,)).copy())


def _spot_check(rows: Rows, vectors: Floats, documents: MatrixDocuments) -> None:
    """Look at a few rows: zeros or noise, as a crash or a bad disk leaves them, must not be taken for vectors."""
    places = np.linspace(0, len(rows) - 1, min(_SPOT_CHECKS, len(rows))).astype(np.intp)
    for row, chunk in zip(places, chunks_at(rows, places), strict=True):
        length = float(np.linalg.norm(vectors[row]))
        number = int(rows["document"][row])
        if rows["key"][row] != key_of(chunk) or not 0 <= number < len(documents) or not documents.ids([number])[0]:
            raise ValueError("rows don't fit")
        if not (0.99 < length < 1.01 or length == 0):
            raise ValueError("vectors don't fit")


def _copy(folder: Path, state: MatrixState, view: MatrixView, dead: Flags) -> tuple[MatrixState, dict[DocumentId, int], Flags]:
    """Write the rows that live into a new generation."""
    documents: dict[DocumentId, int] = {}
    alive = np.flatnonzero(~dead)
    for start in range(0, len(alive), _COPIED_ROWS):
        part = alive[start : start + _COPIED_ROWS]
        owners = tuple(view.documents.ids(view.rows["document"][part]))
        chunks = tuple(chunks_at(view.rows, part))
        state = append_rows(folder, state, documents, Laid(chunks, owners, view.vectors[part]))
    return state, documents, np.zeros(state.rows, np.bool_)
