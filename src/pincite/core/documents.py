"""Documents and what becomes of them: versions, canonical text, chunks, boxes."""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from itertools import groupby
from urllib.parse import quote

from pincite.core.figures import FigurePlace
from pincite.core.ids import ChunkId, CollectionId, DocumentId, FigureId, VersionId, WorkspaceId
from pincite.core.index_text import index_text
from pincite.core.ocr import IN_PICTURES, ReadWord, words_in
from pincite.core.policies import Policy

_INSIDE = "inside:"
PPTX_TYPE = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
ODP_TYPE = "application/vnd.oasis.opendocument.presentation"
SLIDES_TYPES = frozenset({PPTX_TYPE, ODP_TYPE})


class Stage(StrEnum):
    """Where a document stands. One whose first version is being embedded is found by its words already."""

    PENDING = "pending"
    PARSING = "parsing"
    CHUNKING = "chunking"
    EMBEDDING = "embedding"
    READY = "ready"
    FAILED = "failed"


class BlockRole(StrEnum):
    """What a block of canonical text is on its page."""

    BODY = "body"
    HEADING = "heading"
    TABLE = "table"
    FOOTNOTE = "footnote"
    CAPTION = "caption"
    HEADER = "header"
    FOOTER = "footer"
    PAGE_NUMBER = "page_number"


class ChunkType(StrEnum):
    """What a chunk was made from."""

    TEXT = "text"
    TABLE = "table"
    IMAGE_DESCRIPTION = "image_description"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in PDF points, origin top left, in the page as displayed (rotation applied)."""

    x0: float
    y0: float
    x1: float
    y1: float

    def as_list(self) -> list[float]:
        """Return `[x0, y0, x1, y1]`."""
        return [self.x0, self.y0, self.x1, self.y1]


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its number from 1, the label printed or declared for it, its size as displayed in points (0 where unknown).

    `bates` is the number of a sequence stamped on the pages of a production (`ABC000123`), empty without one.
    """

    number: int
    label: str
    width: float = 0.0
    height: float = 0.0
    bates: str = ""


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A page as it is displayed, in PNG form: `width` times `height` pixels that show `page_width` times `page_height` points.

    The box of a quote, in points, covers its words when it is scaled by `width / page_width`.
    """

    png: bytes = field(repr=False)
    width: int
    height: int
    page_width: float
    page_height: float


@dataclass(frozen=True, slots=True)
class Block:
    """A run of canonical text with one role. `page` is where it starts (None without pages); `level` is a heading's depth."""

    role: BlockRole
    start: int
    end: int
    page: int | None = None
    level: int = 0


@dataclass(frozen=True, slots=True)
class SourceRun:
    """Canonical characters `[start, start+length)` come from characters `[index, index+count)` of a page of the file.

    With `length == count` they correspond one to one; otherwise (a ligature, a normalised character) the run stands as a whole.
    On a page that OCR read the index counts what it read there. In a file without pages `page` is 0 and the index counts characters
    of the decoded file; in office files those that the reader took, in its order: of the whole file, or of the slide. Characters
    that parsing added (a blank between lines, a blank line between blocks) belong to no run.
    """

    start: int
    length: int
    page: int
    index: int
    count: int


@dataclass(frozen=True, slots=True)
class PageSpan:
    """The part `[start, end)` of a run of canonical text that stands on one page; `ocr` says that OCR read it in a picture."""

    page: int
    label: str
    start: int
    end: int
    bates: str = ""
    ocr: bool = False


