"""Receipts: what an instance signs about an answer, and what of it can be shown or withheld.

What is signed (the statement) names whatever somebody may have to take back (question, answer, quotes, titles) by a commitment
alone, SHA-256(nonce ‖ content). An opening is a nonce with its content: whoever has it can check it, and without it nobody can
try contents.
"""

import base64
import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from pincite.core.answers import AnswerRecord
from pincite.core.canonical_json import canonical
from pincite.core.ids import MessageId

FORMAT = "pincite-receipt/1"
STAMP_FORMAT = "pincite-time-stamp/1"

Content: TypeAlias = str | dict[str, Any] | list[Any]
"""What a commitment stands for: a text, or a JSON value that is hashed in its canonical form."""
_LONE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class TimeStamp:
    """What an authority said about when a receipt existed (RFC 3161), and this instance's signature that ties it to the receipt."""

    response: bytes
    signature: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt as it is kept. `statement` is canonical JSON, and it is what `signature` (hex) signs.

    `nonces` (hex) are those of all commitments but the quotes', which stand with the quotes; erasing takes them away. `number`
    counts from 1 in its workspace.
    """

    message_id: MessageId
    number: int
    statement: str
    signature: str
    nonces: Mapping[str, str] = field(default_factory=dict[str, str])
    time_stamp: TimeStamp | None = None

    @property
    def id(self) -> str:
        """Return the SHA-256 of what is signed: what the next receipt calls `previous`."""
        return digest(self.statement.encode())

    @property
    def stated(self) -> dict[str, Any]:
        """Return the statement as a value."""
        return cast("dict[str, Any]", json.loads(self.statement))


def digest(data: bytes) -> str:
    """Return the SHA-256 of bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def new_nonce() -> str:
    """Return 16 fresh random bytes, in hex."""
    return os.urandom(16).hex()


def commitment(nonce: str, content: Content) -> str:
    """Return SHA-256(nonce ‖ content), in hex."""
    return digest(bytes.fromhex(nonce) + bytes_of(content))


def bytes_of(content: Content) -> bytes:
    """Return a text in UTF-8 (halves of surrogate pairs as if it could hold them), any other value as canonical JSON."""
    return content.encode(errors="surrogatepass") if isinstance(content, str) else canonical(content)


def opening(nonce: str, content: Content) -> dict[str, Any]:
    """Return what opens a commitment, as a receipt shows it."""
    if not isinstance(content, str):
        return {"nonce": nonce, "value": content}
    if _LONE.search(content):
        return {"nonce": nonce, "utf8": base64.b64encode(bytes_of(content)).decode()}
    return {"nonce": nonce, "text": content}


def contents_of(record: AnswerRecord) -> dict[str, Content]:
    """Return by place what a receipt of an answer commits to; what was erased since is empty, and opens nothing."""
    answer, basis = record.answer, record.basis
    narrowed = basis.filter
    contents: dict[str, Content] = {
        "question": record.question,
        "answer": answer.text,
        "prompt": basis.prompt_sha256,
        "filter": {
            "document_ids": list(narrowed.document_ids),
            "path_prefix": _whole(narrowed.path_prefix),
            "content_types": [_whole(each) for each in narrowed.content_types],
            "tags": [_whole(each) for each in narrowed.tags],
        },
    }
    for at, claim in enumerate(answer.claims):
        contents[f"claims/{at}"] = {"text": _whole(answer.text[claim.start : claim.end]), "reason": _whole(claim.reason)}
    for at, quote in enumerate(record.evidence):
        contents[f"passages/{at}"] = quote.text
        contents[f"places/{at}"] = [_holdable(span.as_dict()) for span in quote.spans]
    for at, version in enumerate(basis.versions):
        contents[f"versions/{at}"] = {"title": _whole(version.title), "path": _whole(version.path), "sha256": version.sha256}
    return contents


def openings_of(receipt: Receipt, record: AnswerRecord, *, withheld: Collection[str] = ()) -> dict[str, dict[str, Any]]:
    """Return by place what opens a receipt's commitments: what is kept, wasn't erased, and isn't `withheld`."""
    contents, nonces = contents_of(record), nonces_of(receipt, record)
    commitments = cast("dict[str, str]", receipt.stated["commitments"])
    return {
        place: opening(nonce, contents[place])
        for place, nonce in nonces.items()
        if place not in withheld and place in contents and commitment(nonce, contents[place]) == commitments.get(place)
    }


def nonces_of(receipt: Receipt, record: AnswerRecord) -> dict[str, str]:
    """Return all nonces by place, those of the quotes among them."""
    return {**receipt.nonces, **{f"passages/{at}": quote.nonce for at, quote in enumerate(record.evidence) if quote.nonce}}


def without_lost(receipt: Receipt, record: AnswerRecord) -> dict[str, str]:
    """Return the nonces of a receipt that still open something of a record: of what was erased, nobody shall try texts."""
    opened = openings_of(receipt, record)
    return {place: nonce for place, nonce in receipt.nonces.items() if place in opened}


def is_sound(receipt: Receipt, previous: Receipt | None, is_signed: Callable[[str, bytes, str], bool]) -> bool:
    """Say whether a kept receipt is as it was signed, and follows the one before (None for the first)."""
    try:
        stated = receipt.stated
        chain, key = stated["chain"], stated["public_key"]
        is_next = chain["number"] == receipt.number == (previous.number + 1 if previous else 1)
        is_linked = chain["previous"] == (previous.id if previous else None) and stated["message_id"] == receipt.message_id
        return is_next and is_linked and is_signed(key, receipt.statement.encode(), receipt.signature)
    except (ValueError, KeyError, TypeError):
        return False


def sealed(receipt_id: str, response: bytes) -> bytes:
    """Return what an instance signs to tie a time stamp to its receipt."""
    return canonical({"format": STAMP_FORMAT, "receipt": receipt_id, "response_sha256": digest(response)})


def _holdable(value: Any) -> Any:
    """Return a value as canonical JSON can hold it: a hostile file's boxes may be infinite, and its labels half a pair."""
    if isinstance(value, dict):
        return {name: _holdable(each) for name, each in cast("dict[str, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_holdable(each) for each in cast("Sequence[Any]", value)]
    if isinstance(value, float):
        return finite(value)
    return _whole(value) if isinstance(value, str) else value


def finite(value: float | None) -> float | None:
    """Return a number, None for what is none."""
    return value if value is not None and math.isfinite(value) else None


def _whole(text: str) -> str:
    """Return a text without halves of surrogate pairs, character for character: canonical JSON can't hold them."""
    return _LONE.sub("\ufffd", text)
