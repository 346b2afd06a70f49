"""`POST /query/`: a question to one or several collections, as a stream or as one object."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from pincite.core.documents import Collection
from pincite.core.errors import ForbiddenError
from pincite.server.deps import Caller, Reader
from pincite.server.dialects import QueryDialect
from pincite.server.gate import GatedRoute
from pincite.server.leaving import CLIENT_LEFT, unless_left
from pincite.server.openapi import refusals, stream
from pincite.server.schemas.query import QueryRequest
from pincite.server.sse import json_line

router = APIRouter(tags=["questions"], route_class=GatedRoute)


@router.post("/query/", responses=stream("QueryEvent", twin=True) | refusals(404, 409, 429))
async def query(body: QueryRequest, caller: Reader, request: Request) -> Response:
    """Answer a question from a collection, with citations. `Accept: application/json` gets one object instead of a stream."""
    if body.session_id:
        raise ForbiddenError("You can't read this session, or there is none with this id.", code="session")
    collections = await _collections(body, caller)
    ask = body.ask([collection.id for collection in collections])
    await caller.collections.require_searchable(collections, ask.filter.document_ids)
    if wants_json(request):
        answer = await unless_left(request.receive, caller.answer(ask))
        return Response(json_line(answer.as_dict()), media_type="application/json") if answer else Response(status_code=CLIENT_LEFT)
    return await caller.stream(ask, QueryDialect(caller.request_id))


async def _collections(body: QueryRequest, caller: Caller) -> list[Collection]:
    if body.collections:
        return await caller.collections.chosen(body.collections)
    return [await caller.services.collection("default", create=True)]


def wants_json(request: Request) -> bool:
    """Say whether the client asks for JSON and not for a stream."""
    accepted = request.headers.get("accept", "").lower()
    return "application/json" in accepted and "text/event-stream" not in accepted
