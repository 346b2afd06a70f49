"""A real server in the test's own event loop, and raw clients for it: transports in memory never tell that a client left."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from pincite.core.messages import ChatMessage, ModelUsage
from pincite.server.middleware import Front
from pincite.server.run import listen


@dataclass
class EndlessModel:
    """Writes a word every `pause_s` until it is closed; counts the replies that are open."""

    pause_s: float = 0.01
    word: str = "notice "
    name: str = "endless"
    open_streams: int = 0
    begun: int = 0

    async def invoke(self, messages: Sequence[ChatMessage]) -> str:
        return self.word

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str | ModelUsage, None]:
        self.open_streams += 1
        self.begun += 1
        try:
            while True:
                yield self.word
                await asyncio.sleep(self.pause_s)
        finally:
            self.open_streams -= 1


@asynccontextmanager
async def running(app: FastAPI) -> AsyncGenerator[int]:
    """Serve our application on a free port of the loopback address."""
    async with served(Front(app), grace_s=5) as port:
        yield port


@asynccontextmanager
async def served(app: ASGIApp, *, grace_s: int = 1) -> AsyncGenerator[int]:
    """Serve any application on a free port of the loopback address."""
    taken = listen("127.0.0.1", 0)
    config = uvicorn.Config(
        app, http="httptools", loop="none", lifespan="on", log_config=None, access_log=False, timeout_graceful_shutdown=grace_s
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve([taken]))
    await eventually(lambda: server.started)
    try:
        yield taken.getsockname()[1]
    finally:
        server.should_exit = True
        await task


async def eventually(is_so: Callable[[], bool], *, within_s: float = 10.0) -> bool:
    """Look again and again until something is so; say whether it came to be in time."""
    for _ in range(round(within_s * 100)):
        if is_so():
            return True
        await asyncio.sleep(0.01)
    return is_so()


async def begin(port: int, path: str, token: str, question: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Send a question and read until its first token is there."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"question": question}).encode()
    head = f"POST /api{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
    writer.write(f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()
    try:
        await reader.readuntil(b"event: token" if path == "/query/" else b"event: answer_delta")
    except asyncio.IncompleteReadError:
        writer.close()
        raise
    return reader, writer
