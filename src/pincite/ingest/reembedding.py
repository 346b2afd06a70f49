"""Brings a collection to another embedding model while it goes on being searched and added to with the one it has."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from pincite.core.documents import Collection, EmbeddingSpec, fingerprint_of
from pincite.core.errors import NotFoundError
from pincite.core.ids import ChunkId, CollectionId, WorkspaceId
from pincite.core.index_text import index_text
from pincite.core.ports.changes import Change, ChangeFeed
from pincite.core.ports.embeddings import Lacking
from pincite.core.ports.index import DenseIndex, IndexSpace
from pincite.core.ports.models import EmbeddingModel, Vector
from pincite.core.ports.store import Store
from pincite.core.vectors import is_of
from pincite.ingest.embedding import EMBED_BATCH

READ_CHANGES = 500
FORGET_BATCH = 2_000

CountListener = Callable[[int, int], None]
"""Hears how many are done and how many there are in all."""


def _unheard(done: int, total: int) -> None:
    """Listen to nothing."""


@dataclass(frozen=True, slots=True)
class Reembedding:
    """What bringing a collection to a model takes, or (with `done`) what it took.

    `before` and `after` name the models, "" for words alone. `chunks` had no vector of the new model when it was begun, `tokens`
    is their length by the count of the old one. `embedded` texts were handed to the model: equal ones once, and none whose
    vector the workspace had. `warning` says what the new model can't do that the old one could.
    """

    collection: str
    before: str
    after: str
    chunks: int = 0
    tokens: int = 0
    embedded: int = 0
    done: bool = False
    warning: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return it as the command line prints it."""
        return asdict(self)


@dataclass(slots=True)
class _Count:
    """What a run has done so far."""

    listener: CountListener
    total: int
    filled: int = 0
    embedded: int = 0
    seq: int = 0

    def add(self, chunks: int, texts: int) -> None:
        self.filled += chunks
        self.embedded += texts
        self.total = max(self.total, self.filled)
        self.listener(self.filled, self.total)


