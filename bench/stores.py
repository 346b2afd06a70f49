"""Stores of any size for benches: real passages with their real vectors, repeated with noise.

The first round holds the passages of `../shared/evals` as they are. In each further round

- a vector moves by `NOISE` of its length (which is 1) along the difference of two other passages' vectors, so that the noise
  has the shape of the data and not of a ball, and is brought back to length 1;
- a fifth of a text's words (`REPLACED`) are exchanged for words of another passage of its language, so that copies don't
  collapse into one hit.

Documents have ten passages, a page each, and lie in a hundred folders, so that a folder is 1%. Everything is drawn from fixed
seeds: the same cache of vectors gives the same store.
"""

import json
import random
import re
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from report import need_shared

from pincite.adapters.index.dense import MappedDenseIndex
from pincite.adapters.index.lexical import TantivyIndex
from pincite.adapters.index.threads import SearchThreads
from pincite.adapters.models.cached import CachedEmbedding
from pincite.adapters.models.e5 import load_local_model
from pincite.adapters.sql.store import SqlStore, open_store
from pincite.bootstrap import LOCAL_WORKSPACE
from pincite.core.documents import (
    Block,
    BlockRole,
    CanonicalText,
    Chunk,
    Collection,
    Document,
    EmbeddingSpec,
    PageSpan,
    Stage,
    Version,
)
from pincite.core.ids import ChunkId, CollectionId, DocumentId, VersionId
from pincite.core.ports.index import IndexSpace
from pincite.core.ports.models import EmbeddingModel, Vector
from pincite.evaluation.datasets import Entry, load_dataset
from pincite.ingest.chunking import ChunkRules
from pincite.ingest.embedding import make_chunks
from pincite.retrieval.searcher import Searcher
from pincite.settings import load_settings

Floats = NDArray[np.float32]

SETS = ("scifact", "tatqa", "hop-hotpot", "clapnq", "mtrag-un", "xquad")
"""Those that `bench/quality.py` embeds: their vectors are likely to be cached."""
QUESTIONS_A_SET = 50
NOISE = 0.25
REPLACED = 0.2
A_DOCUMENT = 10
FOLDERS = 100
LEAST_PASSAGES = 4_000
"""Passages that are embedded when the cache holds fewer; else those that it holds are used."""
ENTRIES_A_LOOK = 50
DOCUMENTS_A_COMMIT = 100
COLLECTION = CollectionId("00000000-0000-7000-8000-00000000be9c")
BLANKS = re.compile(r"(\s+)")


@dataclass(frozen=True)
class Material:
    """Passages as chunks with their vectors `(n, dim)`, and questions with theirs `(m, dim)`."""

    spec: EmbeddingSpec
    passages: Sequence[Chunk]
    vectors: Floats
    questions: Sequence[str]
    question_vectors: Floats


@dataclass(frozen=True)
class KnownQuestions:
    """An `EmbeddingModel` that knows the vectors of the bench's questions, so that embedding costs nothing."""

    spec: EmbeddingSpec
    known: dict[str, Vector]

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        raise NotImplementedError("Vectors of passages are in the store.")

    async def embed_query(self, text: str) -> Vector:
        return self.known[text]

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return [self.known[text] for text in texts]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


@dataclass(frozen=True)
class BenchStore:
    """An open store with what searches it. `space` is its collection's place in the indexes."""

    store: SqlStore
    dense: MappedDenseIndex
    lexical: TantivyIndex
    searcher: Searcher
    space: IndexSpace
    questions: Sequence[str]
    question_vectors: Floats


class _OnlyCached:
    """The model for a cache that must not embed: `embed_passages` says what is missing."""

    def __init__(self, model: EmbeddingModel) -> None:
        self._model = model

    @property
    def spec(self) -> EmbeddingSpec:
        return self._model.spec

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        raise LookupError(f"{len(texts)} texts aren't cached")

    async def embed_query(self, text: str) -> Vector:
        return await self._model.embed_query(text)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return await self._model.embed_queries(texts)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._model.count_tokens(texts)


