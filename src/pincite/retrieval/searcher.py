"""Searches collections: both sides at once, fused, confirmed in the database, identical passages collapsed."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from collections.abc import Collection as Many
from dataclasses import dataclass, replace
from itertools import islice

from pincite.core.documents import Collection
from pincite.core.errors import ConflictError, ModelChangedError, NotFoundError
from pincite.core.evidence import Passage, PassageText, Query, Retrieval, Scope, Scores, Signals, Strategy
from pincite.core.ids import ChunkId, DocumentId, WorkspaceId
from pincite.core.index_text import index_text
from pincite.core.ports.index import DenseIndex, IndexHit, IndexSpace, LexicalIndex, LexicalResult
from pincite.core.ports.models import EmbeddingModel, Vector
from pincite.core.ports.store import Store, UnitOfWork
from pincite.retrieval.followups import most_said, nearest, wordings
from pincite.retrieval.fusion import FusionWeights, fuse, weights_for, with_phrase
from pincite.retrieval.phrases import phrase_matcher
from pincite.retrieval.summaries import Scored, SummaryRule, leaves_of, with_leaves

DEPTH = 100
"""Candidates taken from each side before fusion."""

CONFIRM = 4
"""Passages confirmed per passage asked for, so that collapsing identical ones still fills the limit. Phrases are sought in all."""

LOOKS = 20
"""Most looks of one search while documents change under it: each goes wrong only by another change between its two steps."""

MODELS = 3
"""Most embedding models that a collection may come to while one search is under way."""

BORDER = 500
"""Characters on either side of the border of two chunks in which a phrase that crosses it is looked for."""

SAME_SCORE = 0.01
"""Passages of equal text whose fused scores differ by less are the same to the question."""

NEXT = 5
"""Hits behind the best one that it is compared with."""

EmbeddingOf = Callable[[Collection], EmbeddingModel | None]


@dataclass(frozen=True, slots=True)
class _Target:
    """A collection to search, and the documents that the filter leaves of it (None: all)."""

    space: IndexSpace
    documents: frozenset[DocumentId] | None


@dataclass(frozen=True, slots=True)
class _Sides:
    """What both sides name."""

    dense: list[IndexHit]
    lexical: list[LexicalResult]

    @property
    def said(self) -> list[IndexHit]:
        """Return the hits by words."""
        return [hit for result in self.lexical for hit in result.hits]


@dataclass(frozen=True, slots=True)
class _Found:
    """What one look brought, and the chunks that the sides named and the database didn't confirm."""

    passages: tuple[Passage, ...]
    signals: Signals
    missing: frozenset[ChunkId]


