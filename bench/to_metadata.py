"""Processor time from a request of `/api/query/` to its `metadata`, at 100,000 chunks, with its parts.

`python bench/to_metadata.py [--size 100000] [--keep FOLDER]`; needs `../shared/evals`. Making the store takes minutes; one that
`bench/scale.py --keep FOLDER` left is used. Requests go to the application in this process, without a network: sockets and the
parsing of HTTP by uvicorn come on top, and nothing of a client counts.
"""

import argparse
import asyncio
import inspect
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from report import keep, table
from scale import A_CHUNK_BYTES
from starlette.types import ASGIApp, Message
from stores import COLLECTION

from pincite.adapters.sql.chunks import SqlChunks
from pincite.answering.prompts import PromptTemplate
from pincite.bootstrap import LOCAL_WORKSPACE, Services
from pincite.core.messages import ChatMessage, ModelUsage
from pincite.retrieval.searcher import Searcher
from pincite.server.app import create_app
from pincite.server.dialects import QueryDialect
from pincite.server.middleware import Front
from pincite.settings import load_settings
from pincite.workspaces.collections import Collections
from pincite.workspaces.tokens import Authenticator, Tokens

SIZE = 100_000
BAR_MS = 20.0
WARM = 20
HERE = Path(__file__).parent


class Waiting:
    """A model that never says a word: what comes behind `metadata` costs nothing."""

    name = "waiting"

    async def invoke(self, messages: Sequence[ChatMessage]) -> str:
        return ""

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str | ModelUsage, None]:
        await asyncio.Event().wait()
        yield ""


class Parts:
    """Splits processor time among named parts; what runs inside another part is that part's no more."""

    def __init__(self) -> None:
        self.on = False
        self.spent: dict[str, float] = {}
        self._part = "routing, parsing, the rest"
        self._since = 0.0

    def begin(self) -> None:
        self.spent, self._since = {}, time.process_time()

    def enter(self, part: str) -> str:
        now, before = time.process_time(), self._part
        self.spent[before] = self.spent.get(before, 0.0) + now - self._since
        self._part, self._since = part, now
        return before

    def watch(self, owner: Any, method: str, part: str) -> None:
        """Count the time of a method as a part from here on."""
        inner = getattr(owner, method)

        @wraps(inner)
        async def waited(*given: Any, **named: Any) -> Any:
            before = self.enter(part)
            try:
                return await inner(*given, **named)
            finally:
                self.enter(before)

        @wraps(inner)
        def called(*given: Any, **named: Any) -> Any:
            before = self.enter(part)
            try:
                return inner(*given, **named)
            finally:
                self.enter(before)

        setattr(owner, method, waited if inspect.iscoroutinefunction(inner) else called)


