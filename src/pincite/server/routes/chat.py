"""`POST /chat/stream`: a stateless chat turn over everything that the caller may read."""

from fastapi import APIRouter
from starlette.responses import Response

from pincite.core.documents import Collection
from pincite.server.deps import Caller, Reader
from pincite.server.dialects import ChatDialect
from pincite.server.gate import GatedRoute
from pincite.server.openapi import refusals, stream
from pincite.server.schemas.chat import ChatRequest

router = APIRouter(tags=["questions"], route_class=GatedRoute)


@router.post("/chat/stream", response_class=Response, responses=stream("ChatEvent") | refusals(404, 409, 429))
async def chat(body: ChatRequest, caller: Reader) -> Response:
    """Answer from every collection that the caller may read and that uses the installation's embedding model."""
    collections = await _collections(caller)
    ask = body.ask([collection.id for collection in collections])
    await caller.collections.require_searchable(collections, ask.filter.document_ids)
    return await caller.stream(ask, ChatDialect())


async def _collections(caller: Caller) -> list[Collection]:
    with caller.searching():
        await caller.services.models.learn()
    model = caller.services.models.embedding
    return [each for each in await caller.collections.all() if each.embedding == (model.spec if model else None)]
