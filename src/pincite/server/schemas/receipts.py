"""What a receipt looks like."""

from typing import Any

from pydantic import BaseModel


class StampDocument(BaseModel):
    """A time stamp: the authority's response (RFC 3161, DER, in hex), and the signature that ties it to the receipt (hex)."""

    response: str
    signature: str


class ReceiptDocument(BaseModel):
    """A receipt. `signature` (Ed25519, hex) is over the canonical JSON of `statement`.

    `openings` holds by place a nonce and the content that `statement.commitments` commits to, as far as it is shown.
    """

    statement: dict[str, Any]
    signature: str
    openings: dict[str, dict[str, Any]]
    time_stamp: StampDocument | None = None
