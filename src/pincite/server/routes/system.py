"""Health, readiness, version."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from pincite import __version__
from pincite.core.errors import PinciteError
from pincite.server.deps import state_of
from pincite.server.sse import json_line

router = APIRouter(tags=["system"])


@router.get("/health")
async def health() -> Response:
    """Say that the process runs."""
    return _json({"status": "ok"})


@router.get("/ready")
async def ready(request: Request) -> Response:
    """Say whether questions can be answered: the server isn't stopping and the store answers."""
    state = state_of(request)
    if state.streams.stopping:
        return _json({"status": "stopping"}, 503)
    try:
        async with state.services.store.open(state.services.workspace_id) as work:
            await work.collections.list()
    except PinciteError as error:
        return _json({"status": "failed", "code": error.code}, 503)
    return _json({"status": "ok"})


@router.get("/version")
async def version() -> Response:
    """Return the version."""
    return _json({"version": __version__})


def _json(data: dict[str, str], status: int = 200) -> Response:
    return Response(json_line(data), status, media_type="application/json")
