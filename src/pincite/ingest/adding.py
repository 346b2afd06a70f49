"""Adds one file: what goes wrong with it becomes its outcome, so that the other files go on."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from pincite.core.documents import Collection, Reason, Stage
from pincite.core.errors import ConflictError
from pincite.core.ids import DocumentId
from pincite.core.ports.models import EmbeddingModel
from pincite.ingest.arrivals import Arrival
from pincite.ingest.folders import FileToAdd, unreadable
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.naming import paths_for, readable
from pincite.ingest.reporting import Progress

T = TypeVar("T")
R = TypeVar("R")

PARALLEL_FILES = 2
"""Files on their way at once: one is read while another is embedded."""


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one file: `stage` is `ready` or `failed`, and then `reason` says why.

    `document_id` is None, and `path` empty, when no document came of it: the file can't be read, or its path is another's.
    `contained` tells the same of the files inside it, on every level; `warnings` are sentences about what of it couldn't be read.
    """

    source: str
    document_id: DocumentId | None
    stage: Stage
    reason: Reason | None = None
    path: str = ""
    contained: tuple["Added", ...] = ()
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as the command line prints it, that of files inside only where there are any."""
        inner = {"contained": [each.as_dict() for each in self.contained]} if self.contained else {}
        warnings = {"warnings": list(self.warnings)} if self.warnings else {}
        return {
            "source": self.source,
            "path": self.path or None,
            "document_id": self.document_id,
            "stage": self.stage.value,
            "reason": self.reason.code if self.reason else None,
            "message": self.reason.message if self.reason else None,
            **warnings,
            **inner,
        }


async def side_by_side(items: Iterable[T], work: Callable[[T], Awaitable[R]]) -> list[R]:
    """Do a work for each item, some at once, and return what it gave, in the order of the items.

    The first error stops the rest and is raised.
    """
    waiting = enumerate(items)
    results: dict[int, R] = {}

    async def take() -> None:
        for number, item in waiting:
            results[number] = await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(PARALLEL_FILES):
                group.create_task(take())
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [results[number] for number in sorted(results)]


async def add_file(
    ingestor: Ingestor,
    item: FileToAdd,
    *,
    collection: Collection,
    embedding: EmbeddingModel | None,
    on_progress: Callable[[str, Progress], None],
    at: str = "",
) -> Added:
    """Bring a file to its outcome: the document at path `at`, else at the first path that is free for it.

    Raises `StoreError` and `UpstreamError` only: they would meet the next file too.
    """
    source = readable(str(item.file))
    if item.problem:
        return Added(source, None, Stage.FAILED, item.problem)
    try:
        arrival = Arrival(at or item.path, item.address, item.file, place=item.place)
        document = await ingestor.receive(collection, arrival, free_paths=() if at else paths_for(item.file, item.path))
    except OSError as error:
        return Added(source, None, Stage.FAILED, unreadable(error, "file"))
    except ConflictError as error:
        return Added(source, None, Stage.FAILED, Reason("conflict", error.message))
    done = await ingestor.process(
        document, embedding, name=readable(item.file.name), on_progress=lambda progress: on_progress(source, progress)
    )
    inner = await ingestor.contents(done)
    contained = tuple(
        Added(f"{source}{each.path[len(done.path) :]}", each.id, each.stage, each.reason, each.path, (), each.warnings)
        for each in inner
    )
    return Added(source, done.id, done.stage, done.reason, done.path, contained, done.warnings)
