"""Brings a collection in step with folders: adds, updates, moves and removes documents, and touches no other."""

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum

from pincite.core.documents import Collection, Reason
from pincite.core.errors import ConflictError, NotFoundError
from pincite.core.files import FileState, KnownFile
from pincite.core.ids import DocumentId
from pincite.core.ports.models import EmbeddingModel
from pincite.ingest.adding import Added, FileAdding
from pincite.ingest.comparing import Plan, Problem, came_from, compare, is_unfinished, settle
from pincite.ingest.file_states import hash_of
from pincite.ingest.folders import FileToAdd, Folder, once, scan, unreadable
from pincite.ingest.ingestor import Ingestor
from pincite.ingest.naming import paths_for, readable
from pincite.ingest.reporting import Progress
from pincite.ingest.sync_report import (
    Outcome,
    SyncChange,
    SyncReport,
    expected,
    failure,
    failures,
    kept_by_hold,
    outcome_of,
    removal,
    source_of,
)

FILES_PER_STEP = 64
"""Files hashed, or documents removed, between two looks at whether to go on."""


class Prune(StrEnum):
    """What becomes of documents whose file is gone."""

    CAREFUL = "careful"
    ALL = "all"
    NONE = "none"


def _unheard(*heard: object) -> None:
    """Listen to nothing."""


@dataclass(frozen=True, slots=True)
class SyncListeners:
    """Who hears how far a synchronisation is: files done and in all, the stages of each file, and each change once it is kept."""

    on_files: Callable[[int, int], None] = _unheard
    on_progress: Callable[[str, Progress], None] = _unheard
    on_change: Callable[[SyncChange], None] = _unheard


@dataclass(frozen=True, slots=True)
class SyncOptions:
    """How to synchronise: what to do with documents without file, and whether to try again what failed and didn't change."""

    prune: Prune = Prune.CAREFUL
    retry: bool = False


@dataclass(frozen=True, slots=True)
class _Task:
    """A file to process: the path of its document, empty for a new one, and what it is called when it is done, None if told."""

    item: FileToAdd
    at: str
    outcome: Outcome | None


@dataclass(slots=True)
class _Log:
    """Collects changes and tells of them."""

    listeners: SyncListeners
    files: int = 0
    done: int = 0
    changes: list[SyncChange] = field(default_factory=list[SyncChange])

    def add(self, change: SyncChange) -> None:
        self.changes.append(change)
        self.listeners.on_change(change)

    def begin(self, files: int) -> None:
        self.files, self.done = files, 0
        self.listeners.on_files(0, files)

    def step(self, files: int = 1) -> None:
        self.done += files
        self.listeners.on_files(self.done, self.files)


