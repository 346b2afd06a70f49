"""The local embedding model: time to load, speed, memory, likeness to the wheel's own engine; and dense retrieval alone.

python bench/embedding.py                  speed, memory, likeness
python bench/embedding.py quality [FOLDER]  SciFact and XQuAD by exact cosine; FOLDER keeps vectors between runs
"""

import asyncio
import base64
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from report import keep, need_shared, table

from pincite.adapters.models.cached import CachedEmbedding
from pincite.adapters.models.e5 import E5Embedding, load_local_model
from pincite.core.documents import index_text
from pincite.core.ports.models import EmbeddingModel
from pincite.evaluation.datasets import Dataset, load_dataset
from pincite.evaluation.metrics import mean, ndcg, quantile, recall

REFERENCE = Path(__file__).parent.parent / "tests/data/e5/engine.jsonl"
PASSAGE_TOKENS = 250
PASSAGES = 10
ROUNDS = 8
QUERIES = 50
SENTENCE = "Either party may end this agreement in writing with sixty days of notice, unless the parties agree otherwise. "


def passage_of(model: EmbeddingModel, tokens: int) -> str:
    words: list[str] = []
    for word in (SENTENCE * tokens).split():
        if model.count_tokens([" ".join([*words, word])])[0] > tokens:
            break
        words.append(word)
    return " ".join(words)


async def passages_per_core_second(model: EmbeddingModel) -> tuple[float, float]:
    """Return passages a second of processor time and of the clock, in the best of some rounds: others use the machine too."""
    texts = [passage_of(model, PASSAGE_TOKENS - 5)] * PASSAGES
    rounds: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        cpu, wall = time.process_time(), time.perf_counter()
        await model.embed_passages(texts)
        rounds.append((PASSAGES / (time.process_time() - cpu), PASSAGES / (time.perf_counter() - wall)))
    return max(rounds)


async def query_ms(model: EmbeddingModel) -> tuple[float, float]:
    """Return the median and the 95th percentile, in the best of some rounds."""
    rounds: list[tuple[float, float]] = []
    for _ in range(ROUNDS):
        found: list[float] = []
        for number in range(QUERIES):
            start = time.perf_counter()
            await model.embed_query(f"How long is the notice period in contract {number}?")
            found.append((time.perf_counter() - start) * 1000)
        rounds.append((quantile(found, 0.5), quantile(found, 0.95)))
    return min(rounds)


async def likeness(model: EmbeddingModel) -> tuple[float, float]:
    cosines: list[float] = []
    for line in REFERENCE.read_text(encoding="utf-8").splitlines():
        record: dict[str, Any] = json.loads(line)
        theirs = np.frombuffer(base64.b64decode(record["vector"]), "<f2").astype(np.float64)
        embed = model.embed_query if record["kind"] == "query" else embed_one(model)
        cosines.append(float(theirs @ np.asarray(await embed(record["text"]), np.float64)))
    return min(cosines), mean(cosines)


def embed_one(model: EmbeddingModel):
    async def embed(text: str):
        return (await model.embed_passages([text]))[0]

    return embed


def loading(cache: Path) -> dict[str, float]:
    """Load in a fresh process; return seconds of processor and of the clock, without and with the imports."""
    code = """if True:
        import json, pathlib, sys, time
        cpu, wall = time.process_time(), time.perf_counter()
        from pincite.adapters.models.e5 import load_local_model
        import onnxruntime
        imported_cpu, imported = time.process_time(), time.perf_counter()
        model = load_local_model(pathlib.Path(sys.argv[1]))
        loaded_cpu, loaded = time.process_time(), time.perf_counter()
        print(json.dumps({"imports": imported - wall, "load": loaded - imported,
                          "imports_cpu": imported_cpu - cpu, "load_cpu": loaded_cpu - imported_cpu}))
    """
    done = subprocess.run([sys.executable, "-c", code, str(cache)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


async def speed() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = loading(Path(folder)), loading(Path(folder))
        model = load_local_model(Path(folder))
        likest = await likeness(model)
        per_core, per_second = await passages_per_core_second(model)
        p50, p95 = await query_ms(model)
    rows = [
        ["load, first time", f"{cold['load']:.2f} s (processor {cold['load_cpu']:.2f} s)", "1 s"],
        ["load, from the cache", f"{warm['load']:.2f} s (processor {warm['load_cpu']:.2f} s)", "1 s"],
        ["imports of numpy and onnxruntime", f"{warm['imports']:.2f} s (processor {warm['imports_cpu']:.2f} s)", ""],
        [f"passages of {PASSAGE_TOKENS} tokens a second and core", f"{per_core:.1f} ({per_second:.1f} a second)", "≥ 9"],
        ["query p50, p95", f"{p50:.1f} ms, {p95:.1f} ms", "p50 ≤ 10 ms"],
        ["largest memory", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB", "< 250 MB"],
        ["least and mean cosine to the wheel's engine", f"{likest[0]:.4f}, {likest[1]:.4f}", "≥ .994"],
    ]
    keep("embedding", table(["", "measured", "bar"], rows))


async def dense(model: EmbeddingModel, dataset: Dataset) -> tuple[float, float]:
    """Return nDCG@10 and recall@10 of the exact cosine ranking, the whole entry as one passage."""
    passages = await model.embed_passages([index_text(entry.title, (), entry.text) for entry in dataset.entries])
    matrix = np.array([np.asarray(vector, np.float32) for vector in passages])
    names = [entry.id for entry in dataset.entries]
    gains: list[float] = []
    found: list[float] = []
    for question in dataset.questions:
        scores = matrix @ np.asarray(await model.embed_query(question.text), np.float32)
        best: list[int] = np.argsort(-scores)[:10].tolist()
        ranking = [names[place] for place in best]
        gains.append(ndcg(ranking, question.relevant))
        found.append(recall(ranking, question.relevant, 10))
    return mean(gains), mean(found)


async def quality(cache: Path) -> None:
    local: E5Embedding = load_local_model(cache)
    model = CachedEmbedding(local, cache)
    rows: list[list[str]] = []
    for name, by, bar in (("xquad", "lang", 0.92), ("scifact", "", 0.62)):
        folder = need_shared("evals", name)
        paths = (folder / "corpus.jsonl", folder / "dev" / "queries.jsonl", folder / "dev" / "qrels.tsv")
        dataset = load_dataset(*paths, by_field=by)
        for group, part in (dataset.groups() if by else {"": dataset}).items():
            gain, found = await dense(model, part)
            label = f"{name} {group}".strip()
            rows.append(
                [label, str(len(part.questions)), f"{gain:.3f}", f"{found:.3f}", f"≥ {bar}", "met" if gain >= bar else "MISSED"]
            )
            print(rows[-1], flush=True)
    keep("embedding-quality", table(["dev half", "questions", "nDCG@10", "recall@10", "bar", ""], rows))


def main(arguments: list[str]) -> None:
    if arguments[:1] != ["quality"]:
        asyncio.run(speed())
    elif len(arguments) > 1:
        asyncio.run(quality(Path(arguments[1])))
    else:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(quality(Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
