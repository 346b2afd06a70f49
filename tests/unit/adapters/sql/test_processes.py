"""Several processes on one file, and processes that are killed."""

import json
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("processes.py")
CHUNKS, UNITS = 20, 200
MOMENTS = (2, 5, 9, 10, 11, 12, 13, 14, 15, 99)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")


def run(scenario: str, folder: Path) -> list[int]:
    """Return the exit statuses of the scenario's processes."""
    done = subprocess.run([sys.executable, str(SCRIPT), scenario, str(folder)], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return json.loads(done.stdout)


def numbers(path: Path) -> list[int]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT seq FROM chunks UNION ALL SELECT seq FROM tombstones ORDER BY seq").fetchall()
    connection.close()
    return [row[0] for row in rows]


def test_two_processes_write_at_once_without_an_error_and_without_a_gap(tmp_path: Path) -> None:
    assert run("write", tmp_path) == [0, 0]
    assert numbers(tmp_path / "store.sqlite3") == list(range(1, CHUNKS + 2 * 2 * UNITS + 1))


def test_processes_that_create_the_store_at_once_all_get_it(tmp_path: Path) -> None:
    assert run("upgrade", tmp_path) == [0, 0, 0, 0]


def test_a_process_killed_at_any_moment_of_a_publication_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    statuses = run("kill", tmp_path)
    assert statuses == [-9] * len(MOMENTS)
    outcomes = Counter(_published(tmp_path / f"{n}.sqlite3") for n in MOMENTS)
    assert outcomes == {"old": len(MOMENTS) - 1, "new": 1}


def _published(path: Path) -> str:
    """Say which version a file holds, having checked that it holds that one alone and whole."""
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    ((version_id, counted),) = connection.execute("SELECT version_id, chunks FROM documents").fetchall()
    assert counted == CHUNKS
    assert connection.execute("SELECT version_id, count(*) FROM chunks GROUP BY 1").fetchall() == [(version_id, CHUNKS)]
    assert connection.execute("SELECT count(*) FROM vectors JOIN chunks ON id = chunk_id").fetchone() == (CHUNKS,)
    (buried,) = connection.execute("SELECT count(*) FROM tombstones").fetchone()
    (head,) = connection.execute("SELECT head_seq FROM collections").fetchone()
    (kept,) = connection.execute("SELECT count(*) FROM versions JOIN canonical_texts ON id = version_id").fetchone()
    connection.close()
    is_new = version_id.endswith("5")
    assert (buried, head, kept) == ((CHUNKS, 3 * CHUNKS, 2) if is_new else (0, CHUNKS, 1))
    return "new" if is_new else "old"