@dataclass(frozen=True, slots=True)
class Syncer:
    """Synchronises folders with one collection."""

    ingestor: Ingestor
    options: SyncOptions = SyncOptions()
    listeners: SyncListeners = SyncListeners()

    async def preview(self, collection: Collection | None, folders: Sequence[Folder]) -> SyncReport:
        """Return what `sync` would do. Nothing is written."""
        plan, refusals = await self._plan(collection, folders)
        prune = self.options.prune
        warnings = tuple(refusals) if prune is Prune.CAREFUL else ()
        changes = expected(plan, removing=prune is not Prune.NONE)
        return SyncReport(tuple(changes), len(plan.unchanged), dry_run=True, warnings=warnings)

    async def sync(self, collection: Collection, embedding: EmbeddingModel | None, folders: Sequence[Folder]) -> SyncReport:
        """Bring the collection in step with folders. A file that fails doesn't stop the others.

        Raises `ConflictError` (`prune_unsure`) before anything is changed, when suspiciously many documents would be removed;
        `StoreError` and `UpstreamError`, which stop the rest: what was told before is kept.
        """
        plan, refusals = await self._plan(collection, folders)
        if refusals and self.options.prune is Prune.CAREFUL:
            raise ConflictError(" ".join(refusals), code="prune_unsure")
        log = _Log(self.listeners)
        await self._remember(plan)
        moved = await self._move(plan, log)
        if self.options.prune is not Prune.NONE:
            await self._remove(plan, log)
        await self._process(collection, embedding, [*_tasks(plan), *moved], log)
        for change in failures(plan):
            log.add(change)
        return SyncReport(tuple(log.changes), len(plan.unchanged))

    async def _plan(self, collection: Collection | None, folders: Sequence[Folder]) -> tuple[Plan, list[str]]:
        """Return what is to do, and what speaks against removing what is gone."""
        items = await asyncio.to_thread(lambda: once([item for folder in folders for item in scan(folder)]))
        known = await self._known(collection, folders) if collection else []
        comparison = compare(folders, items, known)
        hashes = await self._hashes(comparison.to_hash())
        unread = {place: reason for place, reason in hashes.items() if isinstance(reason, Reason)}
        for pair in comparison.doubtful:
            if pair.item.place in unread:
                comparison.problems.append(Problem(replace(pair.item, problem=unread[pair.item.place]), pair.known))
        plan = settle(
            comparison, {place: each for place, each in hashes.items() if isinstance(each, str)}, retry=self.options.retry
        )
        if self.options.prune is not Prune.NONE:
            await self._spare_held(plan)
        return plan, [refusal for folder in folders if (refusal := _refusal(folder, items, known, plan.gone))]

    async def _spare_held(self, plan: Plan) -> None:
        """Take the documents that are on hold out of those to be removed."""
        async with self.ingestor.store.open(self.ingestor.workspace_id) as work:
            holds = await work.keeping.holds([known.document_id for known in plan.gone])
        plan.held.extend(known for known in plan.gone if known.document_id in holds)
        plan.gone[:] = [known for known in plan.gone if known.document_id not in holds]

    async def _known(self, collection: Collection, folders: Sequence[Folder]) -> list[KnownFile]:
        found: dict[DocumentId, KnownFile] = {}
        async with self.ingestor.store.open(self.ingestor.workspace_id) as work:
            for folder in folders:
                found.update((known.document_id, known) for known in await work.files.under(collection.id, folder.address))
        return list(found.values())

    async def _hashes(self, items: Sequence[FileToAdd]) -> dict[str, str | Reason]:
        """Return the hash of each file by place, or why it can't be read; neither for one that is gone meanwhile."""
        found: dict[str, str | Reason] = {}
        for at in range(0, len(items), FILES_PER_STEP):
            found.update(await asyncio.to_thread(_hash_all, items[at : at + FILES_PER_STEP]))
        return found

    async def _remember(self, plan: Plan) -> None:
        """Keep the states of files that were read to learn that nothing changed, so that they aren't read the next time."""
        if not plan.seen:
            return
        async with self.ingestor.store.open(self.ingestor.workspace_id) as work:
            with suppress(NotFoundError):
                await work.files.remember(plan.seen)
                await work.commit()

    async def _move(self, plan: Plan, log: _Log) -> list[_Task]:
        """Move documents; return what is still to be processed."""
        tasks: list[_Task] = []
        for pair in plan.moved:
            known, item = pair.known, pair.item
            try:
                moved = await self.ingestor.move(
                    known.document_id, item.address, item.state or FileState(item.place), paths=paths_for(item.file, item.path)
                )
            except (ConflictError, NotFoundError) as error:
                log.add(failure(item, known, Reason(error.code, error.message)))
                continue
            log.add(SyncChange(Outcome.MOVED, source_of(item), moved.path, moved.id, moved_from=known.path))
            if is_unfinished(moved.stage, moved.reason.code if moved.reason else "", retry=self.options.retry):
                tasks.append(_Task(item, moved.path, None))
        return tasks

    async def _remove(self, plan: Plan, log: _Log) -> None:
        for at in range(0, len(plan.gone), FILES_PER_STEP):
            some = plan.gone[at : at + FILES_PER_STEP]
            try:
                await self.ingestor.remove(*(known.document_id for known in some))
            except (NotFoundError, ConflictError):
                for known in some:
                    log.add(await self._remove_one(known))
                continue
            for known in some:
                log.add(removal(known))

    async def _remove_one(self, known: KnownFile) -> SyncChange:
        """Remove a document that somebody else may have removed meanwhile, or have put on hold, or one inside it."""
        try:
            await self.ingestor.remove(known.document_id)
        except NotFoundError:
            pass
        except ConflictError:
            return kept_by_hold(known)
        return removal(known)

    async def _process(self, collection: Collection, embedding: EmbeddingModel | None, tasks: Sequence[_Task], log: _Log) -> None:
        """Add new files and bring documents up to date with changed ones."""
        log.begin(len(tasks))

        def told(number: int, done: Added) -> None:
            if change := _change(tasks[number], done):
                log.add(change)
            log.step()

        adding = FileAdding(self.ingestor, collection, embedding, self.listeners.on_progress, self.options.retry)
        await adding.add_all([(task.item, task.at) for task in tasks], told)


def _tasks(plan: Plan) -> list[_Task]:
    new = [_Task(item, "", Outcome.ADDED) for item in plan.new]
    changed = [_Task(pair.item, pair.known.path, outcome_of(pair.known)) for pair in plan.changed]
    return [*new, *changed]


def _change(task: _Task, done: Added) -> SyncChange | None:
    """Return what to tell of a file; nothing of one that is gone again, and nothing more of one that was moved."""
    path = done.path or task.at or task.item.path
    if done.reason:
        is_gone = done.document_id is None and not os.path.lexists(task.item.file)
        return None if is_gone else SyncChange(Outcome.FAILED, done.source, path, done.document_id, reason=done.reason)
    return SyncChange(task.outcome, done.source, path, done.document_id) if task.outcome else None


def _hash_all(items: Sequence[FileToAdd]) -> dict[str, str | Reason]:
    found: dict[str, str | Reason] = {}
    for item in items:
        try:
            found[item.place] = hash_of(item.file)
        except FileNotFoundError:
            continue
        except OSError as error:
            found[item.place] = unreadable(error, "file")
    return found


def _refusal(folder: Folder, items: Sequence[FileToAdd], known: Sequence[KnownFile], gone: Sequence[KnownFile]) -> str:
    """Return why the removal of documents of a folder is suspicious; empty when it isn't."""
    lost = sum(came_from([folder], each) for each in gone)
    total = sum(came_from([folder], each) for each in known)
    is_empty = not any(item.place.startswith(folder.address) for item in items if not item.problem)
    if not lost or (not is_empty and 2 * lost <= total):
        return ""
    what = "There are no files in it any more" if is_empty else f"{lost} of them have no file any more"
    return (
        f"{total} documents came from the folder {readable(str(folder.path))!r}. {what}. Nothing was changed. If the files are "
        'gone for good, run it again with --yes (prune="all"); to keep their documents, with --no-prune (prune="none").'
    )
