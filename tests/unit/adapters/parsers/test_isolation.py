"""Children that read files: they fail alone, end with their parent, and leave nothing behind."""

import asyncio
import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from pincite.adapters.parsers.child import lacks_memory
from pincite.adapters.parsers.frames import ChannelClosed, FrameTooLarge, WaitedTooLong, read_frame, write_frame
from pincite.adapters.parsers.isolation import IsolatedParser
from pincite.adapters.parsers.limits import ParseLimits
from pincite.adapters.parsers.process import ChildProcess
from pincite.core.documents import SourceRun
from pincite.core.errors import ConfigurationError, RefusedInput

SMALL = "A small text."
SLOW = "".join(f"[a{n}](b *c* **d** `e` " for n in range(200_000))


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in the /proc of Linux")


@contextlib.asynccontextmanager
async def running(limits: ParseLimits) -> AsyncGenerator[IsolatedParser]:
    parser = IsolatedParser(limits)
    try:
        yield parser
    finally:
        parser.close()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.txt"
    path.write_text(SMALL)
    return path


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    path = tmp_path / "slow.md"
    path.write_text(SLOW)
    return path


async def refused_code(parser: IsolatedParser, path: Path) -> str:
    with pytest.raises(RefusedInput) as refused:
        await parser.parse(path, name=path.name)
    assert refused.value.message.endswith(".")
    return refused.value.code


async def test_a_file_that_takes_too_long_is_stopped_and_the_next_is_read(slow: Path, small: Path) -> None:
    async with running(ParseLimits(timeout_s=0.5)) as parser:
        assert await refused_code(parser, slow) == "timeout"
        assert (await parser.parse(small, name="small.txt")).canonical.text == SMALL


async def test_a_file_that_needs_too_much_memory_fails_alone(slow: Path, small: Path) -> None:
    async with running(ParseLimits(memory_bytes=200_000_000)) as parser:
        assert await refused_code(parser, slow) == "memory"
        assert (await parser.parse(small, name="small.txt")).canonical.text == SMALL


async def test_a_file_over_the_size_is_refused_unread(slow: Path) -> None:
    async with running(ParseLimits(file_bytes=1000)) as parser:
        assert await refused_code(parser, slow) == "too_large"


async def test_more_text_than_allowed_is_refused(slow: Path) -> None:
    async with running(ParseLimits(text_chars=10_000)) as parser:
        assert await refused_code(parser, slow) == "too_large"


async def test_a_cancelled_parse_frees_its_slot(slow: Path, small: Path) -> None:
    async with running(ParseLimits()) as parser:
        task = asyncio.create_task(parser.parse(slow, name="slow.md"))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(task, 0.3)
        assert task.cancelled()
        assert (await parser.parse(small, name="small.txt")).canonical.text == SMALL


async def test_the_loop_runs_on_while_a_file_is_read(slow: Path) -> None:
    async with running(ParseLimits(timeout_s=1)) as parser:
        task = asyncio.create_task(refused_code(parser, slow))
        turns = 0
        while not task.done():
            await asyncio.sleep(0)
            turns += 1
        assert await task == "timeout"
        assert turns > 100


async def test_boxes_do_not_wait_for_a_file_that_is_being_parsed(slow: Path, data: Path) -> None:
    async with running(ParseLimits(timeout_s=30)) as parser:
        task = asyncio.create_task(parser.parse(slow, name="slow.md"))
        await asyncio.sleep(0)
        boxes = await parser.boxes(data / "fake-memo.pdf", content_type="application/pdf", runs=[SourceRun(0, 4, 1, 0, 4)])
        assert len(boxes[0]) == 1
        assert not task.done()
        task.cancel()


def test_one_parser_serves_several_event_loops(small: Path) -> None:
    parser = IsolatedParser()
    texts = [asyncio.run(parser.parse(small, name="small.txt")).canonical.text for _ in range(2)]
    parser.close()
    assert texts == [SMALL] * 2


