"""Real workers, killed and stopped: no job is lost, none is done twice, and a file that kills its worker fails alone."""

import asyncio
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

from tests.e2e.crash_checks import PINCITE, environment

from pincite import Pincite
from pincite.core.documents import Document, Stage
from pincite.core.jobs import MAX_ATTEMPTS
from pincite.ingest.arrivals import Arrival

LONG = "\n\n".join(
    f"# Part {n}\n\nThe pump of hall {n} is oiled every {n} weeks. {'It is cold there in winter. ' * 30}" for n in range(500)
)
"""Takes long to embed: whoever looks finds its worker at it."""
WAIT_S = 60.0


def uploaded(home: Path, **texts: str) -> None:
    """Receive texts as the server does, to be read by workers."""

    async def receive() -> None:
        async with Pincite(home) as client:
            collection = await client.collection(create=True)
            for name, text in texts.items():
                arrival = Arrival(f"{name}.md", f"{name}.md", text.encode(), is_queued=True)
                await client.services.ingestor.receive(collection, arrival)

    asyncio.run(receive())


def documents(home: Path) -> dict[str, Document]:
    with Pincite.sync(home) as client:
        return {document.path: document for document in client.documents()}


def start(home: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [*PINCITE, "worker", *options]
    return subprocess.Popen(command, env=environment(home), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run(home: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(home / "pincite.db", timeout=30)) as connection:
        rows = connection.execute(statement).fetchall()
        connection.commit()
    return rows


def wait_until_embedding(home: Path) -> None:
    """Wait until a worker is at the long text, which it has begun to embed."""
    until = time.monotonic() + WAIT_S
    while not run(home, "SELECT 1 FROM ingestions WHERE stage = 'embedding' AND done > 0"):
        assert time.monotonic() < until
        time.sleep(0.05)


def end(process: subprocess.Popen[bytes], how: signal.Signals) -> int:
    process.send_signal(how)
    return process.wait(WAIT_S)


def test_a_file_that_kills_its_workers_fails_after_three_and_others_go_on(tmp_path: Path) -> None:
    uploaded(tmp_path, long=LONG, short="The valve of hall seven leaks.")
    run(
        tmp_path, "UPDATE jobs SET priority = 9 WHERE payload LIKE '%' || (SELECT id FROM documents WHERE path = 'short.md') || '%'"
    )
    for attempt in range(1, MAX_ATTEMPTS + 1):
        process = start(tmp_path)
        wait_until_embedding(tmp_path)
        assert end(process, signal.SIGKILL) == -signal.SIGKILL
        assert run(tmp_path, "SELECT attempt FROM jobs WHERE state = 'running'") == [(attempt,)]
        # The lease is over, by the database's clock; and nothing of the last try is taken for progress of the next.
        run(tmp_path, "UPDATE jobs SET due_at = 0 WHERE state = 'running'")
        run(tmp_path, "UPDATE ingestions SET done = 0")
    assert start(tmp_path, "--until-done").wait(WAIT_S) == 0
    found = documents(tmp_path)
    assert found["short.md"].stage is Stage.READY
    assert found["long.md"].stage is Stage.FAILED
    assert found["long.md"].reason is not None
    assert found["long.md"].reason.code == "gave_up"
    assert run(tmp_path, "SELECT state FROM jobs ORDER BY state") == [("done",), ("failed",)]


def test_a_worker_that_is_stopped_gives_its_job_back_and_the_attempt_does_not_count(tmp_path: Path) -> None:
    uploaded(tmp_path, long=LONG)
    for how in (signal.SIGTERM, signal.SIGINT):
        process = start(tmp_path)
        wait_until_embedding(tmp_path)
        assert end(process, how) == (0 if how is signal.SIGTERM else 130)
        assert run(tmp_path, "SELECT state, attempt FROM jobs") == [("queued", 0)]
        assert documents(tmp_path)["long.md"].stage is Stage.PENDING


def test_many_workers_do_each_job_once(tmp_path: Path) -> None:
    names = {f"text{n}": f"The valve of hall {n} leaks." for n in range(20)}
    uploaded(tmp_path, **names)
    processes = [start(tmp_path, "--until-done", "--slots", "2") for _ in range(3)]
    assert [process.wait(WAIT_S) for process in processes] == [0, 0, 0]
    assert {document.stage for document in documents(tmp_path).values()} == {Stage.READY}
    assert run(tmp_path, "SELECT DISTINCT state, attempt FROM jobs") == [("done", 1)]
    assert run(tmp_path, "SELECT count(*) FROM versions") == [(len(names),)]
