"""A CSV of a million rows and a PDF of 2,000 pages through a server with its own limits: memory, progress, first search.

python bench/large.py [ROWS [PAGES]]

Each is uploaded over HTTP to a new server, which reads it itself. What it tells of the document is asked for twice a second;
vectors of 384 numbers come from a provider beside it that knows no model, so that what counts is Pincite's own work.
"""

import csv
import io
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from contract_files import pdf_of
from report import keep, table

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.e2e.embedding_provider import Provider

ROWS, PAGES = 1_000_000, 2_000
LINES_A_PAGE = 40
SIZE = 384
ASKED_EVERY_S = 0.5
BAR_MB = 1_000
LONGEST_S = 7_200.0
THINGS = ("pump", "valve", "boiler", "gasket", "filter", "bearing", "hose", "sensor")
WORK = ("oiled", "changed", "cleaned", "tightened", "inspected", "replaced")


def rows_of(count: int) -> bytes:
    """Return a CSV of distinct rows of four columns."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("Order", "Part", "Work", "Price"))
    chance = random.Random(3)
    for n in range(count):
        writer.writerow((f"O-{n:07}", f"{chance.choice(THINGS)} {n % 977}", chance.choice(WORK), f"{chance.random() * 900:.2f}"))
    return out.getvalue().encode()


def pages_of(count: int) -> bytes:
    """Return a PDF of distinct pages."""
    chance = random.Random(4)

    def line(page: int, n: int) -> str:
        return (
            f"On day {page}.{n} the {chance.choice(THINGS)} of hall {chance.randrange(900)} was {chance.choice(WORK)} by crew {n}."
        )

    return pdf_of([[line(page, n) for n in range(LINES_A_PAGE)] for page in range(1, count + 1)], "The log of the halls")


@dataclass
class Watch:
    """What was seen of one document on its way."""

    marks: dict[str, float] = field(default_factory=dict[str, float])
    silent_s: dict[str, float] = field(default_factory=dict[str, float])
    slowest_reply_s: float = 0.0
    largest_mb: dict[str, float] = field(default_factory=dict[str, float])


def memory_of(pid: int, watch: Watch) -> None:
    """Note the largest resident size of a server and of each process below it."""
    for who, each in [("server", pid), *((("reader", child)) for child in _children(pid))]:
        with suppress(OSError, StopIteration):
            lines = Path(f"/proc/{each}/status").read_text().splitlines()
            size_kb = int(next(line for line in lines if line.startswith("VmHWM")).split()[1])
            watch.largest_mb[who] = max(watch.largest_mb.get(who, 0.0), size_kb / 1000)


def _children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]
    return []


@contextmanager
def serving(home: Path, provider: Provider) -> Generator[tuple[httpx.Client, int]]:
    """Serve a new home while the block runs; give a client and the server's process."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PINCITE_", "CHAT_", "OPENAI_"))}
    model = {"PINCITE_EMBEDDING": "openai:m", "OPENAI_BASE_URL": provider.url, "OPENAI_API_KEY": "none"}
    command = [sys.executable, "-m", "pincite", "serve", "--port", str(port)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=plain | model | {"PINCITE_HOME": str(home)}
    )
    try:
        assert process.stdout
        found = None
        while not found:
            line = process.stdout.readline()
            assert line, "the server ended"
            found = re.search(r"pin_\w+[\w-]*", line)
        threading.Thread(target=process.stdout.read, daemon=True).start()
        base = f"http://127.0.0.1:{port}/api"
        with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {found.group()}"}, timeout=600) as client:
            for _ in range(100):
                with suppress(httpx.TransportError):
                    client.get("/collections")
                    break
                time.sleep(0.1)
            yield client, process.pid
    finally:
        process.kill()
        process.wait()