@dataclass(frozen=True)
class CanonicalText:
    """The text of a version as an ordered list of blocks. All offsets are Unicode code points.

    Body flow comes first in reading order; headers, footers, page numbers and footnotes are lifted out and follow it, so that
    a sentence may cross a page. Blocks and runs are sorted by start; blocks don't overlap. `words` are those that OCR read, sorted
    by page and index.
    """

    text: str
    blocks: tuple[Block, ...]
    pages: tuple[Page, ...] = ()
    runs: tuple[SourceRun, ...] = ()
    words: tuple[ReadWord, ...] = ()

    @cached_property
    def _run_starts(self) -> list[int]:
        return [run.start for run in self.runs]

    @cached_property
    def _pages_by_number(self) -> dict[int, Page]:
        return {page.number: page for page in self.pages}

    @cached_property
    def pages_by_ocr(self) -> frozenset[int]:
        """The pages whose text OCR read, not only that in pictures on them."""
        return frozenset(word.page for word in self.words if word.index < IN_PICTURES)

    def is_by_ocr(self, run: SourceRun) -> bool:
        """Say whether OCR read the characters of a run."""
        return run.page in self.pages_by_ocr or (run.index >= IN_PICTURES and bool(self.words_of(run)))

    def words_of(self, run: SourceRun) -> Sequence[ReadWord]:
        """Return the words that OCR read for the characters of a run."""
        return words_in(self.words, run.page, run.index, run.index + run.count)

    def runs_within(self, start: int, end: int) -> list[SourceRun]:
        """Return the runs that overlap `[start, end)`, cut to it where they correspond one to one."""
        first, last = max(0, bisect_right(self._run_starts, start) - 1), bisect_left(self._run_starts, end)
        return [_cut(run, start, end) for run in self.runs[first:last] if run.start + run.length > start]

    def page_spans(self, start: int, end: int) -> tuple[PageSpan, ...]:
        """Return the pages that `[start, end)` stands on, in order, each with its part; empty without pages."""
        if not self.pages:
            return ()
        parts = groupby(self.runs_within(start, end), key=lambda run: run.page)
        return tuple(self._page_span(number, list(runs)) for number, runs in parts)

    def _page_span(self, number: int, runs: Sequence[SourceRun]) -> PageSpan:
        page = self._pages_by_number.get(number)
        label, bates = (page.label, page.bates) if page else (str(number), "")
        by_ocr = bool(self.words) and all(map(self.is_by_ocr, runs))
        return PageSpan(number, label, runs[0].start, runs[-1].start + runs[-1].length, bates, by_ocr)


def _cut(run: SourceRun, start: int, end: int) -> SourceRun:
    if run.length != run.count or (start <= run.start and run.start + run.length <= end):
        return run
    first, last = max(run.start, start), min(run.start + run.length, end)
    return SourceRun(first, last - first, run.page, run.index + first - run.start, last - first)


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """What a parser makes of a file. `pages_unread` counts pages that draw something but gave no text.

    `unread` are those of them that OCR may read (the text is empty where all pages are), `warnings` sentences about what couldn't
    be read. `doc_date` is the day that the file is dated (ISO 8601), empty where it isn't; `contained` counts the files inside it.
    """

    canonical: CanonicalText
    content_type: str
    parser: str
    parser_version: str
    title: str | None = None
    pages_unread: int = 0
    meta: Mapping[str, str] = field(default_factory=dict[str, str])
    doc_date: str = ""
    contained: int = 0
    unread: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    figures: tuple[FigurePlace, ...] = ()


@dataclass(frozen=True, slots=True)
class EmbeddingSpec:
    """An embedding model as a collection keeps it."""

    name: str
    revision: str
    dimensions: int
    window_tokens: int
    query_prefix: str = ""
    passage_prefix: str = ""

    @property
    def model_id(self) -> str:
        """Return the key that vectors and index folders carry: name and revision, safe in a file name."""
        key = f"{self.name}\0{self.revision}\0{self.dimensions}\0{self.query_prefix}\0{self.passage_prefix}"
        digest = fingerprint_of(key)[:12]
        safe = "".join(c if c.isalnum() or c in "-." else "-" for c in self.name.rsplit("/", 1)[-1])
        return f"{safe}-{digest}"


