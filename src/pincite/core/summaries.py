"""Summaries of documents: what is kept of each, and how far making them is."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pincite.core.documents import Reason
from pincite.core.ids import DocumentId, VersionId
from pincite.core.messages import ModelUsage


class SummaryState(StrEnum):
    """Where the summaries of a document stand."""

    WAITING = "waiting"
    RUNNING = "running"
    READY = "ready"
    FAILED = "failed"
    CANCELLED = "cancelled"
    OFF = "off"


OPEN = (SummaryState.WAITING, SummaryState.RUNNING)
"""States from which summaries are still to come."""


@dataclass(frozen=True, slots=True)
class WrittenSummary:
    """What a summariser wrote, and the tokens that it took."""

    text: str
    usage: ModelUsage = field(default_factory=ModelUsage)


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary that is kept of a document: `key` is the fingerprint of what it summarises, and by what it was written.

    `vector` is that of the model `model_id`, None before it is embedded.
    """

    key: str
    text: str
    vector: Sequence[float] | None = None
    model_id: str = ""


@dataclass(frozen=True, slots=True)
class SummaryRun:
    """The attempt to summarise a version of a document that was begun last, its number counted from 1.

    `done` and `total` count summaries, `total` is 0 while it isn't known. The tokens are those of what is kept; `model` names what
    writes the summaries.
    """

    document_id: DocumentId
    version_id: VersionId
    attempt: int
    state: SummaryState = SummaryState.WAITING
    done: int = 0
    total: int = 0
    reason: Reason | None = None
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    embedded_tokens: int = 0
    ms: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return it as it is shown."""
        return {
            "state": self.state.value,
            "attempt": self.attempt,
            "done": self.done,
            "total": self.total,
            "model": self.model,
            "reason": self.reason.code if self.reason else None,
            "message": self.reason.message if self.reason else None,
            "summarising_ms": round(self.ms, 1),
        }