def children() -> set[int]:
    return {int(pid) for thread in Path("/proc/self/task").iterdir() for pid in (thread / "children").read_text().split()}


@needs_proc
async def test_a_child_is_replaced_after_some_files(small: Path) -> None:
    async with running(ParseLimits(files_per_child=2)) as parser:
        before, seen = children(), list[set[int]]()
        for _ in range(4):
            await parser.parse(small, name="small.txt")
            seen.append(children() - before)
    assert [len(pids) for pids in seen] == [1, 0, 1, 0]
    assert seen[0] != seen[2]


@needs_proc
async def test_no_child_is_left_when_a_parser_closes(small: Path) -> None:
    before = children()
    async with running(ParseLimits()) as parser:
        await parser.parse(small, name="small.txt")
        assert children() - before
    assert children() <= before


@needs_proc
def test_the_child_sees_no_secret_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-for-children")
    before = children()
    child = ChildProcess()
    (pid,) = children() - before
    environment = Path(f"/proc/{pid}/environ").read_bytes()
    child.close()
    assert b"not-for-children" not in environment


PARENT = """
import asyncio, sys
from pathlib import Path
from pincite.adapters.parsers.isolation import IsolatedParser

async def main():
    parser = IsolatedParser()
    await parser.parse(Path(sys.argv[1]), name="small.txt")
    print("ready", flush=True)
    await parser.parse(Path(sys.argv[2]), name="slow.md")

asyncio.run(main())
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs pidfd_open of Linux")
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_children_end_with_their_parent_even_at_work(small: Path, slow: Path, ending: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, str(small), str(slow)], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        threads = Path(f"/proc/{parent.pid}/task").iterdir()
        (child,) = [int(pid) for thread in threads for pid in (thread / "children").read_text().split()]
        handle = os.pidfd_open(child)
        parent.send_signal(ending)
        parent.wait()
        ended, _, _ = select.select([handle], [], [], 10)
        os.close(handle)
    assert ended


def test_a_program_without_a_main_guard_may_use_it(small: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import asyncio, sys\nfrom pathlib import Path\nfrom pincite.adapters.parsers.isolation import IsolatedParser\n"
        "print(asyncio.run(IsolatedParser().parse(Path(sys.argv[1]), name='x')).canonical.text)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), str(small)], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.stdout, done.stderr) == (f"{SMALL}\n", "")


async def test_a_child_that_cannot_start_is_no_fault_of_the_file(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    async with running(ParseLimits()) as parser:
        with pytest.raises(ConfigurationError):
            await parser.parse(small, name="small.txt")


def test_frames_are_bounded_and_do_not_wait_for_ever() -> None:
    reader, writer = os.pipe()
    write_frame(writer, {"text": "Größe"})
    assert read_frame(reader, max_bytes=100) == {"text": "Größe"}
    write_frame(writer, "x" * 200)
    with pytest.raises(FrameTooLarge):
        read_frame(reader, max_bytes=100)
    os.close(reader)
    with pytest.raises(ChannelClosed):
        write_frame(writer, "nobody reads")
    os.close(writer)
    reader, writer = os.pipe()
    with pytest.raises(WaitedTooLong):
        read_frame(reader, max_bytes=100, deadline=0.0)
    os.write(writer, (2).to_bytes(8, "big") + b"{[")
    with pytest.raises(ValueError, match="Expecting"):
        read_frame(reader, max_bytes=100)
    os.close(writer)
    with pytest.raises(ChannelClosed):
        read_frame(reader, max_bytes=100)
    os.close(reader)


def test_an_error_that_hides_a_lack_of_memory_is_one() -> None:
    try:
        try:
            raise OSError("OpenCV: error: (-4:Insufficient memory) Failed to allocate 5376000 bytes")
        except OSError as error:
            raise ValueError from error
    except ValueError as error:
        hidden = error
    assert lacks_memory(hidden)
    assert lacks_memory(MemoryError())
    assert lacks_memory(RuntimeError("std::bad_alloc"))
    assert not lacks_memory(ValueError("no such table"))