@dataclass(frozen=True)
class Searcher:
    """A `Retriever` over the workspace's collections."""

    store: Store
    dense: DenseIndex
    lexical: LexicalIndex
    embedding_of: EmbeddingOf
    workspace_id: WorkspaceId
    rule: SummaryRule = SummaryRule()

    async def retrieve(self, query: Query) -> Retrieval:
        """Return the best passages.

        Raises `NotFoundError`; `ConflictError` (several embedding models); `ModelChangedError` when the collection has another
        model than this installation; `UpstreamError`.
        """
        for _ in range(MODELS):
            try:
                return await self._retrieve(query)
            except ModelChangedError as error:
                if not error.retryable:
                    raise
        return await self._retrieve(query)

    async def follow(self, collection: Collection) -> None:
        """Bring the indexes up to date with what is committed, so that the next search needn't."""
        space = _space(collection)
        await self.lexical.follow(space)
        if space.model_id:
            await self.dense.follow(space)

    async def _retrieve(self, query: Query) -> Retrieval:
        started = time.perf_counter()
        collections, targets, scope = await self._targets(query)
        model = self._model(collections, query.strategy)
        strategy = query.strategy if model else Strategy.LEXICAL
        texts = wordings(query.text, query.history)
        vectors = await model.embed_queries(texts) if model else [None] * len(texts)
        embedded = time.perf_counter()
        weights = weights_for(model.spec.name if model else "")

        async def look() -> _Found:
            found = [self._both(targets, text, vector, strategy) for text, vector in zip(texts, vectors, strict=True)]
            sides = _merged(await asyncio.gather(*found)) if len(found) > 1 else await found[0]
            return await self._confirmed(sides, query, strategy, weights)

        found = await _until_confirmed(look)
        finished = time.perf_counter()
        return Retrieval(
            passages=found.passages,
            strategy=strategy,
            signals=found.signals,
            scope=scope,
            policies={collection.id: collection.policy for collection in collections},
            embedding_ms=(embedded - started) * 1000,
            retrieval_ms=(finished - embedded) * 1000,
        )

    async def _targets(self, query: Query) -> tuple[list[Collection], list[_Target], Scope]:
        collections: list[Collection] = []
        targets: list[_Target] = []
        scopes: list[Scope] = []
        async with self.store.open(self.workspace_id) as work:
            for collection_id in query.collection_ids:
                collection = await work.collections.get(collection_id)
                if collection is None:
                    raise NotFoundError("There is no such collection.")
                collections.append(collection)
                scopes.append(await work.collections.scope(collection_id))
                documents = None if query.filter.is_empty else await work.documents.matching(collection_id, query.filter)
                targets.append(_Target(_space(collection), documents if documents is None else frozenset(documents)))
        return collections, targets, _sum(scopes)

    def _model(self, collections: Sequence[Collection], strategy: Strategy) -> EmbeddingModel | None:
        specs = {collection.embedding for collection in collections}
        if strategy is Strategy.LEXICAL or not collections:
            return None
        if len(specs) > 1:
            raise ConflictError(
                "These collections use different embedding models and can't be searched together. Ask them one by one.",
                code="embedding_models_differ",
            )
        return self.embedding_of(collections[0])

    async def _both(self, targets: Sequence[_Target], text: str, vector: Vector | None, strategy: Strategy) -> _Sides:
        near = [self._near(target, vector) for target in targets]
        said = [self._said(target, text, strategy) for target in targets]
        if len(targets) == 1:
            dense, lexical = await asyncio.gather(near[0], said[0])
            return _Sides(dense, [lexical])
        dense, lexical = await asyncio.gather(asyncio.gather(*near), asyncio.gather(*said))
        return _Sides([hit for hits in dense for hit in hits], list(lexical))

    async def _confirmed(self, sides: _Sides, query: Query, strategy: Strategy, weights: FusionWeights) -> _Found:
        """Return the best of what the sides name and the database confirms. Whole passages are read of these alone."""
        matches = phrase_matcher(query.text)
        ranked = fuse(sides.dense, sides.said, strategy, weights=weights, depth=DEPTH)
        scores = dict(ranked[: DEPTH if matches else query.limit * CONFIRM])
        async with self.store.open(self.workspace_id) as work:
            texts = await work.chunks.texts(list(scores))
            brought = await self._with_leaves([(text, scores[text.chunk_id]) for text in texts], work)
            ordered, literal = _literal_first(matches, brought, weights)
            chosen = {text.chunk_id: found for text, found in islice(_distinct(ordered), query.limit)}
            passages = await work.chunks.passages(list(chosen))
        missing = scores.keys() - {text.chunk_id for text in texts} | chosen.keys() - {passage.chunk_id for passage in passages}
        scored = tuple(replace(passage, scores=chosen[passage.chunk_id]) for passage in passages)
        summaries = {text.chunk_id for text in texts if text.members}
        return _Found(scored, _signals(sides, literal, without=summaries), frozenset(missing))

    async def _with_leaves(self, found: Sequence[Scored], work: UnitOfWork) -> Sequence[Scored]:
        """Return what was found; where summaries are among it, with the passages that they stand for."""
        summaries = [text for text, _ in found if text.members]
        return with_leaves(found, await leaves_of(summaries, work.chunks.texts), self.rule) if summaries else found

    async def _near(self, target: _Target, vector: Vector | None) -> list[IndexHit]:
        if vector is None:
            return []
        return await self.dense.search(target.space, vector, limit=DEPTH, documents=target.documents)

    async def _said(self, target: _Target, text: str, strategy: Strategy) -> LexicalResult:
        if strategy is Strategy.DENSE:
            return LexicalResult((), 0.0)
        return await self.lexical.search(target.space, text, limit=DEPTH, documents=target.documents)


def _merged(found: Sequence[_Sides]) -> _Sides:
    """Return what several wordings of a question found, the question's own first."""
    return _Sides(nearest([sides.dense for sides in found]), most_said([sides.lexical for sides in found]))


