"""What of documents is kept: their versions, and holds."""

from fastapi import APIRouter
from starlette.responses import Response

from pincite.core.ids import DocumentId
from pincite.server.deps import Keeper, Reader
from pincite.server.gate import GatedRoute
from pincite.server.openapi import refusals
from pincite.server.schemas.keeping import HistoryRow, HoldRequest, HoldRow, history_row, hold_row

router = APIRouter(tags=["documents"], route_class=GatedRoute)


@router.get("/documents/{document_id}/versions")
async def versions(document_id: str, caller: Reader) -> HistoryRow:
    """List a document's versions, newest first, and other documents with the same bytes.

    The `id` of a version is the `version_id` with which its file, text and pages are had.
    """
    return history_row(await caller.services.histories.of(await caller.document(DocumentId(document_id))))


@router.post("/documents/{document_id}/hold")
async def hold(document_id: str, body: HoldRequest, caller: Keeper) -> HoldRow:
    """Put a document on hold, with all inside it: it is neither removed nor erased until it is released.

    Also one that was removed already, as long as something of it is kept.
    """
    return hold_row(await caller.services.keeper.hold(DocumentId(document_id), reason=body.reason))


@router.post("/documents/{document_id}/release", status_code=204, response_class=Response, responses=refusals(409))
async def release(document_id: str, caller: Keeper) -> None:
    """End a document's hold. 409 when there is none."""
    await caller.services.keeper.release(DocumentId(document_id))
