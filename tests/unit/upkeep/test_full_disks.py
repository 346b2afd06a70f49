"""Backups and restores that meet a full disk say so, and leave nothing half done."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.unit.upkeep.homes import backups_of, fill, found

from pincite.core.errors import StoreError


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home of many small files, and its backup."""
    folder = tmp_path_factory.mktemp("made")

    async def make() -> None:
        await fill(folder / "many", [f"The pump of hall {n} is oiled in week {n}." for n in range(60)])
        await backups_of(folder / "many").backup(folder / "many.tar")

    asyncio.run(make())
    return folder


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    """A file system of two megabytes."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("mounting a small file system needs more rights")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def ballast(disk: Path, *, leave: int) -> None:
    """Fill a disk but for so many bytes."""
    (disk / "ballast").write_bytes(bytes(shutil.disk_usage(disk).free - leave))


@pytest.mark.parametrize("leave", [0, 4096, 100_000, 200_000])
async def test_a_backup_for_which_there_is_no_room_leaves_nothing(made: Path, small_disk: Path, leave: int) -> None:
    ballast(small_disk, leave=leave)
    with pytest.raises(StoreError) as caught:
        await backups_of(made / "many").backup(small_disk / "b.tar")
    assert (caught.value.code, "b.tar" in caught.value.message) == ("disk_full", True)
    assert os.listdir(small_disk) == ["ballast"]


async def test_a_restore_for_which_there_is_no_room_is_refused_before_anything_is_written(made: Path, small_disk: Path) -> None:
    ballast(small_disk, leave=100_000)
    with pytest.raises(StoreError) as caught:
        await backups_of(small_disk / "home").restore(made / "many.tar")
    assert caught.value.code == "disk_full"
    assert os.listdir(small_disk / "home") == []


async def test_a_restore_that_runs_out_of_room_leaves_the_store_as_it_was(made: Path, small_disk: Path) -> None:
    """The bytes would fit; but each of 150 small files takes a block of the disk."""
    home = small_disk / "home"
    shutil.copytree(made / "many", home, ignore=shutil.ignore_patterns("blobs", "index"))
    ballast(small_disk, leave=(home / "pincite.db").stat().st_size + 100_000)
    with pytest.raises(StoreError) as caught:
        await backups_of(home).restore(made / "many.tar", overwrite=True)
    assert caught.value.code == "disk_full"
    assert not list(home.glob(".restore*"))
    shutil.rmtree(home / "blobs")
    assert len(await found(home)) == 60
