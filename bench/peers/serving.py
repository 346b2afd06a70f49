"""Streams by other means, for comparison: a bare ASGI application, sse-starlette, FastAPI's own. Served by uvicorn on a given port.

python bench/peers/serving.py VARIANT PORT      VARIANT: bare, sse-starlette, fastapi
"""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from importlib import import_module
from typing import Any

PAUSE_S = 0.05
TOKEN = " notice"
EVENT = b'event: token\ndata: {"token":" notice"}\n\n'

Send = Callable[[dict[str, Any]], Awaitable[None]]


async def bare(scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Send) -> None:
    """Send the same bytes with no more than ASGI needs."""
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return
    gone = asyncio.create_task(_gone(receive))
    headers = [(b"content-type", b"text/event-stream")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    while not gone.done():
        await send({"type": "http.response.body", "body": EVENT, "more_body": True})
        await asyncio.sleep(PAUSE_S)


async def _gone(receive: Callable[[], Awaitable[Any]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def tokens() -> AsyncGenerator[dict[str, str]]:
    while True:
        yield {"token": TOKEN}
        await asyncio.sleep(PAUSE_S)


def sse_starlette() -> Any:
    """Return a bare application that answers with the library's response."""
    library: Any = import_module("sse_starlette")
    orjson: Any = import_module("orjson")

    async def events() -> AsyncGenerator[Any]:
        async for token in tokens():
            yield library.ServerSentEvent(data=orjson.dumps(token).decode(), event="token")

    async def app(scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Send) -> None:
        await library.EventSourceResponse(events(), sep="\n")(scope, receive, send)

    return app


def fastapi_own() -> Any:
    fastapi: Any = import_module("fastapi")
    sse: Any = import_module("fastapi.sse")
    app = fastapi.FastAPI()

    async def stream() -> AsyncGenerator[Any]:
        async for token in tokens():
            yield sse.ServerSentEvent(data=token, event="token")

    app.post("/api/query/", response_class=sse.EventSourceResponse)(stream)
    return app


VARIANTS: dict[str, Callable[[], Any]] = {"bare": lambda: bare, "sse-starlette": sse_starlette, "fastapi": fastapi_own}


def main(variant: str, port: int) -> None:
    uvicorn: Any = import_module("uvicorn")
    uvicorn.run(VARIANTS[variant](), port=port, loop="uvloop", http="httptools", log_level="error", access_log=False, backlog=4096)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
