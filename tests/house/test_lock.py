"""The locks pin every dependency by version and hash, and name no place to get it from."""

import re
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PIN = re.compile(r"^(?P<name>[a-z0-9-]+)(?:\[[a-z0-9,-]+\])?==(?P<version>\S+)(?: ; [^;]+)? \\$")
HASH = re.compile(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$")


def _pins(path: Path) -> dict[str, str]:
    matches = [match for line in path.read_text().splitlines() if (match := PIN.match(line))]
    return {match["name"]: match["version"] for match in matches}


@pytest.fixture(scope="module")
def run_lock(root: Path) -> dict[str, str]:
    return _pins(root / "requirements.lock")


@pytest.fixture(scope="module")
def dev_lock(root: Path) -> dict[str, str]:
    return _pins(root / "requirements-dev.lock")


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock", "bench/peers/parsing.lock"])
def test_a_lock_holds_pins_and_hashes_and_nothing_else(root: Path, name: str):
    lines = (root / name).read_text().splitlines()
    assert [line for line in lines if not PIN.match(line) and not HASH.match(line)] == []
    unhashed = [line for line, after in zip(lines, [*lines[1:], ""], strict=True) if PIN.match(line) and not HASH.match(after)]
    assert unhashed == []


def test_the_run_lock_holds_every_runtime_dependency(project: dict[str, Any], run_lock: dict[str, str]):
    ocr = project["project"]["optional-dependencies"]["ocr"]
    wanted = [*project["project"]["dependencies"], *ocr, *project["dependency-groups"]["install"]]
    assert _unmet(wanted, run_lock) == []


def test_the_dev_lock_holds_every_dependency(project: dict[str, Any], dev_lock: dict[str, str]):
    groups = project["dependency-groups"]
    assert _unmet([*project["project"]["dependencies"], *groups["install"], *groups["dev"]], dev_lock) == []


def test_both_locks_agree(run_lock: dict[str, str], dev_lock: dict[str, str]):
    assert {name: version for name, version in run_lock.items() if dev_lock.get(name) != version} == {}


def test_the_build_uses_the_locked_hatchling(project: dict[str, Any], run_lock: dict[str, str]):
    assert project["build-system"]["requires"] == [f"hatchling=={run_lock['hatchling']}"]


def _unmet(wanted: list[str], pins: dict[str, str]) -> list[str]:
    requirements = [Requirement(line) for line in wanted]
    return [str(need) for need in requirements if not need.specifier.contains(pins.get(canonicalize_name(need.name), "0"))]
