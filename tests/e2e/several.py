"""One of several processes on one home, run as a program: `several.py ROLE HOME NAME`. Prints what it missed, as JSON.

`add` adds documents and looks for each at once; `reembed` brings the collection to the other model; `search` searches until the
collection has the other model, and once more.
"""

import asyncio
import json
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pincite.adapters.blobs.disk import DiskBlobs
from pincite.adapters.index.dense import MappedDenseIndex
from pincite.adapters.index.lexical import TantivyIndex
from pincite.adapters.memory.embedding import HashEmbedding
from pincite.adapters.memory.parser import PlainTextParser
from pincite.adapters.sql.store import SqlStore, open_store
from pincite.core.documents import Collection, Stage
from pincite.core.evidence import Query, Strategy
from pincite.core.ids import CollectionId, WorkspaceId
from pincite.ingest.ingestor import Arrival, Ingestor
from pincite.ingest.reembedding import Reembedder
from pincite.retrieval.searcher import Searcher

OURS = WorkspaceId("00000000-0000-7000-8000-000000000001")
PAPERS = CollectionId("00000000-0000-7000-8000-000000000002")
OLD, NEW = HashEmbedding(64), HashEmbedding(32)
MODELS = {model.spec.model_id: model for model in (OLD, NEW)}
FILES = 12


def model_of(collection: Collection) -> HashEmbedding | None:
    return MODELS[collection.model_id] if collection.model_id else None


@dataclass(frozen=True)
class House:
    """What one process has open."""

    store: SqlStore
    searcher: Searcher
    ingestor: Ingestor
    reembedder: Reembedder

    async def collection(self) -> Collection:
        async with self.store.open(OURS) as work:
            found = await work.collections.get(PAPERS)
        assert found
        return found

    async def add(self, path: str, text: str) -> None:
        collection = await self.collection()
        document = await self.ingestor.receive(collection, Arrival(path, path, text.encode()))
        done = await self.ingestor.process(document, model_of(collection))
        assert done.stage is Stage.READY, done.reason

    async def first(self, text: str, strategy: Strategy) -> str:
        found = await self.searcher.retrieve(Query(text, (PAPERS,), limit=1, strategy=strategy))
        return found.passages[0].path if found.passages else ""


def open_house(home: Path, index: Path | None = None) -> House:
    store, blobs = open_store(home / "pincite.db"), DiskBlobs(home / "blobs")
    root = index or home / "index"
    dense, lexical = MappedDenseIndex(root, store.changes), TantivyIndex(root, store.changes)
    return House(
        store,
        Searcher(store, dense, lexical, model_of, OURS),
        Ingestor(store, blobs, PlainTextParser(), OURS, embedding_of=model_of),
        Reembedder(store, store.changes, dense, OURS),
    )


def text_of(name: str, number: int) -> str:
    """Return a text whose words another text hasn't, but for a few."""
    words = " ".join(f"word{name}x{number}y{place}" for place in range(8))
    return f"The river {words} runs to the mill."


async def create(home: Path) -> None:
    house = open_house(home)
    async with house.store.open(OURS) as work:
        await work.collections.add(Collection(PAPERS, OURS, "papers", OLD.spec, datetime.now(UTC)))
        await work.commit()
    for number in range(FILES):
        await house.add(f"seed-{number}.txt", text_of("seed", number))
    await house.store.close()


async def add(house: House, name: str) -> list[str]:
    """Add documents, and look for each at once in every way. Return what was missed."""
    missed: list[str] = []
    for number in range(FILES):
        path, text = f"{name}-{number}.txt", text_of(name, number)
        await house.add(path, text)
        missed += [f"{path} {strategy}" for strategy in Strategy if await house.first(text, strategy) != path]
    return missed


async def reembed(house: House, name: str) -> list[str]:
    done = await house.reembedder.run(PAPERS, NEW)
    return [] if done.done else ["not done"]


async def search(house: House, name: str) -> list[str]:
    """Search until the collection has come to the new model. Return what was missed."""
    missed: list[str] = []
    number, last = 0, False
    while not last:
        last = (await house.collection()).embedding == NEW.spec
        text, path = text_of("seed", number % FILES), f"seed-{number % FILES}.txt"
        missed += [f"{path} {strategy}" for strategy in Strategy if await house.first(text, strategy) != path]
        number += 1
    return missed


async def run(role: str, home: Path, name: str) -> list[str]:
    house = open_house(home)
    try:
        return await {"add": add, "reembed": reembed, "search": search}[role](house, name)
    finally:
        await house.store.close()


if __name__ == "__main__":
    missing = asyncio.run(run(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
    print(json.dumps(missing))
