"""A backup is one file, whole or not there, and a restore brings back what it holds, or changes nothing."""

import asyncio
import json
import os
import shutil
import sqlite3
import stat
import tarfile
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.unit.upkeep.homes import TEXTS, backups_of, contents, entries_of, fill, found, settings_of

from pincite.adapters.archives.tar import PARTIAL, TarArchives, TarWriter
from pincite.adapters.sql.store import open_store
from pincite.client import Pincite
from pincite.core.errors import ConflictError, NotFoundError, RefusedInput, StoreError
from pincite.core.ports.blobs import Part
from pincite.upkeep.backups import Backups, Headway, Step


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return asyncio.run(fill(tmp_path_factory.mktemp("made") / "home"))


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "home"))


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "pincite.tar"


async def test_a_restored_backup_finds_what_was_found_before(home: Path, target: Path, tmp_path: Path) -> None:
    done = await backups_of(home).backup(target)
    assert (done.path, done.documents, done.blobs, done.missing) == (target, 3, 3, ())
    assert done.size_bytes == target.stat().st_size
    restored = await backups_of(tmp_path / "new").restore(target)
    assert (restored.documents, restored.blobs, restored.missing) == (3, 3, 0)
    assert await found(tmp_path / "new") == await found(home)
    assert len(await found(home)) == 3


async def test_a_restored_home_holds_the_same_bytes_and_nothing_else(home: Path, target: Path, tmp_path: Path) -> None:
    await backups_of(home).backup(target)
    await backups_of(tmp_path / "new").restore(target)
    there = contents(tmp_path / "new")
    assert {name: data for name, data in there.items() if name != "pincite.db"} == {
        name: data for name, data in contents(home).items() if name.startswith("blobs/")
    }
    assert set(os.listdir(tmp_path / "new")) == {"blobs", "pincite.db"}


async def test_a_restored_store_goes_on_as_before(home: Path, target: Path, tmp_path: Path) -> None:
    await backups_of(home).backup(target)
    await backups_of(tmp_path / "new").restore(target)
    store = open_store(tmp_path / "new" / "pincite.db")
    with store.changes.readers.borrow() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    await store.close()
    async with Pincite(settings=settings_of(tmp_path / "new")) as client:
        await client.add_text("The pump is new.", path="text0.md")
        await client.remove("text1.md")
    assert {path for path, _, _ in await found(tmp_path / "new")} == {"text0.md", "text2.md"}


async def test_a_backup_is_a_plain_archive_that_only_its_owner_reads(home: Path, target: Path) -> None:
    await backups_of(home).backup(target)
    names = [entry.name for entry in entries_of(target)]
    assert names[0] == "pincite.db"
    assert names[-1] == "manifest.json"
    assert len(names) == 5
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    manifest = json.loads(entries_of(target)[-1].data)
    assert (manifest["documents"], manifest["blobs"], manifest["collections"]) == (3, 3, 1)


async def test_into_a_folder_a_backup_goes_under_the_name_of_the_moment(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    done = await backups_of(home).backup(folder)
    assert os.listdir(folder) == [done.path.name]
    assert done.path.name.startswith("pincite-2")
    assert done.path.suffix == ".tar"


async def test_an_existing_file_is_overwritten_only_when_told(home: Path, target: Path) -> None:
    target.write_text("mine")
    with pytest.raises(ConflictError) as caught:
        await backups_of(home).backup(target)
    assert (caught.value.code, target.read_text()) == ("exists", "mine")
    await backups_of(home).backup(target, overwrite=True)
    assert tarfile.is_tarfile(target)


async def test_a_name_that_is_taken_while_the_backup_is_written_stays_with_its_owner(home: Path, target: Path) -> None:
    def take(headway: Headway) -> None:
        target.write_text("mine")

    with pytest.raises(ConflictError):
        await backups_of(home).backup(target, on_headway=take)
    assert target.read_text() == "mine"
    assert set(os.listdir(target.parent)) == {"home", target.name}


async def test_an_unfinished_backup_leaves_nothing(home: Path, target: Path) -> None:
    def fail(headway: Headway) -> None:
        if headway.step is Step.FILES:
            raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError):
        await backups_of(home).backup(target, on_headway=fail)
    assert os.listdir(target.parent) == ["home"]


async def test_what_a_killed_backup_left_is_swept_a_day_later(home: Path, target: Path) -> None:
    old, young = (target.with_name(f".{name}.tar{PARTIAL}0") for name in ("old", "young"))
    for path in (old, young):
        path.touch()
    os.utime(old, (0, 0))
    await backups_of(home).backup(target)
    assert (old.exists(), young.exists()) == (False, True)