async def load_material() -> Material:
    """Return passages and questions with their vectors, from the cache under PINCITE_HOME or, where it holds few, embedded."""
    folder = load_settings().home_path / "cache"
    folder.mkdir(parents=True, exist_ok=True)
    model = load_local_model(folder)
    cached, willing = CachedEmbedding(_OnlyCached(model), folder), CachedEmbedding(model, folder)
    pairs: list[tuple[Chunk, Vector]] = []
    skipped: list[list[Chunk]] = []
    for part in _parts(model):
        try:
            vectors = await cached.embed_passages([chunk.index_text for chunk in part])
        except LookupError:
            skipped.append(part)
        else:
            pairs += zip(part, vectors, strict=True)
    random.Random(1).shuffle(skipped)
    while skipped and len(pairs) < LEAST_PASSAGES:
        print(f"embedding: {len(pairs)} of {LEAST_PASSAGES} passages", flush=True)
        part = skipped.pop()
        pairs += zip(part, await willing.embed_passages([chunk.index_text for chunk in part]), strict=True)
    random.Random(1).shuffle(pairs)
    questions = [text for name in SETS for text in _questions(name)]
    asked = [await willing.embed_query(text) for text in questions]
    return Material(model.spec, [chunk for chunk, _ in pairs], _units([vector for _, vector in pairs]), questions, _units(asked))


def _parts(model: EmbeddingModel) -> Iterator[list[Chunk]]:
    for name in SETS:
        entries = _entries(name)
        for at in range(0, len(entries), ENTRIES_A_LOOK):
            yield [chunk for entry in entries[at : at + ENTRIES_A_LOOK] for chunk in _chunks(entry, model)]


def _entries(name: str) -> Sequence[Entry]:
    folder = need_shared("evals", name)
    return load_dataset(folder / "corpus.jsonl", folder / "dev" / "queries.jsonl", folder / "dev" / "qrels.tsv").entries


