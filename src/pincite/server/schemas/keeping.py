"""What is told of holds and of a document's versions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from pincite.core.documents import Document
from pincite.core.keeping import Hold
from pincite.ingest.erasing import Erased
from pincite.retrieval.history import History, PastVersion
from pincite.server.schemas.query import Text

MAX_REASON_CHARACTERS = 500


class HoldRequest(BaseModel):
    """Why a document is put on hold."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"reason": "Miller v. Smith"}]})

    reason: Annotated[Text, Field(max_length=MAX_REASON_CHARACTERS)] = ""


class HoldRow(BaseModel):
    """A hold: the document is neither removed nor erased until it is released."""

    document_id: str
    held_at: datetime
    reason: str


class VersionRow(BaseModel):
    """A version of a document. `supersedes_id` is the version that it took the place of; `cited` says that answers cite it."""

    id: str
    created_at: datetime
    sha256: str
    size_bytes: int
    content_type: str
    parser: str
    parser_version: str
    searched: bool
    cited: bool
    supersedes_id: str | None


class DuplicateRow(BaseModel):
    """Another document with the same bytes."""

    document_id: str
    collection_id: str
    path: str


class HistoryRow(BaseModel):
    """A document's versions, newest first, other documents with the bytes that it has now, and its hold."""

    document_id: str
    versions: list[VersionRow]
    duplicates: list[DuplicateRow]
    hold: HoldRow | None


class ErasedRow(BaseModel):
    """What an erasure did. `messages` counts answers and logged questions that rested on the document.

    `duplicates` are other documents with the same bytes: they stay. `copies` are backups, named as they were written, that may hold
    what was erased. `left` says what could not be destroyed yet.
    """

    document_ids: list[str]
    messages: int
    duplicates: list[DuplicateRow]
    copies: list[str]
    left: list[str]


def erased_row(erased: Erased) -> ErasedRow:
    """Return what an erasure did as it is sent."""
    return ErasedRow(
        document_ids=list(erased.document_ids),
        messages=erased.messages,
        duplicates=_duplicate_rows(erased.duplicates),
        copies=list(erased.copies),
        left=list(erased.left),
    )


def _duplicate_rows(documents: Sequence[Document]) -> list[DuplicateRow]:
    return [DuplicateRow(document_id=each.id, collection_id=each.collection_id, path=each.path) for each in documents]


def hold_row(hold: Hold) -> HoldRow:
    """Return a hold as it is sent."""
    return HoldRow(document_id=hold.document_id, held_at=hold.held_at, reason=hold.reason)


def history_row(history: History) -> HistoryRow:
    """Return a history as it is sent."""
    return HistoryRow(
        document_id=history.document.id,
        versions=[_version_row(each) for each in history.versions],
        duplicates=_duplicate_rows(history.duplicates),
        hold=hold_row(history.hold) if history.hold else None,
    )


def _version_row(past: PastVersion) -> VersionRow:
    version = past.version
    return VersionRow(
        id=version.id,
        created_at=version.created_at,
        sha256=version.sha256,
        size_bytes=version.size_bytes,
        content_type=version.content_type,
        parser=version.parser,
        parser_version=version.parser_version,
        searched=past.is_searched,
        cited=past.is_cited,
        supersedes_id=past.supersedes_id,
    )
