"""Receipts of answers: stating, signing, showing, and withholding. Pure, but for nonces and the signer."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from pincite.core.answers import AnswerRecord, Citation, CitedVersion, Claim, FrozenQuote
from pincite.core.canonical_json import canonical
from pincite.core.evidence import Source
from pincite.core.ids import DocumentId, WorkspaceId
from pincite.core.ports.signer import Signer
from pincite.core.receipts import FORMAT, Receipt, commitment, contents_of, finite, new_nonce, openings_of


def issue(record: AnswerRecord, previous: Receipt | None, signer: Signer, *, workspace_id: WorkspaceId, software: str) -> Receipt:
    """Return the receipt of an answer that follows the one before in its workspace. Raises as the signer.

    Quotes keep the nonces that they were frozen with; one that was erased before keeps its commitment, which nothing opens.
    """
    contents = contents_of(record)
    nonces = {place: new_nonce() for place in contents if not place.startswith("passages/")}
    commitments = {place: commitment(nonce, contents[place]) for place, nonce in nonces.items()}
    commitments |= {f"passages/{at}": quote.commitment for at, quote in enumerate(record.evidence)}
    number = previous.number + 1 if previous else 1
    statement = canonical(
        {
            "format": FORMAT,
            "software": software,
            "public_key": signer.public_key(),
            "chain": {"workspace_id": workspace_id, "number": number, "previous": previous.id if previous else None},
            "issued_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            **_stated(record),
            "commitments": commitments,
        }
    )
    return Receipt(record.answer.message_id, number, statement.decode(), signer.sign(statement), nonces)


def document_of(receipt: Receipt, record: AnswerRecord, *, withheld: Collection[str] = ()) -> bytes:
    """Return a receipt as it is handed out: canonical JSON and a line end. Places that are `withheld` aren't opened."""
    stamp = receipt.time_stamp
    value = {
        "statement": receipt.stated,
        "signature": receipt.signature,
        "openings": openings_of(receipt, record, withheld=withheld),
        **({"time_stamp": {"response": stamp.response.hex(), "signature": stamp.signature}} if stamp else {}),
    }
    return canonical(value) + b"\n"


def places_of(record: AnswerRecord, *, numbers: Collection[int] = (), documents: Collection[DocumentId] = ()) -> set[str]:
    """Return what repeats the passages with these numbers (labels of the answer) or of these documents, to be withheld with them.

    That is the quotes with their places, the titles of their documents, the whole answer, the filter, and all claims but those that
    cite others alone: a model may have used any source in any sentence.
    """
    hidden = {at for at, quote in enumerate(record.evidence) if quote.n in numbers or quote.document_id in documents}
    if not hidden:
        return set()
    labels = {quote.n for quote in (record.evidence[at] for at in hidden)}
    titled = {record.evidence[at].document_id for at in hidden}
    cited = [{record.answer.citations[index].n for index in claim.citations} for claim in record.answer.claims]
    return {
        "answer",
        "filter",
        "prompt",
        *(f"{kind}/{at}" for at in hidden for kind in ("passages", "places")),
        *(f"claims/{at}" for at, found in enumerate(cited) if not found or found & labels),
        *(f"versions/{at}" for at, version in enumerate(record.basis.versions) if version.document_id in titled),
    }


def _stated(record: AnswerRecord) -> dict[str, Any]:
    """Return what is signed as it is: nothing in it repeats what a document, a question or an answer says."""
    answer, basis = record.answer, record.basis
    passages = _passages_of(record)
    return {
        "message_id": answer.message_id,
        "answered_at": _moment_of(answer.message_id),
        "answered": answer.answered,
        "model": answer.model,
        "verifier": basis.verifier,
        "settings": {
            "collection_ids": list(basis.collection_ids),
            "limit": basis.limit,
            "max_context_characters": basis.max_context_characters,
            "policy": answer.policy.value,
            "prompt_template_sha256": basis.template_sha256,
            "strategy": answer.strategy.value,
            "surface": basis.surface,
            "turns": basis.turns,
        },
        "scope": answer.scope.as_dict() if answer.scope else None,
        "sources": [_source(source) for source in answer.sources],
        "claims": [_claim(claim, passages) for claim in answer.claims],
        "passages": [_passage(quote, citation) for quote, citation in zip(record.evidence, _citing(record), strict=True)],
        "versions": [_version(version) for version in basis.versions],
    }


def _source(source: Source) -> dict[str, Any]:
    best = source.best
    chunks = [[passage.chunk_id, passage.start, passage.end] for passage in source.passages]
    return {"n": source.n, "document_id": best.document_id, "version_id": best.version_id, "chunks": chunks}


def _citing(record: AnswerRecord) -> list[Citation]:
    """Return the citation of each frozen quote: they were frozen in this order."""
    return [citation for citation in record.answer.citations for _ in citation.quotes]


def _passage(quote: FrozenQuote, citation: Citation) -> dict[str, Any]:
    place = {"version_id": quote.version_id, "chunk_id": citation.chunk_id, "start": quote.start, "end": quote.end}
    return {"n": quote.n, "document_id": quote.document_id, **place, "issued_by": citation.issued_by}


def _version(version: CitedVersion) -> dict[str, Any]:
    read = {"parser": version.parser, "parser_version": version.parser_version}
    return {"document_id": version.document_id, "version_id": version.version_id, **read}


def _claim(claim: Claim, passages: Sequence[Sequence[int]]) -> dict[str, Any]:
    return {
        "start": claim.start,
        "end": claim.end,
        "verdict": claim.verdict.value,
        "support": finite(claim.support),
        "passages": [at for index in claim.citations for at in passages[index]],
        **({"judged_by": claim.judged_by} if claim.judged_by else {}),
    }


def _passages_of(record: AnswerRecord) -> list[list[int]]:
    """Return, of each citation, which of the frozen quotes are its own: they were frozen in this order."""
    found: list[list[int]] = []
    count = 0
    for citation in record.answer.citations:
        found.append(list(range(count, count + len(citation.quotes))))
        count += len(citation.quotes)
    return found


def _moment_of(message_id: str) -> str | None:
    """Return when an answer was begun: its id says so (UUIDv7). None for ids of another kind."""
    try:
        milliseconds = int(message_id[:8] + message_id[9:13], 16)
        return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None
