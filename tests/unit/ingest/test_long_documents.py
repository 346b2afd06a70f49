"""Long documents: while one is cut others are answered and hear how far it is, and the indexes are up to date before a search."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pincite.adapters.memory.blobs import MemoryBlobs
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.memory.store import MemoryStore
from pincite.core.documents import Collection, Document, Stage
from pincite.core.errors import StoreError
from pincite.core.ids import CollectionId, WorkspaceId, new_id
from pincite.ingest import embedding, publishing
from pincite.ingest.arrivals import Arrival
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.publishing import Follow
from pincite.ingest.reporting import Progress, ProgressListener, unheard

OURS = WorkspaceId(new_id())
SECTIONS = "".join(f"# Part {n}\nPart {n} says what holds for number {n}.\n\n" for n in range(9))


class Waiting(HashEmbedding):
    """Counts no tokens of a document before somebody on the event loop lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.waits, self.goes_on = threading.Event(), threading.Event()

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        if any("Part" in text for text in texts):
            self.waits.set()
            assert self.goes_on.wait(30), "nobody else gets a turn while a text is cut"
        return super().count_tokens(texts)


async def processed(
    model: HashEmbedding | None, follow: Follow | None = None, on_progress: ProgressListener = unheard, *, text: str = SECTIONS
) -> Document:
    """Add a text to a new collection and return what became of it."""
    store = MemoryStore()
    ingestor = replace(Ingestor(store, MemoryBlobs(), PlainTextParser(), OURS), follow=follow)
    collection = Collection(CollectionId(new_id()), OURS, "default", model.spec if model else None, datetime.now(UTC))
    async with store.open(OURS) as work:
        await work.collections.add(collection)
        await work.commit()
    document = await ingestor.receive(collection, Arrival("a.md", "a.md", text.encode()))
    return await ingestor.process(document, model, on_progress=on_progress)


async def test_others_get_their_turns_while_a_text_is_cut() -> None:
    model = Waiting()
    work = asyncio.create_task(processed(model))
    assert await asyncio.to_thread(model.waits.wait, 30)
    model.goes_on.set()
    assert (await work).stage is Stage.READY


async def test_how_far_cutting_is_can_be_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "TOLD_CHUNKS", 2)
    heard: list[Progress] = []
    assert (await processed(None, on_progress=heard.append)).chunks == 9
    assert [each.done for each in heard if each.stage is Stage.CHUNKING] == [0, 2, 4, 6, 8]


@pytest.mark.parametrize("model", [None, HashEmbedding()], ids=["words alone", "vectors"])
async def test_long_documents_bring_the_indexes_up_to_date_and_short_ones_do_not(
    model: HashEmbedding | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "FOLLOWED_CHUNKS", 9)
    followed: list[WorkspaceId] = []

    async def follow(workspace_id: WorkspaceId, collection_id: CollectionId) -> None:
        followed.append(workspace_id)

    assert (await processed(model, follow)).stage is Stage.READY
    assert set(followed) == {OURS}
    followed.clear()
    await processed(model, follow, text="# One\nA short text.")
    assert followed == []


async def test_a_document_is_ready_though_an_index_cannot_be_brought_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "FOLLOWED_CHUNKS", 1)

    async def follow(workspace_id: WorkspaceId, collection_id: CollectionId) -> None:
        raise StoreError("The disk is full.", code="disk_full")

    assert (await processed(HashEmbedding(), follow)).stage is Stage.READY
