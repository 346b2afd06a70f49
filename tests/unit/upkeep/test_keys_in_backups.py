"""The key that signs receipts is in a backup, comes back with it, and is checked like all else."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.upkeep.homes import Entry, backups_of, blob, contents, entries_of, fill, rewritten, write_archive

from pincite.core.errors import RefusedInput

KEY, PUBLIC = "receipts.key", "receipts.pub"
Entries = list[Entry]


@pytest.fixture
async def archive(tmp_path: Path) -> Path:
    """A backup of a home with texts and a key."""
    home = await fill(tmp_path / "home")
    (home / KEY).write_bytes(b"the key")
    (home / PUBLIC).write_bytes(b"its public half")
    await backups_of(home).backup(tmp_path / "backup.tar")
    return tmp_path / "backup.tar"


def described(entries: Entries, **facts: Any) -> Entries:
    manifest = json.loads(entries[-1].data) | facts
    return [*entries[:-1], replace(entries[-1], data=json.dumps({k: v for k, v in manifest.items() if v is not None}).encode())]


SPOILT: list[Callable[[Entries], Entries]] = [
    lambda found: [found[0], replace(found[1], data=b"another"), *found[2:]],
    lambda found: [found[0], *found[2:]],
    lambda found: described(found, key_sha256=""),
    lambda found: described(found, key_sha256=7),
    lambda found: [found[0], found[1], found[1], *found[2:]],
    lambda found: [*found[:-1], found[1], found[-1]],
    lambda found: [found[1], found[0], *found[2:]],
    lambda found: [found[0], replace(found[1], data=bytes(20_000)), *found[2:]],
    lambda found: [found[0], replace(found[1], name="receipts.pub"), *found[2:]],
    lambda found: [found[0], blob(b"x"), *found[1:]],
]


async def test_a_key_comes_back_for_its_owner_alone(archive: Path, tmp_path: Path) -> None:
    assert [entry.name for entry in entries_of(archive)][:2] == ["pincite.db", KEY]
    await backups_of(tmp_path / "other").restore(archive)
    assert (tmp_path / "other" / KEY).read_bytes() == b"the key"
    assert (tmp_path / "other" / KEY).stat().st_mode & 0o777 == 0o600
    assert not (tmp_path / "other" / PUBLIC).exists()


async def test_another_key_that_is_there_is_kept_beside(archive: Path, tmp_path: Path) -> None:
    home = await fill(tmp_path / "other")
    (home / KEY).write_bytes(b"another key")
    await backups_of(home).restore(archive, overwrite=True)
    assert (home / KEY).read_bytes() == b"the key"
    assert (home / f"{KEY}.{hashlib.sha256(b'another key').hexdigest()[:16]}").read_bytes() == b"another key"


async def test_a_backup_without_a_key_leaves_the_one_that_is_there(tmp_path: Path) -> None:
    await backups_of(await fill(tmp_path / "home")).backup(tmp_path / "backup.tar")
    rewritten(tmp_path / "backup.tar", lambda entries: described(entries, key_sha256=None))  # as older versions wrote it
    home = await fill(tmp_path / "other")
    (home / KEY).write_bytes(b"its own key")
    await backups_of(home).restore(tmp_path / "backup.tar", overwrite=True)
    assert (home / KEY).read_bytes() == b"its own key"


@pytest.mark.parametrize("change", SPOILT, ids=range(len(SPOILT)))
async def test_a_key_that_is_not_as_it_was_backed_up_is_refused(
    archive: Path, tmp_path: Path, change: Callable[[Entries], Entries]
) -> None:
    write_archive(archive, change(entries_of(archive)))
    victim = await fill(tmp_path / "victim")
    (victim / KEY).write_bytes(b"the victim's key")
    before = contents(victim)
    with pytest.raises(RefusedInput):
        await backups_of(victim).restore(archive, overwrite=True)
    assert contents(victim) == before
