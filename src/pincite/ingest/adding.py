"""Adds files: what goes wrong with one becomes its outcome, and all are found by their words before the first is embedded."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pincite.core.documents import Collection, Document, Reason, Stage
from pincite.core.errors import ConflictError, PinciteError, StoreError
from pincite.core.ids import DocumentId
from pincite.core.ports.models import EmbeddingModel
from pincite.ingest.arrivals import Arrival
from pincite.ingest.folders import FileToAdd, unreadable
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.naming import paths_for, readable
from pincite.ingest.reporting import Progress
from pincite.ingest.turns import Turn, always, never

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


@dataclass(frozen=True, slots=True)
class Begun:
    """A file whose words are found, and whose vectors are still to be made."""

    source: str
    name: str
    document: Document


@dataclass(frozen=True)
class FileAdding:
    """Adds files to a collection: what goes wrong with one becomes its outcome, so that the others go on."""

    ingestor: Ingestor
    collection: Collection
    embedding: EmbeddingModel | None
    on_progress: Callable[[str, Progress], None]
    is_retry: bool = False
    """Has bytes that were refused before read again."""

    async def add_all(self, tasks: Sequence[tuple[FileToAdd, str]], on_added: Callable[[int, Added], None]) -> list[Added]:
        """Bring files, each with the path that it is to have ("" for the first that is free), to their outcomes, in order.

        All of them are found by their words before the first is embedded. `on_added` hears the number of each with its outcome.
        Raises `StoreError` and `UpstreamError` only: they would meet the next file too.
        """

        waiting: dict[int, Begun] = {}

        async def begin(numbered: tuple[int, tuple[FileToAdd, str]]) -> Added | None:
            number, (item, at) = numbered
            begun = await self.begin(item, at=at, gives_way=always)
            if isinstance(begun, Begun):
                waiting[number] = begun
                return None
            on_added(number, begun)
            return begun

        async def end(number: int) -> Added:
            added = await self._finish(waiting.pop(number))
            on_added(number, added)
            return added

        try:
            try:
                found = await side_by_side(enumerate(tasks), begin)
            except PinciteError:
                # What was begun before comes to its end; what wasn't is stopped.
                await side_by_side(sorted(waiting), end)
                raise
            ended = iter(await side_by_side(sorted(waiting), end))
            return [added or next(ended) for added in found]
        finally:
            if waiting:
                with suppress(StoreError):
                    await asyncio.shield(self.ingestor.break_off([each.document for each in waiting.values()]))

    async def add(self, item: FileToAdd) -> Added:
        """Bring a file to its outcome. Raises as `add_all`."""
        begun = await self.begin(item)
        return begun if isinstance(begun, Added) else await self._finish(begun)

    async def begin(self, item: FileToAdd, *, at: str = "", gives_way: Turn = never) -> Added | Begun:
        """Bring a file to its outcome, or to where it gives way."""
        source = readable(str(item.file))
        if item.problem:
            return Added(source, None, Stage.FAILED, item.problem)
        try:
            arrival = Arrival(at or item.path, item.address, item.file, place=item.place, is_retry=self.is_retry)
            free_paths = () if at else paths_for(item.file, item.path)
            document = await self.ingestor.receive(self.collection, arrival, free_paths=free_paths)
        except OSError as error:
            return Added(source, None, Stage.FAILED, unreadable(error, "file"))
        except ConflictError as error:
            return Added(source, None, Stage.FAILED, Reason("conflict", error.message))
        begun = Begun(source, readable(item.file.name), document)
        done = await self._process(begun, gives_way)
        if done.stage is not Stage.EMBEDDING:
            return await self._outcome(source, done)
        self.on_progress(source, Progress(done.id, Stage.PENDING))  # it waits now
        return replace(begun, document=done)

    async def _finish(self, begun: Begun) -> Added:
        return await self._outcome(begun.source, await self._process(begun, never))

    async def _process(self, begun: Begun, gives_way: Turn) -> Document:
        def tell(progress: Progress) -> None:
            self.on_progress(begun.source, progress)

        return await self.ingestor.process(begun.document, self.embedding, name=begun.name, on_progress=tell, gives_way=gives_way)

    async def _outcome(self, source: str, done: Document) -> Added:
        inner = await self.ingestor.contents(done)
        contained = tuple(
            Added(f"{source}{each.path[len(done.path) :]}", each.id, each.stage, each.reason, each.path, (), each.warnings)
            for each in inner
        )
        return Added(source, done.id, done.stage, done.reason, done.path, contained, done.warnings)


async def add_file(
    ingestor: Ingestor,
    item: FileToAdd,
    *,
    collection: Collection,
    embedding: EmbeddingModel | None,
    on_progress: Callable[[str, Progress], None],
) -> Added:
    """Bring one file to its outcome, at the first path that is free for it. Raises as `FileAdding.add_all`."""
    return await FileAdding(ingestor, collection, embedding, on_progress).add(item)
