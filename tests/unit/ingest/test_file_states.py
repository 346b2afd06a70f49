"""A file that didn't change is told by its stamp, and one that may have changed is never taken for unchanged."""

import hashlib
import os
from pathlib import Path

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.core.ports.blobs import Blob
from pincite.ingest.file_states import READS, SETTLED_NS, hash_of, look, read_unchanged, state_of

PLACE = "file:///box/a.txt"
SECOND = 1_000_000_000
BYTES = b"The term is two years."


def append(path: Path) -> None:
    with path.open("a") as file:
        file.write(" And more.")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "a.txt"
    made.write_bytes(BYTES)
    return made


class ChangingBlobs(MemoryBlobs):
    """Finds the file changed right after its first readings."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left, self.reads = times, 0

    async def put_file(self, path: Path) -> Blob:
        blob = await super().put_file(path)
        self.reads += 1
        if self.left:
            self.left -= 1
            append(path)
        return blob


def status(*, size: int = 9, mtime_ns: int = 5 * SECOND, ctime_ns: int = 6 * SECOND, device: int = 1) -> os.stat_result:
    return os.stat_result((0o100644, 7, device, 1, 0, 0, size, 0, 0, 0), {"st_mtime_ns": mtime_ns, "st_ctime_ns": ctime_ns})


def test_every_kind_of_change_gives_another_stamp_and_another_mount_does_not() -> None:
    """The same size and a time of the bytes that was set back are no disguise: the time of the entry tells."""
    changed = [status(), status(size=8), status(mtime_ns=4 * SECOND), status(ctime_ns=6 * SECOND + 1)]
    assert len({state_of(each, PLACE, now_ns=0).stamp for each in changed}) == 4
    assert state_of(status(device=2), PLACE, now_ns=0) == state_of(status(), PLACE, now_ns=0)


def test_a_file_keeps_its_inode_under_another_name(file: Path) -> None:
    before = look(file, PLACE)
    assert look(file.rename(file.with_name("b.txt")), PLACE).inode == before.inode


@pytest.mark.parametrize(
    ("now_ns", "mtime_ns", "ctime_ns", "settled"),
    [
        (6 * SECOND, 5 * SECOND, 6 * SECOND, False),
        (6 * SECOND + SETTLED_NS, 5 * SECOND, 6 * SECOND, False),
        (6 * SECOND + SETTLED_NS + 1, 5 * SECOND, 6 * SECOND, True),
        # A clock that was set back, a time of the bytes in the future, a file system without times of entries.
        (1 * SECOND, 0, 6 * SECOND, False),
        (6 * SECOND + SETTLED_NS + 1, 10**18, 6 * SECOND, True),
        (6 * SECOND, 6 * SECOND, 0, False),
    ],
)
def test_a_stamp_is_settled_when_a_next_change_would_give_another(now_ns: int, mtime_ns: int, ctime_ns: int, settled: bool) -> None:
    assert state_of(status(mtime_ns=mtime_ns, ctime_ns=ctime_ns), PLACE, now_ns=now_ns).settled is settled


async def test_bytes_come_with_the_state_that_they_belong_to(file: Path) -> None:
    blob, state = await read_unchanged(MemoryBlobs().put_file, file, PLACE)
    assert blob.sha256 == state.sha256 == hash_of(file) == hashlib.sha256(BYTES).hexdigest()
    assert (state.place, state.stamp) == (PLACE, look(file, PLACE).stamp)


async def test_a_file_that_changes_while_it_is_read_is_read_again(file: Path) -> None:
    blobs = ChangingBlobs(1)
    blob, state = await read_unchanged(blobs.put_file, file, PLACE)
    assert (blobs.reads, blob.sha256, state.stamp) == (2, hash_of(file), look(file, PLACE).stamp)


async def test_a_file_that_never_rests_counts_as_last_read_and_is_known_to_have_changed_since(file: Path) -> None:
    blobs = ChangingBlobs(100)
    _, state = await read_unchanged(blobs.put_file, file, PLACE)
    assert blobs.reads == READS
    assert state.stamp != look(file, PLACE).stamp
