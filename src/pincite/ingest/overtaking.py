"""What becomes of a document that others change, finish or remove while it is on its way."""

from dataclasses import replace

from pincite.core.documents import Document, Reason, Stage

_REMOVED = Reason("removed", "The document was removed while it was read. Add the file again if you want it.")
_OVERTAKEN = Reason(
    "overtaken", "Other bytes were added at this path while the file was read, and they count. Add the file again if it should."
)


CANCELLED = Reason("cancelled", "Reading the file was cancelled. Try it again, or add the file again, to go on.")


def is_overtaken(document: Document, current: Document) -> bool:
    """Say whether others gave the document other bytes, are done with the same, or cancelled it."""
    return current.sha256 != document.sha256 or current.stage is Stage.READY or is_cancelled(current)


def is_cancelled(document: Document) -> bool:
    """Say whether somebody cancelled the reading of a document, and nobody has begun it again."""
    return document.stage is Stage.FAILED and document.reason is not None and document.reason.code == CANCELLED.code


def outcome(document: Document, current: Document | None) -> Document:
    """Return what became of a document that isn't ours any more."""
    if current is None:
        return replace(document, stage=Stage.FAILED, reason=_REMOVED)
    return current if current.sha256 == document.sha256 else replace(document, stage=Stage.FAILED, reason=_OVERTAKEN)
