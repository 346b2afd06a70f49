"""From a version's text to chunks with vectors; what was embedded before is not embedded again."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pincite.core.documents import CanonicalText, Chunk, Version
from pincite.core.ids import ChunkId, WorkspaceId, new_id
from pincite.core.ports.models import EmbeddingModel, Vector
from pincite.core.ports.store import Store
from pincite.ingest.chunking import ChunkRules, cut
from pincite.language.detect import detect
from pincite.language.words import words

EMBED_BATCH = 32
"""Passages handed to the model at once, between two progress reports."""


@dataclass(frozen=True, slots=True)
class Embedder:
    """Cuts versions into chunks and finds a vector for each.

    Two things spare the model: a chunk of the workspace with the same fingerprint, and a version of the same bytes, whatever its
    title. See decision 10 for what the second costs.
    """

    store: Store
    workspace_id: WorkspaceId
    rules: ChunkRules

    async def prepare(
        self,
        version: Version,
        canonical: CanonicalText,
        embedding: EmbeddingModel | None,
        *,
        title: str,
        on_progress: Callable[[int, int], None],
    ) -> tuple[list[Chunk], dict[ChunkId, Vector]]:
        """Return the chunks in order, and their vectors; no vectors without a model."""
        twins = await self._twins(version, embedding)
        chunks = self._cut_like(twins, version, canonical, embedding, title)
        if embedding is None:
            return chunks, {}
        known = await self._known(chunks, twins, embedding.spec.model_id)
        missing = {chunk.fingerprint: chunk.index_text for chunk in chunks if chunk.id not in known}
        made = await _embed(missing, embedding, on_progress)
        return chunks, {chunk.id: known[chunk.id] if chunk.id in known else made[chunk.fingerprint] for chunk in chunks}

    async def _twins(self, version: Version, embedding: EmbeddingModel | None) -> list[Chunk]:
        """Return the chunks of the same bytes at another path, or of another title."""
        if embedding is None:
            return []
        async with self.store.open(self.workspace_id) as work:
            return await work.chunks.of_bytes(
                version.sha256,
                parser=version.parser,
                parser_version=version.parser_version,
                model_id=embedding.spec.model_id,
            )

    def _cut_like(
        self, twins: Sequence[Chunk], version: Version, canonical: CanonicalText, embedding: EmbeddingModel | None, title: str
    ) -> list[Chunk]:
        """Cut a text; where its twin was cut by the same rules, at the same places, though a longer title might move them."""
        if twins:
            chunks = make_chunks(version, canonical, embedding, title=twins[0].title, rules=self.rules)
            if list(map(_place, chunks)) == list(map(_place, twins)):
                return [replace(chunk, title=title) for chunk in chunks]
        return make_chunks(version, canonical, embedding, title=title, rules=self.rules)

    async def _known(self, chunks: Sequence[Chunk], twins: Sequence[Chunk], model_id: str) -> dict[ChunkId, Vector]:
        """Return vectors that the store has: under the same fingerprint, else of the same words under the same headings."""
        words_of = {(twin.heading_path, twin.text): twin.fingerprint for twin in twins}
        async with self.store.open(self.workspace_id) as work:
            wanted = [*(chunk.fingerprint for chunk in chunks), *words_of.values()]
            stored = await work.chunks.vectors(wanted, model_id=model_id)
        known: dict[ChunkId, Vector] = {}
        for chunk in chunks:
            for fingerprint in (chunk.fingerprint, words_of.get((chunk.heading_path, chunk.text), "")):
                if fingerprint in stored:
                    known.setdefault(chunk.id, stored[fingerprint])
        return known


def _place(chunk: Chunk) -> tuple[int, int, tuple[str, ...]]:
    return chunk.start, chunk.end, chunk.heading_path


async def _embed(
    missing: Mapping[str, str], embedding: EmbeddingModel, on_progress: Callable[[int, int], None]
) -> dict[str, Vector]:
    """Embed texts by fingerprint, a batch between two reports."""
    made: dict[str, Vector] = {}
    todo = list(missing.items())
    for first in range(0, len(todo), EMBED_BATCH):
        on_progress(first, len(todo))
        batch = todo[first : first + EMBED_BATCH]
        vectors = await embedding.embed_passages([text for _, text in batch])
        made.update(zip((fingerprint for fingerprint, _ in batch), vectors, strict=True))
    return made


def make_chunks(
    version: Version, canonical: CanonicalText, embedding: EmbeddingModel | None, *, title: str, rules: ChunkRules
) -> list[Chunk]:
    """Cut a version's text into chunks that fit the model's window together with title, headings and prefix."""
    lang = detect(canonical.text[:20_000])
    count = embedding.count_tokens if embedding else _count_words
    alone = version.pages_stand_alone
    pieces = cut(canonical, _fit(rules, embedding), count, title=title, lang=lang, pages_stand_alone=alone)
    chunks: list[Chunk] = []
    for index, piece in enumerate(pieces):
        text = canonical.text[piece.start : piece.end]
        chunks.append(
            Chunk(
                id=ChunkId(new_id()),
                document_id=version.document_id,
                version_id=version.id,
                chunk_index=index,
                title=title,
                heading_path=piece.heading_path,
                text=text,
                start=piece.start,
                end=piece.end,
                token_count=piece.token_count,
                pages=canonical.page_spans(piece.start, piece.end),
                lang=detect(text) or lang,
                chunk_type=piece.chunk_type,
            )
        )
    return chunks


def _fit(rules: ChunkRules, embedding: EmbeddingModel | None) -> ChunkRules:
    """Leave room in the model's window for the passage prefix and two special tokens."""
    if embedding is None:
        return rules
    spec = embedding.spec
    room = spec.window_tokens - embedding.count_tokens([spec.passage_prefix])[0] - 2
    return replace(rules, budget_tokens=max(16, min(rules.budget_tokens, room)))


def _count_words(texts: Sequence[str]) -> list[int]:
    """Estimate tokens without a model: a word and a third each."""
    return [len(words(text)) * 4 // 3 for text in texts]
