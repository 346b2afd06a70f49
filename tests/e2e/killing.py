"""Two workers, of which one is killed at a stage, at a random moment: what must hold of documents, ledger, vectors and index."""

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.crash_checks import PINCITE, environment
from tests.e2e.embedding_provider import Provider

from pincite import Pincite
from pincite.core.documents import Document, Stage
from pincite.core.usage import LedgerRow, UsageKind
from pincite.ingest.arrivals import Arrival
from pincite.ingest.charging import attempt_key
from pincite.settings import load_settings

STAGES = (Stage.PENDING, Stage.PARSING, Stage.CHUNKING, Stage.EMBEDDING)
PARTS = 300
WAIT_S = 120.0
WORKER = """
import asyncio, sys
from pincite import Pincite
from pincite.core.jobs import JobKind
from pincite.ingest import reporting
from pincite.worker.loop import LEASE_S, Worker

reporting.REPORT_S = 0.01  # so that whoever kills sees each stage

async def main(lease_s):
    async with Pincite() as client:
        services = client.services
        await Worker(services.queue, {JobKind.INGEST: services.ingest_jobs}, lease_s=lease_s or LEASE_S, poll_s=0.1).run()

asyncio.run(main(float(sys.argv[1])))
"""


def book(name: str) -> str:
    """Return a text whose every stage takes a while."""
    told = "The crew of hall 7 changes its valve every second week, and in winter oil for the pump gets thick. "
    return "".join(
        f"# Part {n} of {name}\n\nPart {n} of {name} says what holds for number {n}. {told * 4}\n\n" for n in range(PARTS)
    )


