"""Attempts to read documents: how far they are, and what they took."""

from dataclasses import asdict, dataclass, field, replace

from pincite.core.documents import Stage
from pincite.core.ids import DocumentId


@dataclass(frozen=True, slots=True)
class StageTimings:
    """Milliseconds that an attempt has spent in each stage, over all of its tries. Storing counts for the stage that it ends."""

    parsing_ms: float = 0.0
    chunking_ms: float = 0.0
    embedding_ms: float = 0.0

    def plus(self, stage: Stage, ms: float) -> "StageTimings":
        """Return them with some more in a stage; time outside of the three is nobody's."""
        match stage:
            case Stage.PARSING:
                return replace(self, parsing_ms=self.parsing_ms + ms)
            case Stage.CHUNKING:
                return replace(self, chunking_ms=self.chunking_ms + ms)
            case Stage.EMBEDDING:
                return replace(self, embedding_ms=self.embedding_ms + ms)
            case _:
                return self

    def as_dict(self) -> dict[str, float]:
        """Return them as they are shown."""
        return {name: round(ms, 1) for name, ms in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Ingestion:
    """The attempt to read a document that was begun last: its number from 1, its stage, and units of it.

    Units are pages, then pictures that a model describes, then chunks. `total` is 0 while it isn't known.
    `embedded_tokens` are those that were handed to the embedding model in it and stored.
    """

    document_id: DocumentId
    attempt: int
    stage: Stage = Stage.PENDING
    done: int = 0
    total: int = 0
    embedded_tokens: int = 0
    timings: StageTimings = field(default_factory=StageTimings)
