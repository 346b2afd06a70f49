"""Search indexes in memory: plain exact twins of the mapped ones, in Python alone."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from pincite.core.errors import ConflictError, ModelChangedError
from pincite.core.ids import ChunkId, CollectionId, DocumentId
from pincite.core.ports.changes import Change, ChangeFeed
from pincite.core.ports.index import IndexHit, IndexSpace, LexicalResult
from pincite.core.ports.models import Vector
from pincite.language.bm25 import K1, TITLE_WEIGHT, B, body_tokens, chunk_languages, idf, question_tokens, title_tokens

_PAGE = 1_000


class _Rows(Protocol):
    def apply(self, page: Sequence[Change]) -> None: ...


R = TypeVar("R", bound=_Rows)


@dataclass(slots=True)
class _Read(Generic[R]):
    """What was read of one space's log."""

    rows: R
    seq: int = 0
    base: int = 0


class _Reader(Generic[R]):
    """Reads the change log of each space into rows of its own."""

    def __init__(self, changes: ChangeFeed, rows: type[R]) -> None:
        self._changes = changes
        self._rows = rows
        self._spaces: dict[IndexSpace, _Read[R]] = {}
        self._right: dict[IndexSpace, R] = {}

    async def rows(self, space: IndexSpace) -> R:
        """Return the rows with all that is committed; the last that were right, once the collection has another model."""
        try:
            rows = self._right[space] = await self.read(space)
        except ModelChangedError:
            if space not in self._right:
                raise
            rows = self._right[space]
        return rows

    def drop(self, unwanted: Callable[[IndexSpace], bool]) -> None:
        """Forget the rows of the spaces that a test picks."""
        for space in filter(unwanted, list(self._spaces)):
            del self._spaces[space]
            self._right.pop(space, None)

    async def read(self, space: IndexSpace, through: int | None = None) -> R:
        """Read on to the log's head, or a number, and return the rows. Raises `ModelChangedError`."""
        state = await self._changes.state(space)
        read = self._spaces.get(space)
        if read is None or state.horizon > max(read.seq, read.base) or read.seq > state.head:
            read = self._spaces[space] = _Read(self._rows(), base=state.horizon)
        goal = state.head if through is None else min(through, state.head)
        while read.seq < goal:
            after = read.seq
            page = [change for change in await self._changes.read(space, after=after, limit=_PAGE) if change.seq <= goal]
            if read.seq == after:  # else a search that ran meanwhile has applied it
                read.rows.apply(page)
                read.seq = page[-1].seq if page else goal
        await self._changes.state(space)  # vectors of a model that is given up may have gone while they were read
        return read.rows


@dataclass(slots=True)
class _VectorRows:
    found: dict[ChunkId, tuple[DocumentId, Vector]] = field(default_factory=dict[ChunkId, tuple[DocumentId, Vector]])

    def apply(self, page: Sequence[Change]) -> None:
        for change in page:
            self.found.pop(change.chunk_id, None)
            if not change.deleted and change.vector is not None:
                self.found[change.chunk_id] = change.document_id, _unit(change.vector)


class MemoryDenseIndex:
    """A `DenseIndex`."""

    def __init__(self, changes: ChangeFeed) -> None:
        self._reader = _Reader(changes, _VectorRows)

    async def search(
        self, space: IndexSpace, vector: Vector, *, limit: int, documents: Collection[DocumentId] | None = None
    ) -> list[IndexHit]:
        """Return up to `limit` chunks by falling cosine. Raises `ConflictError` for vectors of another size."""
        rows = (await self._reader.rows(space)).found
        sizes = {len(known) for _, known in rows.values()} | ({space.dimensions} if space.dimensions else set[int]())
        if sizes - {len(vector)}:
            raise ConflictError(
                f"This collection holds vectors of {max(sizes - {len(vector)})} numbers; this one has {len(vector)}."
            )
        query = _unit(vector)
        scores = {
            chunk: _product(query, known) for chunk, (owner, known) in rows.items() if documents is None or owner in documents
        }
        return _best(scores, limit)

    async def follow(self, space: IndexSpace, *, through: int | None = None) -> None:
        """Catch up now: with all that is committed, or with the log up to a number."""
        await self._reader.read(space, through)

    async def discard(self, collection_id: CollectionId) -> bool:
        """Forget what was read for a collection."""
        self._reader.drop(lambda space: space.collection_id == collection_id)
        return True

    async def retain(self, space: IndexSpace) -> None:
        """Forget the rows of the collection for other models."""
        self._reader.drop(lambda other: other.collection_id == space.collection_id and other.model_id != space.model_id)


