"""`POST /samples`: the sample collection, loaded with one call."""

from fastapi import APIRouter, Response

from pincite.core.documents import Collection, Document, Stage
from pincite.ingest.arrivals import Arrival
from pincite.ingest.folders import FileToAdd, files_of
from pincite.ingest.samples import SAMPLE_COLLECTION, sample_files
from pincite.server.deps import Caller, Keeper
from pincite.server.gate import GatedRoute
from pincite.server.schemas.documents import DocumentRows

router = APIRouter(tags=["collections"], route_class=GatedRoute)

SETTLED = (Stage.READY, Stage.FAILED)


@router.post("/samples", status_code=202, responses={200: {"model": DocumentRows, "description": "All of them are ready."}})
async def load(caller: Keeper, response: Response) -> DocumentRows:
    """Load the sample collection, `samples`. What is there or on its way stays as it is; 200 when all of it is ready."""
    collection = await caller.services.collection(SAMPLE_COLLECTION, create=True)
    documents = [await _received(caller, collection, item) for item in files_of(sample_files())]
    caller.state.wake()
    if all(each.stage is Stage.READY for each in documents):
        response.status_code = 200
    return DocumentRows(documents=await caller.rows(documents))


async def _received(caller: Caller, collection: Collection, item: FileToAdd) -> Document:
    async with caller.services.store.open(caller.principal.workspace_id) as work:
        known = await work.documents.at_path(collection.id, item.path)
    if known and known.stage not in SETTLED:
        return known
    return await caller.services.ingestor.receive(collection, Arrival(item.path, item.address, item.file, is_queued=True))
