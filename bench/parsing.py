"""How fast files become canonical text, beside PDFium's bare text; what a child costs to start; how hostile files end.

python bench/parsing.py
"""

import asyncio
import csv
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from report import keep, need_shared, table

from pincite.adapters.parsers.isolation import IsolatedParser
from pincite.adapters.parsers.media import read_file
from pincite.adapters.parsers.pdf import read_pdf
from pincite.adapters.parsers.pdfium import open_pdf
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


def bare(path: str) -> int:
    with open_pdf(path) as document:
        for index in range(document.page_count):
            with document.page(index) as page:
                page.chars()
        return document.page_count


def ready_pdfs() -> list[Path]:
    manifest = need_shared("corpus", "MANIFEST.tsv")
    with manifest.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    found: list[Path] = []
    for row in rows:
        path = manifest.parent / row["file"]
        if path.suffix == ".pdf" and row["expected"] == "ready":
            try:
                read_pdf(str(path), max_pages=1000, max_chars=10_000_000)
            except RefusedInput:
                continue
            found.append(path)
    return found


def speed_of_pdfs() -> list[str]:
    rows: list[list[str]] = []
    pages_in_all, full_in_all, bare_in_all = 0, 0.0, 0.0
    for path in ready_pdfs():
        pages = bare(str(path))
        base = cpu_s(lambda path=path: bare(str(path)))
        full = cpu_s(lambda path=path: read_pdf(str(path), max_pages=1000, max_chars=10_000_000))
        pages_in_all, full_in_all, bare_in_all = pages_in_all + pages, full_in_all + full, bare_in_all + base
        if pages >= 4:
            rows.append([path.name, str(pages), f"{pages / base:.0f}", f"{pages / full:.0f}", f"{full / base:.2f}"])
    rows.append(["all", str(pages_in_all), f"{pages_in_all / bare_in_all:.0f}", f"{pages_in_all / full_in_all:.0f}"])
    rows[-1].append(f"{full_in_all / bare_in_all:.2f}")
    return table(["file", "pages", "bare pages per CPU s", "canonical pages per CPU s", "ratio"], rows)


def speed_of_texts() -> list[str]:
    rows: list[list[str]] = []
    for name in ("wiki_duck.html", "pg15_sql-createtable.html", "nested.md", "norwich-city.txt"):
        path = need_shared("corpus", name)
        took = cpu_s(lambda path=path: read_any(path))
        rows.append([name, f"{path.stat().st_size / 1000:.0f}", f"{1000 * took:.1f}"])
    return table(["file", "kB", "CPU ms"], rows)


def read_any(path: Path) -> object:
    bounds = {"max_pages": 100, "max_chars": 10_000_000, "max_depth": 100}
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
    parts = [speed_of_pdfs(), speed_of_texts(), asyncio.run(starts()), asyncio.run(hostile())]
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    lines = [line for part in parts for line in (*part, "")]
    keep("parsing", [*lines, f"Largest parent: {peak_mb:.0f} MB."])


if __name__ == "__main__":
    main()
