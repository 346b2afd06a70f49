"""Ingest: PDF bytes to chunks beside bare PDFium, the parts of a whole add, embedding beside a bare loop, other parsers.

python bench/ingest.py [PART …]      parts: long, chunks, peers, embedding, add (all)

Other parsers live in an environment of their own: make .venv/peers/parsing.stamp
"""

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from clock import Laps, cpu_s
from ingest_embedding import embedding
from ingest_peers import PEER_PYTHON, peers
from ingest_steps import bare_pages, chunks_of
from manifest import Entry, readable_pdfs
from report import keep, need_shared, table

from pincite.adapters.models.e5 import load_local_model
from pincite.adapters.parsers.isolation import IsolatedParser
from pincite.bootstrap import Services, build
from pincite.core.documents import EmbeddingSpec, Stage
from pincite.core.evidence import Filter, Query
from pincite.core.ports.models import EmbeddingModel, Vector
from pincite.ingest.adding import add_file
from pincite.ingest.folders import FileToAdd
from pincite.ingest.reporting import Progress
from pincite.settings import load_settings

PARTS = ("long", "chunks", "peers", "embedding", "add")
LONG_FROM = ("GeoTopo-komprimiert.pdf", "tracemonkey.pdf")
LONG_PAGES = 2000
ROUNDS = 7
PAGES_A_CPU_S = 150


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

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return await self._inner.embed_queries(texts)

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


def long_document() -> list[str]:
    """Add a PDF of 2,000 pages as a person would, and see how much memory the largest process takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.pdf"
        pages = write_long(path)
        started = time.perf_counter()
        command = [sys.executable, "-m", "pincite", "add", str(path)]
        before = cpu_s()
        subprocess.run(command, env=os.environ | {"PINCITE_HOME": f"{folder}/home"}, capture_output=True, check=True)
        spent, took = cpu_s() - before, time.perf_counter() - started
    largest_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000
    return [
        f"## A PDF of {pages} pages through `pincite add`: the largest process takes {largest_mb:.0f} MB (< 1,000)",
        "",
        f"{spent:.0f} CPU seconds, {took:.0f} s. Its pages are those of two real files over and over: few passages are embedded.",
    ]


def write_long(path: Path) -> int:
    pdfium: Any = import_module("pypdfium2")
    sources = [pdfium.PdfDocument(need_shared("corpus", name)) for name in LONG_FROM]
    document = pdfium.PdfDocument.new()
    while len(document) < LONG_PAGES:
        for source in sources:
            document.import_pages(source)
    document.save(path)
    return len(document)


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
    # First, while no other child has taken memory.
    sections = [long_document()] if "long" in wanted else []
    lines = [line for section in (*sections, *asyncio.run(measure(wanted))) for line in (*section, "")]
    keep("ingest" if not parts else "ingest-part", lines[:-1])


if __name__ == "__main__":
    main(sys.argv[1:])
