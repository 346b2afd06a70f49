"""What a person gets who installs the package instead of cloning the repository."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

import pincite


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Names of the files in a wheel that was just built."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_every_tracked_file_of_the_package(wheel: set[str], tracked: list[Path], package: Path):
    inside = {str(path.relative_to(package.parent)) for path in tracked if path.is_relative_to(package)}
    assert inside - wheel == set()
    assert {name for name in wheel if not name.startswith("pincite/") and ".dist-info/" not in name} == set()


def test_the_wheel_brings_the_licence_the_notice_and_the_licences_of_the_samples(wheel: set[str]):
    licences = {re.sub(r"^.*\.dist-info/licenses/", "", name) for name in wheel if "/licenses/" in name}
    assert {"LICENSE", "NOTICE", "src/pincite/samples/licences/CC-BY-SA-4.0.txt"} <= licences


def test_the_package_and_the_project_have_one_version(project: dict[str, Any]):
    assert project["project"]["version"] == pincite.__version__
