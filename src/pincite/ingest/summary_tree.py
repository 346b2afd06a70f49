"""The tree of summaries over a document's passages, grown level by level. What is written is kept at once."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace

from pincite.core.documents import Chunk, Collection, Document
from pincite.core.ids import ChunkId
from pincite.core.ports.models import EmbeddingModel, Vector
from pincite.core.ports.store import UnitOfWork
from pincite.core.ports.summaries import Summariser
from pincite.core.summaries import Summary, SummaryRun
from pincite.ingest.embedding import EMBED_BATCH, count_words, tokens_of
from pincite.ingest.fitting import fitted
from pincite.ingest.naming import whole
from pincite.ingest.summaries import MEMBERS, clusters, summary_chunk, summary_key, word_vectors
from pincite.ingest.turns import GaveWayError, GivesWay

BUDGET_TOKENS = 400
"""Longest summary: title, headings and the prefix of a model with a window of 512 find room beside it."""


class OvertakenError(Exception):
    """The attempt isn't ours any more, or nobody wants what it would give."""


@dataclass(frozen=True, slots=True)
class Ours:
    """A unit of work in which nobody else changes an attempt, and what it is about."""

    work: UnitOfWork
    collection: Collection
    document: Document
    run: SummaryRun


@dataclass
class SummaryTree:
    """The summaries of one version, as far as they are made: `chunks` in order, their `vectors`, and what is kept of each by key.

    `ours` opens the attempt, or raises `OvertakenError`.
    """

    ours: Callable[[], AbstractAsyncContextManager[Ours]]
    summariser: Summariser
    embedding: EmbeddingModel | None
    gives_way: GivesWay
    tell: Callable[[SummaryRun], None]
    before_ms: float = 0.0
    chunks: list[Chunk] = field(default_factory=list[Chunk])
    vectors: dict[ChunkId, Vector] = field(default_factory=dict[ChunkId, Vector])
    summaries: dict[str, Summary] = field(default_factory=dict[str, Summary])
    _first_index: int = 0
    _began: float = field(default_factory=time.perf_counter)

    @property
    def ms(self) -> float:
        """Return the milliseconds that the attempt has taken by now, over all of its tries."""
        return self.before_ms + (time.perf_counter() - self._began) * 1000

    async def grow(self, passages: Sequence[Chunk], vectors: Mapping[str, Vector]) -> None:
        """Summarise passages, and the summaries of them, until one remains. `vectors` are those of passages, by fingerprint.

        Raises `UpstreamError`, `OvertakenError`, `GaveWayError`.
        """
        self._first_index = max((each.chunk_index for each in passages), default=0) + 1
        level, known = list(passages), {each.id: vectors[each.fingerprint] for each in passages if self.embedding}
        while len(level) > 1:
            tokens = [each.token_count for each in level]
            groups = await asyncio.to_thread(clusters, self._vectors_of(level, known), tokens)
            level = await self._summarised([[level[number] for number in group] for group in groups])
            known |= self.vectors

    def _vectors_of(self, level: Sequence[Chunk], known: Mapping[ChunkId, Vector]) -> Sequence[Vector]:
        if self.embedding is None:
            return word_vectors([each.text for each in level], level[0].lang)
        return [known[each.id] for each in level]

    async def _summarised(self, groups: Sequence[Sequence[Chunk]]) -> list[Chunk]:
        """Return one chunk for each group: its summary, or the only member it has."""
        keys = {at: self._key(group) for at, group in enumerate(groups) if len(group) > 1}
        async with self.ours() as ours:
            stored = await ours.work.summaries.known(list(keys.values()))
        total = len(self.summaries) + summaries_over(len(groups)) + len(keys)
        level: list[Chunk] = []
        made: dict[str, Chunk] = {}
        for at, group in enumerate(groups):
            if at not in keys:
                level.append(group[0])
                continue
            key = keys[at]
            self.summaries[key] = stored.get(key) or await self._written(key, group, total)
            level.append(self._chunk(self.summaries[key].text, group))
            made[key] = level[-1]
        await self._embed(made)
        return level

    def _key(self, group: Sequence[Chunk]) -> str:
        return summary_key(group, writer=f"{self.summariser.name}\0{self.summariser.revision}")

    def _chunk(self, text: str, group: Sequence[Chunk]) -> Chunk:
        tokens = self._count([text])[0]
        index = self._first_index + len(self.chunks)
        self.chunks.append(summary_chunk(text, group, like=group[0], index=index, tokens=tokens))
        return self.chunks[-1]

    @property
    def _count(self) -> Callable[[Sequence[str]], list[int]]:
        return self.embedding.count_tokens if self.embedding else count_words

    async def _written(self, key: str, group: Sequence[Chunk], total: int) -> Summary:
        """Have a summary written, and keep it with the tokens that it took."""
        written = await self.summariser.summarise(group)
        summary = Summary(key, fitted(whole(written.text), self._budget, self._count)[0])
        async with self.ours() as ours:
            await ours.work.summaries.put(ours.document.id, [summary])
            usage = written.usage
            await ours.work.summaries.count_tokens(ours.document.id, input=usage.prompt_tokens, output=usage.completion_tokens)
            run = replace(ours.run, done=len(self.summaries) + 1, total=total, ms=self.ms)
            await ours.work.summaries.report(run)
            await ours.work.commit()
        self.tell(run)
        if await self.gives_way():
            raise GaveWayError
        return summary

    @property
    def _budget(self) -> int:
        return min(BUDGET_TOKENS, self.embedding.spec.window_tokens * 3 // 4) if self.embedding else BUDGET_TOKENS

    async def _embed(self, made: Mapping[str, Chunk]) -> None:
        """Give summaries their vectors, those that are kept or new ones, and keep these."""
        if self.embedding is None:
            return
        model_id = self.embedding.spec.model_id
        waiting: list[str] = []
        for key, chunk in made.items():
            summary = self.summaries[key]
            if summary.vector is not None and summary.model_id == model_id:
                self.vectors[chunk.id] = summary.vector
            else:
                waiting.append(key)
        for first in range(0, len(waiting), EMBED_BATCH):
            batch = {key: made[key] for key in waiting[first : first + EMBED_BATCH]}
            found = await self.embedding.embed_passages([chunk.index_text for chunk in batch.values()])
            tokens = tokens_of({key: [chunk] for key, chunk in batch.items()}, self.embedding)
            for (key, chunk), vector in zip(batch.items(), found, strict=True):
                self.vectors[chunk.id] = vector
                self.summaries[key] = replace(self.summaries[key], vector=vector, model_id=model_id)
            async with self.ours() as ours:
                await ours.work.summaries.put(ours.document.id, [self.summaries[key] for key in batch])
                await ours.work.summaries.count_tokens(ours.document.id, embedded=tokens)
                await ours.work.commit()


def summaries_over(nodes: int) -> int:
    """Return how many summaries stand over so many nodes, if every cluster is full."""
    total = 0
    while nodes > 1:
        nodes = -(-nodes // MEMBERS)
        total += nodes
    return total
