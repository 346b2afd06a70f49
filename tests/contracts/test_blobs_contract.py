"""What every blob store does: bytes by their hash, kept once, whole or not at all."""

import asyncio
import hashlib
import os
from pathlib import Path

import pytest

from pincite.adapters.blobs.disk import DiskBlobs
from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.core.errors import NotFoundError
from pincite.core.ports.blobs import Blob, BlobStore, Part

DATA = os.urandom(2_500_000)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def files_under(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.fixture(params=["memory", "disk"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    return MemoryBlobs() if request.param == "memory" else DiskBlobs(tmp_path / "deep" / "blobs")


@pytest.mark.parametrize("data", [b"", b"x", DATA], ids=["empty", "one", "large"])
async def test_bytes_come_back_from_a_file_and_from_memory(blobs: BlobStore, tmp_path: Path, data: bytes) -> None:
    source = tmp_path / "source.bin"
    source.write_bytes(data)
    expected = Blob(digest(data), len(data))
    assert await blobs.put_file(source) == expected
    assert await blobs.put_bytes(data) == expected
    assert (await blobs.local_path(expected.sha256)).read_bytes() == data
    assert source.read_bytes() == data


async def test_equal_bytes_may_be_put_at_once(blobs: BlobStore) -> None:
    made = await asyncio.gather(*(blobs.put_bytes(DATA) for _ in range(8)))
    assert set(made) == {Blob(digest(DATA), len(DATA))}
    assert (await blobs.local_path(digest(DATA))).read_bytes() == DATA


async def test_deleted_bytes_are_gone_and_can_be_put_again(blobs: BlobStore) -> None:
    blob = await blobs.put_bytes(b"x")
    path = await blobs.local_path(blob.sha256)
    await blobs.delete(blob.sha256)
    await blobs.delete(blob.sha256)
    assert not path.exists()
    with pytest.raises(NotFoundError):
        await blobs.local_path(blob.sha256)
    assert not await blobs.has(blob.sha256)
    await blobs.put_bytes(b"x")
    assert await blobs.has(blob.sha256)
    assert (await blobs.local_path(blob.sha256)).read_bytes() == b"x"


async def test_unknown_bytes_are_not_found(blobs: BlobStore) -> None:
    with pytest.raises(NotFoundError):
        await blobs.local_path(digest(b"never put"))
    await blobs.delete(digest(b"never put"))


@pytest.mark.parametrize("name", ["", "..", "../../etc/passwd", "A" * 64, "ab", "a" * 63 + "/"])
async def test_what_is_not_a_hash_is_not_found(blobs: BlobStore, name: str) -> None:
    with pytest.raises(NotFoundError):
        await blobs.local_path(name)
    assert not await blobs.has(name)
    await blobs.delete(name)


async def test_parts_of_a_file_are_stored_each_by_its_hash(blobs: BlobStore, tmp_path: Path) -> None:
    source = tmp_path / "source.bin"
    source.write_bytes(b"head" + DATA + b"" + b"tail")
    parts = [Part(4, len(DATA)), Part(4 + len(DATA), 0), Part(4 + len(DATA), 4)]
    await blobs.put_parts(source, iter(parts))
    for data in (DATA, b"", b"tail"):
        assert (await blobs.local_path(digest(data))).read_bytes() == data
    assert not await blobs.has(digest(b"head"))


async def test_all_that_is_stored_is_listed_by_hash(blobs: BlobStore) -> None:
    assert [blob async for blob in blobs.all()] == []
    put = [await blobs.put_bytes(bytes([n])) for n in range(40)]
    assert [blob async for blob in blobs.all()] == sorted(put, key=lambda blob: blob.sha256)


async def test_nothing_is_deleted_while_anybody_holds_the_blobs(blobs: BlobStore) -> None:
    blob = await blobs.put_bytes(b"x")
    async with blobs.hold():
        async with blobs.hold():
            assert not await blobs.delete(blob.sha256)
        assert not await blobs.delete(blob.sha256)
        assert await blobs.has(blob.sha256)
        assert (await blobs.put_bytes(b"y")).size_bytes == 1
    assert await blobs.delete(blob.sha256)
    assert not await blobs.has(blob.sha256)


async def test_what_lies_beside_the_blobs_is_not_listed(tmp_path: Path) -> None:
    blobs = DiskBlobs(tmp_path)
    blob = await blobs.put_bytes(b"x")
    for name in (".new-half", "ab/short", "zz/" + "0" * 62, "README"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [found async for found in blobs.all()] == [blob]


async def test_two_stores_over_one_folder_hold_for_each_other(tmp_path: Path) -> None:
    blob = await DiskBlobs(tmp_path).put_bytes(b"x")
    async with DiskBlobs(tmp_path).hold():
        assert not await DiskBlobs(tmp_path).delete(blob.sha256)
        assert await DiskBlobs(tmp_path).has(blob.sha256)


@pytest.mark.parametrize("harm", [b"flipped", b"", b"much longer than it was"])
async def test_storing_bytes_again_mends_a_blob_that_was_damaged(tmp_path: Path, harm: bytes) -> None:
    blobs = DiskBlobs(tmp_path)
    blob = await blobs.put_bytes(b"correct")
    (await blobs.local_path(blob.sha256)).write_bytes(harm)
    await blobs.put_bytes(b"correct")
    assert (await blobs.local_path(blob.sha256)).read_bytes() == b"correct"


async def test_a_missing_source_leaves_nothing(blobs: BlobStore, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        await blobs.put_file(tmp_path / "missing")
    assert files_under(tmp_path) == []


async def test_bytes_that_are_there_are_not_written_again(tmp_path: Path) -> None:
    blobs = DiskBlobs(tmp_path)
    place = await blobs.local_path((await blobs.put_bytes(b"x")).sha256)
    before = place.stat()
    await blobs.put_bytes(b"x")
    after = place.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert [path.name for path in tmp_path.glob(".new-*")] == []


async def test_a_scratch_folder_is_empty_and_goes_with_its_block_whatever_happens(blobs: BlobStore) -> None:
    async def work() -> None:
        async with blobs.scratch() as folder:
            seen.append(folder)
            assert list(folder.iterdir()) == []
            (folder / "deep").mkdir()
            (folder / "deep" / "file").write_bytes(b"x")
            raise NotFoundError("gone")

    seen: list[Path] = []
    with pytest.raises(NotFoundError):
        await work()
    async with blobs.scratch() as one, blobs.scratch() as other:
        assert one != other
    assert not any(folder.exists() for folder in seen)
