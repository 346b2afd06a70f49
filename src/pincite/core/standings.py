"""What became of quotes since they were given."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pincite.core.ids import DocumentId, VersionId


class Standing(StrEnum):
    """What became of a quote in the document as it is now."""

    UNCHANGED = "unchanged"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"
    ERASED = "erased"
    NOT_COMPARED = "not_compared"

    @property
    def is_lost(self) -> bool:
        """Say whether the document doesn't say any more what was quoted."""
        return self in (Standing.CHANGED, Standing.GONE, Standing.ERASED)


@dataclass(frozen=True, slots=True)
class KnownQuote:
    """A quote as it was given: its label, its place in its version, its words, and the pages that it stood on.

    Without `text` it can't be compared: it was withheld.
    """

    n: int
    document_id: DocumentId
    version_id: VersionId
    start: int
    end: int
    text: str | None
    pages: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class QuoteStanding:
    """What became of a quote. `equal_by` names how it was found equal: `exact`, or the normalisation under which it is.

    `text` and `pages` are what the document says in its place now, and where; empty when it doesn't.
    """

    quote: KnownQuote
    standing: Standing
    reason: str = ""
    equal_by: str = ""
    text: str = ""
    pages: tuple[int, ...] = ()
    path: str = ""
    version_id: VersionId | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON shows it."""
        return {
            "n": self.quote.n,
            "document_id": self.quote.document_id,
            "path": self.path or None,
            "standing": self.standing.value,
            "reason": self.reason,
            "equal_by": self.equal_by or None,
            "then": {"version_id": self.quote.version_id, "text": self.quote.text, "pages": list(self.quote.pages)},
            "now": {"version_id": self.version_id, "text": self.text, "pages": list(self.pages)} if self.text else None,
        }
