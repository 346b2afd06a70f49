"""How the command ends: exit codes, JSON errors, and output that nobody takes. Real processes, without models."""

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "pincite"]


LIMITED = ["sh", "-c", 'ulimit -f 16384; exec "$@"', "sh"]
"""Runs a command that can write no file beyond 8 MB."""


def run(home: Path, *arguments: str, stdout: int = subprocess.PIPE, before: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PINCITE_", "CHAT_", "OPENAI_"))}
    return subprocess.run(
        [*before, *COMMAND, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        env=kept | {"PINCITE_HOME": str(home), "PINCITE_EMBEDDING": "none"},
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("arguments", [("version",), ("--help",), ("nonsense", "--json")])
def test_a_reader_that_went_away_is_no_failure(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = run(tmp_path, *arguments, stdout=writing)
    os.close(writing)
    assert done.returncode in ((0,) if "nonsense" not in arguments else (0, 2))
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_a_reader_that_goes_away_does_not_stop_the_adding(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for n in range(3):
        (tmp_path / "docs" / f"{n}.md").write_text(f"The text {n} of the lease.\n")
    reading, writing = os.pipe()
    os.close(reading)
    done = run(tmp_path / "home", "add", str(tmp_path / "docs"), stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")
    listed = json.loads(run(tmp_path / "home", "list", "--json").stdout)["documents"]
    assert [item["stage"] for item in listed] == ["ready"] * 3


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("arguments", [("version",), ("version", "--json")])
def test_output_that_cannot_be_written_is_said_and_is_a_failure(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    done = run(tmp_path, *arguments, stdout=full)
    os.close(full)
    assert done.returncode == 6
    assert done.stderr.startswith("Error: The output can't be written (No space left on device).")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", [("nonsense",), ("search",), ("search", "x", "--limit", "0"), ("add", "")])
def test_wrong_usage_is_json_when_json_was_asked_for(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = run(tmp_path, *arguments, "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["message"]
    assert done.stderr


def test_a_pipe_as_argument_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = run(tmp_path / "home", "add", str(tmp_path / "pipe"), "--json")
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (2, "no_file")


def test_names_are_printed_without_control_characters(tmp_path: Path) -> None:
    file = tmp_path / "a\x1b[31mb\tc\nd.md"
    file.write_text("The term of the lease is two years.\n")
    added = run(tmp_path / "home", "add", str(file))
    listed = run(tmp_path / "home", "list")
    assert added.returncode == 0
    for printed in (added.stdout, listed.stdout):
        assert "\x1b" not in printed
        assert len(printed.splitlines()) == 1


def test_one_file_that_fails_leaves_the_others_and_tells_the_exit_code(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("The term of the lease is two years.\n")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 broken")
    done = run(tmp_path / "home", "add", str(tmp_path / "good.md"), str(tmp_path / "bad.pdf"), "--json")
    assert done.returncode == 1
    assert [item["stage"] for item in json.loads(done.stdout)["documents"]] == ["ready", "failed"]


def test_what_was_done_before_the_store_failed_is_told_with_the_error(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(3):
        (folder / f"{n}.md").write_text(f"The text {n} of the lease.\n")
    with (folder / "z.md").open("wb") as large:
        large.truncate(20_000_000)
    done = run(tmp_path / "home", "add", str(folder), "--json", before=LIMITED)
    printed = json.loads(done.stdout)
    assert done.returncode == 6, done.stderr
    assert printed["error"]["code"] == "unavailable"
    assert printed["documents"]
    assert {item["stage"] for item in printed["documents"]} == {"ready"}
    plain = run(tmp_path / "home", "add", str(folder), before=LIMITED)
    assert plain.returncode == 6
    assert plain.stdout.startswith("ready")
    assert "Error: " in plain.stderr


def test_two_processes_that_add_one_folder_at_once_both_succeed(tmp_path: Path) -> None:
    for folder in ("p1/docs", "p2/docs"):
        (tmp_path / folder).mkdir(parents=True)
        for n in range(4):
            (tmp_path / folder / f"{n}.md").write_text(f"The text {n} of {folder}.\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PINCITE_", "CHAT_", "OPENAI_"))}
    command = [*COMMAND, "add", str(tmp_path / "p1" / "docs"), str(tmp_path / "p2" / "docs")]
    home = tmp_path / "home"
    settings = kept | {"PINCITE_HOME": str(home), "PINCITE_EMBEDDING": "none"}
    both = [subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for process in both:
        out, error = process.communicate(timeout=60)
        assert process.returncode == 0, out + error
    listed = json.loads(run(home, "list", "--json").stdout)["documents"]
    assert {item["stage"] for item in listed} == {"ready"}
    assert len({item["source_uri"] for item in listed}) == len(listed) == 8


def test_on_a_terminal_outcomes_stand_above_a_bar_for_each_file_on_its_way(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for n in range(6):
        (tmp_path / "docs" / f"{n}.md").write_text(f"The text {n} of the lease.\n")
    screen, terminal = os.openpty()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PINCITE_", "CHAT_", "OPENAI_"))}
    settings = kept | {"PINCITE_HOME": str(tmp_path / "home"), "PINCITE_EMBEDDING": "none", "TERM": "xterm", "COLUMNS": "200"}
    process = subprocess.Popen([*COMMAND, "add", str(tmp_path / "docs")], env=settings, stdout=terminal, stderr=terminal)
    os.close(terminal)
    shown = _all_of(screen)
    assert process.wait(timeout=60) == 0
    assert shown.count(str(tmp_path / "docs")) == 6
    assert "6 of 6 ready." in shown
    assert max(len(moved) for moved in re.findall(r"(?:\x1b\[1A\x1b\[2K)*", shown)) <= 2 * len("\x1b[1A\x1b[2K")


def _all_of(screen: int) -> str:
    """Read what a terminal shows until its last program ends."""
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal says that nobody writes any more
        while piece := os.read(screen, 1 << 16):
            shown += piece
    os.close(screen)
    return shown.decode()
