"""What is kept of every question on every surface: how it was searched, how long it took, what it used, how it ended."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from pincite.core.answers import Timings
from pincite.core.evidence import Strategy
from pincite.core.ids import DocumentId, MessageId
from pincite.core.messages import ModelUsage


class Outcome(StrEnum):
    """How a question ended."""

    COMPLETE = "complete"
    INSUFFICIENT = "insufficient"
    PARTIAL = "partial"
    """Whoever asked left before the end."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class LoggedQuery:
    """One question. `scores` are the fused scores of its sources; `received` is the text of an answer that was not finished.

    `document_ids` are those of its sources, where no stored answer names them. `withheld` counts the claims that were not sent.
    `answerable` is the probability that what was found answers it, None where that can't be told.
    """

    message_id: MessageId
    asked_at: datetime
    surface: str
    question: str
    outcome: Outcome
    strategy: Strategy
    model: str
    timings: Timings = field(default_factory=Timings)
    usage: ModelUsage = field(default_factory=ModelUsage)
    scores: tuple[float, ...] = ()
    received: str = ""
    error: str = ""
    document_ids: tuple[DocumentId, ...] = ()
    withheld: int = 0
    answerable: float | None = None
