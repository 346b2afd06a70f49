"""Compares a folder with the documents that came from it: what is new, changed, moved, gone. Reads nothing.

In two steps, because only some files have to be read: `compare` goes by what the system says of the files, and `settle` by the
hashes of those for which that isn't enough.
"""

import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote_to_bytes

from pincite.core.documents import Stage
from pincite.core.files import FileState, KnownFile
from pincite.core.ids import DocumentId
from pincite.core.ports.parsing import REFUSALS
from pincite.ingest.folders import FileToAdd, Folder


@dataclass(frozen=True, slots=True)
class Pair:
    """A document, and the file that is or becomes its own."""

    known: KnownFile
    item: FileToAdd


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or folder that can't be read, and its document if there is one."""

    item: FileToAdd
    known: KnownFile | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the system's word on the files gives: `doubtful` may have changed, `missing` are documents without their file."""

    same: list[Pair] = field(default_factory=list[Pair])
    doubtful: list[Pair] = field(default_factory=list[Pair])
    new: list[FileToAdd] = field(default_factory=list[FileToAdd])
    missing: list[KnownFile] = field(default_factory=list[KnownFile])
    problems: list[Problem] = field(default_factory=list[Problem])

    def to_hash(self) -> list[FileToAdd]:
        """Return the files whose bytes must be hashed: doubtful ones, and new ones that may be missing ones moved."""
        sizes = {str(known.size_bytes) for known in self.missing}
        moved = (item for item in self.new if item.state and item.state.stamp.partition(" ")[0] in sizes)
        return [*(pair.item for pair in self.doubtful), *moved]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a synchronisation has to do. `seen` are states to remember of files whose bytes are the same.

    `held` are documents without their file that would be removed, and are on hold.
    """

    new: list[FileToAdd] = field(default_factory=list[FileToAdd])
    changed: list[Pair] = field(default_factory=list[Pair])
    moved: list[Pair] = field(default_factory=list[Pair])
    gone: list[KnownFile] = field(default_factory=list[KnownFile])
    held: list[KnownFile] = field(default_factory=list[KnownFile])
    unchanged: list[Pair] = field(default_factory=list[Pair])
    refused_before: list[Pair] = field(default_factory=list[Pair])
    problems: list[Problem] = field(default_factory=list[Problem])
    seen: dict[DocumentId, FileState] = field(default_factory=dict[DocumentId, FileState])


def compare(folders: Sequence[Folder], items: Sequence[FileToAdd], known: Sequence[KnownFile]) -> Comparison:
    """Match files with documents by place and path, and tell which are surely as they were."""
    result = Comparison()
    names = _Names(known)
    taken: set[DocumentId] = set()
    for item in items:
        match = names.of(item)
        if match:
            taken.add(match.document_id)
        if item.problem:
            if match or not item.dangling:
                result.problems.append(Problem(item, match))
        elif match:
            (result.same if _is_as_it_was(match, item) else result.doubtful).append(Pair(match, item))
        else:
            result.new.append(item)
    unlisted = tuple(item.place for item in items if item.problem and item.place.endswith("/"))
    for each in known:
        if each.document_id not in taken and came_from(folders, each) and not _place(each).startswith(unlisted):
            result.missing.append(each)
    return result


def settle(comparison: Comparison, hashes: Mapping[str, str], *, retry: bool = False) -> Plan:
    """Return what is to do, by the hashes of doubtful and perhaps moved files, by place.

    A file without a hash is gone again: it waits for the next time. `retry` tries files again that were refused before.
    """
    plan = Plan(problems=comparison.problems)
    for pair in comparison.same:
        _sort_in(plan, pair, retry)
    for pair in comparison.doubtful:
        sha256 = hashes.get(pair.item.place)
        if sha256 is None:
            continue
        if sha256 != pair.known.sha256 or pair.known.source_uri != pair.item.address:
            plan.changed.append(pair)
        elif pair.item.state:
            plan.seen[pair.known.document_id] = replace(pair.item.state, sha256=sha256)
            _sort_in(plan, pair, retry)
    plan.moved.extend(_moves(comparison, hashes))
    moved_to = {pair.item.place for pair in plan.moved}
    moved_away = {pair.known.document_id for pair in plan.moved}
    plan.new.extend(item for item in comparison.new if item.place not in moved_to)
    plan.gone.extend(each for each in comparison.missing if each.document_id not in moved_away)
    return plan


def came_from(folders: Sequence[Folder], known: KnownFile) -> bool:
    """Say whether a document came from one of the folders: its file was found there, and its path is one that the folder gives."""
    return any(
        _place(known).startswith(folder.address) and _is_path(known, folder.path_of(_names_after(folder, known)))
        for folder in folders
    )


def is_unfinished(stage: Stage, reason_code: str, *, retry: bool) -> bool:
    """Say whether a document whose file didn't change is to be processed: never what its own bytes failed, unless asked to."""
    return stage is not Stage.READY and (retry or not was_refused(stage, reason_code))


