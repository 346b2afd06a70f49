"""What collections, documents and their parts look like."""

from datetime import datetime
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StringConstraints, model_validator

from pincite.core.documents import CanonicalText, Chunk, Collection, Document, Stage
from pincite.core.evidence import Filter, Query, Scope, Strategy
from pincite.core.ids import CollectionId, DocumentId
from pincite.core.ingestions import Ingestion
from pincite.core.pictures import picture_url
from pincite.core.policies import Policy
from pincite.core.summaries import SummaryRun, SummaryState
from pincite.retrieval.history import Standing
from pincite.server.schemas.evidence import ScopeRow, Source
from pincite.server.schemas.query import MAX_DOCUMENTS, MAX_TAGS, SAYING_PATTERN, Id, Question, Text, storable, whole
from pincite.workspaces.collections import MAX_NAME_CHARACTERS

CollectionName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_NAME_CHARACTERS),
    AfterValidator(storable),
    Field(json_schema_extra={"pattern": SAYING_PATTERN}),
]


class NewCollection(BaseModel):
    """A collection to be made. With `summaries` its documents are summarised, which a chat model is paid for. `policy` says what is
    done with claims of answers that aren't supported: they are marked (`flag`), withheld (`strict`), or not judged (`off`).
    """

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "Contracts"}]})

    name: CollectionName
    summaries: StrictBool = False
    policy: Policy = Policy.FLAG


class CollectionChange(BaseModel):
    """What of a collection is to become otherwise: name, policy, whether its documents are summarised; what isn't given stays.

    Without summaries those that are there are deleted. Its embedding model is changed by `pincite reembed`.
    """

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"name": "Contracts"}, {"policy": "strict"}], "minProperties": 1}
    )

    # Left out is another thing than null, which is refused; the schema then has no default to show.
    name: CollectionName = Field(default_factory=str)
    summaries: StrictBool = Field(default_factory=bool)
    policy: Policy = Field(default_factory=lambda: Policy.FLAG)

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("Say what is to change: name, summaries or policy.")
        return self


class EmbeddingRow(BaseModel):
    """The embedding model that a collection froze."""

    name: str
    revision: str
    dimensions: int


class CollectionRow(BaseModel):
    """A collection. `embedding` is null when it is searched by words alone; with `summaries` its documents are summarised."""

    id: str
    name: str
    created_at: datetime
    embedding: EmbeddingRow | None
    summaries: bool
    policy: Policy
    scope: ScopeRow


class StageTimings(BaseModel):
    """Milliseconds that reading has spent in each stage so far."""

    parsing_ms: float
    chunking_ms: float
    embedding_ms: float


class Progress(BaseModel):
    """How far reading is: pages, then pictures that a model describes, then chunks; `total` is 0 while it isn't known."""

    attempt: int
    done: int
    total: int
    timings: StageTimings


class ReasonRow(BaseModel):
    """Why a document failed: a stable code, and a sentence that says what to do."""

    code: str
    message: str


class SummariesRow(BaseModel):
    """How far a document's summaries are. Where they failed it is found all the same, and `reason` says why."""

    state: SummaryState
    attempt: int
    done: int
    total: int
    model: str
    reason: ReasonRow | None
    summarising_ms: float


class DocumentRow(BaseModel):
    """A document and its state. `version_id` is the version that is searched, null before the first is ready.

    `container_id` is the document whose file holds this one, as a message does its attachments. `versions` counts those that are
    or were searched, `duplicate_ids` are other documents with the same bytes. One that is `held` can't be removed. `pages_ocr`
    counts pages whose text OCR read in a picture, `pages_unread` those that draw something but gave no text; `warnings` say why.
    `summaries` is null where none were asked for.
    """

    id: str
    collection_id: str
    path: str
    title: str
    content_type: str
    source_uri: str
    container_id: str | None
    stage: Stage
    reason: ReasonRow | None
    progress: Progress | None
    summaries: SummariesRow | None
    version_id: str | None
    sha256: str
    size_bytes: int
    pages: int
    pages_unread: int
    pages_ocr: int
    warnings: list[str]
    chunks: int
    locale: str
    doc_date: str
    tags: list[str]
    versions: int
    duplicate_ids: list[str]
    held: bool
    created_at: datetime
    updated_at: datetime


ENDED = (Stage.READY, Stage.FAILED)


class CollectionRows(BaseModel):
    """Collections by name."""

    collections: list[CollectionRow]


class DocumentRows(BaseModel):
    """Documents by path. `next` is what to send as `after` for more, null at the end."""

    documents: list[DocumentRow]
    next: str | None = None


class ChunkRow(BaseModel):
    """A passage: `text` is the literal run `[start, end)` of the version's canonical text, in code points.

    `ocr` says that OCR read text of it in a picture.
    Where it is `generated`, a model wrote it, and it belongs beside that run; a summary names the chunks that it summarises.
    """

    id: str
    chunk_index: int
    text: str
    start: int
    end: int
    section: str
    token_count: int
    page_from: int | None
    page_to: int | None
    chunk_type: str
    generated: bool
    summarises: list[str] = Field(description="Ids of the chunks that it is a summary of; these may be summaries themselves.")
    ocr: bool
    image_url: str | None = Field(description="Where the picture is: a figure, or the scanned page that it begins on.")


class ChunkRows(BaseModel):
    """The chunks of the version that is searched, in order."""

    version_id: str
    chunks: list[ChunkRow]


