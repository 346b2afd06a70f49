"""Health, readiness, version."""

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel

from pincite import __version__
from pincite.core.errors import StoreError
from pincite.server.deps import state_of
from pincite.server.gate import GatedRoute
from pincite.server.openapi import refusals

router = APIRouter(tags=["system"], route_class=GatedRoute)


class Health(BaseModel):
    """The server is well."""

    status: Literal["ok"] = "ok"


class Version(BaseModel):
    """What runs here."""

    version: str


@router.get("/health")
async def health() -> Health:
    """Say that the process runs."""
    return Health()


@router.get("/ready", responses=refusals(503))
async def ready(request: Request) -> Health:
    """Say whether questions can be answered: the server isn't stopping and the store answers."""
    state = state_of(request)
    if state.streams.stopping:
        raise StoreError("The server is stopping.", code="stopping", retryable=True)
    async with state.services.store.open(state.services.workspace_id) as work:
        await work.collections.list()
    return Health()


@router.get("/version")
async def version() -> Version:
    """Return the version."""
    return Version(version=__version__)
