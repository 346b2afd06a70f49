"""Answers: claims, citations, quotes, and the events of a stream."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias

from pincite.core.documents import Box
from pincite.core.evidence import Filter, Scope, Source, Strategy
from pincite.core.ids import ChunkId, CollectionId, DocumentId, MessageId, VersionId
from pincite.core.messages import ModelUsage
from pincite.core.ocr import is_doubtful
from pincite.core.policies import Policy


class Verdict(StrEnum):
    """What the application found out about a claim against the union of its citations."""

    SUPPORTED = "supported"
    PARTLY = "partly"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"
    NOT_CHECKED = "not_checked"


@dataclass(frozen=True, slots=True)
class Span:
    """The part of a quote on one page. `page` and `page_size` are None where the format has no pages; `bates` may be empty.

    `cells` is the range of cells that it stands in (`B2:D9`) where the format has cells: then a page is a sheet. `confidence` is
    there where OCR read the page: how sure it is (0 to 1) of the word that it is least sure of.
    """

    page: int | None
    page_label: str | None
    section: str
    boxes: tuple[Box, ...] = ()
    page_size: tuple[float, float] | None = None
    bates: str = ""
    cells: str = ""
    confidence: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the span in the form of the HTTP contract."""
        return {
            "page": self.page,
            "page_label": self.page_label,
            "bates": self.bates or None,
            "section": self.section,
            "boxes": [box.as_list() for box in self.boxes],
            "page_size": list(self.page_size) if self.page_size else None,
            **({"cells": self.cells} if self.cells else {}),
            **({"confidence": self.confidence} if self.confidence is not None else {}),
        }


@dataclass(frozen=True, slots=True)
class Quote:
    """One literal run `[start, end)` of a version's canonical text."""

    text: str
    start: int
    end: int
    spans: tuple[Span, ...] = ()

    @property
    def is_doubtful(self) -> bool:
        """Whether OCR read a word of it of which it is not sure (`DOUBTFUL_BELOW`)."""
        return any(is_doubtful(span.confidence) for span in self.spans)

    def as_dict(self) -> dict[str, Any]:
        """Return the quote in the form of the HTTP contract."""
        return {
            "text": self.text,
            "start": self.start,
            "end": self.end,
            "spans": [span.as_dict() for span in self.spans],
            **({"doubtful": True} if self.is_doubtful else {}),
        }


