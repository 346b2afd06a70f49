"""Two workers, of which one is killed at a stage, at a random moment: what must hold of documents, ledger, vectors and index."""

import asyncio
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.crash_checks import PINCITE, environment
from tests.e2e.embedding_provider import Provider

from pincite import Pincite
from pincite.core.documents import Document, Stage
from pincite.core.jobs import JobKind
from pincite.core.usage import UsageKind
from pincite.ingest.arrivals import Arrival
from pincite.ingest.charging import attempt_key
from pincite.settings import load_settings
from pincite.worker.loop import Worker

STAGES = (Stage.PENDING, Stage.PARSING, Stage.CHUNKING, Stage.EMBEDDING)
BOOKS = 3
PARTS = (60, 160)
"""Fewest and most parts of a book."""
LONGEST_AT_S = {Stage.PENDING: 0.03, Stage.PARSING: 0.15, Stage.CHUNKING: 0.05, Stage.EMBEDDING: 2.0}
"""How long a document is at a stage, more or less; embedding, how long workers are at that of all of them."""
PAUSE_S, LONG_PAUSE_S = 0.1, 0.5
"""What a request to the provider takes at least; the long one where somebody is to be killed while embedding."""
TRIES = 3
WAIT_S = 120.0
REFUSED = "Forbidden"
"""A text with this word is refused by the provider, so that its document fails late."""
WORKER = """
import asyncio, sys
from pincite import Pincite
from pincite.core.jobs import JobKind
from pincite.ingest import reporting
from pincite.ingest.jobs import IngestJobs
from pincite.worker.loop import LEASE_S, Worker

reporting.REPORT_S = 0.01  # so that whoever kills sees each stage

class Telling:  # tells whoever kills which job this worker has in hand

    def __init__(self, jobs):
        self.jobs, self.reopen, self.give_up = jobs, jobs.reopen, jobs.give_up

    async def run(self, job, is_outranked):
        print(job.lease, flush=True)
        return await self.jobs.run(job, is_outranked)

async def main(lease_s):
    async with Pincite() as client:
        services = client.services
        handlers = {JobKind.INGEST: Telling(services.ingest_jobs)}
        await Worker(services.queue, handlers, lease_s=lease_s or LEASE_S, poll_s=0.1).run()

asyncio.run(main(float(sys.argv[1])))
"""


def book(name: str, parts: int, *, refused_at: int = -1) -> bytes:
    """Return a text whose every stage takes a while; the provider refuses the part `refused_at`."""
    told = "The crew of hall 7 changes its valve every second week, and in winter oil for the pump gets thick. "
    return "".join(
        f"# Part {n} of {name}\n\nPart {n} of {name} says what holds for number {n}. {told * 4}{REFUSED * (n == refused_at)}\n\n"
        for n in range(parts)
    ).encode()


@dataclass(frozen=True, slots=True)
class Moment:
    """What a killed worker had in hand, how soon another had that, and how soon all documents had ended; None for none in hand."""

    stage: Stage | None
    leased_again_s: float | None
    settled_s: float


@dataclass
class Working:
    """A worker, and the file in which it tells of its jobs."""

    process: subprocess.Popen[bytes]
    told: Path

    @property
    def lease(self) -> str:
        """Return the lease of the job that it took last."""
        return (self.told.read_text().split() or [""])[-1]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(WAIT_S)