async def test_there_must_be_something_to_back_up_and_a_folder_for_it(home: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="nothing to back up"):
        await backups_of(tmp_path / "empty").backup(tmp_path / "x.tar")
    with pytest.raises(NotFoundError, match="no folder"):
        await backups_of(home).backup(tmp_path / "nowhere" / "x.tar")


async def test_files_that_are_missing_or_damaged_are_named_and_left_out(home: Path, target: Path, tmp_path: Path) -> None:
    blobs = {data: path for path in (home / "blobs").rglob("*") if path.is_file() for data in [path.read_bytes().decode()]}
    blobs[TEXTS[0]].unlink()
    blobs[TEXTS[1]].write_text("The valve of hall nine leaks..")
    done = await backups_of(home).backup(target)
    assert (done.documents, done.blobs, sorted(done.missing)) == (3, 1, ["text0.md", "text1.md"])
    assert [entry.data.decode() for entry in entries_of(target)[1:-1]] == [TEXTS[2]]
    restored = await backups_of(tmp_path / "new").restore(target)
    assert (restored.documents, restored.blobs, restored.missing) == (3, 1, 2)
    assert await found(tmp_path / "new") == await found(home)


async def test_what_is_removed_while_a_backup_runs_is_whole_in_it(home: Path, target: Path, tmp_path: Path) -> None:
    class Removing(TarWriter):
        async def wrap(self, name: str):
            async with Pincite(settings=settings_of(home)) as client:
                await client.remove("text0.md")
            return await super().wrap(name)

    archives = TarArchives(Removing)
    plain = backups_of(home)
    done = await Backups(plain.home, plain.file, plain.blobs, archives, "1").backup(target)
    assert (done.documents, done.blobs, done.missing) == (3, 3, ())
    await backups_of(tmp_path / "new").restore(target)
    assert len(await found(tmp_path / "new")) == 3
    assert len(await found(home)) == 2
    assert len([name for name in contents(home) if name.startswith("blobs/")]) == 2


async def test_headway_rises_to_all_there_is(home: Path, target: Path, tmp_path: Path) -> None:
    heard: list[Headway] = []
    await backups_of(home).backup(target, on_headway=heard.append)
    assert [headway.step for headway in heard] == [Step.ROWS, Step.FILES, Step.FILES, Step.FILES]
    heard.clear()
    await backups_of(tmp_path / "new").restore(target, on_headway=heard.append)
    assert list(dict.fromkeys(headway.step for headway in heard)) == [Step.CHECKING, Step.ROWS, Step.FILES]
    for step in Step:
        done = [headway.done_bytes for headway in heard if headway.step is step]
        assert done == sorted(done)
    assert all(headway.done_bytes <= headway.total_bytes for headway in heard if headway.total_bytes)


# Restoring


async def test_a_home_that_holds_a_store_is_replaced_only_when_told(home: Path, target: Path, tmp_path: Path) -> None:
    await backups_of(home).backup(target)
    other = await fill(tmp_path / "other", ["The other pump.", "The other boiler."])
    await found(other)
    before = contents(other)
    with pytest.raises(ConflictError) as caught:
        await backups_of(other).restore(target)
    assert (caught.value.code, contents(other)) == ("not_empty", before)
    await backups_of(other).restore(target, overwrite=True)
    assert await found(other) == await found(home)
    assert {name for name in contents(other) if "blobs/" in name} == {name for name in contents(home) if "blobs/" in name}


async def test_a_home_in_which_nothing_was_added_counts_as_empty(home: Path, target: Path, tmp_path: Path) -> None:
    await backups_of(home).backup(target)
    async with Pincite(settings=settings_of(tmp_path / "new")) as client:
        assert client.services
    await backups_of(tmp_path / "new").restore(target)
    assert await found(tmp_path / "new") == await found(home)


async def test_indexes_of_another_time_are_not_taken_for_the_restored_rows(home: Path, target: Path) -> None:
    """The log goes on from the backup's number, so that an index of the lost rows would look up to date."""
    await backups_of(home).backup(target)
    async with Pincite(settings=settings_of(home)) as client:
        await client.add_text("The lost pump.", path="lost.md")
        assert len(await client.search("pump")) == 2
    await backups_of(home).restore(target, overwrite=True)
    async with Pincite(settings=settings_of(home)) as client:
        await client.add_text("The kept pump.", path="kept.md")
        assert sorted(hit.best.path for hit in await client.search("pump")) == ["kept.md", "text0.md"]


