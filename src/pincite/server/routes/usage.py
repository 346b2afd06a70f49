"""`GET /usage`: what was used of models."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, BeforeValidator

from pincite.server.deps import Reader
from pincite.server.gate import GatedRoute
from pincite.server.schemas.usage import UsageRows, usage_rows


def _no_count_of_seconds(value: object) -> object:
    """Refuse a bare number, which pydantic takes for seconds since 1970: the contract says RFC 3339."""
    if isinstance(value, str) and "-" not in value[1:]:
        raise ValueError("it is written as in 2026-01-31T00:00:00Z")
    return value


Instant = Annotated[AwareDatetime, BeforeValidator(_no_count_of_seconds)]

router = APIRouter(tags=["usage"], route_class=GatedRoute)


@router.get("/usage")
async def show(caller: Reader, since: Annotated[Instant | None, Query()] = None) -> UsageRows:
    """Show what the caller's workspace used of models, by kind and model, from an instant on."""
    async with caller.services.store.open(caller.principal.workspace_id) as work:
        return usage_rows(await work.usage.sums(since=since))
