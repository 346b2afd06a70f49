"""Scratch folders of the blob store on disk: what a killed process leaves is deleted, and nothing that a living one uses."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pincite.adapters.blobs.care import DiskBlobCare
from pincite.adapters.blobs.disk import ABANDONED_S, DiskBlobs

HOLDER = """
import asyncio, pathlib, sys
from pincite.adapters.blobs.disk import DiskBlobs

async def hold():
    async with DiskBlobs(pathlib.Path(sys.argv[1])).scratch() as folder:
        (folder / "upload").write_text("secret")
        print(folder, flush=True)
        sys.stdin.read()

asyncio.run(hold())
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "blobs"


def hold(root: Path) -> tuple[subprocess.Popen[str], Path]:
    """Start a process that uses a scratch folder until its input ends."""
    command = [sys.executable, "-c", HOLDER, str(root)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def test_a_killed_process_leaves_its_folder_to_the_next_and_a_living_one_keeps_its_own(root: Path) -> None:
    killed, left = hold(root)
    living, used = hold(root)
    killed.kill()
    killed.communicate()
    assert (left / "upload").read_text() == "secret"
    DiskBlobs(root).sweep()
    assert not left.exists()
    assert (used / "upload").read_text() == "secret"
    living.communicate("", timeout=30)
    assert list(root.iterdir()) == []


async def test_what_was_only_begun_goes_after_a_while_and_is_no_stranger(root: Path) -> None:
    begun = root / ".scratch-new-x"
    begun.mkdir(parents=True)
    DiskBlobs(root).sweep()
    assert begun.exists()
    assert await DiskBlobCare(root).strangers() == []
    os.utime(begun, (0, time.time() - ABANDONED_S - 1))
    DiskBlobs(root).sweep()
    assert not begun.exists()
