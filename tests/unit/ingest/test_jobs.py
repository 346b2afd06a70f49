"""Jobs to read documents: a worker does those of all workspaces, each in its own, and what needs no other try is told so."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import ConflictError, RefusedInput
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.core.jobs import MAX_ATTEMPTS, JobKind
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.jobs import GAVE_UP, IngestJobs
from pincite.worker.loop import Worker

OURS, THEIRS = WorkspaceId(new_id()), WorkspaceId(new_id())
TEXT = b"# Fees\n\nThe late fee is five percent.\n"


class House:
    """A worker with the services of our workspace, and a collection in each of two."""

    def __init__(self) -> None:
        self.store, self.model = MemoryStore(), HashEmbedding()
        self.ingestor = Ingestor(self.store, MemoryBlobs(), PlainTextParser(), OURS)
        self.jobs = IngestJobs(self.store, self.ingestor, lambda _: self.model)
        self.worker = Worker(self.store.queue, {JobKind.INGEST: self.jobs}, poll_s=0.001)

    async def receive(self, workspace_id: WorkspaceId, name: str, text: bytes = TEXT) -> Document:
        ingestor = replace(self.ingestor, workspace_id=workspace_id)
        async with self.store.open(workspace_id) as work:
            [collection] = await work.collections.list()
        return await ingestor.receive(collection, Arrival(name, name, text, is_queued=True))

    async def document(self, workspace_id: WorkspaceId, document: Document) -> Document:
        async with self.store.open(workspace_id) as work:
            found = await work.documents.get(document.id)
        assert found
        return found


@pytest.fixture
async def house() -> House:
    made = House()
    for workspace_id in (OURS, THEIRS):
        async with made.store.open(workspace_id) as work:
            spec, now = made.model.spec, datetime.now(UTC)
            await work.collections.add(Collection(CollectionId(new_id()), workspace_id, "default", spec, now))
            await work.commit()
    return made


async def test_a_worker_reads_the_documents_of_every_workspace_in_their_own(house: House) -> None:
    ours, theirs = await house.receive(OURS, "ours.txt"), await house.receive(THEIRS, "theirs.txt")
    assert await house.worker.work_off() == 2
    assert (await house.document(OURS, ours)).stage is Stage.READY
    assert (await house.document(THEIRS, theirs)).stage is Stage.READY
    async with house.store.open(THEIRS) as work:
        assert (await work.ingestions.of([theirs.id]))[theirs.id].stage is Stage.READY


async def test_what_is_given_up_or_put_back_is_so_in_its_own_workspace(house: House) -> None:
    theirs = await house.receive(THEIRS, "theirs.txt")
    job = await house.store.queue.lease([JobKind.INGEST], for_s=60)
    assert job
    await house.jobs.give_up(job, RefusedInput("It can't be read.", code="corrupt"))
    failed = await house.document(THEIRS, theirs)
    assert (failed.stage, failed.reason and failed.reason.code) == (Stage.FAILED, "corrupt")
    await house.jobs.reopen(job)
    assert (await house.document(THEIRS, theirs)).stage is Stage.PENDING


async def test_what_was_killed_in_every_try_is_given_up_in_its_own_workspace(house: House) -> None:
    theirs = await house.receive(THEIRS, "theirs.txt")
    for _ in range(MAX_ATTEMPTS):
        assert await house.store.queue.lease([JobKind.INGEST], for_s=-1)
    assert await house.worker.work_off() == 0
    assert (await house.document(THEIRS, theirs)).reason == GAVE_UP


@pytest.mark.parametrize("stage", [Stage.READY, Stage.PENDING, Stage.EMBEDDING])
async def test_what_did_not_fail_is_not_tried_again_and_that_is_said(house: House, stage: Stage) -> None:
    document = replace(await house.receive(OURS, "ours.txt"), stage=stage)
    async with house.store.open(OURS) as work:
        await work.documents.save(document)
        await work.commit()
    with pytest.raises(ConflictError, match=r"ours\.txt is .*there is nothing to try again") as caught:
        await house.jobs.retry(document.id)
    assert caught.value.code == "not_failed"
    async with house.store.open(OURS) as work:
        assert (await work.ingestions.of([document.id]))[document.id].attempt == 1
