"""Times a search and its parts over a filled store. `bench/scale.py` runs this in a process of its own."""

import asyncio
import resource
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import mean, median
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray
from stores import FOLDERS, BenchStore, chunk_id_of, open_filled
from tantivy import Occur, Query, Searcher

from pincite.adapters.index.word_view import BODY, schema
from pincite.adapters.index.word_writing import open_snapshot
from pincite.answering.sources import group_sources
from pincite.bootstrap import LOCAL_WORKSPACE
from pincite.core.documents import index_text
from pincite.core.evidence import Filter, Passage, Strategy
from pincite.core.evidence import Query as Question
from pincite.core.ids import ChunkId, DocumentId
from pincite.core.ports.index import IndexHit, LexicalResult
from pincite.language.words import words
from pincite.retrieval.fusion import fuse, weights_for
from pincite.retrieval.phrases import phrase_matcher
from pincite.retrieval.searcher import DEPTH

Floats = NDArray[np.float32]
AT_ONCE = 256
"""Rows of a bare product: small enough for one thread, as in the index."""
FEW, MANY = 1, 10
"""Folders of a hundred that a filter leaves: 1% and 10%."""


class Timing(TypedDict):
    """Milliseconds a question."""

    cpu_mean: float
    cpu_p50: float
    cpu_p95: float
    wall_p50: float
    wall_p95: float


class Measured(TypedDict):
    """What is reported of one size. `recall` is recall@10 against exact, by how many hits were asked for."""

    questions: int
    load: dict[str, float]
    recall: dict[str, float]
    search: dict[str, Timing]
    parts: dict[str, Timing]
    bare: dict[str, Timing]


async def timed(count: int, work: Callable[[int], Awaitable[object]]) -> Timing:
    """Do `work` for each question, processor time of all threads counted."""
    cpu: list[float] = []
    wall: list[float] = []
    for number in range(count):
        cpu_from, wall_from = time.process_time(), time.perf_counter()
        await work(number)
        wall.append((time.perf_counter() - wall_from) * 1000)
        cpu.append((time.process_time() - cpu_from) * 1000)
    return {
        "cpu_mean": mean(cpu),
        "cpu_p50": median(cpu),
        "cpu_p95": float(np.quantile(cpu, 0.95)),
        "wall_p50": median(wall),
        "wall_p95": float(np.quantile(wall, 0.95)),
    }


