"""Which mirrors a process keeps open."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from pincite.adapters.index.matrix_files import MatrixMirror
from pincite.adapters.index.mirrors import Mirrors
from pincite.adapters.index.publication import Publication
from pincite.adapters.index.word_files import WordMirror
from pincite.core.ids import ChunkId, CollectionId, DocumentId, WorkspaceId
from pincite.core.ports.changes import Change
from pincite.core.ports.index import IndexSpace

SPACE = IndexSpace(WorkspaceId("w"), CollectionId("c"), "small-1", 4)


@dataclass
class Sized:
    """Something of a size, made for a folder."""

    folder: Path
    size_bytes: int = 10


def made(*, most: int = 32, most_bytes: int = 1000) -> tuple[Mirrors[Sized], list[str]]:
    opened: list[str] = []

    def make(folder: Path, space: IndexSpace) -> Sized:
        opened.append(space.collection_id)
        return Sized(folder)

    return Mirrors(Path("root"), "dense", make, most=most, most_bytes=most_bytes), opened


def space(name: str) -> IndexSpace:
    return replace(SPACE, collection_id=CollectionId(name))


def test_a_mirror_stays_open() -> None:
    mirrors, opened = made()
    assert mirrors.of(space("a")) is mirrors.of(space("a"))
    assert opened == ["a"]


def test_beyond_a_number_the_one_used_least_lately_is_closed() -> None:
    mirrors, opened = made(most=2)
    for name in "abacab":
        mirrors.of(space(name))
    assert opened == ["a", "b", "c", "b"]


def test_beyond_a_size_those_used_least_lately_are_closed_and_the_one_in_use_stays() -> None:
    mirrors, opened = made(most_bytes=25)
    for name in "abc":
        mirrors.of(space(name))
    mirrors.of(space("b"))
    assert opened == ["a", "b", "c"]
    mirrors.of(space("a")).size_bytes = 100
    mirrors.of(space("a"))
    mirrors.of(space("a"))
    assert opened == ["a", "b", "c", "a"]
    mirrors.of(space("c"))
    assert opened == ["a", "b", "c", "a", "c"]


def test_models_of_a_collection_are_parted_and_names_stay_in_their_folder() -> None:
    mirrors, _ = made()
    folders = {mirrors.of(replace(SPACE, model_id=model)).folder for model in ("", "a", "../b", "c.d")}
    assert {folder.parent for folder in folders} == {Path("root/c")}
    assert len(folders) == 4


def test_a_mirror_that_somebody_writes_is_deleted_once_they_are_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mirrors: Mirrors[Sized] = Mirrors(tmp_path, "dense", lambda folder, _: Sized(folder))
    publication = Publication(mirrors.of(SPACE).folder)
    with publication.try_lock() as held, ThreadPoolExecutor() as others:
        assert held
        waited: Queue[float] = Queue()
        monkeypatch.setattr("pincite.adapters.index.mirrors.time.sleep", waited.put)
        others.submit(mirrors.drop, SPACE.collection_id).result()
        assert not waited.empty()
        assert (tmp_path / "c").exists()
    mirrors.drop(SPACE.collection_id)
    assert list(tmp_path.iterdir()) == []


def changes(*, seq: int = 1, vector: bool = True) -> list[Change]:
    return [Change(seq, ChunkId(f"c{seq}"), DocumentId("d"), text="The river runs.", vector=[1, 0, 0, 0] if vector else None)]


@pytest.mark.parametrize("kind", ["dense", "lexical"])
def test_a_mirror_knows_how_much_it_has_open_and_lets_go_of_what_it_laid_over_older_files(tmp_path: Path, kind: str) -> None:
    def make() -> Any:
        if kind == "lexical":
            return WordMirror(tmp_path)
        return MatrixMirror(tmp_path, dimensions=4, sign_rows=1000, compact_rows=1000)

    mirror, other = make(), make()
    assert mirror.size_bytes == 0
    assert mirror.apply(mirror.load(overlaid=False), changes(), seq=1, base=None)
    mirror.overlay(mirror.load(overlaid=False), changes(seq=2), seq=2, base=None)
    assert 0 < mirror.size_bytes < 100_000
    assert mirror.load(overlaid=True).seq == 2
    assert other.apply(other.load(overlaid=False), changes(seq=2), seq=3, base=None)
    assert mirror.load(overlaid=True).seq == 3
    assert mirror.load(overlaid=True).laid is None
