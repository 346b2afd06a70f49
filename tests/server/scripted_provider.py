"""A chat provider over the OpenAI protocol that replies to known questions with given words, a few characters at a time."""

import json
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import StreamingResponse

PIECE = 3


NOT_FOUND = '{"verdict": "not_found", "quote": ""}'


def scripted_provider(replies: Mapping[str, str]) -> FastAPI:
    """Return the provider; a reply belongs to the question that the last message holds. As a judge it finds no claim."""
    app = FastAPI()

    @app.post("/v1/chat/completions")
    async def complete(request: Request) -> StreamingResponse:  # pyright: ignore[reportUnusedFunction] (the route is its use)
        asked: dict[str, Any] = await request.json()
        said = str(asked["messages"][-1]["content"])
        if "<claim:" in said:
            return StreamingResponse(_events(NOT_FOUND), media_type="text/event-stream")
        [reply] = [reply for question, reply in replies.items() if f"Question: {question}\n" in said]
        return StreamingResponse(_events(reply), media_type="text/event-stream")

    return app


async def _events(reply: str) -> AsyncGenerator[str]:
    for at in range(0, len(reply), PIECE):
        yield _event({"choices": [{"index": 0, "delta": {"content": reply[at : at + PIECE]}}]})
    yield _event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    yield "data: [DONE]\n\n"


def _event(told: dict[str, Any]) -> str:
    return f"data: {json.dumps({'object': 'chat.completion.chunk', 'model': 'scripted', **told})}\n\n"
