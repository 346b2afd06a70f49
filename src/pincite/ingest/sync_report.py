"""What a synchronisation did with documents, or would do."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from pincite.core.documents import Reason
from pincite.core.files import KnownFile
from pincite.core.ids import DocumentId
from pincite.ingest.comparing import Plan
from pincite.ingest.folders import FileToAdd
from pincite.ingest.naming import file_at, readable


class Outcome(StrEnum):
    """What a synchronisation did with a document."""

    ADDED = "added"
    UPDATED = "updated"
    MOVED = "moved"
    REMOVED = "removed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class SyncChange:
    """What became of one file or document. `document_id` is None where none came of a file, or would come in a dry run.

    `moved_from` is the path before a move. A file that failed before and wasn't tried again has `tried` false.
    """

    outcome: Outcome
    source: str
    path: str
    document_id: DocumentId | None = None
    moved_from: str = ""
    reason: Reason | None = None
    tried: bool = True

    def as_dict(self) -> dict[str, Any]:
        """Return the change as the command line prints it."""
        about: dict[str, Any] = {"source": self.source, "path": self.path, "document_id": self.document_id}
        if self.outcome is Outcome.MOVED:
            about["from"] = self.moved_from
        if self.outcome is Outcome.FAILED and self.reason:
            about |= {"reason": self.reason.code, "message": self.reason.message, "tried": self.tried}
        return about


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a synchronisation did, or in a dry run would do; `warnings` then say what a run would stop at."""

    changes: tuple[SyncChange, ...] = ()
    unchanged: int = 0
    dry_run: bool = False
    warnings: tuple[str, ...] = ()

    def of(self, outcome: Outcome) -> tuple[SyncChange, ...]:
        """Return the changes of one kind, by path."""
        return tuple(sorted((change for change in self.changes if change.outcome is outcome), key=lambda change: change.path))

    def in_order(self) -> list[SyncChange]:
        """Return all changes: by kind, then by path."""
        return [change for outcome in Outcome for change in self.of(outcome)]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the command line prints it."""
        lists = {outcome.value: [change.as_dict() for change in self.of(outcome)] for outcome in Outcome}
        return {**lists, "unchanged": self.unchanged, "dry_run": self.dry_run, "warnings": list(self.warnings)}


def expected(plan: Plan, *, removing: bool) -> Iterator[SyncChange]:
    """Yield what would become of the files and documents of a plan, if none fails."""
    for item in plan.new:
        yield SyncChange(Outcome.ADDED, source_of(item), item.path)
    for pair in plan.changed:
        yield SyncChange(outcome_of(pair.known), source_of(pair.item), pair.known.path, pair.known.document_id)
    for pair in plan.moved:
        known = pair.known
        yield SyncChange(Outcome.MOVED, source_of(pair.item), pair.item.path, known.document_id, moved_from=known.path)
    for known in plan.gone if removing else ():
        yield removal(known)
    yield from failures(plan)


def failures(plan: Plan) -> Iterator[SyncChange]:
    """Yield files that can't be read, those that failed before and didn't change, and documents that must stay."""
    yield from map(kept_by_hold, plan.held)
    for problem in plan.problems:
        if problem.item.problem:
            yield failure(problem.item, problem.known, problem.item.problem)
    for pair in plan.refused_before:
        reason = Reason(pair.known.reason_code, "It failed before and didn't change since. --retry tries it again.")
        yield failure(pair.item, pair.known, reason, tried=False)


def failure(item: FileToAdd, known: KnownFile | None, reason: Reason, *, tried: bool = True) -> SyncChange:
    """Return the failure of a file."""
    path, document_id = (known.path, known.document_id) if known else (item.path, None)
    return SyncChange(Outcome.FAILED, source_of(item), path, document_id, reason=reason, tried=tried)


def removal(known: KnownFile) -> SyncChange:
    """Return the removal of a document."""
    return SyncChange(
        Outcome.REMOVED, file_at(known.state.place if known.state else known.source_uri), known.path, known.document_id
    )


def kept_by_hold(known: KnownFile) -> SyncChange:
    """Return what becomes of a document whose file is gone, and which is on hold: nothing."""
    return replace(removal(known), outcome=Outcome.FAILED, reason=_HELD)


_HELD = Reason("held", "Its file is gone, but the document is on hold: it stays until it is released (`pincite release`).")


def outcome_of(known: KnownFile) -> Outcome:
    """Return what a document is called that becomes ready: added when it never was before."""
    return Outcome.UPDATED if known.version_id else Outcome.ADDED


def source_of(item: FileToAdd) -> str:
    """Return the name of a file as it is shown."""
    return readable(str(item.file))
