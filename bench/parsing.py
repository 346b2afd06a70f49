"""How fast texts become canonical text; what a child costs to start; how hostile files end. PDFs: see ingest.py.

python bench/parsing.py
"""

import asyncio
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from report import keep, need_shared, table

from pincite.adapters.parsers.isolation import IsolatedParser
from pincite.adapters.parsers.media import read_file
from pincite.core.documents import SourceRun
from pincite.core.errors import RefusedInput

ROUNDS = 3
HOSTILE = ("flate_250mb.pdf", "flate_double.pdf", "form_loop.pdf", "array_deep.pdf", "count_1e9.pdf", "outline_loop.pdf")


def cpu_s(work: Callable[[], object]) -> float:
    """Return the processor seconds of the fastest of some rounds."""
    found: list[float] = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def speed_of_texts() -> list[str]:
    rows: list[list[str]] = []
    for name in ("wiki_duck.html", "pg15_sql-createtable.html", "nested.md", "norwich-city.txt"):
        path = need_shared("corpus", name)
        took = cpu_s(lambda path=path: read_any(path))
        rows.append([name, f"{path.stat().st_size / 1000:.0f}", f"{1000 * took:.1f}"])
    return table(["file", "kB", "CPU ms"], rows)


def read_any(path: Path) -> object:
    bounds = {"max_pages": 100, "max_chars": 10_000_000, "max_depth": 100, "max_unpacked_bytes": 1 << 29}
    return read_file(str(path), name=path.name, on_page=lambda done, total: None, **bounds)


async def starts() -> list[str]:
    pdf = need_shared("corpus", "fake-memo.pdf")
    runs = [SourceRun(0, 20, 1, 0, 20)]
    waits: dict[str, list[float]] = {"boxes, cold": [], "boxes, warm": [], "parse, cold": [], "parse, warm": []}
    for _ in range(7):
        parser = IsolatedParser()
        for state in ("cold", "warm"):
            start = time.perf_counter()
            await parser.boxes(pdf, content_type="application/pdf", runs=runs)
            waits[f"boxes, {state}"].append(time.perf_counter() - start)
        for state in ("cold", "warm"):
            start = time.perf_counter()
            await parser.parse(pdf, name=pdf.name)
            waits[f"parse, {state}"].append(time.perf_counter() - start)
        parser.close()
    return table(["one page", "median ms"], [[what, f"{1000 * statistics.median(times):.1f}"] for what, times in waits.items()])


async def hostile() -> list[str]:
    rows: list[list[str]] = []
    parser = IsolatedParser()
    paths = [need_shared("attacks", "files", "pdf", name) for name in HOSTILE]
    for path in [*paths, *(need_shared("corpus", "MANIFEST.tsv").parent.glob("BOMB_*.pdf"))]:
        start = time.perf_counter()
        try:
            ending = f"read, {len((await parser.parse(path, name=path.name)).canonical.text)} characters"
        except RefusedInput as error:
            ending = f"refused: {error.code}"
        rows.append([path.name, ending, f"{time.perf_counter() - start:.2f}"])
    parser.close()
    return table(["file", "ending", "s"], rows)


def main() -> None:
    parts = [speed_of_texts(), asyncio.run(starts()), asyncio.run(hostile())]
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    lines = [line for part in parts for line in (*part, "")]
    keep("parsing", [*lines, f"Largest parent: {peak_mb:.0f} MB."])


if __name__ == "__main__":
    main()