@dataclass
class Killing:
    """A home, its provider and its two workers. `lease_s` 0 is the product's own."""

    home: Path
    provider: Provider
    lease_s: float = 1.0
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list[subprocess.Popen[bytes]])
    chance: random.Random = field(default_factory=lambda: random.Random(5))

    @property
    def model(self) -> dict[str, str]:
        return {"PINCITE_EMBEDDING": "openai:m", "OPENAI_BASE_URL": self.provider.url, "OPENAI_API_KEY": "none"}

    def start(self) -> None:
        command = [sys.executable, "-c", WORKER, str(self.lease_s)]
        own = environment(self.home, **self.model)
        self.workers.append(subprocess.Popen(command, env=own, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def stop(self) -> None:
        for worker in self.workers:
            worker.kill()
            worker.wait(WAIT_S)

    def client(self, home: Path | None = None) -> Pincite:
        return Pincite(settings=load_settings(environment(home or self.home, **self.model)))

    def kill_at(self, stage: Stage, name: str) -> float:
        """Upload two documents, kill a worker when one of them is at a stage, and return the seconds until all is settled."""
        paths = {f"{name}-{each}.md" for each in "ab"}
        asyncio.run(self._upload(paths))
        self._wait_for(stage, paths)
        time.sleep(self.chance.uniform(0, 0.15))
        killed = self.workers.pop(self.chance.randrange(2))
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait(WAIT_S)
        began, asked = time.monotonic(), len(self.provider.answered) + len(self.provider.unanswered)
        stored = asyncio.run(self._stored(paths))
        self._wait_until_settled(paths)
        took = time.monotonic() - began
        self.start()
        repeated = stored & set(self.provider.answered[asked:])
        assert not repeated, f"{len(repeated)} stored texts were embedded again"
        asyncio.run(self._check_ledger(paths))
        return took

    async def _upload(self, paths: set[str]) -> None:
        async with self.client() as client:
            collection = await client.collection(create=True)
            for path in sorted(paths):
                arrival = Arrival(path, path, book(path).encode(), is_queued=True)
                await client.services.ingestor.receive(collection, arrival)

    def _rows(self, statement: str, paths: set[str]) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(f"file:{self.home / 'pincite.db'}?mode=ro", uri=True, timeout=30)) as connection:
            return connection.execute(statement.format(",".join("?" * len(paths))), sorted(paths)).fetchall()

    def _wait_for(self, stage: Stage, paths: set[str]) -> None:
        """Wait until one of the documents, which a worker has, is at a stage; or was past it before anybody saw."""
        statement = (
            "SELECT i.stage, j.state FROM documents d JOIN ingestions i ON i.document_id = d.id "
            "JOIN jobs j ON j.key = 'document:' || d.id || ':attempt:' || i.attempt WHERE d.path IN ({})"
        )
        until, order = time.monotonic() + WAIT_S, [*(each.value for each in STAGES), "ready", "failed"]
        while not any(
            state != "queued" and order.index(str(found)) >= order.index(stage.value)
            for found, state in self._rows(statement, paths)
        ):
            assert time.monotonic() < until
            time.sleep(0.005)

    def _wait_until_settled(self, paths: set[str]) -> None:
        until = time.monotonic() + WAIT_S
        while self._rows("SELECT 1 FROM documents WHERE path IN ({}) AND stage NOT IN ('ready', 'failed')", paths):
            assert time.monotonic() < until
            time.sleep(0.02)

    async def _stored(self, paths: set[str]) -> set[str]:
        """Return the texts whose vectors are stored."""
        found: set[str] = set()
        async with self.client() as client:
            services, documents = client.services, await self._documents(client, paths)
            collection = await client.collection()
            async with services.store.open(services.workspace_id) as work:
                for document in documents:
                    chunks = await work.chunks.of_version(document.version_id) if document.version_id else []
                    known = await work.chunks.vectors([each.fingerprint for each in chunks], model_id=collection.model_id)
                    found |= {each.index_text for each in chunks if each.fingerprint in known}
        return found

    async def _documents(self, client: Pincite, paths: set[str]) -> list[Document]:
        return [each for each in await client.documents() if each.path in paths]

    async def _check_ledger(self, paths: set[str]) -> None:
        """Hold each document to be ready, and its one attempt to have one row, which counts every token once."""
        async with self.client() as client:
            services, documents = client.services, await self._documents(client, paths)
            async with services.store.open(services.workspace_id) as work:
                for document in documents:
                    assert document.stage is Stage.READY, document.reason
                    assert document.version_id
                    row = await work.usage.find(UsageKind.EMBEDDING, attempt_key(document.id, 1))
                    chunks = await work.chunks.of_version(document.version_id)
                    self._check_row(row, [each.index_text for each in chunks])
                    assert await work.usage.find(UsageKind.EMBEDDING, attempt_key(document.id, 2)) is None

    def _check_row(self, row: LedgerRow | None, texts: list[str]) -> None:
        assert row
        # Titles and headings are counted apart from the text: at most a token more for each.
        least = sum(-(-len(text) // 4) for text in set(texts))
        assert least <= row.input_tokens <= least + 2 * len(texts), (row.input_tokens, least)

    def documents(self) -> list[Document]:
        """Return all documents."""

        async def work() -> list[Document]:
            async with self.client() as client:
                return await client.documents()

        return asyncio.run(work())

    def assert_as_after_a_clean_run(self, scratch: Path) -> None:
        """Hold passages and vectors to those of a home into which the same was added without trouble, and the index to both."""
        self.provider.pause_s = 0.0
        clean, paths = self.client(scratch), [each.path for each in self.documents()]

        async def add() -> None:
            async with clean:
                for path in paths:
                    await clean.add_text(book(path), path=path)

        asyncio.run(add())
        assert _passages(self.home) == _passages(scratch)
        look = [*PINCITE, "doctor", "--deep"]
        checked = subprocess.run(look, env=environment(self.home, **self.model), check=False, capture_output=True)
        assert checked.returncode == 0, checked.stdout


def _passages(home: Path) -> list[tuple[object, ...]]:
    """Return the passages that are searched, with their vectors."""
    statement = (
        "SELECT d.path, c.chunk_index, c.title, c.text, hex(v.data) FROM chunks c JOIN documents d ON d.version_id = c.version_id "
        "LEFT JOIN vectors v ON v.chunk_id = c.id ORDER BY d.path, c.chunk_index"
    )
    with closing(sqlite3.connect(home / "pincite.db")) as connection:
        return connection.execute(statement).fetchall()


@contextmanager
def killing(home: Path, *, lease_s: float = 1.0) -> Generator[Killing]:
    """Run two workers beside a provider that takes its time."""
    with Provider() as provider:
        thread = threading.Thread(target=provider.serve_forever)
        thread.start()
        provider.pause_s = 0.03
        made = Killing(home, provider, lease_s)
        try:
            made.start()
            made.start()
            yield made
        finally:
            made.stop()
            provider.goes_on.set()
            provider.shutdown()
            thread.join()
