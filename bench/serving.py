"""Streams: processor time per event and jitter beside a bare ASGI application and other libraries; memory; ends.

One server process at a time, this process reads. `make bench-server`.
"""

import asyncio
import json
import os
import signal
import socket
import sys
import tempfile
import time
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from statistics import median
from typing import cast

import uvloop
from report import keep, table

from pincite.client import Pincite
from pincite.settings import load_settings
from pincite.workspaces.tokens import Tokens

STREAMS = 500
PAUSE_S = 0.05
SETTLE_S = 3.0
WINDOW_S = 10.0
IDLE = 2_000
ENDED = 200
ONE_AFTER_ANOTHER = 10_000
COALESCING_MS = 25.0
PEERS = Path(".venv/peers/serving/bin/python")
TICKS = os.sysconf("SC_CLK_TCK")
QUESTION = "How long is the notice period?"
HANDBOOK = "# Leave\n\nEveryone has thirty days of leave a year. The notice period is sixty days.\n"


class Reader(asyncio.Protocol):
    """Counts the events of one stream and the milliseconds between them."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self.events = 0
        self.gaps: list[float] = []
        self.tail = b""
        self.begun = asyncio.Event()
        self.done = asyncio.Event()
        self.gone = asyncio.Event()
        self._last = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        new = data.count(b"event: ")
        self.events += new
        if new and self._last:
            self.gaps.append((now - self._last) * 1000)
        self._last = now
        recent = self.tail + data
        self.tail = recent[-400:]
        self.begun.set()
        if b"event: done" in recent:
            self.done.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()


def request_of(token: str) -> bytes:
    body = json.dumps({"question": QUESTION}).encode()
    head = f"POST /api/query/ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@asynccontextmanager
async def serving(variant: str, home: str) -> AsyncGenerator[tuple[Process, int]]:
    """Run one variant until the block ends."""
    port = free_port()
    ours = [sys.executable, "bench/serving_apps.py", variant, str(port), home]
    theirs = [str(PEERS), "bench/peers/serving.py", variant, str(port)]
    command = theirs if variant in ("bare", "sse-starlette", "fastapi") else ours
    process = await asyncio.create_subprocess_exec(*command)
    try:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                await asyncio.sleep(0.1)
        yield process, port
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def opened(port: int, token: str, count: int) -> list[Reader]:
    """Open streams and wait until each has begun."""
    loop, request = asyncio.get_running_loop(), request_of(token)
    readers: list[Reader] = []
    for _ in range(count):
        _, reader = await loop.create_connection(lambda: Reader(request), "127.0.0.1", port)
        readers.append(reader)
        await asyncio.sleep(0.002)
    for reader in readers:
        await asyncio.wait_for(reader.begun.wait(), 60)
    return readers


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


async def paced(variant: str, home: str, token: str) -> tuple[float, float]:
    """Return processor microseconds per event, and the p95 of a gap's distance from the pace in ms."""
    async with serving(variant, home) as (process, port):
        readers = await opened(port, token, STREAMS)
        await asyncio.sleep(SETTLE_S)
        for reader in readers:
            reader.events, reader.gaps = 0, []
        began = cpu_s(process.pid)
        await asyncio.sleep(WINDOW_S)
        spent, events = cpu_s(process.pid) - began, sum(reader.events for reader in readers)
        distances = sorted(abs(gap - PAUSE_S * 1000) for reader in readers for gap in reader.gaps)
        for reader in readers:
            reader.transport.abort()
    found = spent / events * 1e6, distances[int(len(distances) * 0.95)]
    print(f"{variant}: {found[0]:.1f} µs an event, p95 jitter {found[1]:.1f} ms", file=sys.stderr)
    return found


async def idle(home: str, token: str) -> float:
    """Return the kB of memory that an idle stream takes."""
    async with serving("idle", home) as (process, port):
        warm = await opened(port, token, 20)
        before = memory_kb(process.pid)
        readers = await opened(port, token, IDLE)
        after = memory_kb(process.pid)
        for reader in warm + readers:
            reader.transport.abort()
    return (after - before) / IDLE


async def slow_reader(home: str, token: str) -> float:
    """Return the MB of memory that a client costs which reads nothing while the model writes as fast as it can."""
    async with serving("flood", home) as (process, port):
        # What the first stream loads is no cost of the next.
        [warm] = await opened(port, token, 1)
        warm.transport.abort()
        await asyncio.sleep(1)
        before = memory_kb(process.pid)
        loop = asyncio.get_running_loop()
        _, reader = await loop.create_connection(lambda: Reader(request_of(token)), "127.0.0.1", port)
        await asyncio.wait_for(reader.begun.wait(), 30)
        reader.transport.pause_reading()
        most = 0
        for _ in range(50):
            await asyncio.sleep(0.1)
            most = max(most, memory_kb(process.pid))
        reader.transport.abort()
    return (most - before) / 1000


