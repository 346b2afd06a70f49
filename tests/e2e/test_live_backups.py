"""Backups of a home at work, and backups and restores that are killed."""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.e2e.crash_checks import PINCITE, Hits, assert_sound, copy_without_index, environment, hits_of, write_files

CHURN = Path(__file__).with_name("churn.py")
FILES = 12


def run(home: Path, *arguments: str, expect: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*PINCITE, *arguments], env=environment(home), capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == expect, done.stderr
    return done


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    run(folder, "add", *map(str, write_files(folder / "papers", FILES)))
    shutil.rmtree(folder / "papers")
    return folder


@pytest.fixture(scope="module")
def hits(home: Path) -> Hits:
    return hits_of(home)


@pytest.fixture(scope="module")
def archive(home: Path) -> Path:
    folder = home.parent / "archive"
    folder.mkdir()
    return Path(json.loads(run(home, "backup", str(folder), "--json").stdout)["path"])


def test_the_commands_back_up_and_restore_and_say_what(home: Path, hits: Hits, tmp_path: Path) -> None:
    file, new = tmp_path / "b.tar", tmp_path / "new"
    assert run(home, "backup", str(file)).stdout.startswith(f"Backed up {FILES} documents and {FILES} files, ")
    assert run(new, "restore", str(file)).stdout.startswith(f"Restored {FILES} documents and {FILES} files of 2")
    assert hits_of(new) == hits
    assert "--force" in run(home, "backup", str(file), expect=2).stderr
    assert "--force" in run(new, "restore", str(file), expect=2).stderr
    restored = json.loads(run(new, "restore", str(file), "--force", "--json").stdout)
    assert (restored["documents"], restored["files"], restored["missing"]) == (FILES, FILES, 0)
    file.write_bytes(file.read_bytes()[:-3000])
    assert "cut off" in run(tmp_path / "third", "restore", str(file), expect=4).stderr


def test_a_backup_without_a_damaged_file_says_whose_it_is(home: Path, tmp_path: Path) -> None:
    damaged = Path(shutil.copytree(home, tmp_path / "damaged"))
    blob = next(path for path in (damaged / "blobs").rglob("*") if path.is_file())
    blob.write_bytes(b"x")
    done = run(damaged, "backup", str(tmp_path / "b.tar"), "--json", expect=1)
    assert len(json.loads(done.stdout)["missing"]) == 1
    assert ".md" in done.stderr


def test_a_backup_taken_while_others_write_is_of_one_moment(tmp_path: Path) -> None:
    home = tmp_path / "home"
    writers = [
        subprocess.Popen(
            [sys.executable, str(CHURN), str(home), str(seed)], env=environment(home), stdout=subprocess.PIPE, text=True
        )
        for seed in range(2)
    ]
    try:
        for writer in writers:
            assert writer.stdout is not None
            writer.stdout.readline()
        for number in range(3):
            done = json.loads(run(home, "backup", str(tmp_path / f"{number}.tar"), "--json").stdout)
            assert done["missing"] == []
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    for number in range(3):
        new = tmp_path / f"new{number}"
        run(new, "restore", str(tmp_path / f"{number}.tar"))
        assert_sound(new, ())
        assert hits_of(new) == hits_of(copy_without_index(new, tmp_path / f"copy{number}"))


def kill_sometime(home: Path, chance: random.Random, *command: str) -> int:
    process = subprocess.Popen([*PINCITE, *command], env=environment(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(chance.uniform(0.1, 1.2))
    process.send_signal(signal.SIGKILL)
    return process.wait()


def test_a_backup_that_is_killed_never_looks_whole(home: Path, tmp_path: Path) -> None:
    chance = random.Random(3)
    for number in range(10):
        target = tmp_path / f"{number}.tar"
        kill_sometime(home, chance, "backup", str(target))
        if target.exists():
            run(tmp_path / f"new{number}", "restore", str(target))
    run(home, "backup", str(tmp_path / "last.tar"))
    assert_sound(home, ())


def test_a_restore_that_is_killed_leaves_the_old_store_or_the_new(home: Path, hits: Hits, archive: Path, tmp_path: Path) -> None:
    chance = random.Random(4)
    old = tmp_path / "old"
    run(old, "add", *map(str, write_files(tmp_path / "others", 4, first=50)))
    old_hits = hits_of(old)
    for number in range(8):
        victim = Path(shutil.copytree(old, tmp_path / f"victim{number}"))
        kill_sometime(victim, chance, "restore", str(archive), "--force")
        assert_sound(victim, ())
        assert hits_of(victim) in (old_hits, hits)
        run(victim, "restore", str(archive), "--force")
        assert_sound(victim, ())
        assert hits_of(victim) == hits
        assert {path.name for path in victim.iterdir()} <= {
            "blobs",
            "cache",
            "index",
            "pincite.db",
            "pincite.db-shm",
            "pincite.db-wal",
        }
