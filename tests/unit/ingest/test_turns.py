"""Giving way: words of all documents are found before the vectors of the first are made, and nothing starves or is done twice."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import UpstreamError
from pincite.core.ids import CollectionId, JobId, WorkspaceId, new_id
from pincite.core.jobs import Job, JobKind, JobState
from pincite.core.ports.models import Vector
from pincite.core.ports.parsing import ContainedFile
from pincite.ingest import embedding as batches
from pincite.ingest import turns
from pincite.ingest.adding import Added, FileAdding
from pincite.ingest.arrivals import Arrival
from pincite.ingest.folders import files_of
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.jobs import IngestJobs
from pincite.ingest.turns import VECTORS, JobTurn
from pincite.worker.loop import Worker

OURS, THEIRS = WorkspaceId(new_id()), WorkspaceId(new_id())
PARTS = 6


class Recording(HashEmbedding):
    """Keeps how many documents were found by their words at each batch, and what was embedded."""

    def __init__(self, house: "House") -> None:
        super().__init__()
        self.house = house
        self.found: list[int] = []
        self.texts: list[str] = []
        self.error: Exception | None = None

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        if self.error:
            raise self.error
        self.found.append(len([each for each in await self.house.documents() if each.version_id]))
        self.texts += texts
        return await super().embed_passages(texts)


class House:
    def __init__(self) -> None:
        self.store, self.model = MemoryStore(), Recording(self)
        self.ingestor = Ingestor(self.store, MemoryBlobs(), PlainTextParser(), OURS)
        self.collection = Collection(CollectionId(new_id()), OURS, "default", self.model.spec, datetime.now(UTC))
        self.worker = Worker(self.store.queue, {JobKind.INGEST: IngestJobs(self.store, self.ingestor, lambda _: self.model)})

    async def receive(self, name: str, workspace_id: WorkspaceId = OURS) -> Document:
        ingestor = replace(self.ingestor, workspace_id=workspace_id)
        async with self.store.open(workspace_id) as work:
            [collection] = await work.collections.list()
        return await ingestor.receive(collection, Arrival(name, name, book(name).encode(), is_queued=True))

    async def documents(self) -> list[Document]:
        found: list[Document] = []
        for workspace_id in (OURS, THEIRS):
            async with self.store.open(workspace_id) as work:
                for collection in await work.collections.list():
                    found += await work.documents.list(collection.id)
        return found

    async def stages(self) -> set[Stage]:
        return {document.stage for document in await self.documents()}


def book(name: str) -> str:
    return "\f".join(f"# Part {n}\nPart {n} of {name} says what holds for number {n}.\n" for n in range(PARTS))


@pytest.fixture
async def house(monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setattr(batches, "EMBED_BATCH", 2)
    made = House()
    for collection in (made.collection, replace(made.collection, id=CollectionId(new_id()), workspace_id=THEIRS)):
        async with made.store.open(collection.workspace_id) as work:
            await work.collections.add(collection)
            await work.commit()
    return made


async def test_a_worker_reads_all_that_waits_before_it_makes_vectors(house: House) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        await house.receive(name)
    await house.worker.work_off()
    assert house.model.found == [3] * len(house.model.found)
    assert await house.stages() == {Stage.READY}
    assert len(house.model.texts) == len(set(house.model.texts)) == 3 * PARTS
    async with house.store.open(OURS) as work:
        jobs = await work.jobs.list([JobState.DONE])
    assert [job.attempt for job in jobs] == [1, 1, 1]


async def test_who_waits_in_another_workspace_is_read_first_too(house: House) -> None:
    await house.receive("a.txt")
    await house.receive("b.txt", THEIRS)
    await house.worker.work_off()
    assert set(house.model.found) == {2}
    assert await house.stages() == {Stage.READY}


async def test_a_document_that_comes_while_another_is_embedded_is_read_between_two_batches(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.receive("a.txt")
    embed = house.model.embed_passages

    async def then_another(texts: Sequence[str]) -> list[Vector]:
        if not house.model.found:
            await house.receive("b.txt")
        return await embed(texts)

    monkeypatch.setattr(house.model, "embed_passages", then_another)
    monkeypatch.setattr(turns, "time", Clock(step=1.0))
    await house.worker.work_off()
    assert house.model.found[0] == 1
    assert set(house.model.found[2:]) == {2}  # taking the first up again takes as long as two batches of this clock
    assert await house.stages() == {Stage.READY}
    assert len(house.model.texts) == len(set(house.model.texts))


async def test_files_that_are_added_are_all_found_before_the_first_is_embedded(house: House, tmp_path: Path) -> None:
    told = await add(house, tmp_path, "a.txt", "b.txt", "c.txt")
    assert house.model.found == [3] * len(house.model.found)
    assert {number for number, _ in told} == {0, 1, 2}
    assert {added.stage for _, added in told} == {Stage.READY}


async def test_what_was_put_aside_is_not_left_when_adding_is_stopped(house: House, tmp_path: Path) -> None:
    house.model.error = UpstreamError("Down.", code="provider_unavailable")
    with pytest.raises(UpstreamError):
        await add(house, tmp_path, "a.txt", "b.txt", "c.txt", "d.txt")
    documents = await house.documents()
    assert {document.stage for document in documents} == {Stage.FAILED}
    reasons = [document.reason.code for document in documents if document.reason]
    assert set(reasons) == {"provider_unavailable", "stopped"}
    house.model.error = None
    await add(house, tmp_path, "a.txt", "b.txt", "c.txt", "d.txt")
    assert await house.stages() == {Stage.READY}


async def test_files_inside_a_file_are_all_found_before_the_first_of_them_is_embedded(house: House, tmp_path: Path) -> None:
    [(_, added), _] = sorted(await add(house, tmp_path, "a.txt", "b.txt", inside={"a.txt": ["one.txt", "two.txt", "three.txt"]}))
    assert house.model.found == [5] * len(house.model.found)
    assert [each.stage for each in (added, *added.contained)] == [Stage.READY] * 4
    assert len(house.model.texts) == len(set(house.model.texts)) == 5 * PARTS
    async with house.store.open(OURS) as work:
        attempts = await work.ingestions.of([each.id for each in await house.documents()])
    assert {each.attempt for each in attempts.values()} == {1}


async def test_files_inside_a_file_are_taken_out_once(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    unpack = PlainTextParser.unpack

    async def counted(self: PlainTextParser, path: Path, *, name: str, into: Path) -> list[ContainedFile]:
        taken.append(name)
        return await unpack(self, path, name=name, into=into)

    monkeypatch.setattr(PlainTextParser, "unpack", counted)
    await add(house, tmp_path, "a.txt", inside={"a.txt": ["one.txt", "two.txt"]})
    assert taken == ["a.txt"]


async def test_a_file_that_fails_inside_leaves_the_others_to_come_to_their_end(house: House, tmp_path: Path) -> None:
    [(_, added)] = await add(house, tmp_path, "a.txt", inside={"a.txt": ["one.txt", "empty.txt"]})
    assert [each.stage for each in (added, *added.contained)] == [Stage.READY, Stage.FAILED, Stage.READY]


async def test_what_was_put_aside_inside_a_file_is_not_left_when_adding_is_stopped(house: House, tmp_path: Path) -> None:
    house.model.error = UpstreamError("Down.", code="provider_unavailable")
    inside = {"a.txt": ["one.txt", "two.txt"]}
    with pytest.raises(UpstreamError):
        await add(house, tmp_path, "b.txt", "a.txt", inside=inside)
    assert await house.stages() == {Stage.FAILED}
    house.model.error = None
    await add(house, tmp_path, "b.txt", "a.txt", inside=inside)
    assert await house.stages() == {Stage.READY}
    assert len(house.model.texts) == len(set(house.model.texts)) == 4 * PARTS


async def add(
    house: House, folder: Path, *names: str, inside: Mapping[str, Sequence[str]] | None = None
) -> list[tuple[int, Added]]:
    files = [folder / name for name in names]
    for file in files:
        inner = (inside or {}).get(file.name, [])
        parts = [f"\n@@ {name}\n{book(name) if name != 'empty.txt' else ''}" for name in inner]
        file.write_text(book(file.name) + "".join(parts))
    told: list[tuple[int, Added]] = []
    adding = FileAdding(house.ingestor, house.collection, house.model, lambda file, progress: None)
    await adding.add_all([(item, "") for item in files_of(files)], lambda number, added: told.append((number, added)))
    return told


class Clock:
    """A clock that moves on when it is looked at."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 0.0, step

    def monotonic(self) -> float:
        self.now += self.step
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(turns, "time", made)
    return made


class Waiting:
    """Says that others wait, and keeps whether it was asked about other workspaces."""

    def __init__(self) -> None:
        self.by_others: list[bool] = []

    async def __call__(self, *, priority: int, by_others: bool) -> bool:
        assert priority >= VECTORS
        self.by_others.append(by_others)
        return True


def job(priority: int) -> Job:
    return Job(JobId("j"), OURS, JobKind.INGEST, "key", {}, 1, "lease", priority)


async def test_a_job_that_was_only_read_gives_way_at_once(clock: Clock) -> None:
    turn = JobTurn(job(1), Waiting())
    clock.now = 100.0
    assert await turn()
    assert turn.priority == 1 + VECTORS


async def test_a_job_that_was_taken_up_again_embeds_for_as_long_as_that_took(clock: Clock) -> None:
    waiting = Waiting()
    turn = JobTurn(job(VECTORS), waiting)
    assert turn.priority == VECTORS
    clock.now = 3.0  # text and chunks are there again
    assert not await turn()
    clock.now = 5.9
    assert not await turn()
    clock.now = 6.0
    assert await turn()
    assert waiting.by_others == [False]  # four times as long for those of other workspaces
    clock.now = 15.0
    assert await turn()
    assert waiting.by_others == [False, True]
