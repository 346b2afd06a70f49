"""What is had of stored answers: their receipts."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from pincite.answering.issuing import withholding
from pincite.core.ids import MessageId
from pincite.server.deps import Reader
from pincite.server.gate import GatedRoute
from pincite.server.schemas.query import Text
from pincite.server.schemas.receipts import ReceiptDocument

MOST_WITHHELD = 100

router = APIRouter(tags=["messages"], route_class=GatedRoute)


@router.get(
    "/messages/{message_id}/receipt",
    response_class=Response,
    responses={200: {"model": ReceiptDocument, "description": "The receipt, in canonical JSON (RFC 8785): keep it byte for byte."}},
)
async def receipt(
    message_id: str,
    caller: Reader,
    withhold: Annotated[list[Annotated[Text, Query(max_length=100)]] | None, Query(max_length=MOST_WITHHELD)] = None,
) -> Response:
    """Return the signed receipt of an answer. `pincite verify` checks it anywhere.

    `withhold` names labels of the answer (`2`) and places (`question`) that are not to be shown; it verifies all the same. What was
    erased is never shown.
    """
    chosen = withholding(withhold or ())
    return Response(await caller.services.receipts.document(MessageId(message_id), chosen), media_type="application/json")
