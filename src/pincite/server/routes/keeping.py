"""What of documents is kept: their versions, and holds; and the end of all that."""

from fastapi import APIRouter
from starlette.responses import Response

from pincite.core.ids import DocumentId
from pincite.server.deps import Keeper, Reader
from pincite.server.gate import GatedRoute
from pincite.server.openapi import refusals
from pincite.server.schemas.keeping import ErasedRow, HistoryRow, HoldRequest, HoldRow, erased_row, history_row, hold_row

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


@router.post("/documents/{document_id}/erase", responses=refusals(409))
async def erase(document_id: str, caller: Keeper) -> ErasedRow:
    """Destroy a document with all inside it, for good: text, file, vectors, and what answers and logs repeat of it.

    Also one that was removed already. 409 while it is on hold, and for a file whose bytes stand in another document's file. The
    database is written anew, which takes as long as copying it. What `left` names is tried again every hour, and by another call.
    """
    return erased_row(await caller.services.eraser.erase(DocumentId(document_id)))
