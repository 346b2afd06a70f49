"""A dense mirror against the rows that it was made from."""

from collections.abc import Sequence

import numpy as np

from pincite.adapters.index.matrix import MatrixView, chunks_at, unit
from pincite.adapters.index.matrix_files import MatrixMirror
from pincite.core.errors import ConflictError
from pincite.core.ids import ChunkId
from pincite.core.ports.changes import Change

_TOLERANCE = 1e-5


class MatrixComparison:
    """Compares the files' checksums, which chunks are there, and each one's document and vector."""

    def __init__(self, mirror: MatrixMirror, view: MatrixView) -> None:
        alive = np.flatnonzero(~view.dead)
        chunks = chunks_at(view.rows, alive)
        self._view = view
        self._rows = dict(zip(chunks, alive.tolist(), strict=True))
        self._twice = len(chunks) - len(self._rows)
        self._seen: set[ChunkId] = set()
        self._missing: set[ChunkId] = set()
        self._other: set[ChunkId] = set()
        self.damaged = mirror.damaged_files(view)

    def compare(self, changes: Sequence[Change]) -> None:
        """Look at some of the rows that the view says it holds."""
        for change in changes:
            row = self._rows.get(change.chunk_id)
            if change.vector is None:
                continue
            self._seen.add(change.chunk_id)
            if row is None:
                self._missing.add(change.chunk_id)
            elif not self._is_same(change, row):
                self._other.add(change.chunk_id)

    def _is_same(self, change: Change, row: int) -> bool:
        view = self._view
        try:
            wanted = unit(change.vector or [], view.dimensions)
        except ConflictError:  # a vector of another size, which is the database's fault
            return True
        [document] = view.documents.ids([int(view.rows["document"][row])])
        return document == change.document_id and bool(np.allclose(view.vectors[row], wanted, atol=_TOLERANCE))

    def faults(self, unsure: set[ChunkId]) -> list[str]:
        """Return what was found, a sentence each, without what concerns chunks that changed since."""
        extra = self._rows.keys() - self._seen - unsure
        found = [
            (len(self._missing - unsure), "passages are missing"),
            (len(extra), "passages are there that no longer exist"),
            (len(self._other - unsure), "passages have another vector or document than in the database"),
            (self._twice, "passages are there twice"),
        ]
        return [f"{count} {what}." for count, what in found if count]
