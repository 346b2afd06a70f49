"""What a mirror does when its files are damaged, its lock is held, or another process works on it."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from pincite.adapters.index.dense import MappedDenseIndex
from pincite.adapters.index.lexical import TantivyIndex
from pincite.adapters.index.publication import Publication
from pincite.core.errors import ModelChangedError
from pincite.core.ids import ChunkId, CollectionId, DocumentId, WorkspaceId
from pincite.core.ports.changes import Change, LogState
from pincite.core.ports.index import IndexSpace

SPACE = IndexSpace(WorkspaceId("w"), CollectionId("papers"), "small-1", 4)


@dataclass
class Log:
    """A change log that counts what is read of it."""

    rows: dict[ChunkId, Change] = field(default_factory=dict[ChunkId, Change])
    head: int = 0
    read_rows: int = 0
    gone: bool = False
    goes_at_read: int = 0

    def put(self, name: str, text: str = "The river runs.", *, deleted: bool = False) -> None:
        chunk = ChunkId(name)
        self.head += 1
        self.rows.pop(chunk, None)
        self.rows[chunk] = Change(self.head, chunk, DocumentId("d"), deleted, text=text, lang="en", vector=[1, 0, 0, self.head % 3])

    async def state(self, space: IndexSpace) -> LogState:
        if self.gone:
            raise ModelChangedError("another model", retryable=True)
        return LogState(self.head, 0)

    async def read(self, space: IndexSpace, *, after: int, limit: int) -> Sequence[Change]:
        self.goes_at_read -= 1
        self.gone |= self.goes_at_read == 0
        found = [row for row in self.rows.values() if row.seq > after][:limit]
        self.read_rows += len(found)
        return found


@dataclass
class Words:
    """The lexical index, asked for one word."""

    root: Path
    log: Log
    folder = "papers/lexical"

    def __post_init__(self) -> None:
        self.index = TantivyIndex(self.root, self.log)

    async def chunks(self) -> list[str]:
        return sorted(hit.chunk_id for hit in (await self.index.search(SPACE, "river", limit=99)).hits)


@dataclass
class Vectors:
    """The dense index, asked for all."""

    root: Path
    log: Log
    folder = "papers/dense-small-1"

    def __post_init__(self) -> None:
        self.index = MappedDenseIndex(self.root, self.log, sign_rows=3, compact_rows=4)

    async def chunks(self) -> list[str]:
        return sorted(hit.chunk_id for hit in await self.index.search(SPACE, [1, 0, 0, 0], limit=99))


Kind = type[Words] | type[Vectors]


@pytest.fixture(params=[Words, Vectors], ids=["words", "vectors"])
def kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture
def log() -> Log:
    made = Log()
    for number in range(5):
        made.put(f"c{number}")
    return made


ALL = ["c0", "c1", "c2", "c3", "c4"]


async def test_a_second_process_reads_what_the_first_wrote(kind: Kind, log: Log, tmp_path: Path):
    assert await kind(tmp_path, log).chunks() == ALL
    log.read_rows = 0
    second = kind(tmp_path, log)
    assert await second.chunks() == ALL
    assert log.read_rows == 0


async def test_two_open_indexes_take_turns_at_applying(kind: Kind, log: Log, tmp_path: Path):
    one, other = kind(tmp_path, log), kind(tmp_path, log)
    for number in range(5, 14):
        log.put(f"c{number}")
        log.put(f"c{number - 5}", deleted=True)
        wanted = sorted(f"c{n}" for n in range(number - 4, number + 1))
        assert await (one if number % 2 else other).chunks() == wanted
        assert await (other if number % 2 else one).chunks() == wanted


def data_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "generation-" in str(path) and path.suffix != ".lock"]


def lose_the_data(folder: Path) -> None:
    for path in folder.glob("generation-*"):
        shutil.rmtree(path)


def write_state(text: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / "state.json").write_text(text)

    return write


def write_data(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        for path in data_files(folder):
            data = path.read_bytes()
            path.unlink()  # a file that is mapped and cut would take the process down
            path.write_bytes(change(data))

    return write


DAMAGES: dict[str, Callable[[Path], None]] = {
    "everything is gone": shutil.rmtree,
    "the state is gone": lambda folder: (folder / "state.json").unlink(),
    "the state is noise": write_state("{nonsense"),
    "the state is of another format": write_state('{"format": 999}'),
    "the state lacks entries": write_state('{"format": 1}'),
    "the data are gone": lose_the_data,
    "all data files are empty": write_data(lambda _: b""),
    "all data files are zeros": write_data(lambda data: bytes(len(data))),
    "all data files are cut": write_data(lambda data: data[:3]),
}


@pytest.mark.parametrize("damage", DAMAGES)
async def test_damaged_files_are_rebuilt_by_the_next_process(kind: Kind, log: Log, tmp_path: Path, damage: str):
    assert await kind(tmp_path, log).chunks() == ALL
    DAMAGES[damage](tmp_path / kind.folder)
    assert await kind(tmp_path, log).chunks() == ALL
    log.put("c5")
    assert await kind(tmp_path, log).chunks() == [*ALL, "c5"]


@pytest.mark.parametrize("damage", ["everything is gone", "the data are gone", "all data files are cut"])
async def test_damaged_files_are_rebuilt_when_the_next_change_comes(kind: Kind, log: Log, tmp_path: Path, damage: str):
    index = kind(tmp_path, log)
    assert await index.chunks() == ALL
    DAMAGES[damage](tmp_path / kind.folder)
    log.put("c5")
    assert await index.chunks() == [*ALL, "c5"]
    assert await kind(tmp_path, log).chunks() == [*ALL, "c5"]


async def test_a_lost_working_copy_of_words_is_rebuilt(log: Log, tmp_path: Path):
    index = Words(tmp_path, log)
    assert await index.chunks() == ALL
    for work in (tmp_path / Words.folder).glob("generation-*/work"):
        shutil.rmtree(work)
    log.put("c5")
    assert await index.chunks() == [*ALL, "c5"]
    assert await Words(tmp_path, log).chunks() == [*ALL, "c5"]


async def test_dead_rows_are_compacted_away(log: Log, tmp_path: Path):
    index = Vectors(tmp_path, log)
    assert await index.chunks() == ALL
    for number in range(5, 40):
        log.put(f"c{number}")
        log.put(f"c{number - 5}", deleted=True)
        assert len(await index.chunks()) == 5
    state = json.loads((tmp_path / Vectors.folder / "state.json").read_text())
    assert state["rows"] <= 15
    assert len(list((tmp_path / Vectors.folder).glob("generation-*"))) == 1


async def test_passages_that_come_after_a_removal_are_added_and_nothing_is_rebuilt(
    log: Log, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    index = Vectors(tmp_path, log)
    assert await index.chunks() == ALL
    log.put("c0", deleted=True)
    assert await index.chunks() == ALL[1:]
    for number in range(10, 40):
        log.put(f"c{number}")
    expected = sorted([*ALL[1:], *(f"c{number}" for number in range(10, 40))])
    assert await index.chunks() == expected
    before = log.read_rows
    assert await Vectors(tmp_path, log).chunks() == expected
    assert log.read_rows == before
    assert caplog.text == ""


async def test_old_files_of_words_are_cleaned_away(log: Log, tmp_path: Path):
    index = Words(tmp_path, log)
    for number in range(5, 15):
        log.put(f"c{number}")
        assert len(await index.chunks()) == number + 1
    assert len(list((tmp_path / Words.folder).glob("generation-*/snapshot-*"))) == 1


async def test_a_disk_that_takes_nothing_still_lets_all_be_found(
    kind: Kind, log: Log, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    (tmp_path / "papers").write_text("a file where the folder should be")
    index = kind(tmp_path, log)
    assert await index.chunks() == ALL
    log.put("c5")
    log.put("c0", deleted=True)
    assert await index.chunks() == ["c1", "c2", "c3", "c4", "c5"]
    assert "can't be written" in caplog.text


# Other processes

HOLDER = dedent(
    """
    import fcntl, os, signal, sys
    os.makedirs(sys.argv[1], exist_ok=True)
    lock = open(sys.argv[1] + "/lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    print("held", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
    """
)


@pytest.fixture
def stopped_holder(kind: Kind, tmp_path: Path) -> Generator[subprocess.Popen[str]]:
    """A process that took the mirror's lock and was stopped."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path / kind.folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


async def test_a_stopped_process_with_the_lock_stops_nobody(
    kind: Kind, log: Log, tmp_path: Path, stopped_holder: subprocess.Popen[str]
):
    index = kind(tmp_path, log)
    assert await index.chunks() == ALL
    log.put("c5")
    log.put("c1", deleted=True)
    log.put("c2", "No longer about water.")
    log.put("c6")
    log.put("c6", deleted=True)
    gone = {"c1", "c2"} if kind is Words else {"c1"}
    assert await index.chunks() == sorted({*ALL, "c5"} - gone)
    log.read_rows = 0
    assert await index.chunks() == sorted({*ALL, "c5"} - gone)
    assert log.read_rows == 0
    stopped_holder.kill()
    stopped_holder.wait()
    log.put("c7")
    assert await index.chunks() == sorted({*ALL, "c5", "c7"} - gone)
    assert await kind(tmp_path, log).chunks() == sorted({*ALL, "c5", "c7"} - gone)


async def test_changes_are_laid_over_published_files_while_the_lock_is_held(kind: Kind, log: Log, tmp_path: Path):
    assert await kind(tmp_path, log).chunks() == ALL
    with Publication(tmp_path / kind.folder).try_lock() as held:
        assert held
        index = kind(tmp_path, log)
        log.put("c5")
        log.put("c1", deleted=True)
        assert await index.chunks() == ["c0", "c2", "c3", "c4", "c5"]
        log.put("c5", deleted=True)
        assert await index.chunks() == ["c0", "c2", "c3", "c4"]


async def test_rows_read_into_memory_while_their_model_went_are_not_taken_for_all(log: Log, tmp_path: Path):
    with Publication(tmp_path / Vectors.folder).try_lock() as held:
        assert held
        log.goes_at_read = 2  # the first is for files that can't be written
        with pytest.raises(ModelChangedError):
            await Vectors(tmp_path, log).chunks()
    assert log.read_rows


async def test_a_mirror_whose_folder_is_deleted_is_searched_on_while_its_model_is_gone(log: Log, tmp_path: Path):
    index = Vectors(tmp_path, log)
    assert await index.chunks() == ALL
    await Vectors(tmp_path, log).index.retain(replace(SPACE, model_id="other"))
    assert not (tmp_path / Vectors.folder).exists()
    log.gone = True
    assert await index.chunks() == ALL


async def scores(words: Words) -> dict[str, float]:
    return {hit.chunk_id: hit.score for hit in (await words.index.search(SPACE, "zeppelin mill", limit=2)).hits}


async def test_laid_over_words_are_weighed_as_in_the_whole_collection(tmp_path: Path):
    log = Log()
    for number in range(40):
        log.put(f"c{number}", "The mill stands by the water." + (" A zeppelin flies." if number == 3 else ""))
    whole = Words(tmp_path / "whole", log)
    assert "c3" in await scores(whole)
    part = Words(tmp_path / "laid", log)
    await part.chunks()
    with Publication(tmp_path / "laid" / Words.folder).try_lock():
        log.put("new", "A zeppelin lands by the mill at the water.")
        laid, wanted = [await scores(index) for index in (part, whole)]
    assert laid.keys() == wanted.keys() == {"c3", "new"}
    assert laid["new"] == pytest.approx(wanted["new"], rel=0.2)


WRITER = dedent(
    """
    import asyncio, json, os, signal, sys
    from pathlib import Path
    from pincite.adapters.index.dense import MappedDenseIndex
    from pincite.adapters.index.lexical import TantivyIndex
    from pincite.adapters.index.publication import Publication
    from pincite.core.ports.changes import Change, LogState
    from pincite.core.ports.index import IndexSpace

    root, kind, rows, stop = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]), sys.argv[4] == "stop"
    space = IndexSpace("w", "papers", "small-1", 4)

    class Feed:
        async def state(self, space):
            return LogState(rows[-1]["seq"], 0)

        async def read(self, space, *, after, limit):
            return [Change(**row) for row in rows if row["seq"] > after][:limit]

    def stopped(self, state):
        print("stopping", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)

    if stop:
        Publication.write = stopped

    async def main():
        if kind == "Words":
            await TantivyIndex(root, Feed()).search(space, "river", limit=9)
        else:
            await MappedDenseIndex(root, Feed(), sign_rows=3).search(space, [1, 0, 0, 0], limit=9)

    asyncio.run(main())
    print("done", flush=True)
    """
)


def writer(kind: Kind, root: Path, log: Log, mode: str) -> subprocess.Popen[str]:
    rows: list[dict[str, Any]] = [
        {name: getattr(row, name) for name in ("seq", "chunk_id", "document_id", "deleted", "text", "lang", "vector")}
        for row in log.rows.values()
    ]
    command = [sys.executable, "-c", WRITER, str(root), kind.__name__, json.dumps(rows), mode]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def test_another_process_sees_and_continues_what_this_one_wrote(kind: Kind, log: Log, tmp_path: Path):
    index = kind(tmp_path, log)
    assert await index.chunks() == ALL
    log.put("c5")
    log.put("c0", deleted=True)
    assert writer(kind, tmp_path, log, "go").communicate()[0] == "done\n"
    log.read_rows = 0
    assert await index.chunks() == ["c1", "c2", "c3", "c4", "c5"]
    assert log.read_rows == 0


async def test_a_process_stopped_before_it_publishes_harms_nobody_and_is_made_good(kind: Kind, log: Log, tmp_path: Path):
    index = kind(tmp_path, log)
    assert await index.chunks() == ALL
    log.put("c5")
    log.put("c0", deleted=True)
    process = writer(kind, tmp_path, log, "stop")
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "stopping\n"
        assert await index.chunks() == ["c1", "c2", "c3", "c4", "c5"]
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    log.put("c6")
    assert await index.chunks() == ["c1", "c2", "c3", "c4", "c5", "c6"]
    assert await kind(tmp_path, log).chunks() == ["c1", "c2", "c3", "c4", "c5", "c6"]


async def test_many_processes_writing_at_once_leave_one_right_mirror(kind: Kind, log: Log, tmp_path: Path):
    for number in range(5, 40):
        log.put(f"c{number}")
    processes = [writer(kind, tmp_path, log, "go") for _ in range(2)]
    assert [process.communicate()[0] for process in processes] == ["done\n"] * 2
    index = kind(tmp_path, replace(log, read_rows=0))
    assert len(await index.chunks()) == 40
    assert index.log.read_rows == 0
    assert not [name for name in os.listdir(tmp_path / kind.folder) if name.endswith(".new")]