async def stopped(home: str, token: str) -> int:
    """Return how many of the open streams have no terminal event after SIGTERM."""
    async with serving("engine", home) as (process, port):
        readers = await opened(port, token, ENDED)
        process.send_signal(signal.SIGTERM)
        await asyncio.wait_for(asyncio.gather(*(reader.gone.wait() for reader in readers)), 60)
    return sum(b"event: error" not in reader.tail for reader in readers)


async def one_after_another(home: str, token: str) -> tuple[int, int]:
    """Return the kB of memory after a tenth of many streams, and after all."""
    async with serving("short", home) as (process, port):
        taken: list[int] = []
        for number in range(ONE_AFTER_ANOTHER):
            [reader] = await opened(port, token, 1)
            await asyncio.wait_for(reader.done.wait(), 30)
            reader.transport.close()
            if number + 1 in (ONE_AFTER_ANOTHER // 10, ONE_AFTER_ANOTHER):
                taken.append(memory_kb(process.pid))
    return taken[0], taken[1]


async def prepared(home: str, folder: Path) -> str:
    """Fill a collection and return a token."""
    file = folder / "handbook.md"
    file.write_text(HANDBOOK, encoding="utf-8")
    async with Pincite(settings=load_settings({}, home=home, embedding="none")) as client:
        await client.add(file)
        services = client.services
        return (await Tokens(services.store, services.workspace_id).issue("bench")).text


def _mark(is_met: bool) -> str:
    return "met" if is_met else "MISSED"


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = str(Path(folder) / "home")
        token = await prepared(home, Path(folder))
        variants = ["bare", "class", "engine", "sse-starlette", "fastapi"]
        rounds = {name: [await paced(name, home, token) for _ in range(2)] for name in variants}
        cpu = {name: median(each[0] for each in found) for name, found in rounds.items()}
        jitter = {name: median(each[1] for each in found) for name, found in rounds.items()}
        rows = [[name, f"{cpu[name]:.1f}", f"{cpu[name] / cpu['bare']:.2f}", f"{jitter[name]:.1f}"] for name in variants]
        kb, slow, left = await idle(home, token), await slow_reader(home, token), await stopped(home, token)
        print(f"{kb:.1f} kB an idle stream, {slow:.1f} MB a slow reader, {left} ends missing", file=sys.stderr)
        early, late = await one_after_another(home, token)
    bars: list[tuple[str, str, str, bool]] = [
        ("engine / bare", f"{cpu['engine'] / cpu['bare']:.2f}", "≤ 2", cpu["engine"] <= 2 * cpu["bare"]),
        ("class / sse-starlette", f"{cpu['class'] / cpu['sse-starlette']:.2f}", "≤ .6", cpu["class"] <= 0.6 * cpu["sse-starlette"]),
        ("class / FastAPI's own", f"{cpu['class'] / cpu['fastapi']:.2f}", "≤ .3", cpu["class"] <= 0.3 * cpu["fastapi"]),
        (
            "engine's p95 jitter above bare",
            f"{jitter['engine'] - jitter['bare']:.1f} ms",
            f"≤ 10 + {COALESCING_MS:.0f} ms",
            jitter["engine"] - jitter["bare"] <= 10 + COALESCING_MS,
        ),
        (f"an idle stream, of {IDLE:,}", f"{kb:.1f} kB", "–", True),
        ("a client that reads nothing", f"{slow:.1f} MB", "< 4 MB", slow < 4),
        (f"of {ENDED} streams, without a terminal event after SIGTERM", str(left), "0", left == 0),
        (
            f"memory after {ONE_AFTER_ANOTHER:,} streams against a tenth of them",
            f"{late / early:.3f}",
            "≤ 1.05",
            late <= 1.05 * early,
        ),
    ]
    keep(
        "serving",
        [
            f"{STREAMS} streams, {1 / PAUSE_S:.0f} tokens a second each, one process; medians of two runs of {WINDOW_S:.0f} s",
            "",
            *table(["server", "CPU µs an event", "of bare", "p95 jitter ms"], rows),
            "",
            *table(["", "measured", "bar", ""], [[name, said, bar, _mark(is_met)] for name, said, bar, is_met in bars]),
        ],
    )


if __name__ == "__main__":
    if not PEERS.exists():
        raise SystemExit("The peers are missing. Run: make bench-server")
    uvloop.run(main())
