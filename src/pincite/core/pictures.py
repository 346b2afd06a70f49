"""Where the pictures are that passages tell of: figures, and pages that are pictures."""

from collections.abc import Sequence

from pincite.core.documents import PageSpan
from pincite.core.ids import DocumentId, FigureId, VersionId


def is_scanned(pages: Sequence[PageSpan]) -> bool:
    """Whether text stands on pages that are pictures, and nowhere else."""
    return bool(pages) and all(page.ocr for page in pages)


def picture_url(
    document_id: DocumentId, version_id: VersionId, figure_id: FigureId | None, pages: Sequence[PageSpan]
) -> str | None:
    """Return the address of what a server shows to a passage: its figure, else the scanned page that it begins on."""
    if figure_id:
        return f"/api/documents/{document_id}/figures/{figure_id}"
    if pages and pages[0].ocr:
        return f"/api/documents/{document_id}/pages/{pages[0].page}?version_id={version_id}"
    return None
