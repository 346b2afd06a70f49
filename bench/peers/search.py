"""Searches with another engine, in that engine's environment, over what `bench/scale.py` exported: prints a JSON line a result.

python bench/peers/search.py ENGINE FOLDER      ENGINE: lancedb, llamaindex

Settings are the engine's own wherever it has a default; ten hits are asked for of each side and in all.
"""

import json
import logging
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from statistics import mean, median
from typing import Any

LIMIT = 10
SECONDS_A_RESULT = 60.0
"""Questions are asked until so much time has gone by, but three at least: one engine takes seconds for each."""
LEAST = 3


class Data:
    """Rows, questions and what an exact search finds."""

    def __init__(self, folder: Path) -> None:
        self.np: Any = import_module("numpy")
        asked = json.loads((folder / "questions.json").read_text())
        self.questions: list[str] = asked["questions"]
        self.question_vectors = self.np.load(folder / "questions.npy")
        self.vectors = self.np.load(folder / "vectors.npy")
        self.rows = [json.loads(line) for line in (folder / "texts.jsonl").read_text(encoding="utf-8").splitlines()]

    def recall(self, number: int, found: Sequence[int]) -> float:
        """Return the share of the ten nearest rows that was found."""
        best = self.np.argsort(-(self.vectors @ self.question_vectors[number]), kind="stable")[:LIMIT]
        return len(set(best.tolist()) & set(found[:LIMIT])) / LIMIT


def timed(name: str, data: Data, work: Callable[[int], Sequence[int] | None], *, load_cpu_s: float) -> dict[str, Any]:
    """Ask question after question, spread over the sets; `work` returns rows where it searches by vector alone."""
    work(0)
    cpu: list[float] = []
    wall: list[float] = []
    recalls: list[float] = []
    began = time.perf_counter()
    for number in spread(len(data.questions)):
        if len(cpu) >= LEAST and time.perf_counter() - began > SECONDS_A_RESULT:
            break
        cpu_from, wall_from = time.process_time(), time.perf_counter()
        found = work(number)
        wall.append((time.perf_counter() - wall_from) * 1000)
        cpu.append((time.process_time() - cpu_from) * 1000)
        if found is not None:
            recalls.append(data.recall(number, found))
    return {
        "name": name,
        "questions": len(cpu),
        "timing": {
            "cpu_mean": mean(cpu),
            "cpu_p50": median(cpu),
            "cpu_p95": sorted(cpu)[int(0.95 * len(cpu))],
            "wall_p50": median(wall),
            "wall_p95": sorted(wall)[int(0.95 * len(wall))],
        },
        "recall": mean(recalls) if recalls else None,
        "load_cpu_s": load_cpu_s,
        "memory_mb": memory_mb(),
    }


def spread(count: int) -> Iterator[int]:
    """Yield all numbers below `count`, those of a part of them as far apart as can be."""
    step = next(step for step in (97, 89, 83, 79) if count % step)
    return (number * step % count for number in range(count))


def memory_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon"))


def lancedb(data: Data) -> Iterator[dict[str, Any]]:
    """A table with full-text index: exact scan for vectors as long as no index is made, then with the default index."""
    library: Any = import_module("lancedb")
    arrow: Any = import_module("pyarrow")
    yield {"name": f"LanceDB {version('lancedb')}"}
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        dimensions = data.vectors.shape[1]
        vectors = arrow.FixedSizeListArray.from_arrays(arrow.array(data.vectors.reshape(-1)), dimensions)
        columns = {name: arrow.array([row[name] for row in data.rows]) for name in ("row", "document", "folder", "text")}
        table = library.connect(folder).create_table("bench", arrow.table({**columns, "vector": vectors}))
        table.create_fts_index("text")
        loaded = time.process_time() - started

        def hybrid(number: int, where: str = "") -> None:
            asked = table.search(query_type="hybrid").vector(data.question_vectors[number]).text(plain(data.questions[number]))
            (asked.where(where, prefilter=True) if where else asked).limit(LIMIT).to_list()

        def by_vector(number: int) -> list[int]:
            found = (
                table.search(data.question_vectors[number])
                .distance_type("cosine")
                .select(["row", "_distance"])
                .limit(LIMIT)
                .to_list()
            )
            return [hit["row"] for hit in found]

        yield timed("hybrid, no vector index", data, hybrid, load_cpu_s=loaded)
        yield timed("vectors, no index", data, by_vector, load_cpu_s=loaded)
        yield timed("hybrid, 1% filter", data, lambda n: hybrid(n, f"folder = 'folder-{n % 100:02}'"), load_cpu_s=loaded)
        started = time.process_time()
        table.create_index(metric="cosine")
        loaded += time.process_time() - started
        yield timed("hybrid, default vector index", data, hybrid, load_cpu_s=loaded)
        yield timed("vectors, default index", data, by_vector, load_cpu_s=loaded)


def plain(question: str) -> str:
    """Take out what the engine's query language would read as operators."""
    return " ".join("".join(c if c.isalnum() else " " for c in question).split())


def llamaindex(data: Data) -> Iterator[dict[str, Any]]:
    """A `VectorStoreIndex` in memory and a `BM25Retriever`, fused by `QueryFusionRetriever` without rewriting questions."""
    core: Any = import_module("llama_index.core")
    schema: Any = import_module("llama_index.core.schema")
    embeddings: Any = import_module("llama_index.core.embeddings")
    llms: Any = import_module("llama_index.core.llms")
    fusing: Any = import_module("llama_index.core.retrievers")
    bm25: Any = import_module("llama_index.retrievers.bm25")
    yield {"name": f"LlamaIndex {version('llama-index-core')}"}
    started = time.process_time()
    nodes = [
        schema.TextNode(id_=str(row["row"]), text=row["text"], embedding=vector.tolist(), metadata={"folder": row["folder"]})
        for row, vector in zip(data.rows, data.vectors, strict=True)
    ]
    model = embeddings.MockEmbedding(embed_dim=data.vectors.shape[1])
    index = core.VectorStoreIndex(nodes, embed_model=model)
    by_words = bm25.BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=LIMIT)
    dense = index.as_retriever(similarity_top_k=LIMIT)
    fused = fusing.QueryFusionRetriever(
        [dense, by_words], llm=llms.MockLLM(), similarity_top_k=LIMIT, num_queries=1, mode="reciprocal_rerank", use_async=False
    )
    loaded = time.process_time() - started

    def bundle(number: int) -> Any:
        return schema.QueryBundle(data.questions[number], embedding=data.question_vectors[number].tolist())

    def hybrid(number: int) -> None:
        fused.retrieve(bundle(number))

    def by_vector(number: int) -> list[int]:
        return [int(hit.node.node_id) for hit in dense.retrieve(bundle(number))]

    def words(number: int) -> None:
        by_words.retrieve(bundle(number))

    yield timed("vector index and BM25, fused", data, hybrid, load_cpu_s=loaded)
    yield timed("vector index alone", data, by_vector, load_cpu_s=loaded)
    yield timed("BM25 alone", data, words, load_cpu_s=loaded)


ENGINES = {"lancedb": lancedb, "llamaindex": llamaindex}


def main(engine: str, folder: str) -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    for result in ENGINES[engine](Data(Path(folder))):
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