@dataclass(frozen=True, slots=True)
class Citation:
    """An issued label attached to claims, with the quotes that support them. Of one that is `erased` the quotes are empty."""

    n: int
    document_id: DocumentId
    version_id: VersionId
    chunk_id: ChunkId
    quotes: tuple[Quote, ...]
    issued_by: Literal["model", "verifier"] = "model"
    also_in: tuple[int, ...] = ()
    erased: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the citation in the form of the HTTP contract."""
        erased = {"status": "erased"} if self.erased else {}
        return {
            **erased,
            "n": self.n,
            "document_id": self.document_id,
            "version_id": self.version_id,
            "chunk_id": self.chunk_id,
            "issued_by": self.issued_by,
            "quotes": [quote.as_dict() for quote in self.quotes],
            "also_in": list(self.also_in),
        }


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence, list item or table cell `[start, end)` of the answer; `citations` are indexes into the answer's citations.

    `judged_by` names the judge whose verdict it is; it is empty where the verifier's holds. `support` is the verifier's anyhow.
    """

    start: int
    end: int
    verdict: Verdict = Verdict.NOT_CHECKED
    support: float | None = None
    reason: str = ""
    citations: tuple[int, ...] = ()
    judged_by: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the claim in the form of the HTTP contract."""
        return {
            "start": self.start,
            "end": self.end,
            "verdict": self.verdict.value,
            "support": self.support,
            "reason": self.reason,
            "citations": list(self.citations),
            **({"judged_by": self.judged_by} if self.judged_by else {}),
        }


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sentences of two sources that are the same but for an amount or a date; `values` are these as each writes them.

    The first is cited by the answer, the other may be: `citations` hold both with number, place and quote.
    """

    values: tuple[str, ...]
    citations: tuple[Citation, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the conflict as it is sent."""
        return {"values": list(self.values), "citations": [citation.as_dict() for citation in self.citations]}


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds of the steps of one answer."""

    embedding_ms: float = 0.0
    retrieval_ms: float = 0.0
    time_to_first_token_ms: float | None = None
    generation_ms: float = 0.0

    def as_dict(self) -> dict[str, float | None]:
        """Return the timings in the form of the HTTP contract."""
        return {
            "embedding_ms": self.embedding_ms,
            "retrieval_ms": self.retrieval_ms,
            "time_to_first_token_ms": self.time_to_first_token_ms,
            "generation_ms": self.generation_ms,
        }


@dataclass(frozen=True, slots=True)
class SourcesChunk:
    """First event: the numbered sources, before any text."""

    sources: tuple[Source, ...]
    message_id: MessageId
    strategy: Strategy = Strategy.HYBRID
    scope: Scope | None = None


@dataclass(frozen=True, slots=True)
class TokenChunk:
    """A piece of the answer's text; never half a citation marker."""

    text: str


@dataclass(frozen=True, slots=True)
class DoneChunk:
    """Last event: what the application knows about the finished text. `withheld` counts the claims that were not sent.

    `conflicts` are sources that disagree with what is cited, `uncited` numbers of sources that speak of what was asked and that no
    citation uses; `uncited_claims` counts claims without a citation. `answerable` is the probability (0–1) that what was found
    answers the question, None where it can't be told.
    """

    answered: bool
    claims: tuple[Claim, ...]
    citations: tuple[Citation, ...]
    message_id: MessageId
    model: str = ""
    usage: ModelUsage = field(default_factory=ModelUsage)
    timings: Timings = field(default_factory=Timings)
    policy: Policy = Policy.FLAG
    withheld: int = 0
    conflicts: tuple[Conflict, ...] = ()
    uncited: tuple[int, ...] = ()
    uncited_claims: int = 0
    answerable: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the event in the form of the HTTP contract."""
        return _outcome(self)


AnswerEvent: TypeAlias = SourcesChunk | TokenChunk | DoneChunk


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer: the fold of its stream."""

    text: str
    sources: tuple[Source, ...]
    citations: tuple[Citation, ...] = ()
    claims: tuple[Claim, ...] = ()
    answered: bool = True
    message_id: MessageId = MessageId("")
    model: str = ""
    usage: ModelUsage = field(default_factory=ModelUsage)
    timings: Timings = field(default_factory=Timings)
    strategy: Strategy = Strategy.HYBRID
    scope: Scope | None = None
    policy: Policy = Policy.FLAG
    withheld: int = 0
    conflicts: tuple[Conflict, ...] = ()
    uncited: tuple[int, ...] = ()
    uncited_claims: int = 0
    answerable: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the answer in the form of the HTTP contract's JSON twin."""
        return {"text": self.text, "sources": [source.as_dict() for source in self.sources], **_outcome(self)}


def _outcome(answer: "Answer | DoneChunk") -> dict[str, Any]:
    cut = {"truncated": True} if answer.usage.truncated else {}
    return {
        "answered": answer.answered,
        "answerable": answer.answerable,
        **cut,
        "claims": [claim.as_dict() for claim in answer.claims],
        "citations": [citation.as_dict() for citation in answer.citations],
        "policy": answer.policy.value,
        "withheld": answer.withheld,
        "conflicts": [conflict.as_dict() for conflict in answer.conflicts],
        "uncited": list(answer.uncited),
        "uncited_claims": answer.uncited_claims,
        "message_id": answer.message_id,
        "model": answer.model,
        "usage": answer.usage.as_dict(),
        "timings": answer.timings.as_dict(),
    }


@dataclass(frozen=True, slots=True)
class FrozenQuote:
    """A cited passage as it is kept with the answer: text, place, and a commitment SHA-256(nonce ‖ text).

    Of one that is `erased` the commitment alone is left: without the nonce nobody can try texts against it.
    """

    n: int
    document_id: DocumentId
    version_id: VersionId
    start: int
    end: int
    text: str
    nonce: str
    commitment: str
    spans: tuple[Span, ...] = ()
    erased: bool = False


@dataclass(frozen=True, slots=True)
class CitedVersion:
    """A version that an answer cites, as it was then. Of one that is erased title, path and hash are empty."""

    document_id: DocumentId
    version_id: VersionId
    title: str = ""
    path: str = ""
    sha256: str = ""
    parser: str = ""
    parser_version: str = ""


@dataclass(frozen=True, slots=True)
class Basis:
    """Under which settings an answer came about. `prompt_sha256` is that of the messages, empty when no model was asked.

    `template_sha256` is that of the prompt before sources and question were put in, `turns` counts the exchanges that it repeated.
    """

    collection_ids: tuple[CollectionId, ...] = ()
    filter: Filter = field(default_factory=Filter)
    limit: int = 0
    surface: str = ""
    turns: int = 0
    max_context_characters: int = 0
    prompt_sha256: str = ""
    template_sha256: str = ""
    verifier: str = ""
    versions: tuple[CitedVersion, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgeUse:
    """The model that claims of an answer were put to, and what that took."""

    model: str
    usage: ModelUsage


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """An answer as it is stored: question, answer, the frozen passages it cites, how it came about, and what judging it took."""

    question: str
    answer: Answer
    evidence: tuple[FrozenQuote, ...]
    basis: Basis = field(default_factory=Basis)
    judging: JudgeUse | None = None
