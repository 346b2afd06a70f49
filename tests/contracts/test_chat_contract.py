"""What every chat model keeps, whatever stands behind it."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal, cast

import httpx2
import pytest

from pincite.adapters.memory.chat import ScriptedChatModel
from pincite.adapters.models.openai_chat import OpenAIChatModel
from pincite.answering.extractive import ExtractiveChatModel
from pincite.answering.prompts import DEFAULT_RAG_PROMPT
from pincite.core.evidence import Passage
from pincite.core.messages import ChatMessage, ModelUsage
from pincite.core.ports.models import ChatModel

PASSAGE = Passage("The notice period is sixty days. Holidays are paid out.", title="Handbook", lang="en")
MESSAGES = DEFAULT_RAG_PROMPT.render([PASSAGE], "How long is the notice period?")
REPLY = "The notice period is sixty days. [1]"


@dataclass
class Open:
    """Streams of a provider that are open."""

    count: int = 0


class Body(httpx2.AsyncByteStream):
    def __init__(self, pieces: Sequence[bytes], opened: Open) -> None:
        self._pieces = pieces
        self._opened = opened
        opened.count += 1
        self._done = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece

    async def aclose(self) -> None:
        if not self._done:
            self._done = True
            self._opened.count -= 1


CHAT = (
    b'data: {"choices":[{"index":0,"delta":{"content":"The notice period "}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{"content":""}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{"content":"is sixty days. [1]"},"finish_reason":"stop"}]}\n\n'
    b'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":8}}\n\ndata: [DONE]\n\n'
)
RESPONSES = (
    b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"The notice period "}\n\n'
    b'data: {"type":"response.output_text.delta","delta":"is sixty days. [1]"}\n\n'
    b'data: {"type":"response.completed","response":{"usage":{"input_tokens":9,"output_tokens":8}}}\n\n'
)


def openai(protocol: Literal["chat", "responses"], reply: bytes, opened: Open) -> OpenAIChatModel:
    def answer(request: httpx2.Request) -> httpx2.Response:
        pieces = [reply[at : at + 11] for at in range(0, len(reply), 11)]
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=Body(pieces, opened))

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    return OpenAIChatModel("m", "key", "https://provider.test/v1", protocol=protocol, http_client=client)


BUILDERS: dict[str, Callable[[Open], ChatModel]] = {
    "scripted": lambda _: ScriptedChatModel([["The notice period ", "", "is sixty days. [1]"]], usage=ModelUsage(9, 8)),
    "extractive": lambda _: ExtractiveChatModel(),
    "openai chat": lambda opened: openai("chat", CHAT, opened),
    "openai responses": lambda opened: openai("responses", RESPONSES, opened),
}


@pytest.fixture
def opened() -> Open:
    return Open()


@pytest.fixture(params=list(BUILDERS))
def model(request: pytest.FixtureRequest, opened: Open) -> ChatModel:
    return BUILDERS[request.param](opened)


def begin(model: ChatModel, messages: Sequence[ChatMessage] = MESSAGES) -> AsyncGenerator[str | ModelUsage, None]:
    return cast("AsyncGenerator[str | ModelUsage, None]", model.stream(messages))


async def test_a_model_has_a_name(model: ChatModel) -> None:
    assert model.name


async def test_invoke_returns_what_stream_yields(model: ChatModel) -> None:
    async with aclosing(begin(model)) as stream:
        pieces = [piece async for piece in stream]
    assert "".join(piece for piece in pieces if isinstance(piece, str)) == REPLY
    assert await model.invoke(MESSAGES) == REPLY


async def test_pieces_are_never_empty_and_usage_comes_once_behind_them(model: ChatModel) -> None:
    async with aclosing(begin(model)) as stream:
        pieces = [piece async for piece in stream]
    assert all(pieces)
    assert [isinstance(piece, ModelUsage) for piece in pieces] == [False] * (len(pieces) - 1) + [True]


async def test_closing_early_stops_what_stands_behind(model: ChatModel, opened: Open) -> None:
    stream = begin(model)
    assert await anext(stream)
    await stream.aclose()
    assert opened.count == 0
    assert [piece async for piece in stream] == []


async def test_two_streams_do_not_disturb_each_other(model: ChatModel) -> None:
    async with aclosing(begin(model)) as one, aclosing(begin(model)) as two:
        first = [await anext(one), await anext(two)]
        rest = [[piece async for piece in stream if isinstance(piece, str)] for stream in (one, two)]
    assert [str(head) + "".join(tail) for head, tail in zip(first, rest, strict=True)] == [REPLY, REPLY]


async def test_nothing_is_left_open_after_the_end(model: ChatModel, opened: Open) -> None:
    await model.invoke(MESSAGES)
    assert opened.count == 0
