"""Other parsers over the same PDFs, each in the environment of `bench/peers/parsing.lock`. Run by ingest.py."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clock import cpu_s
from ingest_steps import bare_pages, chunks_of
from manifest import Entry
from report import table

from pincite.adapters.parsers.cleaning import fold
from pincite.adapters.parsers.isolation import IsolatedParser
from pincite.core.documents import CanonicalText
from pincite.core.ports.models import EmbeddingModel

PEER_PYTHON = Path(".venv/peers/parsing/bin/python")
PEERS = ("docling-slim-backend", "docling-slim", "pdfplumber", "markitdown")


async def peers(entries: Sequence[Entry], model: EmbeddingModel) -> list[str]:
    """Run every parser over the same files once; all have read one file before the clock runs."""
    rows = [await _our_row(entries, model), _bare_row(entries), *(_peer_row(peer, entries) for peer in PEERS)]
    return [
        "## Beside other parsers",
        "",
        "A phrase counts when the text of its page holds it, in the page's order, letters and digits alone. markitdown gives no",
        "pages: there it counts anywhere in the file. docling-slim is its pipeline without models (the other one needs torch and a",
        "layout model); its backend alone gives cells of text, no paragraphs and no document.",
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
