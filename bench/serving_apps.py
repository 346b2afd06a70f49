"""Our own server for `bench/serving.py`: the response class alone, or the whole engine with a model that writes at a steady pace.

python bench/serving_apps.py VARIANT PORT HOME     VARIANT: class, engine, idle, flood
"""

import asyncio
import sys
from collections.abc import AsyncGenerator, Sequence

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from pincite.core.answers import AnswerEvent, SourcesChunk, TokenChunk
from pincite.core.ids import MessageId
from pincite.core.messages import ChatMessage, ModelUsage
from pincite.server.app import create_app
from pincite.server.dialects import QueryDialect
from pincite.server.middleware import Front
from pincite.server.run import listen
from pincite.server.sse import EventStream, Streams
from pincite.settings import load_settings

PAUSE_S = 0.05
MANY = 100_000


class PacedModel:
    """Writes a word, waits, writes a word; `words` in all."""

    name = "paced"

    def __init__(self, *, pause_s: float, word: str = " notice", words: int = MANY) -> None:
        self._pause_s = pause_s
        self._word = word
        self._words = words

    async def invoke(self, messages: Sequence[ChatMessage]) -> str:
        return self._word

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str | ModelUsage, None]:
        for _ in range(self._words):
            yield self._word
            await asyncio.sleep(self._pause_s)


MODELS = {
    "engine": PacedModel(pause_s=PAUSE_S),
    "idle": PacedModel(pause_s=3600),
    "flood": PacedModel(pause_s=0, word=" notice" * 1000),
    "short": PacedModel(pause_s=0, words=20),
}


async def _events() -> AsyncGenerator[AnswerEvent, None]:
    while True:
        yield TokenChunk(" notice")
        await asyncio.sleep(PAUSE_S)


def class_alone() -> ASGIApp:
    """Return a bare application that answers with our response over synthetic events."""
    streams = Streams(MANY)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        streams.reserve()
        first = SourcesChunk((), MessageId("m"))
        await EventStream(first, _events(), QueryDialect("r"), streams=streams, request_id="r")(scope, receive, send)

    return app


def main(variant: str, port: int, home: str) -> None:
    settings = load_settings({}, home=home, embedding="none", max_streams=MANY)
    app = class_alone() if variant == "class" else Front(create_app(settings, llm=MODELS[variant]))
    config = uvicorn.Config(app, loop="uvloop", http="httptools", ws="none", log_level="error", access_log=False, lifespan="auto")
    uvicorn.Server(config).run([listen("127.0.0.1", port)])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
