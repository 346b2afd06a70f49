"""A disk that runs full: what was told stays, what wasn't is refused with a sentence, and with room again all goes on."""

import subprocess
from pathlib import Path

import pytest
from tests.e2e.crash_checks import PINCITE, environment, write_files

MOUNT = 'mount -t tmpfs -o size=3m tmpfs "$0"'
SCRIPT = f"""
set -u
{MOUNT} || exit 77
cd "$0"
"$@" add "$FILES/paper000.md" > "$OUT/first" 2>&1; echo $? > "$OUT/first.code"
head -c 4000000 /dev/zero > fill 2> /dev/null
"$@" add "$FILES" > "$OUT/full" 2> "$OUT/full.error"; echo $? > "$OUT/full.code"
"$@" search machine > "$OUT/search" 2>&1; echo $? > "$OUT/search.code"
"$@" backup . > "$OUT/backup" 2> "$OUT/backup.error"; echo $? > "$OUT/backup.code"
ls -A > "$OUT/left"
rm fill
"$@" list > "$OUT/list" 2>&1
"$@" add "$FILES" > "$OUT/again" 2>&1; echo $? > "$OUT/again.code"
"$@" doctor --deep > "$OUT/doctor" 2>&1; echo $? > "$OUT/doctor.code"
"""


def test_a_full_disk_loses_nothing_that_was_told_and_is_said(tmp_path: Path) -> None:
    disk, out, files = tmp_path / "disk", tmp_path / "out", tmp_path / "files"
    for folder in (disk, out):
        folder.mkdir()
    names = [file.name for file in write_files(files, 12)]
    own = environment(disk / "home", PINCITE_EMBEDDING="none", FILES=str(files), OUT=str(out))
    try:
        done = subprocess.run(["unshare", "-rm", "sh", "-c", SCRIPT, str(disk), *PINCITE], env=own, timeout=300, check=False)
    except FileNotFoundError:
        pytest.skip("there is no unshare here")
    if done.returncode == 77 or not (out / "first").exists():
        pytest.skip("no small disk can be mounted here")

    told = {path.name: path.read_text() for path in out.iterdir()}
    assert told["first.code"].strip() == "0"
    assert told["full.code"].strip() == "6"
    assert "full. Free some space" in told["full.error"]
    assert told["search.code"].strip() == "0" or "full. Free some space" in told["search"]  # without room for SQLite's -shm file
    assert "paper000.md" in told["list"]
    assert told["backup.code"].strip() == "6"
    assert "full" in told["backup.error"]
    assert not [name for name in told["left"].split() if name.endswith(".tar")]
    assert told["again.code"].strip() == "0"
    assert all(name in told["again"] for name in names)
    assert told["doctor.code"].strip() == "0"
    assert "failed" not in told["doctor"]
