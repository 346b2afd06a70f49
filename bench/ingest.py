"""Ingest: PDF bytes to chunks beside bare PDFium, the parts of a whole add, embedding beside a bare loop, other parsers.

python bench/ingest.py [PART …]      parts: chunks, peers, embedding, add (all)

Other parsers live in an environment of their own: make .venv/peers/parsing.stamp
"""

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clock import Laps, cpu_s
from manifest import Entry, readable_pdfs
from report import keep, table

from pincite.adapters.models.e5 import GRAPH, SPECIAL_TOKENS, WINDOW_TOKENS, E5Embedding, load_local_model
from pincite.adapters.models.e5_file import dequantize
from pincite.adapters.models.e5_weights import find_weights, load_e5_data
from pincite.adapters.models.mapped_arrays import Floats
from pincite.adapters.models.onnx_graph import OnnxGraph
from pincite.adapters.models.unigram import UnigramTokenizer
from pincite.adapters.parsers.cleaning import fold
from pincite.adapters.parsers.isolation import IsolatedParser
from pincite.adapters.parsers.pdfium import open_pdf
from pincite.bootstrap import Services, build
from pincite.core.documents import CanonicalText, Chunk, EmbeddingSpec, ParsedDocument, Stage, Version
from pincite.core.evidence import Filter, Query
from pincite.core.ids import DocumentId, VersionId
from pincite.core.ports.models import EmbeddingModel, Vector
from pincite.ingest.adding import add_file
from pincite.ingest.chunking import ChunkRules
from pincite.ingest.embedding import make_chunks
from pincite.ingest.folders import FileToAdd
from pincite.ingest.ingestor import Progress
from pincite.settings import load_settings

PARTS = ("chunks", "peers", "embedding", "add")
ROUNDS = 7
PAGES_A_CPU_S = 150
EMBED_ROUNDS = 5
EMBED_TEXTS = 48
PEER_PYTHON = Path(".venv/peers/parsing/bin/python")
PEERS = ("docling-slim", "pdfplumber", "markitdown")


def bare_pages(path: Path) -> list[str]:
    with open_pdf(str(path)) as document:
        texts: list[str] = []
        for index in range(document.page_count):
            with document.page(index) as page:
                texts.append(page.chars())
        return texts


def chunks_of(document: ParsedDocument, model: EmbeddingModel, *, name: str) -> list[Chunk]:
    version = Version(
        VersionId("v"), DocumentId("d"), "", 0, document.content_type, document.parser, document.parser_version, datetime.now(UTC)
    )
    return make_chunks(version, document.canonical, model, title=document.title or name, rules=ChunkRules())


async def chunks(entries: Sequence[Entry], model: EmbeddingModel) -> list[str]:
    """Measure bytes to chunks, round by round in turn with bare PDFium; the fastest round of each counts."""
    parser = IsolatedParser()
    first = cpu_s()
    spent = [await _chunk_round(entries, model, parser)]
    first = cpu_s() - first - sum(bare for bare, _, _ in spent[0].values())
    spent += [await _chunk_round(entries, model, parser) for _ in range(ROUNDS)]
    parser.close()
    rows: list[list[str]] = []
    totals = [0.0, 0.0, 0.0, 0.0]
    for entry in entries:
        pages = len(bare_pages(entry.path))
        bare, parse, chunk = (min(found[entry.path][part] for found in spent) for part in range(3))
        totals = [total + value for total, value in zip(totals, (pages, bare, parse, chunk), strict=True)]
        if pages >= 4:
            rows.append(_speeds(entry.path.name, pages, bare, parse, chunk))
    pages, bare, parse, chunk = totals
    rows.append(_speeds("**all**", int(pages), bare, parse, chunk))
    met = "met" if pages / (parse + chunk) >= PAGES_A_CPU_S else "MISSED"
    header = ["file", "pages", "bare PDFium, pages a CPU s", "parsed", "parsed and cut", "CPU of parse : bare", "of both : bare"]
    return [
        f"## PDF bytes to chunks: {pages / (parse + chunk):.0f} pages a CPU second (≥ {PAGES_A_CPU_S}: {met})",
        "",
        f"Parent and child together. The first round, with the start of the child and cold dictionaries: {first:.2f} CPU s.",
        "",
        *table(header, rows),
    ]


