"""Scenarios with several processes, run as a program: `processes.py SCENARIO FOLDER`. Imports once, then forks."""

import asyncio
import os
import signal
import sys
from array import array
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import event

from pincite.adapters.sql.store import SqlStore, open_store
from pincite.core.documents import CanonicalText, Chunk, Collection, Document, EmbeddingSpec, Stage, Version
from pincite.core.ids import ChunkId, CollectionId, DocumentId, VersionId, WorkspaceId, new_id

OURS = WorkspaceId("00000000-0000-7000-8000-000000000001")
HOME = CollectionId("00000000-0000-7000-8000-000000000002")
PAPER = DocumentId("00000000-0000-7000-8000-000000000003")
OLD = VersionId("00000000-0000-7000-8000-000000000004")
NEW = VersionId("00000000-0000-7000-8000-000000000005")
SPEC = EmbeddingSpec("maker/small", "r1", 4, 512)
NOW = datetime(2031, 2, 3, tzinfo=UTC)
CHUNKS = 20
UNITS = 200
# After how many statements a process is killed: from the first of the transaction to the one before the commit, and after it.
MOMENTS = (2, 5, 9, 10, 11, 12, 13, 14, 15, 99)


def document(document_id: DocumentId = PAPER) -> Document:
    path = f"{document_id}.txt"
    return Document(document_id, HOME, path, "Title", "text/plain", f"file:///{path}", Stage.PENDING, NOW, NOW)


def chunk(version: Version, index: int) -> Chunk:
    text = f"{version.id} {index}"
    return Chunk(ChunkId(new_id()), version.document_id, version.id, index, "Title", (), text, 0, len(text), 7)


def version_of(paper: Document) -> Version:
    assert paper.version_id
    return Version(paper.version_id, paper.id, "ab" * 32, 1, "text/plain", "text", "1", NOW)


async def publish(store: SqlStore, of: Document, version_id: VersionId, count: int) -> None:
    ready = replace(of, version_id=version_id, stage=Stage.READY, chunks=count)
    version = version_of(ready)
    chunks = [chunk(version, index) for index in range(count)]
    vectors = {chunk.id: array("f", [1, 0, 0, 0]) for chunk in chunks}
    async with store.open(OURS) as work:
        await work.documents.get(of.id)
        if version_id != NEW:
            await work.documents.save(of)
        await work.versions.add(version, CanonicalText("text", ()))
        await work.chunks.publish(ready, chunks, vectors, model_id=SPEC.model_id)
        await work.commit()


async def create(path: Path) -> None:
    store = open_store(path)
    async with store.open(OURS) as work:
        await work.collections.add(Collection(HOME, OURS, "papers", SPEC, NOW))
        await work.commit()
    await publish(store, document(), OLD, CHUNKS)
    await store.close()


async def write_units(path: Path) -> None:
    store = open_store(path)
    papers = [replace(document(DocumentId(new_id())), version_id=VersionId(new_id())) for _ in range(UNITS)]
    async with store.open(OURS) as work:
        for paper in papers:
            await work.documents.save(paper)
            await work.versions.add(version_of(paper), CanonicalText("text", ()))
        await work.commit()
    for paper in papers:
        async with store.open(OURS) as work:
            await work.documents.get(paper.id)
            chunks = [chunk(version_of(paper), index) for index in range(2)]
            vectors = {chunk.id: array("f", [1, 0, 0, 0]) for chunk in chunks}
            await work.chunks.publish(paper, chunks, vectors, model_id=SPEC.model_id)
            await work.commit()
    await store.close()


def die_after(statements: int) -> Callable[[Path], Awaitable[None]]:
    """Return a publisher that kills its own process after so many statements; the last of all is the commit."""

    async def publish_and_die(path: Path) -> None:
        store = open_store(path)
        seen = 0

        def count(*_: object) -> None:
            nonlocal seen
            seen += 1
            if seen == statements:
                os.kill(os.getpid(), signal.SIGKILL)

        engine = store.database.engine.sync_engine
        event.listen(engine, "after_cursor_execute", count)
        event.listen(engine, "commit", count)
        await publish(store, document(), NEW, CHUNKS)
        # Acknowledged, and yet neither closed nor folded into the file.
        os.kill(os.getpid(), signal.SIGKILL)

    return publish_and_die


def in_children(*works: tuple[Callable[[Path], Awaitable[None]], Path]) -> list[int]:
    """Run each in a process of its own, all at once, and return their exit statuses."""
    children: list[int] = []
    for work, path in works:
        child = os.fork()
        if child == 0:
            asyncio.run(_run(work, path))
            os._exit(0)
        children.append(child)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


async def _run(work: Callable[[Path], Awaitable[None]], path: Path) -> None:
    await work(path)


async def open_and_close(path: Path) -> None:
    await open_store(path).close()


def main(scenario: str, folder: Path) -> list[int]:
    if scenario == "upgrade":
        return in_children(*[(open_and_close, folder / "store.sqlite3")] * 4)
    if scenario == "write":
        in_children((create, folder / "store.sqlite3"))
        return in_children(*[(write_units, folder / "store.sqlite3")] * 2)
    paths = [folder / f"{n}.sqlite3" for n in MOMENTS]
    in_children((create, paths[0]))
    for path in paths[1:]:
        path.write_bytes(paths[0].read_bytes())
    return [status for n, path in zip(MOMENTS, paths, strict=True) for status in in_children((die_after(n), path))]


if __name__ == "__main__":
    print(main(sys.argv[1], Path(sys.argv[2])))