async def test_a_store_that_anybody_has_open_is_not_exchanged(home: Path, target: Path) -> None:
    await backups_of(home).backup(target)
    await fill(home, ["The pump is blue."])
    async with Pincite(settings=settings_of(home)) as client:
        before = await client.documents()
        with pytest.raises(StoreError) as caught:
            await backups_of(home).restore(target, overwrite=True)
        assert caught.value.code == "store_in_use"
        assert await client.documents() == before
        await client.add_text("The pump is green.", path="text0.md")
    assert any("green" in text for _, text, _ in await found(home))
    await backups_of(home).restore(target, overwrite=True)
    assert [text for _, text, _ in sorted(await found(home))] == list(TEXTS)


async def test_a_client_restores_its_own_home(home: Path, target: Path) -> None:
    async with Pincite(settings=settings_of(home)) as client:
        await client.backup(target)
        await client.remove("text0.md")
        await client.restore(target, force=True)
        assert len(await client.documents()) == 3


async def test_a_damaged_store_is_set_aside(home: Path, target: Path) -> None:
    await backups_of(home).backup(target)
    (home / "pincite.db").write_bytes(b"This is not a database.\n" * 200)
    (home / "pincite.db-wal").write_bytes(b"nor is this")
    with pytest.raises(ConflictError):
        await backups_of(home).restore(target)
    await backups_of(home).restore(target, overwrite=True)
    assert len(await found(home)) == 3
    assert (home / "pincite.db.damaged").read_bytes().startswith(b"This is not")


async def test_a_log_that_was_left_without_its_database_is_not_applied(home: Path, target: Path, tmp_path: Path) -> None:
    await backups_of(home).backup(target)
    other = await fill(tmp_path / "other", ["The lost pump."])
    with closing(sqlite3.connect(other / "pincite.db")) as open_one:
        open_one.execute("SELECT count(*) FROM documents").fetchone()  # so that closing the next one keeps the log
        await fill(other, ["The lost valve."])
        shutil.copy(other / "pincite.db-wal", tmp_path / "wal")
    new = tmp_path / "new"
    new.mkdir()
    shutil.copy(tmp_path / "wal", new / "pincite.db-wal")
    await backups_of(new).restore(target)
    assert await found(new) == await found(home)


async def test_a_home_in_which_another_store_appears_meanwhile_keeps_it(home: Path, target: Path, tmp_path: Path) -> None:
    await backups_of(home).backup(target)
    async with Pincite(settings=settings_of(tmp_path / "new")) as client:
        with suppress(NotFoundError):
            await client.collection()
        with pytest.raises(StoreError) as caught:
            await backups_of(tmp_path / "new").restore(target)
        assert caught.value.code == "store_in_use"


async def test_what_a_killed_restore_left_does_no_harm(home: Path, target: Path, tmp_path: Path) -> None:
    await backups_of(home).backup(target)
    left = tmp_path / "new" / ".restore-killed"
    left.mkdir(parents=True)
    (left / "pincite.db").write_bytes(b"half")
    await backups_of(tmp_path / "new").restore(target)
    assert set(os.listdir(tmp_path / "new")) == {"blobs", "pincite.db"}


async def test_a_file_that_is_not_there_is_told(home: Path, tmp_path: Path) -> None:
    with pytest.raises(RefusedInput, match="can't be read"):
        await backups_of(tmp_path / "new").restore(tmp_path / "nothing.tar")


# The archive itself


async def test_a_file_larger_than_a_plain_header_can_say_is_read_back(tmp_path: Path) -> None:
    """Eight gigabytes are the most that a tar header says in digits. The bytes are a hole in the file."""
    large = tmp_path / "large.tar"
    info = tarfile.TarInfo("pincite.db")
    info.size = (9 << 30) + 5
    with large.open("wb") as file:
        file.write(info.tobuf(tarfile.GNU_FORMAT))
        file.truncate(512 + (9 << 30) + 512 + 1024)
    (member,) = await TarArchives().members(large)
    assert member.part == Part(512, (9 << 30) + 5)


@pytest.mark.parametrize("size", [0, 1, 511, 512, 513, 1 << 20, (1 << 20) + 1, (1 << 20) + 512, 3_333_333])
async def test_what_a_file_holds_is_wrapped_in_place(tmp_path: Path, size: int) -> None:
    data = os.urandom(size)
    async with TarArchives().create(tmp_path / "x.tar", overwrite=False) as archive:
        archive.path.write_bytes(data)
        wrapped = await archive.wrap("first")
        await archive.finish("last", b"end")
    assert wrapped.size_bytes == size
    assert [(entry.name, entry.data) for entry in entries_of(tmp_path / "x.tar")] == [("first", data), ("last", b"end")]