def _questions(name: str) -> Sequence[str]:
    folder = need_shared("evals", name)
    rows = (folder / "dev" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    step = max(1, len(rows) // QUESTIONS_A_SET)
    return [json.loads(row)["text"] for row in rows[::step][:QUESTIONS_A_SET]]


def _chunks(entry: Entry, model: EmbeddingModel) -> list[Chunk]:
    """Cut an entry as evaluation does, so that its cached vectors are found."""
    version = Version(VersionId(""), DocumentId(""), "", len(entry.text), "text/plain", "bench", "1", datetime.now(UTC))
    role = BlockRole.TABLE if entry.text.lstrip().startswith("|") else BlockRole.BODY
    canonical = CanonicalText(entry.text, (Block(role, 0, len(entry.text)),))
    return make_chunks(version, canonical, model, title=entry.title, rules=ChunkRules())


def _units(vectors: Sequence[Vector] | Floats) -> Floats:
    found = np.asarray(vectors, np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def vector_rounds(material: Material, size: int) -> Iterator[Floats]:
    """Yield the vectors of `size` rows, a round at a time."""
    count = len(material.vectors)
    for number in range(-(-size // count)):
        found = material.vectors
        if number:
            draw = np.random.default_rng(number)
            there, back = draw.integers(count, size=(2, count))
            along = material.vectors[there] - material.vectors[back]
            length = np.linalg.norm(along, axis=1, keepdims=True)
            found = _units(found + NOISE * along / np.maximum(length, np.finfo(np.float32).tiny))
        yield found[: size - number * count]


def text_of(material: Material, row: int) -> str:
    """Return the text of a row."""
    number, place = divmod(row, len(material.passages))
    chunk = material.passages[place]
    return chunk.text if number == 0 else _altered(material, chunk, random.Random(row))


def _altered(material: Material, chunk: Chunk, draw: random.Random) -> str:
    other = chunk
    for _ in range(50):
        other = draw.choice(material.passages)
        if other.lang == chunk.lang and other is not chunk:
            break
    if " " not in chunk.text:  # written without blanks: characters stand for words
        pieces, words = list(chunk.text), list(other.text)
        places = range(len(pieces))
    else:
        pieces, words = BLANKS.split(chunk.text), other.text.split()
        places = range(0, len(pieces), 2)
    for place in places:
        if draw.random() < REPLACED:
            pieces[place] = draw.choice(words)
    return "".join(pieces)


def chunk_id_of(row: int) -> ChunkId:
    """Return the id of a row's chunk."""
    return ChunkId(f"019a0000-0000-7000-8000-{row:012x}")


def document_of(row: int) -> tuple[DocumentId, str]:
    """Return the id and the path of a row's document."""
    number = row // A_DOCUMENT
    return DocumentId(f"019a0000-0000-7000-9000-{number:012x}"), f"folder-{number % FOLDERS:02}/document-{number:06}.txt"


async def fill(folder: Path, size: int, material: Material) -> dict[str, float]:
    """Write a store of `size` chunks into an empty folder; return the seconds of processor time that each part took."""
    seconds = {"rows": await _write_rows(folder, size, material)}
    (folder / "questions.json").write_text(json.dumps({"spec": asdict(material.spec), "questions": list(material.questions)}))
    np.save(folder / "questions.npy", material.question_vectors)
    async with open_filled(folder) as bench:
        started = time.process_time()
        await bench.dense.search(bench.space, bench.question_vectors[0].tolist(), limit=1)
        built = time.process_time()
        await bench.lexical.search(bench.space, bench.questions[0], limit=1)
        seconds |= {"dense": built - started, "lexical": time.process_time() - built}
    return seconds


async def _write_rows(folder: Path, size: int, material: Material) -> float:
    store = open_store(folder / "pincite.db")
    started = time.process_time()
    async with store.open(LOCAL_WORKSPACE) as work:
        await work.collections.add(Collection(COLLECTION, LOCAL_WORKSPACE, "bench", material.spec, datetime.now(UTC)))
        await work.commit()
    vectors = (vector for found in vector_rounds(material, size) for vector in found)
    batch = A_DOCUMENT * DOCUMENTS_A_COMMIT
    for first in range(0, size, batch):
        async with store.open(LOCAL_WORKSPACE) as work:
            for row in range(first, min(first + batch, size), A_DOCUMENT):
                rows = range(row, min(row + A_DOCUMENT, size))
                document, version, canonical, chunks = _document(material, rows)
                await work.documents.save(document)
                await work.versions.add(version, canonical)
                known = {chunk.id: next(vectors).tolist() for chunk in chunks}
                await work.chunks.publish(document, chunks, known, model_id=material.spec.model_id)
            await work.commit()
    await store.close()
    return time.process_time() - started


def _document(material: Material, rows: range) -> tuple[Document, Version, CanonicalText, list[Chunk]]:
    now = datetime.now(UTC)
    id_, path = document_of(rows[0])
    version = Version(VersionId(id_.replace("-9000-", "-a000-")), id_, "", 1, "text/plain", "bench", "1", now)
    title = material.passages[rows[0] % len(material.passages)].title
    texts = [text_of(material, row) for row in rows]
    blocks: list[Block] = []
    chunks: list[Chunk] = []
    start = 0
    for number, (row, text) in enumerate(zip(rows, texts, strict=True), 1):
        base = material.passages[row % len(material.passages)]
        end = start + len(text)
        page = PageSpan(number, str(number), start, end)
        chunks.append(
            Chunk(
                chunk_id_of(row),
                id_,
                version.id,
                number - 1,
                title,
                (base.title,),
                text,
                start,
                end,
                base.token_count,
                (page,),
                base.lang,
            )
        )
        blocks.append(Block(BlockRole.BODY, start, end))
        start = end + 2
    canonical = CanonicalText("\n\n".join(texts), tuple(blocks))
    document = Document(
        id_, COLLECTION, path, title, "text/plain", path, Stage.READY, now, now, version.id, pages=len(chunks), chunks=len(chunks)
    )
    return document, version, canonical, chunks


@asynccontextmanager
async def open_filled(folder: Path) -> AsyncGenerator[BenchStore]:
    """Open a store that `fill` wrote. No model is loaded."""
    asked = json.loads((folder / "questions.json").read_text())
    spec, questions = EmbeddingSpec(**asked["spec"]), asked["questions"]
    vectors: Floats = np.load(folder / "questions.npy")
    store = open_store(folder / "pincite.db")
    index, threads = folder / "index", SearchThreads()
    dense, lexical = MappedDenseIndex(index, store.changes, threads=threads), TantivyIndex(index, store.changes, threads=threads)
    model = KnownQuestions(spec, dict(zip(questions, vectors, strict=True)))
    searcher = Searcher(store, dense, lexical, lambda _: model, LOCAL_WORKSPACE)
    space = IndexSpace(LOCAL_WORKSPACE, COLLECTION, spec.model_id, spec.dimensions)
    try:
        yield BenchStore(store, dense, lexical, searcher, space, questions, vectors)
    finally:
        await store.close()