async def _chunk_round(entries: Sequence[Entry], model: EmbeddingModel, parser: IsolatedParser) -> dict[Path, list[float]]:
    spent: dict[Path, list[float]] = {}
    for entry in entries:
        start = cpu_s()
        bare_pages(entry.path)
        bare = cpu_s()
        document = await parser.parse(entry.path, name=entry.path.name)
        parsed = cpu_s()
        chunks_of(document, model, name=entry.path.name)
        spent[entry.path] = [bare - start, parsed - bare, cpu_s() - parsed]
    return spent


def _speeds(name: str, pages: int, bare: float, parse: float, chunk: float) -> list[str]:
    speeds = [f"{pages / seconds:.0f}" for seconds in (bare, parse, parse + chunk)]
    return [name, str(pages), *speeds, f"{parse / bare:.2f}", f"{(parse + chunk) / bare:.2f}"]


class TimedEmbedding:
    """An `EmbeddingModel` whose work is a lap of its own."""

    def __init__(self, inner: EmbeddingModel, laps: Laps) -> None:
        self._inner = inner
        self._laps = laps
        self.passages = 0

    @property
    def spec(self) -> EmbeddingSpec:
        return self._inner.spec

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        self._laps.enter("embed")
        vectors = await self._inner.embed_passages(texts)
        self._laps.enter("store")
        self.passages += len(texts)
        return vectors

    async def embed_query(self, text: str) -> Vector:
        return await self._inner.embed_query(text)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self._inner.count_tokens(texts)


PART_OF_STAGE = {Stage.PARSING: "parse", Stage.CHUNKING: "chunk", Stage.READY: "store"}


async def add(entries: Sequence[Entry]) -> list[str]:
    """Add the files one after the other to a new home; what is neither parse, chunk nor embed is the store's."""
    laps = Laps()
    with tempfile.TemporaryDirectory() as home:
        services = build(load_settings(home=home))
        collection = await services.collection("default", create=True)
        inner = services.models.embedding_of(collection)
        assert inner is not None, "this bench needs the local model"
        embedding = TimedEmbedding(inner, laps)

        def follow(source: str, progress: Progress) -> None:
            if part := PART_OF_STAGE.get(progress.stage):
                laps.enter(part)

        for entry in entries:
            laps.enter("store")
            await add_file(
                services.ingestor,
                FileToAdd(entry.path, entry.path.name),
                collection=collection,
                embedding=embedding,
                on_progress=follow,
            )
        laps.enter("")
        laps.spent["index"] = await _indexing_s(services)
        await services.close()
    pages = sum(len(bare_pages(entry.path)) for entry in entries)
    return _shares(laps.spent, pages=pages, passages=embedding.passages)


async def _indexing_s(services: Services) -> float:
    """Return what the first search costs more than a second: both mirrors are brought up to date."""
    collection = await services.collection("default")
    spent: list[float] = []
    for _ in range(2):
        start = cpu_s()
        await services.searcher.retrieve(Query("triangle", (collection.id,), Filter()))
        spent.append(cpu_s() - start)
    return spent[0] - spent[1]