async def measure(folder: Path) -> Measured:
    """Return all figures of a store."""
    cpu_from, wall_from = time.process_time(), time.perf_counter()
    async with open_filled(folder) as bench:
        await bench.searcher.retrieve(ask(bench, 0))
        load = {"cpu_s": time.process_time() - cpu_from, "wall_s": time.perf_counter() - wall_from}
        matrix = matrix_of(folder, bench.question_vectors.shape[1])
        recall = {str(limit): await recall_at_10(bench, matrix, limit=limit) for limit in (10, DEPTH)}
        search = await time_searches(bench)
        load["anonymous_mb"] = anonymous_mb()
        load["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        parts = await time_parts(bench)
        bare = await time_bare(bench, matrix, snapshot_of(folder))
        return {
            "questions": len(bench.questions),
            "load": load,
            "recall": recall,
            "search": search,
            "parts": parts,
            "bare": bare,
        }


def ask(bench: BenchStore, number: int, strategy: Strategy = Strategy.HYBRID, narrowed: Filter | None = None) -> Question:
    return Question(bench.questions[number], (bench.space.collection_id,), narrowed or Filter(), strategy=strategy)


def matrix_of(folder: Path, dimensions: int) -> Floats:
    """Map the index's vectors; row n is that of `chunk_id_of(n)`."""
    [path] = folder.glob("index/*/dense-*/generation-*/vectors.f32")
    return np.memmap(path, np.float32, "r").view(np.ndarray).reshape(-1, dimensions)


def snapshot_of(folder: Path) -> Searcher:
    [path] = folder.glob("index/*/lexical/generation-*/snapshot-*")
    return open_snapshot(path)


def anonymous_mb() -> float:
    """Return the memory that is this process's own: mapped files are shared."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon"))


async def recall_at_10(bench: BenchStore, matrix: Floats, *, limit: int) -> float:
    shares: list[float] = []
    for vector in bench.question_vectors:
        found = await bench.dense.search(bench.space, vector.tolist(), limit=limit)
        best = {chunk_id_of(int(row)) for row in np.argsort(-product(matrix, vector), kind="stable")[:10]}
        shares.append(len(best & {hit.chunk_id for hit in found[:10]}) / 10)
    return mean(shares)


def product(matrix: Floats, vector: Floats) -> Floats:
    scores = np.empty(len(matrix), np.float32)
    for start in range(0, len(matrix), AT_ONCE):
        np.dot(matrix[start : start + AT_ONCE], vector, out=scores[start : start + AT_ONCE])
    return scores


async def time_searches(bench: BenchStore) -> dict[str, Timing]:
    """Time whole searches. The first pass is not counted: it maps files that later ones find in memory."""
    count = len(bench.questions)

    async def plainly(strategy: Strategy) -> Timing:
        return await timed(count, lambda number: bench.searcher.retrieve(ask(bench, number, strategy)))

    async def among(filters: Sequence[Filter]) -> Timing:
        return await timed(
            count, lambda number: bench.searcher.retrieve(ask(bench, number, narrowed=filters[number % len(filters)]))
        )

    folders = [Filter(path_prefix=f"folder-{number:02}/") for number in range(FOLDERS)]
    few = [Filter(document_ids=tuple(await documents_in(bench, [folder]))) for folder in folders]
    many = [
        Filter(document_ids=tuple(await documents_in(bench, folders[first : first + MANY]))) for first in range(0, FOLDERS, MANY)
    ]
    await plainly(Strategy.HYBRID)
    return {
        **{str(strategy): await plainly(strategy) for strategy in Strategy},
        "hybrid, 1% by folder": await among(folders),
        "hybrid, 1% by documents": await among(few),
        "hybrid, 10% by documents": await among(many),
        "hybrid, again": await plainly(Strategy.HYBRID),
    }


async def documents_in(bench: BenchStore, folders: Sequence[Filter]) -> list[DocumentId]:
    found: set[DocumentId] = set()
    async with bench.store.open(LOCAL_WORKSPACE) as work:
        for folder in folders:
            found |= await work.documents.matching(bench.space.collection_id, folder)
    return sorted(found)


async def time_parts(bench: BenchStore) -> dict[str, Timing]:
    """Time the steps of a hybrid search one by one, each over all questions: together they take a little less than the whole,
    since a step that is repeated finds its code and data in the processor's cache.
    """
    count = len(bench.questions)
    vectors = [vector.tolist() for vector in bench.question_vectors]
    weights = weights_for("intfloat/multilingual-e5-small")
    near: list[list[IndexHit]] = []
    said: list[LexicalResult] = []
    for number, vector in enumerate(vectors):
        near.append(await bench.dense.search(bench.space, vector, limit=DEPTH))
        said.append(await bench.lexical.search(bench.space, bench.questions[number], limit=DEPTH))

    def fused(number: int) -> list[ChunkId]:
        pairs = fuse(near[number], said[number].hits, Strategy.HYBRID, weights=weights, depth=DEPTH)
        return [chunk for chunk, _ in pairs[:DEPTH]]

    async def check(_: int) -> None:
        async with bench.store.open(LOCAL_WORKSPACE) as work:
            await work.collections.get(bench.space.collection_id)
            await work.collections.scope(bench.space.collection_id)
        await bench.store.changes.state(bench.space)
        await bench.store.changes.state(bench.space)

    async def fusing(number: int) -> None:
        fused(number)

    ranked = [fused(number) for number in range(count)]
    confirmed = [await confirm(bench, chunks) for chunks in ranked]

    async def phrases(number: int) -> None:
        matches = phrase_matcher(bench.questions[number])
        if matches:
            sum(matches(index_text(passage.title, passage.heading_path, passage.text)) for passage in confirmed[number])

    async def group(number: int) -> None:
        group_sources(confirmed[number][:6])

    return {
        "state check": await timed(count, check),
        "dense side": await timed(count, lambda number: bench.dense.search(bench.space, vectors[number], limit=DEPTH)),
        "lexical side": await timed(count, lambda number: bench.lexical.search(bench.space, bench.questions[number], limit=DEPTH)),
        "fuse": await timed(count, fusing),
        "confirm 100 in the database": await timed(count, lambda number: confirm(bench, ranked[number])),
        "phrases": await timed(count, phrases),
        "group into sources": await timed(count, group),
    }


async def confirm(bench: BenchStore, chunks: Sequence[ChunkId]) -> list[Passage]:
    async with bench.store.open(LOCAL_WORKSPACE) as work:
        return await work.chunks.passages(chunks)


async def time_bare(bench: BenchStore, matrix: Floats, words_index: Searcher) -> dict[str, Timing]:
    """Time the least that each side could do, without log, threads, titles, languages or ids."""
    count = len(bench.questions)

    async def exact(number: int) -> None:
        scores = product(matrix, bench.question_vectors[number])
        best = np.argpartition(scores, len(scores) - DEPTH)[-DEPTH:]
        best[np.argsort(-scores[best])].tolist()

    async def by_words(number: int) -> None:
        clauses = [(Occur.Should, Query.term_query(schema(), BODY, word, "freq")) for word in set(words(bench.questions[number]))]
        words_index.search(Query.boolean_query(clauses), DEPTH, count=False)

    async def hop(_: int) -> None:
        await asyncio.to_thread(int)

    return {
        "exact product and the best 100, numpy": await timed(count, exact),
        "tantivy, the question's words in one field": await timed(count, by_words),
        "a change of threads and back": await timed(count, hop),
    }
