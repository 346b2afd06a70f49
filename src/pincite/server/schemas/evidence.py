"""What a search brings, as it is sent: sources, their scores, and what was searched."""

from pydantic import BaseModel, Field

from pincite.core.documents import ChunkType


class ScopeRow(BaseModel):
    """Documents by state, and pages that draw something but gave no text. `searchable` ones can be found, whatever their state."""

    documents: int
    ready: int
    in_work: int
    failed: int
    pages_unread: int
    searchable: int


class Scores(BaseModel):
    """Fused score in 0–1, raw cosine, raw BM25; null where a side didn't score it."""

    fused: float
    dense: float | None
    lexical: float | None


class SourceChunk(BaseModel):
    """A passage of a source: offsets are code points of the version's canonical text.

    One that is `generated` was written by a model, of a picture or as a summary, and belongs beside the run that they name.
    """

    chunk_id: str
    chunk_index: int
    start: int
    end: int
    score: float
    generated: bool


class Source(BaseModel):
    """What one number of an answer points at: a page, or a document without pages. The upper fields are its best passage's."""

    n: int
    source: str = Field(description="Name of the file.")
    title: str
    url: str = Field(description="The document's address, with `#page=N` where it has pages.")
    document_id: str
    version_id: str
    chunk_id: str
    chunk_index: int
    page_from: int | None
    page_to: int | None
    page_label: str | None = Field(description="The number printed on the page.")
    bates: str | None
    section: str
    text: str
    score: float
    scores: Scores
    chunk_type: ChunkType
    generated: bool
    image_url: str | None
    chunks: list[SourceChunk]
    metadata: dict[str, str]
