"""From a version's text to chunks, and the vectors that are known for them; what was embedded before is not embedded again."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from pincite.core.documents import CanonicalText, Chunk, ChunkType, PageSpan, Version, fingerprint_of
from pincite.core.figures import Figure
from pincite.core.ids import ChunkId, WorkspaceId, new_id
from pincite.core.pictures import is_scanned
from pincite.core.ports.models import EmbeddingModel, Vector
from pincite.core.ports.store import Store
from pincite.ingest.chunking import ChunkRules, pieces
from pincite.ingest.figure_chunks import blocks_apart, with_figures
from pincite.language.detect import detect
from pincite.language.words import words

EMBED_BATCH = 32
"""Passages handed to the model at once, between two commits."""

TOLD_CHUNKS = 200
"""Chunks between two words about how far cutting is."""

CHUNKER = "4"
"""Changes with the way in which texts are cut, so that chunks that were cut before are not taken for what would be cut now."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The chunks of a version in order, and the vectors known for them. `chunking` is the fingerprint of how they were cut.

    `are_stored` says that the store has these very chunks already.
    """

    chunks: Sequence[Chunk]
    vectors: Mapping[ChunkId, Vector]
    chunking: str
    are_stored: bool = False

    def batches(self) -> Iterator[dict[str, list[Chunk]]]:
        """Yield the chunks without a vector by fingerprint, `EMBED_BATCH` of these at a time."""
        missing: dict[str, list[Chunk]] = {}
        for chunk in self.chunks:
            if chunk.id not in self.vectors:
                missing.setdefault(chunk.fingerprint, []).append(chunk)
        waiting = iter(missing.items())
        while batch := dict(islice(waiting, EMBED_BATCH)):
            yield batch


@dataclass(frozen=True, slots=True)
class Embedder:
    """Cuts versions into chunks and looks for a vector for each.

    Two things spare the model: a chunk of the workspace with the same fingerprint, and a version of the same bytes, whatever its
    title. See decision 10 for what the second costs.
    """

    store: Store
    workspace_id: WorkspaceId
    rules: ChunkRules

    async def cut(
        self,
        version: Version,
        canonical: CanonicalText,
        figures: Sequence[Figure],
        embedding: EmbeddingModel | None,
        *,
        title: str,
        on_cut: Callable[[int], None] = lambda done: None,
    ) -> Cut:
        """Return the chunks of a version, those that are stored if they were cut in the same way, and their known vectors.

        `on_cut` hears now and then how many there are by then.
        """
        chunking = self._chunking(embedding, title, figures)
        chunks = await self._stored(version) if version.chunking == chunking else []
        if chunks and embedding is None:
            return Cut(chunks, {}, chunking, are_stored=True)
        twins = await self._twins(version, embedding)
        are_stored = bool(chunks)
        if not chunks:
            # On a thread: a long text takes many seconds, in which others have questions.
            hear = partial(asyncio.get_running_loop().call_soon_threadsafe, on_cut)
            make = partial(self._cut_like, twins, version, canonical, figures, embedding, title, hear)
            chunks = await asyncio.to_thread(make)
        known = await self._known(chunks, twins, embedding.spec.model_id) if embedding else {}
        return Cut(chunks, known, chunking, are_stored)

    def _chunking(self, embedding: EmbeddingModel | None, title: str, figures: Sequence[Figure]) -> str:
        rules, model = self.rules, embedding.spec.model_id if embedding else ""
        written = "\0".join(figure.description for figure in figures)
        return fingerprint_of(f"{CHUNKER}\0{rules.budget_tokens}\0{rules.overlap_percent}\0{model}\0{title}\0{written}")

    async def _stored(self, version: Version) -> list[Chunk]:
        async with self.store.open(self.workspace_id) as work:
            return without_summaries(await work.chunks.of_version(version.id))

    async def _twins(self, version: Version, embedding: EmbeddingModel | None) -> list[Chunk]:
        """Return the chunks of the same bytes at another path, or of another title."""
        if embedding is None:
            return []
        async with self.store.open(self.workspace_id) as work:
            found = await work.chunks.of_bytes(
                version.sha256,
                parser=version.parser,
                parser_version=version.parser_version,
                model_id=embedding.spec.model_id,
            )
        return without_summaries(found)

    def _cut_like(
        self,
        twins: Sequence[Chunk],
        version: Version,
        canonical: CanonicalText,
        figures: Sequence[Figure],
        embedding: EmbeddingModel | None,
        title: str,
        hear: Callable[[int], object],
    ) -> list[Chunk]:
        """Cut a text; where its twin was cut by the same rules, at the same places, though a longer title might move them."""
        if twins:
            chunks = make_chunks(version, canonical, embedding, title=twins[0].title, rules=self.rules, figures=figures)
            if list(map(_place, chunks)) == list(map(_place, twins)):
                return [replace(chunk, title=title) for chunk in chunks]
        return make_chunks(version, canonical, embedding, title=title, rules=self.rules, figures=figures, on_cut=hear)

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


def without_summaries(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the chunks that a text was cut into. Summaries of them are made later."""
    return [chunk for chunk in chunks if chunk.chunk_type is not ChunkType.SUMMARY]