def was_refused(stage: Stage, reason_code: str) -> bool:
    """Say whether a document failed for a reason that lies in its bytes."""
    return stage is Stage.FAILED and reason_code in REFUSALS


class _Names:
    """Documents by the names under which their files are found."""

    def __init__(self, known: Sequence[KnownFile]) -> None:
        self._by_place: dict[str, list[KnownFile]] = {}
        self._by_address: dict[str, list[KnownFile]] = {}
        for each in known:
            self._by_address.setdefault(each.source_uri, []).append(each)
            if each.state:
                self._by_place.setdefault(each.state.place, []).append(each)

    def of(self, item: FileToAdd) -> KnownFile | None:
        """Return the document of a file: found at its place before, or added by its address under a path of this folder."""
        candidates = [*self._by_place.get(item.place, ()), *self._by_address.get(item.address, ())]
        return next((known for known in candidates if _is_path(known, item.path)), None)


def _sort_in(plan: Plan, pair: Pair, retry: bool) -> None:
    """Put a pair of the same bytes where its document's stage says."""
    known = pair.known
    if is_unfinished(known.stage, known.reason_code, retry=retry):
        plan.changed.append(pair)
    elif known.stage is Stage.READY:
        plan.unchanged.append(pair)
    else:
        plan.refused_before.append(pair)


def _is_as_it_was(known: KnownFile, item: FileToAdd) -> bool:
    before, now = known.state, item.state
    return bool(
        before
        and now
        and before.settled
        and before.stamp == now.stamp
        and before.sha256 == known.sha256
        and known.source_uri == item.address
    )


def _is_path(known: KnownFile, path: str) -> bool:
    """Say whether a document's path is one that a folder gives: the plain one, or with more folders before it."""
    return known.path == path or known.path.endswith(f"/{path}")


def _place(known: KnownFile) -> str:
    return known.state.place if known.state else ""


def _names_after(folder: Folder, known: KnownFile) -> str:
    return os.fsdecode(unquote_to_bytes(_place(known)[len(folder.address) :]))


def _moves(comparison: Comparison, hashes: Mapping[str, str]) -> list[Pair]:
    """Pair missing documents with new files of the same bytes: best with the same inode, else the same name, else any."""
    missing = {known.document_id: known for known in comparison.missing if known.sha256}
    targets = {item.place: item for item in comparison.new if hashes.get(item.place)}
    moves: list[Pair] = []
    for key_of_known, key_of_item in _LIKENESSES:
        waiting: dict[tuple[str, str], deque[FileToAdd]] = {}
        for place, item in targets.items():
            waiting.setdefault((hashes[place], key_of_item(item)), deque()).append(item)
        for known in list(missing.values()):
            if found := waiting.get((known.sha256, key_of_known(known))):
                moves.append(Pair(missing.pop(known.document_id), targets.pop(found.popleft().place)))
    return sorted(moves, key=lambda pair: pair.item.path)


_LIKENESSES: tuple[tuple[Callable[[KnownFile], str], Callable[[FileToAdd], str]], ...] = (
    (lambda known: known.state.inode if known.state else "", lambda item: item.state.inode if item.state else "-"),
    (lambda known: known.path.rsplit("/", 1)[-1], lambda item: item.path.rsplit("/", 1)[-1]),
    (lambda known: "", lambda item: ""),
)
