"""An archive from an enemy, or from a broken disk: refused, with the home and everything around it as they were."""

import asyncio
import hashlib
import json
import os
import random
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.upkeep.homes import Entry, backups_of, blob, contents, entries_of, fill, found, rewritten, write_archive

from pincite.core.errors import ConflictError, PinciteError, RefusedInput, StoreError
from pincite.core.ports.blobs import Part
from pincite.core.ports.upkeep import Member
from pincite.upkeep.manifest import digest_of

Entries = list[Entry]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A good backup, and a home that holds another store, made once."""
    folder = tmp_path_factory.mktemp("made")

    async def make() -> None:
        await backups_of(await fill(folder / "source")).backup(folder / "pincite.tar")
        await fill(folder / "victim", ["The pump of the victim."])

    asyncio.run(make())
    return folder


@pytest.fixture
def archive(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(made / "pincite.tar", tmp_path))


@pytest.fixture
def victim(made: Path, tmp_path: Path) -> Path:
    """A home that holds a store, beside a folder that no restore may touch."""
    around = tmp_path / "around"
    (around / "outside").mkdir(parents=True)
    (around / "outside" / "blobs").write_text("not yours")
    return Path(shutil.copytree(made / "victim", around / "victim"))


async def refuse(archive: Path, victim: Path) -> PinciteError:
    """Try to restore over a store, and hold that nothing at all has changed."""
    everything = contents(victim.parent)
    with pytest.raises((RefusedInput, StoreError)) as caught:
        await backups_of(victim).restore(archive, overwrite=True)
    assert contents(victim.parent) == everything
    assert len(await found(victim)) == 1
    return caught.value


def described(entries: Entries, **facts: Any) -> Entries:
    """Have a manifest describe these members, as an enemy who knows the form would, but for the facts given."""
    *members, manifest = entries
    blobs = [Member(entry.name, Part(0, len(entry.data))) for entry in members[1:]]
    honest = {"blobs": len(blobs), "blobs_bytes": sum(m.part.size_bytes for m in blobs), "blobs_sha256": digest_of(blobs)}
    return [*members, replace(manifest, data=json.dumps(json.loads(manifest.data) | honest | facts).encode())]


def with_member(entry: Entry) -> Callable[[Entries], Entries]:
    return lambda entries: described([entries[0], *sorted([entry, *entries[1:-1]], key=lambda each: each.name), entries[-1]])


INTRUDERS = {
    "a way out": Entry("../outside/x", b"x"),
    "a way out of the blobs": Entry("blobs/../../outside/x", b"x"),
    "a way out by a hash": Entry("blobs/../" + "a" * 62, b"x"),
    "a way from the root": Entry("/etc/x", b"x"),
    "a blob in capitals": Entry("blobs/AB/" + "C" * 62, b"x"),
    "another file": Entry("blobs/readme", b"x"),
    "a settings file": Entry("settings.toml", b"x"),
    "a second database": Entry("pincite.db", b"x"),
    "a log for the database": Entry("pincite.db-wal", b"x"),
    "an index": Entry("index/c/state.json", b"{}"),
    "a symbolic link": Entry("blobs/ab/" + "c" * 62, b"", tarfile.SYMTYPE, "../../../outside"),
    "a hard link": Entry("blobs/ab/" + "c" * 62, b"", tarfile.LNKTYPE, "/etc/passwd"),
    "a folder": Entry("blobs/ab", b"", tarfile.DIRTYPE),
    "a pipe": Entry("blobs/ab/" + "c" * 62, b"", tarfile.FIFOTYPE),
    "a device": Entry("blobs/ab/" + "c" * 62, b"", tarfile.CHRTYPE),
    "a block device": Entry("blobs/ab/" + "c" * 62, b"", tarfile.BLKTYPE),
    "a sparse file": Entry("blobs/ab/" + "c" * 62, b"", tarfile.GNUTYPE_SPARSE),
    "a long name": Entry("x" * 300, b"x"),
    "other bytes than its name says": replace(blob(b"one"), data=b"two"),
    "a blob that no row names": blob(b"stray"),
}


@pytest.mark.parametrize("intruder", INTRUDERS)
async def test_an_archive_with_a_strange_member_is_refused(archive: Path, victim: Path, intruder: str) -> None:
    rewritten(archive, with_member(INTRUDERS[intruder]))
    assert (await refuse(archive, victim)).code == "backup_refused"


async def test_extended_headers_are_refused(archive: Path, victim: Path) -> None:
    """A pax header may rename a member, or give it another size."""
    entries = entries_of(archive)
    with tarfile.open(archive, "w:", format=tarfile.PAX_FORMAT) as tar:
        for entry in entries:
            info = tarfile.TarInfo(entry.name)
            info.pax_headers = {"path": "../outside/x"}
            tar.addfile(info)
    assert (await refuse(archive, victim)).code == "backup_refused"


def without(name: str) -> Callable[[Entries], Entries]:
    return lambda entries: [entry for entry in entries if not entry.name.startswith(name)]


DISORDERS: dict[str, Callable[[Entries], Entries]] = {
    "no manifest": without("manifest"),
    "no database": without("pincite.db"),
    "no files": without("blobs/"),
    "a file less": lambda entries: [entries[0], *entries[2:]],
    "a file less, and the manifest agrees": lambda entries: described([entries[0], *entries[2:]]),
    "a file twice": lambda entries: described([entries[0], entries[1], *entries[1:]]),
    "files in another order": lambda entries: described([entries[0], *entries[-2:0:-1], entries[-1]]),
    "a manifest first": lambda entries: [entries[-1], *entries[:-1]],
    "nothing": lambda _: [],
    "another database": lambda entries: [replace(entries[0], data=entries[0].data[:-1] + b"x"), *entries[1:]],
}


@pytest.mark.parametrize("disorder", DISORDERS)
async def test_an_archive_in_another_form_is_refused(archive: Path, victim: Path, disorder: str) -> None:
    rewritten(archive, DISORDERS[disorder])
    assert (await refuse(archive, victim)).code == "backup_refused"


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ({"schema": "9999"}, "newer_schema"),
        ({"format": 2}, "newer_backup"),
        ({"format": "1"}, "backup_refused"),
        ({"documents": 4}, "backup_refused"),
        ({"collections": -1}, "backup_refused"),
        ({"blobs": True}, "backup_refused"),
        ({"missing": ["not a hash"]}, "backup_refused"),
        ({"missing": None}, "backup_refused"),
        ({"missing": ["ab" * 32]}, "backup_refused"),
        ({"database_sha256": "ab" * 32}, "backup_refused"),
        ({"version": None}, "backup_refused"),
    ],
)
async def test_a_manifest_that_lies_is_refused(archive: Path, victim: Path, facts: dict[str, Any], code: str) -> None:
    rewritten(archive, lambda entries: described(entries, **facts))
    assert (await refuse(archive, victim)).code == code


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b'"x"', b"{}", b"\xff\xfe", b"[" * 100_000])
async def test_a_manifest_that_is_none_is_refused(archive: Path, victim: Path, data: bytes) -> None:
    rewritten(archive, lambda entries: [*entries[:-1], replace(entries[-1], data=data)])
    assert (await refuse(archive, victim)).code == "backup_refused"


async def test_a_manifest_larger_than_any_is_not_read(archive: Path, victim: Path) -> None:
    entries = entries_of(archive)
    write_archive(archive, entries[:-1])
    with archive.open("r+b") as file:
        end = sum(512 + -(-len(entry.data) // 512) * 512 for entry in entries[:-1])
        info = tarfile.TarInfo("manifest.json")
        info.size = 1 << 30
        file.seek(end)
        file.write(info.tobuf(tarfile.GNU_FORMAT))
        file.truncate(end + 512 + (1 << 30) + 1024)  # a hole
    assert "too large" in (await refuse(archive, victim)).message


def change_database(archive: Path, *statements: str) -> None:
    """Change the database in an archive, and have the manifest agree."""
    database = archive.with_name("changed.db")
    database.write_bytes(entries_of(archive)[0].data)
    with closing(sqlite3.connect(database)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    data = database.read_bytes()
    database.unlink()
    facts = {"database_sha256": hashlib.sha256(data).hexdigest(), "database_bytes": len(data)}
    rewritten(archive, lambda entries: described([replace(entries[0], data=data), *entries[1:]], **facts))


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("CREATE TRIGGER evil AFTER INSERT ON documents BEGIN DELETE FROM answers; END", "backup_refused"),
        ("CREATE VIEW evil AS SELECT 1", "backup_refused"),
        ("CREATE VIRTUAL TABLE evil USING fts5(x)", "backup_refused"),
        ("DELETE FROM documents", "backup_refused"),
        ("DELETE FROM versions WHERE rowid IN (SELECT rowid FROM versions LIMIT 1)", "backup_refused"),
        ("UPDATE documents SET sha256 = upper(sha256)", "backup_refused"),
        ("UPDATE alembic_version SET version_num = '9999'", "newer_schema"),
        ("DELETE FROM alembic_version", "damaged"),
        ("DROP TABLE collections", "backup_refused"),
        ("DROP TABLE alembic_version", "damaged"),
    ],
)
async def test_a_database_that_is_not_a_sound_store_is_refused(archive: Path, victim: Path, statement: str, code: str) -> None:
    change_database(archive, statement)
    assert (await refuse(archive, victim)).code == code


async def test_a_database_that_is_none_is_refused(archive: Path, victim: Path) -> None:
    data = os.urandom(8192)
    facts = {"database_sha256": hashlib.sha256(data).hexdigest(), "database_bytes": len(data)}
    rewritten(archive, lambda entries: described([replace(entries[0], data=data), *entries[1:]], **facts))
    await refuse(archive, victim)


async def test_an_archive_cut_anywhere_is_refused(archive: Path, victim: Path) -> None:
    data, chance = archive.read_bytes(), random.Random(1)
    last = max(place for place in range(0, len(data), 512) if any(data[place : place + 512]))
    for length in {0, 1, 511, 512, 513, last, last + 511, *(chance.randrange(last) for _ in range(12))}:
        archive.write_bytes(data[:length])
        assert (await refuse(archive, victim)).code == "backup_refused"


async def test_a_bit_flipped_anywhere_is_noticed(archive: Path, victim: Path) -> None:
    """Wherever a byte means something: what fills a header or a block, and the name of an owner, may be anything."""
    data, chance = archive.read_bytes(), random.Random(2)
    entries = entries_of(archive)
    place, spans = 0, list[tuple[int, int]]()
    for entry in entries:
        spans += [(place, place + len(entry.name)), (place + 124, place + 156), (place + 512, place + 512 + len(entry.data))]
        place += 512 + -(-len(entry.data) // 512) * 512
    for start, end in spans:
        for at in {start, end - 1, chance.randrange(start, end)}:
            archive.write_bytes(data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :])
            if not _says_the_same(archive, entries):
                await refuse(archive, victim)


def _says_the_same(archive: Path, entries: Entries) -> bool:
    """Say whether an archive still says the same: a blank in its manifest may have become another."""
    try:
        now = entries_of(archive)
    except tarfile.TarError:
        return False
    if [entry.name for entry in now] != [entry.name for entry in entries] or now[:-1] != entries[:-1]:
        return False
    try:
        return json.loads(now[-1].data) == json.loads(entries[-1].data)
    except ValueError:
        return False


@pytest.mark.parametrize("data", [b"", b"\0" * 10240, os.urandom(4096), b"PK\x03\x04" + bytes(2000), b"\x1f\x8b" + bytes(2000)])
async def test_what_is_no_archive_at_all_is_refused(archive: Path, victim: Path, data: bytes) -> None:
    archive.write_bytes(data)
    assert (await refuse(archive, victim)).code == "backup_refused"


async def test_without_being_told_a_store_is_refused_before_the_archive_is_read(archive: Path, victim: Path) -> None:
    archive.unlink()
    with pytest.raises(ConflictError):
        await backups_of(victim).restore(archive)