def watched(client: httpx.Client, pid: int, document_id: str, collection_id: str) -> Watch:
    """Ask for a document until it has ended."""
    watch, began = Watch(), time.monotonic()
    last: tuple[str, int] = ("", -1)
    since = began
    while time.monotonic() - began < LONGEST_S:
        asked = time.monotonic()
        row: dict[str, Any] = client.get(f"/documents/{document_id}").json()
        now = time.monotonic()
        watch.slowest_reply_s = max(watch.slowest_reply_s, now - asked)
        memory_of(pid, watch)
        seen: tuple[str, int] = row["stage"], row["progress"]["done"] if row["progress"] else 0
        watch.silent_s[last[0] or seen[0]] = max(watch.silent_s.get(last[0] or seen[0], 0.0), now - since)
        if seen != last:
            last, since = seen, now
        watch.marks.setdefault(seen[0], now - began)
        if "searchable" not in watch.marks and client.get(f"/collections/{collection_id}").json()["scope"]["searchable"]:
            watch.marks["searchable"] = time.monotonic() - began
        if row["stage"] in ("ready", "failed"):
            if row["stage"] == "failed":
                raise SystemExit(json.dumps(row))
            return watch
        time.sleep(ASKED_EVERY_S)
    raise SystemExit(f"Not ended in {LONGEST_S:.0f} s.")


def one(name: str, data: bytes, question: str) -> list[str]:
    """Return a row of what was found of a file."""
    with tempfile.TemporaryDirectory() as folder, Provider(size=SIZE) as provider:
        threading.Thread(target=provider.serve_forever, daemon=True).start()
        with serving(Path(folder) / "home", provider) as (client, pid):
            collection = client.post("/collections", json={"name": "large"}).json()
            began = time.monotonic()
            reply = client.post(f"/collections/{collection['id']}/documents", files={"files": (name, data)})
            assert reply.status_code == 202, reply.text
            uploaded_s = time.monotonic() - began
            document_id = reply.json()["documents"][0]["id"]
            watch = watched(client, pid, document_id, collection["id"])
            row = client.get(f"/documents/{document_id}").json()
            searches: list[float] = []
            found: dict[str, Any] = {}
            for _ in range(3):
                began = time.monotonic()
                found = client.post(f"/collections/{collection['id']}/search", json={"query": question, "limit": 5}).json()
                searches.append(time.monotonic() - began)
            memory_of(pid, watch)
        provider.shutdown()
    hit = question.split()[-1].strip("?") in found["hits"][0]["text"]
    silent = max((stage for stage in watch.silent_s), key=lambda stage: watch.silent_s[stage])
    return [
        name,
        f"{len(data) / 1e6:.0f} MB",
        f"{row['chunks']:,}",
        f"{uploaded_s:.0f} s",
        f"{watch.marks['searchable']:.0f} s",
        f"{watch.marks['ready']:.0f} s",
        f"{watch.largest_mb['server']:.0f}, {watch.largest_mb.get('reader', 0):.0f} MB",
        f"{watch.silent_s[silent]:.1f} s ({silent})",
        f"{watch.slowest_reply_s:.1f} s",
        f"{searches[0]:.1f} s, {min(searches[1:]):.2f} s{'' if hit else ' (NOT FOUND)'}",
    ]


def main(rows: int = ROWS, pages: int = PAGES) -> None:
    found = [
        one("orders.csv", rows_of(rows), f"What was done for order O-{rows - 7:07}?"),
        one("log.pdf", pages_of(pages), f"What was done on day {pages - 3}.17?"),
    ]
    header = ["file", "size", "chunks", "upload", "searchable after", "ready after", "largest server and reader"]
    header += ["longest without news (stage)", "slowest reply meanwhile", "first search, later ones"]
    lines = [
        f"{rows:,} rows and {pages:,} pages, no two alike, a new server each, default limits. Bar: no process over {BAR_MB:,} MB.",
        f"Load of the machine at the end: {os.getloadavg()[0]:.1f}.",
        "",
        *table(header, found),
    ]
    keep("large", lines)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