@dataclass(slots=True)
class _Field:
    """The tokens of one field: how often each chunk has each, and how long each chunk is."""

    counts: dict[str, dict[ChunkId, int]] = field(default_factory=dict[str, dict[ChunkId, int]])
    lengths: dict[ChunkId, int] = field(default_factory=dict[ChunkId, int])

    def add(self, chunk: ChunkId, tokens: Sequence[str]) -> None:
        self.lengths[chunk] = len(tokens)
        for token, count in Counter(tokens).items():
            self.counts.setdefault(token, {})[chunk] = count

    def pop(self, chunk: ChunkId, default: None) -> None:
        if self.lengths.pop(chunk, default) is not None:
            for having in self.counts.values():
                having.pop(chunk, None)

    def idf(self, alternatives: Iterable[str]) -> float:
        """Return the idf of a word, which a chunk has by one of its alternatives."""
        containing = sum(len(self.counts.get(token, ())) for token in alternatives)
        return idf(min(containing, len(self.lengths)), len(self.lengths))

    def scores(self, alternatives: Collection[str]) -> Mapping[ChunkId, float]:
        """Return the BM25 of the best of a word's alternatives."""
        mean = sum(self.lengths.values()) / max(1, len(self.lengths))
        weight = self.idf(alternatives)
        best: dict[ChunkId, float] = {}
        for token in alternatives:
            for chunk, count in self.counts.get(token, {}).items():
                share = count * (K1 + 1) / (count + K1 * (1 - B + B * self.lengths[chunk] / mean))
                best[chunk] = max(best.get(chunk, 0.0), weight * share)
        return best


@dataclass(slots=True)
class _WordRows:
    owners: dict[ChunkId, DocumentId] = field(default_factory=dict[ChunkId, DocumentId])
    langs: dict[ChunkId, str] = field(default_factory=dict[ChunkId, str])
    title: _Field = field(default_factory=_Field)
    body: _Field = field(default_factory=_Field)

    def apply(self, page: Sequence[Change]) -> None:
        for change in page:
            for part in (self.owners, self.langs, self.title, self.body):
                part.pop(change.chunk_id, None)
        chunks = [change for change in page if not change.deleted]
        langs = chunk_languages(((change.lang, change.text) for change in chunks), Counter(self.langs.values()))
        for change, lang in zip(chunks, langs, strict=True):
            chunk = change.chunk_id
            self.owners[chunk], self.langs[chunk] = change.document_id, lang
            self.title.add(chunk, title_tokens(change.title, change.heading_path, lang))
            self.body.add(chunk, body_tokens(change.title, change.heading_path, change.text, lang=lang))


class MemoryLexicalIndex:
    """A `LexicalIndex`: BM25 with the figures of the other one."""

    def __init__(self, changes: ChangeFeed) -> None:
        self._reader = _Reader(changes, _WordRows)

    async def search(
        self, space: IndexSpace, text: str, *, limit: int, documents: Collection[DocumentId] | None = None
    ) -> LexicalResult:
        """Return up to `limit` chunks by falling BM25, and the idf mass of the question."""
        rows = await self._reader.rows(IndexSpace(space.workspace_id, space.collection_id))
        question = question_tokens(text, set(rows.langs.values()))
        scores: dict[ChunkId, float] = {}
        for alternatives in question:
            for part, weight in ((rows.body, 1.0), (rows.title, TITLE_WEIGHT)):
                for chunk, score in part.scores(alternatives).items():
                    if documents is None or rows.owners[chunk] in documents:
                        scores[chunk] = scores.get(chunk, 0.0) + weight * score
        return LexicalResult(tuple(_best(scores, limit)), sum(rows.body.idf(alternatives) for alternatives in question))

    async def follow(self, space: IndexSpace) -> None:
        """Catch up now with all that is committed."""
        await self._reader.read(IndexSpace(space.workspace_id, space.collection_id))

    async def discard(self, collection_id: CollectionId) -> bool:
        """Forget what was read for a collection."""
        self._reader.drop(lambda space: space.collection_id == collection_id)
        return True


def _best(scores: Mapping[ChunkId, float], limit: int) -> list[IndexHit]:
    found = sorted(scores.items(), key=lambda item: -item[1])
    return [IndexHit(chunk, score) for chunk, score in found[: max(0, limit)]]


def _unit(vector: Vector) -> list[float]:
    length = math.sqrt(_product(vector, vector))
    return [number / length for number in vector] if length > 0 else list(vector)


def _product(left: Vector, right: Vector) -> float:
    return math.fsum(a * b for a, b in zip(left, right, strict=True))
