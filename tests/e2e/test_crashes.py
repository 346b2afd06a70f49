"""Processes killed at random moments: nothing told is lost, and a search finds the same as after a clean build."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.e2e.crash_checks import (
    PINCITE,
    Hits,
    assert_sound,
    copy_without_index,
    environment,
    hits_of,
    texts_of,
    told_ready,
    write_files,
)

from pincite import Pincite

FILES = 12
MOMENTS = 20
CHURN = Path(__file__).with_name("churn.py")


def start(home: Path, *command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(command, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def adding(home: Path, files: list[Path]) -> subprocess.Popen[str]:
    return start(home, *PINCITE, "add", *map(str, files))


def kill_sometime(process: subprocess.Popen[str], chance: random.Random, *, lines: int) -> list[str]:
    """Kill at a random moment: before the first line in a quarter of cases, else after some. Return the lines it had told."""
    assert process.stdout is not None
    wanted = 0 if chance.random() < 0.25 else chance.randint(1, lines)
    told = [process.stdout.readline() for _ in range(wanted)]
    time.sleep(chance.uniform(0, 0.03 if told else 1.0))
    process.send_signal(signal.SIGKILL)
    rest = process.communicate()[0]
    return "".join([*told, rest]).split("\n")[:-1]  # what has no line end was not told


def assert_search_equals_a_clean_build(home: Path, scratch: Path) -> None:
    assert hits_of(home) == hits_of(copy_without_index(home, scratch))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_files(tmp_path_factory.mktemp("papers"), FILES)


@pytest.fixture(scope="module")
def clean(files: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Hits:
    """What a home finds into which the same files were added without any trouble."""
    home = tmp_path_factory.mktemp("clean")
    add_all(home, files)
    return hits_of(home)


def add_all(home: Path, files: list[Path]) -> None:
    with Pincite.sync(home) as client:
        assert {added.stage.value for added in client.add(*files)} == {"ready"}


@pytest.mark.parametrize("seed", range(MOMENTS))
def test_adding_killed_at_any_moment_loses_nothing_told(seed: int, files: list[Path], clean: Hits, tmp_path: Path) -> None:
    home = tmp_path / "home"
    told = kill_sometime(adding(home, files), random.Random(seed), lines=FILES - 1)
    assert_sound(home, told_ready(told))
    assert_search_equals_a_clean_build(home, tmp_path / "copy")
    add_all(home, files)
    assert_sound(home, files)
    assert hits_of(home) == clean


@pytest.mark.parametrize("seed", range(MOMENTS))
def test_one_of_two_writers_killed_at_any_moment_harms_neither(seed: int, files: list[Path], clean: Hits, tmp_path: Path) -> None:
    home = tmp_path / "home"
    survivor, victim = adding(home, files[: FILES * 2 // 3]), adding(home, files[FILES // 3 :])
    told = kill_sometime(victim, random.Random(seed), lines=FILES // 2)
    finished = survivor.communicate(timeout=120)[0].splitlines()
    assert survivor.returncode == 0
    assert set(told_ready(finished)) == set(files[: FILES * 2 // 3])
    assert_sound(home, {*told_ready(told), *told_ready(finished)})
    assert_search_equals_a_clean_build(home, tmp_path / "copy")
    add_all(home, files)
    assert_sound(home, files)
    assert hits_of(home) == clean


@pytest.mark.parametrize("seed", range(6))
def test_a_process_killed_while_it_replaces_removes_and_searches_leaves_all_it_told(seed: int, tmp_path: Path) -> None:
    home = tmp_path / "home"
    lines = kill_sometime(start(home, sys.executable, str(CHURN), str(home), str(seed)), random.Random(seed), lines=30)
    assert_sound(home, ())
    told = {name: int(turn) for _, name, turn in (line.split() for line in lines)}
    stored = texts_of(home)
    wrong = [name for name, turn in told.items() if (f"hall {turn} " in stored.get(name, "")) != (turn > 0)]
    assert len(wrong) <= 1  # what was on its way, and may be done although it was not told
    assert_search_finds_the_same_as_a_clean_build(home, tmp_path / "copy")


def assert_search_finds_the_same_as_a_clean_build(home: Path, scratch: Path) -> None:
    """Without the scores by words, in which removed passages count until their segment is merged."""
    here, there = hits_of(home), hits_of(copy_without_index(home, scratch))
    assert here.keys() == there.keys()
    for search, hits in here.items():
        if search.startswith("dense"):
            assert hits == there[search]
        else:
            assert sorted(hit[1:] for hit in hits) == sorted(hit[1:] for hit in there[search])