class BlockRow(BaseModel):
    """A block of canonical text with its role; offsets are code points of the whole text."""

    role: str
    level: int
    page: int | None
    start: int
    end: int
    text: str


class CanonicalPage(BaseModel):
    """Blocks of one page, or of the whole text."""

    version_id: str
    page: int | None
    pages: int
    blocks: list[BlockRow]


class SearchRequest(BaseModel):
    """A retrieval test."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"query": "notice period", "limit": 3}]})

    query: Question
    limit: Annotated[int, Field(strict=True, ge=1, le=100), BeforeValidator(whole)] = 10
    strategy: Strategy = Strategy.HYBRID
    document_ids: list[Id] | None = Field(None, max_length=MAX_DOCUMENTS)
    path_prefix: Annotated[Text, Field(max_length=4096)] | None = None
    content_types: list[Annotated[Text, Field(max_length=200)]] | None = Field(None, max_length=50)
    tags: list[Annotated[Text, Field(max_length=200)]] | None = Field(None, max_length=MAX_TAGS)

    def of(self, collection_id: str) -> Query:
        """Return the query for the searcher."""
        chosen = Filter(
            tuple(DocumentId(each) for each in self.document_ids or ()),
            self.path_prefix or "",
            tuple(self.content_types or ()),
            tuple(self.tags or ()),
        )
        return Query(self.query, (CollectionId(collection_id),), chosen, self.limit, self.strategy)


class SearchResult(BaseModel):
    """Hits as sources, each with its dense, lexical and fused scores."""

    strategy: Strategy
    scope: ScopeRow
    hits: list[Source]
    timings: dict[str, float]


def scope_row(scope: Scope) -> ScopeRow:
    """Return a scope as it is sent."""
    return ScopeRow(**scope.as_dict())


def collection_row(collection: Collection, scope: Scope) -> CollectionRow:
    """Return a collection as it is sent."""
    spec = collection.embedding
    embedding = EmbeddingRow(name=spec.name, revision=spec.revision, dimensions=spec.dimensions) if spec else None
    return CollectionRow(
        id=collection.id,
        name=collection.name,
        created_at=collection.created_at,
        embedding=embedding,
        summaries=collection.summaries,
        policy=collection.policy,
        scope=scope_row(scope),
    )


def _progress(ingestion: Ingestion) -> Progress:
    timings = StageTimings(**ingestion.timings.as_dict())
    return Progress(attempt=ingestion.attempt, done=ingestion.done, total=ingestion.total, timings=timings)


def _summaries(run: SummaryRun) -> SummariesRow:
    reason = ReasonRow(code=run.reason.code, message=run.reason.message) if run.reason else None
    return SummariesRow(
        state=run.state,
        attempt=run.attempt,
        done=run.done,
        total=run.total,
        model=run.model,
        reason=reason,
        summarising_ms=round(run.ms, 1),
    )


def document_row(
    document: Document, ingestion: Ingestion | None, standing: Standing, summaries: SummaryRun | None = None
) -> DocumentRow:
    """Return a document as it is sent. While it is read, the stage is that of its attempt."""
    # An attempt that has ended since the document's row was read tells of another row: that one still has the version before.
    in_work = document.stage not in ENDED and (ingestion is None or ingestion.stage not in ENDED)
    reason = document.reason
    return DocumentRow(
        id=document.id,
        collection_id=document.collection_id,
        path=document.path,
        title=document.title,
        content_type=document.content_type,
        source_uri=document.source_uri,
        container_id=document.container_id,
        stage=ingestion.stage if in_work and ingestion else document.stage,
        reason=ReasonRow(code=reason.code, message=reason.message) if reason else None,
        progress=_progress(ingestion) if ingestion else None,
        summaries=_summaries(summaries) if summaries and summaries.state is not SummaryState.OFF else None,
        version_id=document.version_id,
        sha256=document.sha256,
        size_bytes=document.size_bytes,
        pages=document.pages,
        pages_unread=document.pages_unread,
        pages_ocr=document.pages_ocr,
        warnings=list(document.warnings),
        chunks=document.chunks,
        locale=document.locale,
        doc_date=document.doc_date,
        tags=list(document.tags),
        versions=standing.versions,
        duplicate_ids=list(standing.duplicate_ids),
        held=standing.hold is not None,
        created_at=document.created_at,
        updated_at=document.updated_at,
    )


def chunk_row(chunk: Chunk) -> ChunkRow:
    """Return a chunk as it is sent."""
    return ChunkRow(
        id=chunk.id,
        chunk_index=chunk.chunk_index,
        text=chunk.text,
        start=chunk.start,
        end=chunk.end,
        section=" › ".join(chunk.heading_path),
        token_count=chunk.token_count,
        page_from=chunk.pages[0].page if chunk.pages else None,
        page_to=chunk.pages[-1].page if chunk.pages else None,
        chunk_type=chunk.chunk_type.value,
        generated=chunk.generated,
        summarises=list(chunk.members),
        ocr=any(page.ocr for page in chunk.pages),
        image_url=picture_url(chunk.document_id, chunk.version_id, chunk.figure_id, chunk.pages),
    )


def block_rows(canonical: CanonicalText, page: int | None) -> list[BlockRow]:
    """Return the blocks that stand on a page, or all. A block over a page break counts for the page it starts on."""
    return [
        BlockRow(
            role=block.role.value,
            level=block.level,
            page=block.page,
            start=block.start,
            end=block.end,
            text=canonical.text[block.start : block.end],
        )
        for block in canonical.blocks
        if page is None or block.page == page
    ]