@dataclass
class Killing:
    """A home, its provider and its two workers. `lease_s` 0 is the product's own."""

    home: Path
    provider: Provider
    lease_s: float = 1.0
    workers: list[Working] = field(default_factory=list[Working])
    contents: dict[str, bytes] = field(default_factory=dict[str, bytes])
    chance: random.Random = field(default_factory=lambda: random.Random(5))

    @property
    def model(self) -> dict[str, str]:
        return {"PINCITE_EMBEDDING": "openai:m", "OPENAI_BASE_URL": self.provider.url, "OPENAI_API_KEY": "none"}

    def start(self) -> None:
        command = [sys.executable, "-c", WORKER, str(self.lease_s)]
        told = self.home.parent / f"{self.home.name}-{time.monotonic_ns()}.told"
        with told.open("wb") as output:
            process = subprocess.Popen(command, env=environment(self.home, **self.model), stdout=output, stderr=subprocess.DEVNULL)
        self.workers.append(Working(process, told))

    def stop(self) -> None:
        for worker in self.workers:
            worker.kill()

    def client(self, home: Path | None = None) -> Pincite:
        return Pincite(settings=load_settings(environment(home or self.home, **self.model)))

    def kill_at(self, stage: Stage, name: str) -> Moment:
        """Upload books and two files that will fail, and kill the worker that has one at a stage; look at all that came of it."""
        own = {f"{name}-{n}.md": book(f"{name}-{n}", self.chance.randint(*PARTS)) for n in range(BOOKS)}
        own |= {f"{name}-damaged.docx": b"PK\3\4 and no more", f"{name}-refused.md": book(f"{name}-refused", 60, refused_at=50)}
        self.provider.pause_s = LONG_PAUSE_S if stage is Stage.EMBEDDING else PAUSE_S
        self._upload(own)
        self._wait_for(stage, own)
        time.sleep(self.chance.uniform(0, LONGEST_AT_S[stage]))
        if stage is Stage.EMBEDDING:  # between two documents a worker reads others
            self._wait_until(lambda: self._is_settled(own) or any(at == stage.value for _, at in self._held(own)))
        struck, lease = self._kill_one(own, stage)
        self.provider.pause_s = PAUSE_S
        began, asked = time.monotonic(), len(self.provider.answered)
        stored = asyncio.run(self._stored(own))
        leased_again_s = self._wait_until(lambda: not lease or not self._is_held(lease)) - began if lease else None
        settled_s = self._wait_until(lambda: self._is_settled(own)) - began
        self.start()
        self._assert_ended_once(own, stored, asked)
        return Moment(struck, leased_again_s, settled_s)

    def kill_each_try(self, name: str) -> None:
        """Upload one book and kill whichever worker has it, as often as it may be tried."""
        own = {f"{name}.md": book(name, PARTS[1])}
        self._upload(own)
        for _ in range(TRIES):
            self._wait_until(lambda: any(self._holder(lease) for lease, _ in self._held(own)))
            time.sleep(self.chance.uniform(0, 0.1))
            asked = len(self.provider.answered)
            self._kill_one(own, self.chance.choice(STAGES))
            stored = asyncio.run(self._stored(own))
            self.start()
            self._wait_until(lambda: self._is_settled(own) or any(self._holder(lease) for lease, _ in self._held(own)))
            assert not stored & set(self.provider.answered[asked:])
        self._wait_until(lambda: self._is_settled(own))
        self._assert_ended_once(own, set(), 0)

    def _upload(self, own: dict[str, bytes]) -> None:
        async def work() -> None:
            async with self.client() as client:
                collection = await client.collection(create=True)
                for path, content in own.items():
                    await client.services.ingestor.receive(collection, Arrival(path, path, content, is_queued=True))

        self.contents |= own
        asyncio.run(work())

    def _kill_one(self, own: Collection[str], wanted: Stage) -> tuple[Stage | None, str]:
        """Kill a worker: best one with a document at a stage, else with any. Returns the stage of that document and its lease."""
        at_work = [(lease, stage) for lease, stage in self._held(own) if self._holder(lease)]
        best = [each for each in at_work if each[1] == wanted.value] or at_work
        lease, stage = self.chance.choice(best) if best else ("", "")
        killed = self._holder(lease) or self.chance.choice(self.workers)
        self.workers.remove(killed)
        killed.kill()
        is_struck = bool(lease) and self._is_held(lease)
        return (Stage(stage), lease) if is_struck else (None, "")

    def _holder(self, lease: str) -> Working | None:
        return next((worker for worker in self.workers if worker.lease == lease), None)

    def _held(self, own: Collection[str]) -> list[tuple[str, str]]:
        """Return lease and stage of the jobs that workers have in hand."""
        statement = (
            "SELECT j.lease, i.stage FROM documents d JOIN ingestions i ON i.document_id = d.id "
            "JOIN jobs j ON j.key = 'document:' || d.id || ':attempt:' || i.attempt "
            "WHERE j.state = 'running' AND d.path IN ({})"
        )
        return [(str(lease), str(stage)) for lease, stage in self._rows(statement, own)]

    def _is_held(self, lease: str) -> bool:
        return bool(self._rows("SELECT 1 FROM jobs WHERE state = 'running' AND lease IN ({})", [lease]))

    def _is_settled(self, own: Collection[str]) -> bool:
        """Say whether documents have ended, and the attempts at them, too."""
        statement = (
            "SELECT 1 FROM documents d JOIN ingestions i ON i.document_id = d.id "
            "JOIN jobs j ON j.key = 'document:' || d.id || ':attempt:' || i.attempt "
            "WHERE d.path IN ({}) AND (d.stage NOT IN ('ready', 'failed') OR j.state IN ('queued', 'running'))"
        )
        return not self._rows(statement, own)

    def _rows(self, statement: str, wanted: Collection[str]) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(f"file:{self.home / 'pincite.db'}?mode=ro", uri=True, timeout=30)) as connection:
            return connection.execute(statement.format(",".join("?" * len(wanted))), sorted(wanted)).fetchall()

    def _wait_for(self, stage: Stage, own: Collection[str]) -> None:
        """Wait until a worker has one of the documents at a stage; or all are past it before anybody saw."""
        order = [*STAGES, Stage.READY, Stage.FAILED]
        later = {each.value for each in order[order.index(stage) :]}
        self._wait_until(lambda: self._is_settled(own) or any(found in later for _, found in self._held(own)))

    def _wait_until(self, is_so: Callable[[], bool]) -> float:
        """Return the time at which something is so."""
        until = time.monotonic() + WAIT_S
        while not is_so():
            assert time.monotonic() < until
            time.sleep(0.005)
        return time.monotonic()

    async def _stored(self, own: Collection[str]) -> set[str]:
        """Return the texts whose vectors are stored."""
        async with self.client() as client:
            return {text for document in await self._documents(client, own) for text in await self._texts(client, document)}

    async def _texts(self, client: Pincite, document: Document) -> set[str]:
        """Return those of a document's texts whose vectors are stored."""
        collection = await client.collection()
        async with client.services.store.open(client.services.workspace_id) as work:
            chunks = await work.chunks.of_version(document.version_id) if document.version_id else []
            known = await work.chunks.vectors([each.fingerprint for each in chunks], model_id=collection.model_id)
        return {each.index_text for each in chunks if each.fingerprint in known}

    async def _documents(self, client: Pincite, own: Collection[str]) -> list[Document]:
        return [each for each in await client.documents() if each.path in own]

    def _assert_ended_once(self, own: Collection[str], stored: set[str], asked: int) -> None:
        """Hold the documents to have ended as they must, and nothing of them to be embedded or charged twice."""
        repeated = stored & set(self.provider.answered[asked:])
        assert not repeated, f"{len(repeated)} stored texts were embedded again"
        asyncio.run(self._check_ledger(own))

    async def _check_ledger(self, own: Collection[str]) -> None:
        """Hold the one attempt at each document to have one row, which counts every token once."""
        async with self.client() as client:
            for document in await self._documents(client, own):
                assert (document.stage, document.reason and document.reason.code) in ends_of(document.path), document
                texts = await self._texts(client, document)
                async with client.services.store.open(client.services.workspace_id) as work:
                    row = await work.usage.find(UsageKind.EMBEDDING, attempt_key(document.id, 1))
                    assert await work.usage.find(UsageKind.EMBEDDING, attempt_key(document.id, 2)) is None
                # Titles and headings are counted apart from the text: at most a token more for each.
                least = sum(-(-len(text) // 4) for text in texts)
                tokens = row.input_tokens if row else 0
                assert row or not least
                assert least <= tokens <= least + 2 * len(texts), (document.path, tokens, least)

    def documents(self) -> list[Document]:
        """Return all documents."""

        async def work() -> list[Document]:
            async with self.client() as client:
                return await client.documents()

        return asyncio.run(work())

    def assert_as_after_a_clean_run(self, scratch: Path) -> None:
        """Hold passages and vectors to those of a home into which the same was added without trouble, and the index to both.

        Documents whose workers were all killed are retried first.
        """
        self.provider.pause_s = 0.0
        own = {path: content for path, content in self.contents.items() if not is_refused(path)}
        asyncio.run(self._retry([each for each in self.documents() if each.path in own and each.stage is Stage.FAILED]))
        clean = Killing(scratch, self.provider, contents=self.contents)
        clean._upload(self.contents)
        asyncio.run(clean.work_off())
        assert _passages(self.home) == _passages(scratch)
        look = [*PINCITE, "doctor", "--deep"]
        checked = subprocess.run(look, env=environment(self.home, **self.model), check=False, capture_output=True)
        assert checked.returncode == 0, checked.stdout

    async def _retry(self, documents: Sequence[Document]) -> None:
        async with self.client() as client:
            for document in documents:
                await client.services.ingest_jobs.retry(document.id)
        self._wait_until(lambda: self._is_settled([each.path for each in documents]))

    async def work_off(self) -> None:
        """Do all jobs in this process."""
        async with self.client() as client:
            await Worker(client.services.queue, {JobKind.INGEST: client.services.ingest_jobs}).work_off()


def ends_of(path: str) -> set[tuple[Stage, str | None]]:
    """Return how a document may end, by its name."""
    if path.endswith("damaged.docx"):
        return {(Stage.FAILED, "corrupt")}
    if is_refused(path):
        return {(Stage.FAILED, "provider_key")}
    if path.startswith("tries"):
        return {(Stage.FAILED, "gave_up"), (Stage.READY, None)}
    return {(Stage.READY, None)}


def is_refused(path: str) -> bool:
    """Say whether the provider refuses a part of a document, or nothing in it can be read."""
    return path.endswith(("refused.md", "damaged.docx"))


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
    with Provider(refuses=REFUSED) as provider:
        thread = threading.Thread(target=provider.serve_forever)
        thread.start()
        provider.pause_s = PAUSE_S
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
