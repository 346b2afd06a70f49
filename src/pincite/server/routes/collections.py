"""Collections: list, make, show, rename, remove, search."""

from fastapi import APIRouter
from starlette.responses import Response

from pincite.answering.sources import group_sources
from pincite.core.documents import Collection
from pincite.core.ids import CollectionId
from pincite.server.deps import Caller, Keeper, Reader
from pincite.server.gate import GatedRoute
from pincite.server.openapi import refusals
from pincite.server.schemas.documents import (
    CollectionChange,
    CollectionRow,
    CollectionRows,
    NewCollection,
    SearchRequest,
    SearchResult,
    collection_row,
    scope_row,
)
from pincite.server.schemas.evidence import Source

router = APIRouter(tags=["collections"], route_class=GatedRoute)


@router.get("/collections")
async def list_(caller: Reader) -> CollectionRows:
    """List the collections that the caller may read."""
    return CollectionRows(collections=[await _row(caller, each) for each in await caller.collections.all()])


@router.post("/collections", status_code=201, responses=refusals(409))
async def make(body: NewCollection, caller: Keeper) -> CollectionRow:
    """Make a collection with the installation's embedding model. 409 when the name is taken."""
    await caller.services.models.learn()
    model = caller.services.models.embedding
    made = await caller.collections.make(body.name, model.spec if model else None, summaries=body.summaries, policy=body.policy)
    return await _row(caller, made)


@router.get("/collections/{collection_id}")
async def show(collection_id: str, caller: Reader) -> CollectionRow:
    """Show a collection."""
    return await _row(caller, await caller.collections.one(CollectionId(collection_id)))


@router.patch("/collections/{collection_id}", responses=refusals(409))
async def change(collection_id: str, body: CollectionChange, caller: Keeper) -> CollectionRow:
    """Give a collection another name or policy, have its documents summarised, or not any more. 409 when another one has the name.

    Summaries are made by workers, of the documents that are there too; each document tells how far they are.
    """
    collection = await caller.collections.one(CollectionId(collection_id))
    if "name" in body.model_fields_set:
        collection = await caller.collections.rename(collection.id, body.name)
    if "policy" in body.model_fields_set:
        collection = await caller.collections.use_policy(collection.id, body.policy)
    if "summaries" in body.model_fields_set:
        collection = await caller.services.summaries().switch(collection.id, body.summaries, is_queued=True)
        caller.state.wake()
    return await _row(caller, collection)


@router.delete("/collections/{collection_id}", status_code=204, response_class=Response, responses=refusals(409))
async def remove(collection_id: str, caller: Keeper) -> None:
    """Remove a collection with its documents: nothing of it can be found from now on. 409 while one of them is on hold.

    Answers keep their quotes, and the versions that they cite stay to be seen for `PINCITE_KEEP_CITED_DAYS`.
    """
    await caller.services.removal.remove(await caller.collections.one(CollectionId(collection_id)))
    await caller.services.keeper.purge()


@router.post("/collections/{collection_id}/search", responses=refusals(409))
async def search(collection_id: str, body: SearchRequest, caller: Reader) -> SearchResult:
    """Search without answering: what would be found, with all scores."""
    collection = await caller.collections.one(CollectionId(collection_id))
    query = body.of(collection.id)
    await caller.collections.require_searchable([collection], query.filter.document_ids)
    with caller.searching():
        await caller.services.models.learn()
        found = await caller.services.searcher.retrieve(query)
    return SearchResult(
        strategy=found.strategy,
        scope=scope_row(await caller.collections.scope(collection)),
        hits=[Source.model_validate(source.as_dict()) for source in group_sources(found.passages)],
        timings={"embedding_ms": round(found.embedding_ms, 2), "retrieval_ms": round(found.retrieval_ms, 2)},
    )


async def _row(caller: Caller, collection: Collection) -> CollectionRow:
    return collection_row(collection, await caller.collections.scope(collection))
