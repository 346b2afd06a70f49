"""Pages of documents as pictures, and the pictures in documents."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse
from starlette.responses import Response

from pincite.core.errors import NotFoundError
from pincite.core.figures import PICTURE_TYPES
from pincite.core.ids import DocumentId, FigureId, VersionId
from pincite.retrieval.pages import LEAST_WIDTH, MOST_WIDTH, USUAL_WIDTH
from pincite.server.conditions import has_already
from pincite.server.deps import Reader
from pincite.server.gate import GatedRoute

router = APIRouter(tags=["documents"], route_class=GatedRoute)

DRAWING = 1
"""To be raised when pages come to be drawn otherwise: clients then ask for theirs anew."""


@router.get(
    "/documents/{document_id}/pages/{page}",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}, 304: {"description": "The client has this picture already."}},
)
async def picture(
    document_id: str,
    page: int,
    request: Request,
    caller: Reader,
    width: Annotated[int, Query(ge=LEAST_WIDTH, le=MOST_WIDTH)] = USUAL_WIDTH,
    version_id: str = "",
) -> Response:
    """Draw a page of a PDF, from 1, as a PNG of `width` pixels, of the version that is searched or of another one.

    `X-Page-Width` and `X-Page-Height` are its size in points: a box of a quote covers its words when scaled by
    width / `X-Page-Width`. A very long page comes narrower than asked for.
    """
    document = await caller.evidence(DocumentId(document_id), version_id)
    file = await caller.services.pages.file(document, VersionId(version_id) if version_id else None)
    etag = f'"{file.sha256[:32]}-{page}-{width}-{DRAWING}"'
    # Kept by the reader's browser alone, which asks each time whether it may still be shown; that draws nothing.
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "Vary": "Authorization"}
    if has_already(request, etag):
        return Response(status_code=304, headers=headers)
    drawn = await caller.services.pages.picture(file, page, width=width)
    size = {"X-Page-Width": f"{drawn.page_width:.2f}", "X-Page-Height": f"{drawn.page_height:.2f}"}
    return Response(drawn.png, headers=headers | size, media_type="image/png")


@router.get(
    "/documents/{document_id}/figures/{figure_id}",
    response_class=Response,
    responses={200: {"content": {"image/png": {}, "image/jpeg": {}}}, 304: {"description": "The client has this picture already."}},
)
async def figure(document_id: str, figure_id: str, request: Request, caller: Reader) -> Response:
    """Return a picture of a document, of whatever version, as a PNG or JPEG: `image_url` of chunks and sources leads here.

    Also of a removed document, as long as a version with it is kept that answers cite.
    """
    document = await caller.evidence(DocumentId(document_id), figure_id)
    async with caller.services.store.open(caller.principal.workspace_id) as work:
        found = await work.figures.get(FigureId(figure_id), document.id)
    if found is None or found.content_type not in PICTURE_TYPES:
        raise NotFoundError("There is no such picture in the document.", code="figure")
    headers = {"ETag": f'"{found.sha256}"', "Cache-Control": "private, no-cache", "Vary": "Authorization"}
    if has_already(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    path = await caller.services.blobs.local_path(found.sha256)
    headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return FileResponse(path, headers=headers, media_type=found.content_type)