def _shares(spent: dict[str, float], *, pages: int, passages: int) -> list[str]:
    total = sum(spent.values())
    rows = [
        [
            part,
            f"{spent[part]:.2f}",
            f"{spent[part] / total:.1%}",
            f"{1000 * spent[part] / pages:.2f}",
            f"{1000 * spent[part] / passages:.2f}",
        ]
        for part in ("parse", "chunk", "embed", "index", "store")
    ]
    rows.append(["**all**", f"{total:.2f}", "", f"{1000 * total / pages:.2f}", f"{1000 * total / passages:.2f}"])
    return [
        f"## A whole add of {pages} pages, {passages} passages embedded",
        "",
        *table(["", "CPU s", "share", "CPU ms a page", "CPU ms a passage"], rows),
    ]


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
    return found[:: max(1, len(found) // EMBED_TEXTS)][:EMBED_TEXTS]


async def _beside_bare(model: E5Embedding, bare: BareLoop, texts: Sequence[str], *, threads: int) -> list[str]:
    ours, theirs = list[float](), list[float]()
    for _ in range(EMBED_ROUNDS):
        start = cpu_s()
        bare.run(threads=threads)
        middle = cpu_s()
        await model.embed_passages(texts)
        theirs.append(middle - start)
        ours.append(cpu_s() - middle)
    speed, base = len(texts) / min(ours), len(texts) / min(theirs)
    return [str(threads), f"{speed:.2f}", f"{base:.2f}", f"{speed / base:.1%}"]


async def peers(entries: Sequence[Entry], model: EmbeddingModel) -> list[str]:
    """Run every parser over the same files once; all have read one file before the clock runs."""
    rows = [await _our_row(entries, model), _bare_row(entries), *(_peer_row(peer, entries) for peer in PEERS)]
    return [
        "## Beside other parsers",
        "",
        "A phrase counts when the text of its page holds it, in the page's order, letters and digits alone. markitdown gives no",
        "pages: there it counts anywhere in the file. docling-slim is its PDF backend alone, without the layout model.",
        "",
        *table(["parser", "pages", "pages a CPU s", "phrases on their page", "files failed"], rows),
    ]


async def _our_row(entries: Sequence[Entry], model: EmbeddingModel) -> list[str]:
    parser = IsolatedParser()
    await parser.parse(entries[0].path, name=entries[0].path.name)
    pages: dict[Path, list[str]] = {}
    start = cpu_s()
    for entry in entries:
        document = await parser.parse(entry.path, name=entry.path.name)
        chunks_of(document, model, name=entry.path.name)
        pages[entry.path] = page_texts(document.canonical)
    spent = cpu_s() - start
    parser.close()
    return _peer_cells("Pincite, to chunks", entries, pages, spent)


def page_texts(canonical: CanonicalText) -> list[str]:
    """Return the canonical text of each page, what is lifted out of the flow behind it."""
    texts = {page.number: "" for page in canonical.pages}
    for run in canonical.runs:
        texts[run.page] += canonical.text[run.start : run.start + run.length] + " "
    return list(texts.values())


def _bare_row(entries: Sequence[Entry]) -> list[str]:
    start = cpu_s()
    pages = {entry.path: bare_pages(entry.path) for entry in entries}
    return _peer_cells("PDFium's bare text", entries, pages, cpu_s() - start)


def _peer_row(peer: str, entries: Sequence[Entry]) -> list[str]:
    records: dict[str, dict[str, Any]] = {}
    waiting = [str(entry.path) for entry in entries]
    while waiting:
        command = [str(PEER_PYTHON), "bench/peers/parsing.py", peer, *waiting]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        records |= {record["path"]: record for record in map(json.loads, done.stdout.splitlines())}
        # A process that died leaves no record of the file that killed it: the next one goes on behind that.
        waiting = [path for path in waiting if path not in records][1:]
    pages = {Path(path): record["pages"] for path, record in records.items() if not record["problem"]}
    return _peer_cells(peer, entries, pages, sum(record["cpu_s"] for record in records.values()))


def _peer_cells(name: str, entries: Sequence[Entry], pages: dict[Path, list[str]], spent_s: float) -> list[str]:
    read = sum(len(bare_pages(path)) for path in pages)
    asked = [entry for entry in entries if entry.facts.get("phrase")]
    found = sum(_is_on_page(entry, pages.get(entry.path, [])) for entry in asked)
    return [name, str(read), f"{read / spent_s:.0f}", f"{found} of {len(asked)}", str(len(entries) - len(pages))]


def _is_on_page(entry: Entry, pages: list[str]) -> bool:
    texts = pages if len(pages) == 1 else pages[entry.facts["page"] - 1 : entry.facts["page"]]
    return any(fold(entry.facts["phrase"]) in fold(text) for text in texts)


async def measure(parts: Sequence[str]) -> list[list[str]]:
    entries = readable_pdfs()
    sections: list[list[str]] = []
    with tempfile.TemporaryDirectory() as folder:
        model = load_local_model(Path(folder))
        if "chunks" in parts:
            sections.append(await chunks(entries, model))
        if "peers" in parts:
            sections.append(await peers(entries, model))
        if "embedding" in parts:
            sections.append(await embedding(entries, Path(folder)))
    if "add" in parts:
        sections.append(await add(entries))
    return sections


def main(parts: Sequence[str]) -> None:
    wanted = parts or PARTS
    if "peers" in wanted and not PEER_PYTHON.exists():
        raise SystemExit("The other parsers aren't installed: make .venv/peers/parsing.stamp")
    lines = [line for section in asyncio.run(measure(wanted)) for line in (*section, "")]
    keep("ingest" if not parts else "ingest-part", lines[:-1])


if __name__ == "__main__":
    main(sys.argv[1:])
