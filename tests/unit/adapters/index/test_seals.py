import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pincite.adapters.index.matrix import Laid, MatrixState
from pincite.adapters.index.matrix_writing import CENTER, CODES, SCALES, TAIL, append_rows, code_rows, tail_of
from pincite.adapters.index.seals import Seal, append, check
from pincite.adapters.index.signs import BLOCK
from pincite.core.ids import ChunkId, DocumentId


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file"


def age(path: Path) -> None:
    """Make a file look as if somebody wrote to it at another time."""
    os.utime(path, ns=(0, path.stat().st_mtime_ns - 5))


def test_what_is_appended_in_parts_is_sealed_as_one(path: Path) -> None:
    seal = append(path, append(path, append(path, Seal(), b"one "), b""), b"two")
    assert (path.read_bytes(), seal.size_bytes, seal.mtime_ns) == (b"one two", 7, path.stat().st_mtime_ns)
    check(path, seal)
    age(path)
    check(path, seal)


def test_what_was_appended_and_never_published_is_written_over(path: Path) -> None:
    published = append(path, Seal(), b"one ")
    append(path, published, b"lost for ever")
    check(path, published)
    seal = append(path, published, b"two")
    check(path, seal)
    assert path.read_bytes()[:7] == b"one two"
    check(path, published)


@pytest.mark.parametrize("spoilt", [b"", b"on", b"onx ", b"\0\0\0\0", b"xne and more"])
def test_bytes_that_are_not_as_they_were_are_noticed(path: Path, spoilt: bytes) -> None:
    seal = append(path, Seal(), b"one ")
    path.write_bytes(spoilt)
    age(path)
    with pytest.raises(ValueError, match="file"):
        check(path, seal)
    path.unlink()
    with pytest.raises(OSError, match="No such file"):
        check(path, seal)


def grown(folder: Path, vectors: np.ndarray, steps: list[int]) -> MatrixState:
    """Append rows and their codes in steps."""
    folder.mkdir()
    state, documents = MatrixState("g", dimensions=vectors.shape[1]), dict[DocumentId, int]()
    for start, end in zip([0, *steps], steps, strict=False):
        chunks = tuple(ChunkId(f"c{n}") for n in range(start, end))
        laid = Laid(chunks, (DocumentId("d"),) * len(chunks), vectors[start:end])
        state = code_rows(folder, append_rows(folder, state, documents, laid), sign_rows=1000)
    return state


@pytest.mark.parametrize("end", [BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 77])
def test_codes_written_in_steps_are_those_written_at_once(tmp_path: Path, end: int) -> None:
    vectors = np.random.default_rng(3).standard_normal((end, 70)).astype(np.float32)
    steps = sorted({1000, 1001, 2500, 4000, BLOCK - 1, BLOCK, BLOCK + 1, 6000, end})
    state = grown(tmp_path / "steps", vectors, [step for step in steps if step <= end])
    whole = grown(tmp_path / "whole", vectors, [1000, end])
    assert state.coded == whole.coded == end
    for name in (CENTER, CODES):
        assert (tmp_path / "steps" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    for name, seal in state.seals.items():
        if name != TAIL:
            age(tmp_path / "steps" / name)
            check(tmp_path / "steps" / name, seal)
        if name != SCALES:  # sums of floats, which may differ in their last bit
            assert replace(seal, mtime_ns=0) == replace(whole.seals[name], mtime_ns=0)


def test_published_codes_are_not_touched_by_those_that_follow(tmp_path: Path) -> None:
    vectors = np.random.default_rng(4).standard_normal((5000, 64)).astype(np.float32)
    state = grown(tmp_path / "rows", vectors[:1500], [1500])
    before = tail_of(tmp_path / "rows" / CODES, state)
    chunks = tuple(ChunkId(f"d{n}") for n in range(3500))
    more = append_rows(tmp_path / "rows", state, {DocumentId("d"): 0}, Laid(chunks, (DocumentId("d"),) * 3500, vectors[1500:]))
    code_rows(tmp_path / "rows", more, sign_rows=1000)
    for name, seal in state.seals.items():
        if name != TAIL:
            check(tmp_path / "rows" / name, seal)
    first = np.fromfile(tmp_path / "rows" / CODES, np.uint64, BLOCK)[:1500].tobytes()
    assert first == before
