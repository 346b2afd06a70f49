"""Processes that are stopped (SIGSTOP) with a lock in hand: what others add is found by their next search all the same."""

import asyncio
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import pytest
from tests.e2e.crash_checks import PINCITE, environment

from pincite import Pincite, Strategy
from pincite.adapters.sql.store import open_store
from pincite.bootstrap import LOCAL_WORKSPACE
from pincite.core.errors import StoreError

ROUNDS = 20
HANGING_S = 30
"""A search that takes so long waits for something. How fast it is stands in bench/stopped.py."""

HOLDER = dedent(
    """
    import fcntl, os, signal, sys
    locks = [open(path, "w") for path in sys.argv[1:]]
    for lock in locks:
        fcntl.flock(lock, fcntl.LOCK_EX)
    print("held", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
    """
)

WRITER = dedent(
    """
    import os, signal, sqlite3, sys
    database = sqlite3.connect(sys.argv[1], isolation_level=None)
    database.execute("BEGIN IMMEDIATE")
    print("held", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
    """
)


@contextmanager
def stopped(code: str, *arguments: Path) -> Generator[None]:
    """Have a process take its locks and be stopped."""
    process = subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield
    finally:
        process.kill()
        process.communicate()


@contextmanager
def stopped_search(home: Path, chance: random.Random) -> Generator[None]:
    """Have a search that brings the indexes up to date stopped at a random moment, and killed in the end."""
    command = [*PINCITE, "search", "pump"]
    process = subprocess.Popen(command, env=environment(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(chance.uniform(0.2, 1.5))
        process.send_signal(signal.SIGSTOP)
        yield
    finally:
        process.kill()
        process.wait()


async def add_and_find(client: Pincite, number: int) -> None:
    """Add a text and find it in every way at the first try."""
    added = await client.add_text(f"The zeppelin {number}x{number} lands on meadow {number}.", path=f"landing{number}.md")
    assert added.stage.value == "ready"
    for strategy in Strategy:
        async with asyncio.timeout(HANGING_S):
            found = await client.search(f"zeppelin {number}x{number}", limit=3, strategy=strategy)
        assert f"{number}x{number}" in " ".join(source.text for source in found)


def locks_of(home: Path, sides: tuple[str, ...]) -> list[Path]:
    return [next(home.glob(f"index/*/{side}")) / "lock" for side in sides]


@pytest.mark.parametrize("sides", [("lexical",), ("dense-*",), ("lexical", "dense-*")], ids=" and ".join)
async def test_a_stopped_holder_of_an_index_lock_hides_nothing_that_others_add(tmp_path: Path, sides: tuple[str, ...]) -> None:
    async with Pincite(tmp_path) as client:
        await add_and_find(client, 0)
        for number in range(1, ROUNDS + 1):
            with stopped(HOLDER, *locks_of(tmp_path, sides)):
                await add_and_find(client, number)
    async with Pincite(tmp_path) as client:
        for strategy in Strategy:
            assert len(await client.search("zeppelin meadow", limit=100, strategy=strategy)) == ROUNDS + 1


async def test_a_search_stopped_while_it_writes_the_indexes_hides_nothing_that_others_add(tmp_path: Path) -> None:
    chance = random.Random(7)
    async with Pincite(tmp_path) as client:
        for number in range(ROUNDS):
            for part in range(5):
                await client.add_text(f"The pump {part} of hall {number} needs oil.", path=f"pump{number}-{part}.md")
            with stopped_search(tmp_path, chance):
                await add_and_find(client, number)
    async with Pincite(tmp_path) as client:
        for strategy in (Strategy.DENSE, Strategy.LEXICAL):
            assert len(await client.search("zeppelin meadow pump oil", limit=100, strategy=strategy)) == 100


async def test_a_stopped_writer_of_the_database_is_told_and_stops_no_search(tmp_path: Path) -> None:
    async with Pincite(tmp_path) as client:
        await add_and_find(client, 0)
        with stopped(WRITER, tmp_path / "pincite.db"):
            store = open_store(tmp_path / "pincite.db", busy_timeout_s=0.2)
            async with store.open(LOCAL_WORKSPACE) as work:
                with pytest.raises(StoreError, match="stopped or hangs") as caught:
                    await work.lock()
            await store.close()
            assert (caught.value.code, caught.value.retryable) == ("store_busy", True)
            assert await client.search("zeppelin")
            assert await client.documents()
        await add_and_find(client, 1)
    assert sqlite3.connect(tmp_path / "pincite.db").execute("PRAGMA integrity_check").fetchone() == ("ok",)
