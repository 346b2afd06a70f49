"""`GET /usage`: what was used of models."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from pincite.server.deps import Reader
from pincite.server.gate import GatedRoute
from pincite.server.schemas.usage import UsageRows, usage_rows

router = APIRouter(tags=["usage"], route_class=GatedRoute)


@router.get("/usage")
async def show(caller: Reader, since: Annotated[AwareDatetime | None, Query()] = None) -> UsageRows:
    """Show what the caller's workspace used of models, by kind and model, from an instant on."""
    async with caller.services.store.open(caller.principal.workspace_id) as work:
        return usage_rows(await work.usage.sums(since=since))