@dataclass(frozen=True)
class Reembedder:
    """Fills a second model's vectors beside the first's, and switches over when none is missing.

    Each batch is committed: whoever runs it again after a stop pays only for what is missing.
    """

    store: Store
    changes: ChangeFeed
    dense: DenseIndex
    workspace_id: WorkspaceId

    async def plan(self, collection_id: CollectionId, model: EmbeddingModel | None) -> Reembedding:
        """Return what there is to do, without doing it. Raises `NotFoundError`."""
        collection = await self._collection(collection_id)
        found = Lacking()
        if model is not None and not is_of(collection.embedding, model.spec.model_id):
            async with self.store.open(self.workspace_id) as work:
                found = await work.embeddings.lacking(collection_id, model_id=model.spec.model_id)
        before, after = _names(collection.embedding, model.spec if model else None)
        warning = _warning(collection.embedding, model, found) if found.chunks else ""
        return Reembedding(collection.name, before, after, found.chunks, found.tokens, warning=warning)

    async def run(
        self, collection_id: CollectionId, model: EmbeddingModel | None, *, on_progress: CountListener = _unheard
    ) -> Reembedding:
        """Bring a collection to a model, or (None) to words alone, and forget what was kept for others.

        Raises `NotFoundError`; `UpstreamError` and `StoreError`, after which what was done so far is kept;
        `ModelChangedError` when another process brings the collection to another model at the same time.
        """
        plan = await self.plan(collection_id, model)
        collection = await self._collection(collection_id)
        count = _Count(on_progress, plan.chunks)
        if model is None or is_of(collection.embedding, model.spec.model_id):
            await self._prepare(collection, None)
            await self._switch(collection, model.spec if model else None)
        else:
            await self._prepare(collection, model.spec)
            await self._fill_and_switch(collection, model, count)
        await self._clean(collection_id)
        return replace(plan, chunks=count.filled, embedded=count.embedded, done=True)

    async def complete(
        self, collection_id: CollectionId, model: EmbeddingModel | None, *, on_progress: CountListener = _unheard
    ) -> int:
        """Embed the chunks that lack a vector of their collection's own model, forget vectors of others, and return how many texts
        were embedded. Raises as `run` does.
        """
        collection = await self._collection(collection_id)
        count = _Count(on_progress, 0)
        if model is not None:
            await self._fill(_space(collection, model.spec), model, count)
        await self._clean(collection_id)
        return count.embedded

    async def _collection(self, collection_id: CollectionId) -> Collection:
        async with self.store.open(self.workspace_id) as work:
            found = await work.collections.get(collection_id)
        if found is None:
            raise NotFoundError("There is no such collection.")
        return found

    async def _prepare(self, collection: Collection, spec: EmbeddingSpec | None) -> None:
        async with self.store.open(self.workspace_id) as work:
            await work.embeddings.prepare(collection.id, spec)
            await work.commit()

    async def _switch(self, collection: Collection, spec: EmbeddingSpec | None) -> bool:
        async with self.store.open(self.workspace_id) as work:
            done = await work.embeddings.switch(collection.id, spec)
            await work.commit()
        return done

    async def _fill_and_switch(self, collection: Collection, model: EmbeddingModel, count: _Count) -> None:
        """Fill to the log's end, catch the index up, and switch; again as long as others have added chunks meanwhile."""
        space = _space(collection, model.spec)
        while True:
            before = count.filled
            await self._fill(space, model, count)
            # Before the switch, so that no search after it waits until all rows are indexed.
            await self.dense.follow(space, through=count.seq)
            if await self._switch(collection, model.spec):
                return
            if count.filled == before:  # vectors that were there are gone: somebody ended this run's preparation and began another
                count.seq = 0

    async def _fill(self, space: IndexSpace, model: EmbeddingModel, count: _Count) -> None:
        while page := await self.changes.read(space, after=count.seq, limit=READ_CHANGES):
            missing = iter([change for change in page if not change.deleted and change.vector is None])
            while batch := list(islice(missing, EMBED_BATCH)):
                await self._fill_batch(space, batch, model, count)
            count.seq = page[-1].seq

    async def _fill_batch(self, space: IndexSpace, batch: Sequence[Change], model: EmbeddingModel, count: _Count) -> None:
        texts = {change.chunk_id: index_text(change.title, change.heading_path, change.text) for change in batch}
        fingerprints = {chunk_id: fingerprint_of(text) for chunk_id, text in texts.items()}
        async with self.store.open(self.workspace_id) as work:
            known = await work.chunks.vectors(list(fingerprints.values()), model_id=space.model_id)
        new = {fingerprints[chunk_id]: text for chunk_id, text in texts.items() if fingerprints[chunk_id] not in known}
        if new:
            known.update(zip(new, await model.embed_passages(list(new.values())), strict=True))
        await self._store(space, {chunk_id: known[fingerprint] for chunk_id, fingerprint in fingerprints.items()})
        count.add(len(batch), len(new))

    async def _store(self, space: IndexSpace, vectors: Mapping[ChunkId, Vector]) -> None:
        async with self.store.open(self.workspace_id) as work:
            await work.embeddings.fill(space.collection_id, vectors, model_id=space.model_id)
            await work.commit()

    async def _clean(self, collection_id: CollectionId) -> None:
        """Forget vectors and mirrors of models that the collection has no more, a few at a time, so that others can write."""
        while await self._forget(collection_id):
            pass
        collection = await self._collection(collection_id)
        await self.dense.retain(_space(collection, collection.embedding))

    async def _forget(self, collection_id: CollectionId) -> int:
        async with self.store.open(self.workspace_id) as work:
            count = await work.embeddings.forget(collection_id, limit=FORGET_BATCH)
            await work.commit()
        return count


def _space(collection: Collection, spec: EmbeddingSpec | None) -> IndexSpace:
    if spec is None:
        return IndexSpace(collection.workspace_id, collection.id)
    return IndexSpace(collection.workspace_id, collection.id, spec.model_id, spec.dimensions)


def _names(before: EmbeddingSpec | None, after: EmbeddingSpec | None) -> tuple[str, str]:
    """Return the names of two models, with their revisions where the names don't tell them apart."""
    if before and after and before.name == after.name and before.model_id != after.model_id:
        return f"{before.name} (revision {before.revision})", f"{after.name} (revision {after.revision})"
    return before.name if before else "", after.name if after else ""


def _warning(before: EmbeddingSpec | None, model: EmbeddingModel | None, found: Lacking) -> str:
    """Say when chunks are longer than the new model's window: they were cut to fit the old one."""
    if model is None:
        return ""
    spec = model.spec
    room = spec.window_tokens - model.count_tokens([spec.passage_prefix])[0] - 2
    if found.longest_tokens <= room and (before is None or spec.window_tokens >= before.window_tokens):
        return ""
    return (
        f"{spec.name} reads {spec.window_tokens} tokens; some chunks have more (up to {found.longest_tokens}, counted as they "
        "were cut), and what lies beyond is found by its words alone. To have them cut anew, remove the documents and add them "
        "again afterwards."
    )
