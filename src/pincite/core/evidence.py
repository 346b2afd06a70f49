"""What retrieval is asked for and what it brings: queries, passages, sources."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pincite.core.documents import ChunkType, PageSpan
from pincite.core.ids import ChunkId, CollectionId, DocumentId, VersionId
from pincite.core.policies import Policy


class Strategy(StrEnum):
    """Which sides of the index a search uses."""

    HYBRID = "hybrid"
    DENSE = "dense"
    LEXICAL = "lexical"


@dataclass(frozen=True, slots=True)
class Filter:
    """What narrows a search. Empty fields don't narrow; `path_prefix` matches whole paths or folders, `tags` any of them."""

    document_ids: tuple[DocumentId, ...] = ()
    path_prefix: str = ""
    content_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Say whether nothing is narrowed."""
        return not (self.document_ids or self.path_prefix or self.content_types or self.tags)


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier exchange of a conversation: untrusted data, never instructions."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Query:
    """A search: the text, where to look, how, how many passages to bring, and what was said before it."""

    text: str
    collection_ids: tuple[CollectionId, ...] = ()
    filter: Filter = field(default_factory=Filter)
    limit: int = 6
    strategy: Strategy = Strategy.HYBRID
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of one passage: fused in 0–1, raw cosine, raw BM25; None where a side didn't score it."""

    fused: float = 0.0
    dense: float | None = None
    lexical: float | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved chunk with what is shown of its document, as the database confirmed it.

    A retriever of your own needs `text` and, for good citations, `document_id`, `title` and `pages`.
    `start` and `end` are offsets in the version's canonical text. Of one that is `erased` stored answers keep ids and place alone.
    """

    text: str
    document_id: DocumentId = DocumentId("")
    title: str = ""
    path: str = ""
    chunk_id: ChunkId = ChunkId("")
    version_id: VersionId = VersionId("")
    collection_id: CollectionId = CollectionId("")
    chunk_index: int = 0
    start: int = 0
    end: int = 0
    content_type: str = ""
    pages: tuple[PageSpan, ...] = ()
    heading_path: tuple[str, ...] = ()
    chunk_type: ChunkType = ChunkType.TEXT
    generated: bool = False
    image_url: str | None = None
    lang: str = ""
    scores: Scores = field(default_factory=Scores)
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    erased: bool = False

    @property
    def page(self) -> int | None:
        """Return the page it starts on, None without pages."""
        return self.pages[0].page if self.pages else None


@dataclass(frozen=True, slots=True)
class PassageText:
    """What tells a confirmed chunk from others: its words, and where it stands in its version.

    `members` are the chunks that a summary, which is `generated`, summarises.
    """

    chunk_id: ChunkId
    version_id: VersionId
    chunk_index: int
    title: str
    heading_path: tuple[str, ...]
    text: str
    generated: bool = False
    members: tuple[ChunkId, ...] = ()


@dataclass(frozen=True, slots=True)
class Signals:
    """How strong the evidence is: best raw cosine, best raw BM25, the question's idf mass, and the share of it said literally.

    `idf_mass` is the sum of the idf of the question's words in the collection searched (0 where unknown); `literal` (0–1) is the
    largest share of the question that a passage holds word for word. `dense_next` and `lexical_next` are the means of the five
    scores behind the best one (None where there are too few): what stands out says more than what is high.
    """

    dense_top: float | None = None
    lexical_top: float | None = None
    idf_mass: float = 0.0
    literal: float = 0.0
    dense_next: float | None = None
    lexical_next: float | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What was searched: documents by state, and pages that draw something but gave no text.

    `searchable` counts those that can be found, whatever their state: by an earlier version, or while their vectors are made.
    """

    documents: int = 0
    ready: int = 0
    in_work: int = 0
    failed: int = 0
    pages_unread: int = 0
    searchable: int = 0

    def as_dict(self) -> dict[str, int]:
        """Return the scope in the form of the HTTP contract."""
        return {
            "documents": self.documents,
            "ready": self.ready,
            "in_work": self.in_work,
            "failed": self.failed,
            "pages_unread": self.pages_unread,
            "searchable": self.searchable,
        }


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A retriever's result: passages in order of score, with how they were found, and the policies of what was searched."""

    passages: tuple[Passage, ...]
    strategy: Strategy = Strategy.HYBRID
    signals: Signals | None = None
    scope: Scope | None = None
    embedding_ms: float = 0.0
    retrieval_ms: float = 0.0
    policies: Mapping[CollectionId, Policy] = field(default_factory=dict[CollectionId, Policy])


@dataclass(frozen=True, slots=True)
class Source:
    """What one number of an answer points at: the retrieved passages of one page, or of one document without pages.

    `passages` stand in page order; `best` is the one with the highest fused score.
    """

    n: int
    passages: tuple[Passage, ...]

    @property
    def best(self) -> Passage:
        """Return the passage with the highest fused score."""
        return max(self.passages, key=lambda passage: passage.scores.fused)

    @property
    def quotable(self) -> tuple[Passage, ...]:
        """Return the passages that are the document's own words, not a model's."""
        return tuple(passage for passage in self.passages if not passage.generated)

    @property
    def title(self) -> str:
        """Return the document's title."""
        return self.best.title

    @property
    def page(self) -> int | None:
        """Return the page that the source stands for."""
        return self.best.page

    @property
    def url(self) -> str:
        """Return the document's address, with `#page=N` where it has pages."""
        address = self.best.metadata.get("source_uri", "") or self.best.path
        return f"{address}#page={self.page}" if self.page else address

    @property
    def text(self) -> str:
        """Return the passages' texts, one after another."""
        return "\n".join(passage.text for passage in self.passages)

    @property
    def metadata(self) -> Mapping[str, str]:
        """Return the document's metadata; `source_uri` is its address."""
        return self.best.metadata

    def as_dict(self) -> dict[str, Any]:
        """Return the source in the form of the HTTP contract."""
        best = self.best
        scores = best.scores
        pages = best.pages
        return {
            **({"status": "erased"} if best.erased else {}),
            "n": self.n,
            "source": best.path.rsplit("/", 1)[-1] or best.title,
            "title": best.title,
            "url": self.url,
            "document_id": best.document_id,
            "version_id": best.version_id,
            "chunk_id": best.chunk_id,
            "chunk_index": best.chunk_index,
            "page_from": pages[0].page if pages else None,
            "page_to": pages[-1].page if pages else None,
            "page_label": pages[0].label if pages else None,
            "bates": (pages[0].bates or None) if pages else None,
            "section": " › ".join(best.heading_path),
            "text": best.text,
            "score": scores.fused,
            "scores": {"fused": scores.fused, "dense": scores.dense, "lexical": scores.lexical},
            "chunk_type": best.chunk_type.value,
            "generated": best.generated,
            "image_url": best.image_url,
            "chunks": [
                {
                    "chunk_id": p.chunk_id,
                    "chunk_index": p.chunk_index,
                    "start": p.start,
                    "end": p.end,
                    "score": p.scores.fused,
                    "generated": p.generated,
                }
                for p in self.passages
            ],
            "metadata": dict(best.metadata),
        }
