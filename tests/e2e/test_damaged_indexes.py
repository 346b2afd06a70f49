"""Every file of a mirror, damaged in every way: the next search finds the same as after a clean build."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.adapters.index.test_mirror_files import SPACE, Log

from pincite.adapters.index.dense import MappedDenseIndex
from pincite.adapters.index.lexical import TantivyIndex
from pincite.core.ports.index import IndexHit

WORDS = ("river", "mill", "zeppelin", "meadow", "harbour")


class Words:
    """The lexical index, asked several questions."""

    def __init__(self, root: Path, log: Log) -> None:
        self._index = TantivyIndex(root, log)

    async def hits(self) -> list[IndexHit]:
        return [hit for word in WORDS for hit in (await self._index.search(SPACE, word, limit=99)).hits]


class Vectors:
    """The dense index with sign codes, asked from several sides."""

    def __init__(self, root: Path, log: Log) -> None:
        self._index = MappedDenseIndex(root, log, sign_rows=10, compact_rows=1000)

    async def hits(self) -> list[IndexHit]:
        return [hit for side in SIDES for hit in await self._index.search(SPACE, side, limit=99)]


SIDES = ([1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1])
Kind = type[Words] | type[Vectors]


def put(log: Log, number: int) -> None:
    log.put(f"c{number:03}", f"The {WORDS[number % 5]} lies {number} miles off, and the {WORDS[number * 3 % 5]} further.")


async def built(kind: Kind, root: Path) -> Log:
    """Build a mirror in several steps, as a collection grows and shrinks."""
    log = Log()
    index = kind(root, log)
    for number in range(30):
        put(log, number)
        if number == 20:
            await index.hits()
    for number in (3, 4, 17):
        log.put(f"c{number:03}", deleted=True)
    await index.hits()
    return log


def ordered(hits: list[IndexHit]) -> list[tuple[str, float]]:
    """Leave out what a clean build does otherwise: the order of equal hits, and what deleted chunks weigh."""
    return sorted((hit.chunk_id, round(hit.score, 4)) for hit in hits)


def flip(place: float) -> Callable[[Path], None]:
    """Flip a bit of the byte that stands at a share of the file."""

    def damage(path: Path) -> None:
        data = bytearray(path.read_bytes())
        if data:
            data[int((len(data) - 1) * place)] ^= 0x10
        path.write_bytes(bytes(data))

    return damage


def cut(share: float) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        data = path.read_bytes()
        path.write_bytes(data[: int(len(data) * share)])

    return damage


def make_noise(path: Path) -> None:
    path.write_bytes(os.urandom(max(64, path.stat().st_size)))


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Callable[[Path], None]] = {
    "flipped at the start": flip(0),
    "flipped in the middle": flip(0.5),
    "flipped at the end": flip(1),
    "cut in half": cut(0.5),
    "emptied": cut(0),
    "removed": Path.unlink,
    "replaced by noise": make_noise,
    "made a folder": make_folder,
}


@pytest.fixture(params=[Words, Vectors], ids=["words", "vectors"])
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


def files_of(root: Path) -> list[Path]:
    return sorted(path.relative_to(root) for path in root.rglob("*") if path.is_file())


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_file_is_noticed_and_the_mirror_made_anew(kind: Kind, tmp_path: Path, damage: str) -> None:
    full = await built(kind, tmp_path / "good")
    clean = ordered(await kind(tmp_path / "clean", full).hits())
    if kind is Vectors:
        assert ordered(await kind(tmp_path / "good", full).hits()) == clean
    names = files_of(tmp_path / "good")
    assert len(names) >= 8
    for number, name in enumerate(names):
        log = replace(full, rows=dict(full.rows))
        root = Path(shutil.copytree(tmp_path / "good", tmp_path / f"spoilt-{number}", copy_function=shutil.copy2))
        before = ordered(await kind(root, log).hits())
        if not (root / name).exists():
            assert name.name.startswith(".tantivy")  # locks of the engine, which come and go
            (root / name).touch()
        DAMAGES[damage](root / name)
        after = ordered(await kind(root, log).hits())
        assert (name, after) in ((name, before), (name, clean))
        # The engine's threads may still be writing there.
        shutil.rmtree(root, ignore_errors=True)


@pytest.mark.parametrize("damage", ["removed", "replaced by noise"])
async def test_files_that_vanish_or_change_under_an_open_mirror_are_made_good(kind: Kind, tmp_path: Path, damage: str) -> None:
    """Not written over in place, which nobody can guard a mapped file against, but as programs do it: under a new inode."""
    full = await built(kind, tmp_path / "good")
    clean = ordered(await kind(tmp_path / "clean", full).hits())
    for name in files_of(tmp_path / "good"):
        log = replace(full, rows=dict(full.rows))
        root = Path(shutil.copytree(tmp_path / "good", tmp_path / "spoilt"))
        index = kind(root, log)
        before = ordered(await index.hits())
        data = (root / name).read_bytes()
        (root / name).unlink()
        if damage != "removed":
            (root / name).write_bytes(data)
            DAMAGES[damage](root / name)
        assert ordered(await index.hits()) in (before, clean)
        put(log, 40)
        wanted = {chunk for chunk, _ in clean} | {"c040"}
        assert {chunk for chunk, _ in ordered(await index.hits())} == wanted
        assert {chunk for chunk, _ in ordered(await kind(root, log).hits())} == wanted
        shutil.rmtree(root)


async def test_a_folder_removed_under_an_open_mirror_is_made_anew(kind: Kind, tmp_path: Path) -> None:
    log = await built(kind, tmp_path / "good")
    clean = ordered(await kind(tmp_path / "clean", log).hits())
    index = kind(tmp_path / "good", log)
    await index.hits()
    shutil.rmtree(tmp_path / "good")
    assert ordered(await index.hits()) == clean
    assert ordered(await kind(tmp_path / "good", log).hits()) == clean


async def test_a_copied_mirror_is_used_as_it_is(tmp_path: Path) -> None:
    """Copied files have other times, but the bytes that were sealed."""
    log = await built(Vectors, tmp_path / "good")
    root = Path(shutil.copytree(tmp_path / "good", tmp_path / "copy", copy_function=shutil.copy))
    log.read_rows = 0
    assert ordered(await Vectors(root, log).hits()) == ordered(await Vectors(tmp_path / "good", log).hits())
    assert log.read_rows == 0


async def test_what_a_writer_has_appended_but_not_published_is_no_damage(kind: Kind, tmp_path: Path) -> None:
    log = await built(kind, tmp_path)
    expected = ordered(await kind(tmp_path, log).hits())
    for path in tmp_path.rglob("*"):
        if path.suffix in {".f32", ".bin", ".txt", ".u64"}:
            with path.open("ab") as file:
                file.write(b"on its way")
    log.read_rows = 0
    assert ordered(await kind(tmp_path, log).hits()) == expected
    assert log.read_rows == 0
