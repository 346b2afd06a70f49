"""What becomes of a document that others change, finish or remove while it is on its way."""

from dataclasses import replace

from pincite.core.documents import Document, Reason, Stage

_REMOVED = Reason("removed", "The document was removed while it was read. Add the file again if you want it.")
_OVERTAKEN = Reason(
    "overtaken", "Other bytes were added at this path while the file was read, and they count. Add the file again if it should."
)


def is_overtaken(document: Document, current: Document) -> bool:
    """Say whether others gave the document other bytes, or are done with the same."""
    return current.sha256 != document.sha256 or current.stage is Stage.READY


def outcome(document: Document, current: Document | None) -> Document:
    """Return what became of a document that isn't ours any more."""
    if current is None:
        return replace(document, stage=Stage.FAILED, reason=_REMOVED)
    return current if current.sha256 == document.sha256 else replace(document, stage=Stage.FAILED, reason=_OVERTAKEN)