@dataclass(frozen=True, slots=True)
class Collection:
    """A knowledge base inside a workspace. `embedding` is None when it is searched by words alone; with `summaries` its documents
    are summarised. `next_embedding` is the model that it is being brought to, whose vectors are stored beside the others meanwhile.
    `policy` says what is done with claims that aren't supported.
    """

    id: CollectionId
    workspace_id: WorkspaceId
    name: str
    embedding: EmbeddingSpec | None
    created_at: datetime
    next_embedding: EmbeddingSpec | None = None
    summaries: bool = False
    policy: Policy = Policy.FLAG

    @property
    def model_id(self) -> str:
        """Return the id of its model, "" for words alone."""
        return self.embedding.model_id if self.embedding else ""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a document failed: a stable code and a sentence that says what to do."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Document:
    """(collection, path) and its state. `version_id` is the version that is searched; None before the first is ready.

    `pages_ocr` counts pages that OCR read, `warnings` are sentences about what couldn't be read of them. `refused_by` is the
    fingerprint of how files were read when its bytes were refused, "" for any other end.
    """

    id: DocumentId
    collection_id: CollectionId
    path: str
    title: str
    content_type: str
    source_uri: str
    stage: Stage
    created_at: datetime
    updated_at: datetime
    version_id: VersionId | None = None
    reason: Reason | None = None
    sha256: str = ""
    size_bytes: int = 0
    pages: int = 0
    pages_unread: int = 0
    pages_ocr: int = 0
    chunks: int = 0
    locale: str = ""
    doc_date: str = ""
    tags: tuple[str, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict[str, str])
    warnings: tuple[str, ...] = ()
    refused_by: str = ""

    @property
    def container_id(self) -> DocumentId | None:
        """The document whose file holds this one's: the message of an attachment, the archive of a file in it."""
        inside, _, rest = self.source_uri.partition(_INSIDE)
        return DocumentId(rest.partition("/")[0]) if rest and not inside else None


def address_inside(container_id: DocumentId, name: str) -> str:
    """Return the address of a file inside another document's; with an empty name what all of them begin with."""
    return f"{_INSIDE}{container_id}/{quote(name)}"


@dataclass(frozen=True, slots=True)
class Version:
    """One state of a document's bytes, as one parser read it.

    `read_as` is the suffix of the name that it was read under, None for versions from before it was kept; what follows up to
    `contained` is what the parser said. `chunking` is the fingerprint of how its chunks were cut, "" before they are.
    """

    id: VersionId
    document_id: DocumentId
    sha256: str
    size_bytes: int
    content_type: str
    parser: str
    parser_version: str
    created_at: datetime
    read_as: str | None = None
    title: str = ""
    pages_unread: int = 0
    meta: Mapping[str, str] = field(default_factory=dict[str, str])
    doc_date: str = ""
    contained: int = 0
    chunking: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def pages_stand_alone(self) -> bool:
        """Whether its pages are slides, whose headings hold for their page alone."""
        return self.content_type in SLIDES_TYPES


@dataclass(frozen=True, slots=True)
class Chunk:
    """A retrievable passage: `text` is the literal run `[start, end)` of its version's canonical text.

    What is `generated` isn't: its text was written by a model, and `[start, end)` is the run beside which it belongs. `members`
    are the chunks that a summary summarises.
    """

    id: ChunkId
    document_id: DocumentId
    version_id: VersionId
    chunk_index: int
    title: str
    heading_path: tuple[str, ...]
    text: str
    start: int
    end: int
    token_count: int
    pages: tuple[PageSpan, ...] = ()
    lang: str = ""
    chunk_type: ChunkType = ChunkType.TEXT
    generated: bool = False
    figure_id: FigureId | None = None
    members: tuple[ChunkId, ...] = ()

    @property
    def index_text(self) -> str:
        """Return what is embedded and indexed: title › heading path, then the text."""
        return index_text(self.title, self.heading_path, self.text)

    @property
    def fingerprint(self) -> str:
        """Return the SHA-256 of `index_text`; equal fingerprints share a vector."""
        return fingerprint_of(self.index_text)


def fingerprint_of(text: str) -> str:
    """Return the SHA-256 of a text, such as a chunk's `index_text`."""
    # Imported here, since the process that reads files needs no hash and starts sooner without.
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()
