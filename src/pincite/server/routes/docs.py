"""`GET /docs`: the OpenAPI document as pages on which requests can be tried, from files of our own."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse

from pincite.core.errors import NotFoundError
from pincite.server.gate import GatedRoute

router = APIRouter(tags=["docs"], route_class=GatedRoute, include_in_schema=False)

FOLDER = Path(__file__).parent.parent / "reference"
PAGE = "index.html"
FILES = {
    "swagger-ui-bundle.js": "text/javascript",
    "start.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}
"""What the page loads. No other name is looked up."""
_REVALIDATED = {"Cache-Control": "no-cache"}


@router.get("/docs", response_class=FileResponse)
async def page() -> FileResponse:
    """Show the page."""
    return FileResponse(FOLDER / PAGE, media_type="text/html", headers=_REVALIDATED)


@router.get("/docs/{name}", response_class=FileResponse)
async def part(name: str) -> FileResponse:
    """Return a file that the page loads."""
    if name not in FILES:
        raise NotFoundError("There is no such file.", code="file")
    return FileResponse(FOLDER / name, media_type=FILES[name], headers=_REVALIDATED)
