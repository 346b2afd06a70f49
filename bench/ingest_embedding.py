"""Passages embedded by the local model beside a bare loop over the same graph. Run by ingest.py."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from clock import cpu_s
from ingest_steps import chunks_of
from manifest import Entry
from report import table

from pincite.adapters.models.e5 import GRAPH, SPECIAL_TOKENS, WINDOW_TOKENS, E5Embedding, load_local_model
from pincite.adapters.models.e5_file import dequantize
from pincite.adapters.models.e5_weights import find_weights, load_e5_data
from pincite.adapters.models.mapped_arrays import Floats
from pincite.adapters.models.onnx_graph import OnnxGraph
from pincite.adapters.models.unigram import UnigramTokenizer
from pincite.adapters.parsers.isolation import IsolatedParser
from pincite.core.ports.models import EmbeddingModel

ROUNDS = 5
TEXTS = 48


class BareLoop:
    """The model's graph and nothing else: its inputs are made ahead."""

    def __init__(self, cache: Path, texts: Sequence[str], *, prefix: str) -> None:
        data = load_e5_data(find_weights(), cache_dir=cache)
        tokenizer = UnigramTokenizer(data.pieces, characters=data.characters, unknown_id=data.special.unknown)
        self._graph = OnnxGraph(GRAPH.read_bytes(), weights=data.weights)
        begin, end = data.special.begin, data.special.end
        ids = (tokenizer.encode(prefix + text, limit=WINDOW_TOKENS - SPECIAL_TOKENS) for text in texts)
        self._rows = [dequantize(data.words[[begin, *found, end]])[None] for found in ids]

    def run(self, *, threads: int) -> None:
        if threads == 1:
            for rows in self._rows:
                self._one(rows)
            return
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(self._one, self._rows))

    def _one(self, rows: Floats) -> None:
        self._graph.run({"word": rows}, output="embedding")


async def embedding(entries: Sequence[Entry], cache: Path) -> list[str]:
    """Embed chunks of the corpus with the model and with the bare loop in turn; the fastest round of each counts."""
    models = {threads: load_local_model(cache, workers=threads) for threads in (1, 2)}
    texts = await _some_texts(entries, models[1])
    bare = BareLoop(cache, texts, prefix=models[1].spec.passage_prefix)
    rows = [await _beside_bare(models[threads], bare, texts, threads=threads) for threads in models]
    return [
        f"## Embedding {len(texts)} passages beside a bare loop over the same graph (≥ 90%)",
        "",
        *table(["threads", "passages a CPU s", "bare loop", "share"], rows),
    ]


async def _some_texts(entries: Sequence[Entry], model: EmbeddingModel) -> list[str]:
    parser = IsolatedParser()
    found: list[str] = []
    for entry in entries:
        document = await parser.parse(entry.path, name=entry.path.name)
        found += [chunk.index_text for chunk in chunks_of(document, model, name=entry.path.name)]
    parser.close()
    return found[:: max(1, len(found) // TEXTS)][:TEXTS]


async def _beside_bare(model: E5Embedding, bare: BareLoop, texts: Sequence[str], *, threads: int) -> list[str]:
    ours, theirs = list[float](), list[float]()
    for _ in range(ROUNDS):
        start = cpu_s()
        bare.run(threads=threads)
        middle = cpu_s()
        await model.embed_passages(texts)
        theirs.append(middle - start)
        ours.append(cpu_s() - middle)
    speed, base = len(texts) / min(ours), len(texts) / min(theirs)
    return [str(threads), f"{speed:.2f}", f"{base:.2f}", f"{speed / base:.1%}"]