def _place(chunk: Chunk) -> tuple[int, int, tuple[str, ...]]:
    return chunk.start, chunk.end, chunk.heading_path


async def embed(batch: Mapping[str, Iterable[Chunk]], embedding: EmbeddingModel) -> dict[ChunkId, Vector]:
    """Embed chunks, equal ones once."""
    texts = [next(iter(chunks)).index_text for chunks in batch.values()]
    vectors = await embedding.embed_passages(texts)
    return {chunk.id: vector for chunks, vector in zip(batch.values(), vectors, strict=True) for chunk in chunks}


def tokens_of(batch: Mapping[str, Sequence[Chunk]], embedding: EmbeddingModel) -> int:
    """Return the tokens of what `embed` hands to the model: of texts, and of the titles and headings before them."""
    first = [chunks[0] for chunks in batch.values()]
    trails = Counter(chunk.index_text.removesuffix(chunk.text) for chunk in first)
    counts = zip(trails.values(), embedding.count_tokens(list(trails)), strict=True)
    return sum(chunk.token_count for chunk in first) + sum(times * tokens for times, tokens in counts)


def make_chunks(
    version: Version,
    canonical: CanonicalText,
    embedding: EmbeddingModel | None,
    *,
    title: str,
    rules: ChunkRules,
    figures: Sequence[Figure] = (),
    on_cut: Callable[[int], object] = lambda done: None,
) -> list[Chunk]:
    """Cut a version's text into chunks that fit the model's window together with title, headings and prefix.

    `on_cut` hears now and then how many there are by then.
    """
    lang = detect(canonical.text[:20_000])
    count = embedding.count_tokens if embedding else count_words
    fitting = _fit(rules, embedding)
    alone = version.pages_stand_alone
    apart = blocks_apart(canonical, figures)
    found = pieces(canonical, fitting, count, title=title, lang=lang, pages_stand_alone=alone, apart=apart)
    like = Chunk(ChunkId(""), version.document_id, version.id, 0, title, (), "", 0, 0, 0, lang=lang)
    chunks: list[Chunk] = []
    for index, piece in enumerate(found):
        if index and index % TOLD_CHUNKS == 0:
            on_cut(index)
        text, pages = canonical.text[piece.start : piece.end], canonical.page_spans(piece.start, piece.end)
        chunks.append(
            replace(
                like,
                id=ChunkId(new_id()),
                chunk_index=index,
                heading_path=piece.heading_path,
                text=text,
                start=piece.start,
                end=piece.end,
                token_count=piece.token_count,
                pages=pages,
                lang=detect(text) or lang,
                chunk_type=_type_of(piece.chunk_type, pages),
            )
        )
    return with_figures(chunks, canonical, figures, like=like, budget_tokens=fitting.budget_tokens // 2, count_tokens=count)


def _type_of(chunk_type: ChunkType, pages: Sequence[PageSpan]) -> ChunkType:
    """Return the type of a chunk: text of a scanned page tells of a picture."""
    return ChunkType.IMAGE_DESCRIPTION if chunk_type is ChunkType.TEXT and is_scanned(pages) else chunk_type


def _fit(rules: ChunkRules, embedding: EmbeddingModel | None) -> ChunkRules:
    """Leave room in the model's window for the passage prefix and two special tokens."""
    if embedding is None:
        return rules
    spec = embedding.spec
    room = spec.window_tokens - embedding.count_tokens([spec.passage_prefix])[0] - 2
    return replace(rules, budget_tokens=max(16, min(rules.budget_tokens, room)))


def count_words(texts: Sequence[str]) -> list[int]:
    """Estimate tokens without a model: a word and a third each."""
    return [len(words(text)) * 4 // 3 for text in texts]