async def _until_confirmed(look: Callable[[], Awaitable[_Found]]) -> _Found:
    """Look until the database confirms all that the sides name, so that a document which switches to another version between the
    two is seen as it was or as it is. What stays unconfirmed from one look to the next is no such switch.
    """
    found = await look()
    for _ in range(LOOKS if found.missing else 0):
        before, found = found, await look()
        if found.missing <= before.missing:
            break
    return found


def _literal_first(
    matches: Callable[[str], float] | None, found: Sequence[Scored], weights: FusionWeights
) -> tuple[Iterable[Scored], float]:
    """Order passages anew where one holds the words of the question literally; return them and the largest share held."""
    if matches is None:
        return found, 0.0
    shares = _shares(matches, [passage for passage, _ in found])
    most = max(shares, default=0.0)
    raised = (
        (passage, Scores(with_phrase(scores.fused, share, weights), scores.dense, scores.lexical))
        for (passage, scores), share in zip(found, shares, strict=True)
    )
    return sorted(raised, key=lambda scored: -scored[1].fused) if most else raised, most


def _shares(matches: Callable[[str], float], passages: Sequence[PassageText]) -> list[float]:
    """Return what each passage holds of a phrase; one that runs on into the next chunk counts for the chunk it begins in."""
    own = [matches(_said_by(passage)) for passage in passages]
    following = {(passage.version_id, passage.chunk_index - 1): at for at, passage in enumerate(passages)}
    shares = list(own)
    for at, passage in enumerate(passages):
        after = following.get((passage.version_id, passage.chunk_index))
        if after is not None and own[at] < 1 and not (passage.generated or passages[after].generated):
            over = matches(f"{passage.text[-BORDER:]}\n{passages[after].text[:BORDER]}")
            # What the next chunk holds by itself doesn't begin in this one.
            shares[at] = max(own[at], over) if over > own[after] else own[at]
    return shares


def _said_by(passage: PassageText) -> str:
    """Return what the document says in a passage: nothing in what a model wrote, but its title and headings."""
    return index_text(passage.title, passage.heading_path, "" if passage.generated else passage.text)


def _distinct(found: Iterable[Scored]) -> Iterator[Scored]:
    """Leave out passages whose text was there before, unless title or score tells them apart."""
    seen: dict[tuple[bool, str], list[Scored]] = {}
    for passage, scores in found:
        twins = seen.setdefault((passage.generated, " ".join(passage.text.split())), [])
        if not any(twin.title == passage.title or others.fused - scores.fused < SAME_SCORE for twin, others in twins):
            twins.append((passage, scores))
            yield passage, scores


def _space(collection: Collection) -> IndexSpace:
    spec = collection.embedding
    return IndexSpace(collection.workspace_id, collection.id, spec.model_id if spec else "", spec.dimensions if spec else 0)


def _sum(scopes: Sequence[Scope]) -> Scope:
    return Scope(
        documents=sum(scope.documents for scope in scopes),
        ready=sum(scope.ready for scope in scopes),
        in_work=sum(scope.in_work for scope in scopes),
        failed=sum(scope.failed for scope in scopes),
        pages_unread=sum(scope.pages_unread for scope in scopes),
        searchable=sum(scope.searchable for scope in scopes),
    )


def _signals(found: _Sides, literal: float, *, without: Many[ChunkId]) -> Signals:
    """Return how strong the evidence is: summaries are none, their passages are; nothing else tells what a picture shows than what
    a model wrote of it.
    """
    near = sorted((hit.score for hit in found.dense if hit.chunk_id not in without), reverse=True)
    said = sorted((hit.score for hit in found.said if hit.chunk_id not in without), reverse=True)
    return Signals(
        dense_top=next(iter(near), None),
        lexical_top=next(iter(said), None),
        idf_mass=max((result.idf_mass for result in found.lexical), default=0.0),
        literal=literal,
        dense_next=_mean(near[1 : 1 + NEXT]) if len(near) > NEXT else None,
        lexical_next=_mean(said[1 : 1 + NEXT]),
    )


def _mean(scores: Sequence[float]) -> float | None:
    return sum(scores) / len(scores) if scores else None