async def asked(app: ASGIApp, token: str, question: str) -> tuple[float, float]:
    """Return the milliseconds of processor time and of the clock until `metadata` is handed to the server."""
    body = json.dumps({"question": question, "collection_id": COLLECTION}).encode()
    headers = [(b"authorization", f"Bearer {token}".encode()), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/api/query/", "raw_path": b"/api/query/", "root_path": "", "scheme": "http"}
    scope |= {
        "query_string": b"",
        "headers": headers,
        "server": ("localhost", 80),
        "client": ("localhost", 1),
        "http_version": "1.1",
    }
    there, left = asyncio.get_running_loop().create_future(), asyncio.Event()
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if waiting:
            return waiting.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message.get("body") and not there.done():
            if not message["body"].startswith(b"event: metadata"):
                raise SystemExit(f"No metadata came: {message['body'][:300]!r}")
            there.set_result((time.process_time(), time.perf_counter()))

    cpu, wall = time.process_time(), time.perf_counter()
    task = asyncio.ensure_future(app(scope, receive, send))
    cpu_there, wall_there = await there
    left.set()
    with suppress(asyncio.CancelledError):
        await task
    return (cpu_there - cpu) * 1000, (wall_there - wall) * 1000


async def embedded(services: Services, questions: Sequence[str]) -> list[float]:
    model = services.models.embedding
    assert model
    spent: list[float] = []
    for question in questions:
        began = time.process_time()
        await model.embed_query(question)
        spent.append((time.process_time() - began) * 1000)
    return spent


def watch_all(parts: Parts, services: Services) -> None:
    parts.watch(Authenticator, "principal", "token")
    parts.watch(Collections, "chosen", "collection and documents")
    parts.watch(Collections, "require_searchable", "collection and documents")
    parts.watch(Searcher, "retrieve", "retrieval: both sides, fusing, phrases")
    parts.watch(type(services.models.embedding), "embed_query", "embedding the question")
    parts.watch(SqlChunks, "passages", "retrieval: passages from the database")
    parts.watch(PromptTemplate, "prepare", "sources and prompt")
    parts.watch(QueryDialect, "start", "metadata as JSON")


async def measure(folder: Path) -> dict[str, Any]:
    """Ask all questions twice: once for the whole, once for the parts, which cost a little themselves."""
    questions: list[str] = json.loads((folder / "questions.json").read_text())["questions"]
    app = create_app(load_settings({}, home=str(folder), worker_slots=0), llm=Waiting())
    found: dict[str, Any] = {"questions": len(questions), "load": []}
    async with app.router.lifespan_context(app):
        services: Services = app.state.server.services
        token = await Tokens(services.store, LOCAL_WORKSPACE).issue("bench")
        front = Front(app)

        async def ask(question: str) -> tuple[float, float]:
            spent = await asked(front, token.text, question)
            await services.query_log.close()  # written behind the answer: not while the next question is measured
            return spent

        for question in questions[:WARM]:
            await ask(question)
        found["load"].append(os.getloadavg()[0])
        whole = [await ask(question) for question in questions]
        parts = Parts()
        watch_all(parts, services)
        spent: list[dict[str, float]] = []
        for question in questions:
            parts.begin()
            await asked(front, token.text, question)
            parts.enter("routing, parsing, the rest")
            await services.query_log.close()
            spent.append(parts.spent)
        found["load"].append(os.getloadavg()[0])
        found["embedding"] = await embedded(services, questions)
    return found | {"cpu": [cpu for cpu, _ in whole], "wall": [wall for _, wall in whole], "parts": spent}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", type=int, default=SIZE)
    options.add_argument("--keep", type=Path, help="keep the store in this folder, and use the one that is there")
    options.add_argument("--measure", type=Path, metavar="STORE", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.measure:
        print(json.dumps(asyncio.run(measure(given.measure))))
        return
    with tempfile.TemporaryDirectory(prefix="pincite-to-metadata-") as scratch:
        store = (given.keep or Path(scratch)) / str(given.size)
        if not (store / "questions.npy").exists():
            store.mkdir(parents=True, exist_ok=True)
            if shutil.disk_usage(store).free < given.size * A_CHUNK_BYTES:
                raise SystemExit(f"There is no room for {given.size:,} chunks.")
            subprocess.run([sys.executable, HERE / "scale.py", "--fill", store, str(given.size)], check=True)
        done = subprocess.run([sys.executable, __file__, "--measure", store], stdout=subprocess.PIPE, text=True, check=True)
        keep("to-metadata", report(json.loads(done.stdout.splitlines()[-1]), given.size))


def report(found: dict[str, Any], size: int) -> list[str]:
    p50 = median(found["cpu"])
    names = list(dict.fromkeys(name for spent in found["parts"] for name in spent))
    rows = [[name, *figures([spent.get(name, 0.0) * 1000 for spent in found["parts"]])] for name in names]
    total = [sum(spent.values()) * 1000 for spent in found["parts"]]
    alone = ["embedding the question, by itself", *figures(found["embedding"])]
    load = " and ".join(f"{value:.1f}" for value in found["load"])
    return [
        f"{size:,} chunks (`bench/stores.py` tells how they are made), {found['questions']} questions, each embedded anew.",
        "Milliseconds from the request to the bytes of `metadata`, by the processor time of all threads; the clock tells how",
        "busy the machine was.",
        f"Load average before and after: {load} on {os.cpu_count()} processors.",
        "",
        *table(
            ["", "mean", "p50", "p95"],
            [["processor time", *figures(found["cpu"])], ["on the clock", *figures(found["wall"])]],
        ),
        "",
        f"Bar: p50 of processor time ≤ {BAR_MS:.0f} ms: {p50:.1f}, {'met' if p50 <= BAR_MS else 'MISSED'}.",
        "",
        "Parts, in a second pass with the measuring between them; the last row is the embedding by itself:",
        "",
        *table(["part", "mean", "p50", "p95"], [*sorted(rows, key=by_mean), ["together", *figures(total)], alone]),
        "",
    ]


by_mean: Callable[[list[str]], float] = lambda row: -float(row[1])  # noqa: E731


def figures(values: Sequence[float]) -> list[str]:
    return [f"{value:.2f}" for value in (mean(values), median(values), float(np.quantile(values, 0.95)))]


if __name__ == "__main__":
    main()
