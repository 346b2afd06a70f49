"""Answers that receipts are made of, and their checks with a signer in memory."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

from pincite.adapters.memory.signing import MemorySigner, memory_check, memory_stamped
from pincite.answering.receipt_checks import CheckedReceipt, ReceiptChecks
from pincite.answering.receipts import document_of, issue
from pincite.core.answers import Answer, AnswerRecord, Basis, Citation, CitedVersion, Claim, FrozenQuote, Quote, Span, Verdict
from pincite.core.documents import Box
from pincite.core.errors import RefusedInput
from pincite.core.evidence import Filter, Passage, Scope, Source
from pincite.core.ids import ChunkId, CollectionId, DocumentId, MessageId, VersionId, WorkspaceId
from pincite.core.receipts import Receipt

WORKSPACE = WorkspaceId("00000000-0000-7000-8000-000000000001")
LEASE, FEES = DocumentId("lease"), DocumentId("fees")
TEXTS = ("The notice period is sixty days.", "Late payment costs “ten” euros — a day.")

CHECKS = ReceiptChecks(memory_check, memory_stamped)


def record_of(*texts: str, number: int = 1, question: str = "How long, and at what price? é") -> AnswerRecord:
    """Return an answer with a claim, a citation and a quote for each text, each of a document of its own, and a claim without."""
    ids = [(DocumentId(f"document-{at}"), VersionId(f"version-{at}")) for at in range(len(texts))]
    spans = [
        (Span(at + 3, "iii", "One › Two", (Box(72.0, 0.1 + 0.2, 1e-7, 841.89),), (595.276, 841.89)),) for at in range(len(texts))
    ]
    quotes = [Quote(text, 10 * at, 10 * at + len(text), spans[at]) for at, text in enumerate(texts)]
    claims: list[Claim] = []
    body = ""
    for at, text in enumerate(texts):
        claims.append(Claim(len(body), len(body) + len(text), Verdict.SUPPORTED, 0.875, f"It says {text[:10]}", (at,)))
        body += f"{text} [{at + 1}] "
    claims.append(Claim(len(body), len(body) + 9))
    body += "Who knows."
    passages = [
        Passage(text, *ids[at][:1], f"Title {at}", f"a/{at}.pdf", ChunkId(f"c{at}"), ids[at][1], CollectionId("k"))
        for at, text in enumerate(texts)
    ]
    answer = Answer(
        text=body,
        sources=tuple(Source(at + 1, (passage,)) for at, passage in enumerate(passages)),
        citations=tuple(Citation(at + 1, *ids[at], ChunkId(f"c{at}"), (quote,)) for at, quote in enumerate(quotes)),
        claims=tuple(claims),
        message_id=MessageId(f"019a0000-0000-7000-8000-{number:012}"),
        model="a model",
        scope=Scope(2, 2),
    )
    evidence = tuple(_frozen(at + 1, *ids[at], quote) for at, quote in enumerate(quotes))
    versions = tuple(CitedVersion(*ids[at], f"Title {at}", f"a/{at}.pdf", "ab" * 32, "pdf", "7") for at in range(len(texts)))
    basis = Basis((CollectionId("k"),), Filter(path_prefix="a/"), 6, "test", 1, 24_000, "cd" * 32, "ef" * 32, "quotes/1", versions)
    return AnswerRecord(question, answer, evidence, basis)


def _frozen(n: int, document_id: DocumentId, version_id: VersionId, quote: Quote) -> FrozenQuote:
    nonce = f"{n:032x}"
    commitment = hashlib.sha256(bytes.fromhex(nonce) + quote.text.encode(errors="surrogatepass")).hexdigest()
    return FrozenQuote(n, document_id, version_id, quote.start, quote.end, quote.text, nonce, commitment, quote.spans)


def issued(record: AnswerRecord, previous: Receipt | None = None) -> Receipt:
    return issue(record, previous, MemorySigner(), workspace_id=WORKSPACE, software="pincite test")


def checked(record: AnswerRecord) -> CheckedReceipt:
    """Return what is found out about a record's receipt."""
    return CHECKS.check(document_of(issued(record), record))


def codes(data: bytes, *, key: str = "") -> list[str]:
    """Return what is found wrong with a receipt, `refused` for what is none."""
    try:
        return [fault.code.value for fault in CHECKS.check(data, key=key).faults]
    except RefusedInput:
        return ["refused"]


def with_text(record: AnswerRecord, change: Callable[[str], str]) -> AnswerRecord:
    """Return a record that quotes something else."""
    return replace(record, evidence=tuple(replace(quote, text=change(quote.text)) for quote in record.evidence))
