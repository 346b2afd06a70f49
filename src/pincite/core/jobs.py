"""Work that is done later, and by whoever comes to it first."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from pincite.core.ids import JobId, WorkspaceId

MAX_ATTEMPTS = 3
"""How often a job is begun. A worker that dies has used one up, one that is stopped and lets go of the job has not."""
LONGEST_S = 3600.0
"""No lease and no wait is longer. What stands further ahead was set by a clock that has been put back since, and is due."""


class JobKind(StrEnum):
    """What there is to do."""

    INGEST = "ingest"
    SUMMARISE = "summarise"


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to be enqueued. Of equal (kind, key) there is one, ever. Of those that are due the lowest `priority` goes first."""

    kind: JobKind
    key: str
    payload: Mapping[str, str | int] = field(default_factory=dict[str, str | int])
    priority: int = 0


@dataclass(frozen=True, slots=True)
class JobInfo:
    """A job as those see it who look after them. `error` is the code of what went wrong in its last try."""

    id: JobId
    kind: JobKind
    key: str
    payload: Mapping[str, str | int]
    state: JobState
    attempt: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """A job as its worker sees it: `attempt` counts from 1, `lease` is what it shows to prove that the job is still its own."""

    id: JobId
    workspace_id: WorkspaceId
    kind: JobKind
    key: str
    payload: Mapping[str, str | int]
    attempt: int
    lease: str
    priority: int = 0

    @property
    def is_last_attempt(self) -> bool:
        """Say whether nobody will try it again after this."""
        return self.attempt >= MAX_ATTEMPTS


class OutrankedCheck(Protocol):
    """Looks whether others wait that go before the job that is being done."""

    async def __call__(self, *, priority: int, by_others: bool) -> bool:
        """Say whether a job of a lower priority waits in the same workspace, or (`by_others`) any in another one."""
        ...
