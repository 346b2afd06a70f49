"""Chat models behind an OpenAI-protocol server: OpenAI, Ollama, vLLM, llama.cpp and their like."""

import asyncio
import importlib
import json
import random
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast

from pincite.adapters.models.openai_errors import (
    ProviderFault,
    broken_reply,
    empty_reply,
    from_sdk,
    timed_out,
    unreachable,
)
from pincite.adapters.models.openai_protocols import PROTOCOLS, Event, ReplyState
from pincite.adapters.models.reply_text import ReplyText
from pincite.adapters.models.sse import EventTooLarge, SseDecoder
from pincite.core.errors import ConfigurationError
from pincite.core.messages import ChatMessage, ModelUsage

if TYPE_CHECKING:
    import httpx2
    import openai

LONGEST_TOKEN_CHARACTERS = 16
"""A reply longer than this many characters per allowed token is cut: the provider ignores the limit."""


class OpenAIChatModel:
    """Implements `ChatModel` over Chat Completions (`protocol="chat"`) or Responses (`"responses"`).

    Without `api_key` and `base_url` the SDK's own variables count (`OPENAI_API_KEY`, `OPENAI_BASE_URL`); a server that wants no key
    gets a placeholder when `base_url` is given. `timeout_s` bounds a whole call with its retries, `first_token_timeout_s` the
    wait for the first event, `silence_timeout_s` that between two. Failures that trying again may mend are tried up to
    `attempts` times, but
    never once text was given out. A reply ends at `max_output_tokens`, whatever the provider thinks of it.
    `http_client` replaces the SDK's own client.
    """

    def __init__(
        self,
        model: str,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        protocol: Literal["chat", "responses"] = "chat",
        timeout_s: float = 120.0,
        connect_timeout_s: float = 10.0,
        first_token_timeout_s: float = 60.0,
        silence_timeout_s: float = 60.0,
        max_output_tokens: int = 1024,
        attempts: int = 3,
        retry_wait_s: float = 0.5,
        http_client: "httpx2.AsyncClient | None" = None,
    ) -> None:
        if protocol not in PROTOCOLS:
            raise ConfigurationError(f"Unknown chat protocol {protocol!r}. Use 'chat' or 'responses'.")
        self._model = model
        self._api_key = api_key
        self._base_url = base_url
        self._protocol = PROTOCOLS[protocol]
        self._timeout_s = timeout_s
        self._connect_timeout_s = connect_timeout_s
        self._first_token_timeout_s = first_token_timeout_s
        self._silence_timeout_s = silence_timeout_s
        self._max_output_tokens = max_output_tokens
        self._attempts = attempts
        self._retry_wait_s = retry_wait_s
        self._http_client = http_client
        self._client: tuple[asyncio.AbstractEventLoop, openai.AsyncOpenAI] | None = None

    @property
    def name(self) -> str:
        """Return the model's name as the provider knows it."""
        return self._model

    async def invoke(self, messages: Sequence[ChatMessage]) -> str:
        """Return the whole reply. Raises `UpstreamError`, and `ConfigurationError` without a key."""
        async with aclosing(self.stream(messages)) as pieces:
            return "".join([piece async for piece in pieces if isinstance(piece, str)])

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str | ModelUsage, None]:
        """Yield the reply's text as it comes, then its usage once. Raises as `invoke`.

        Closing the generator closes the connection.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._timeout_s
        for attempt in range(1, self._attempts + 1):
            shown = False
            try:
                async with aclosing(self._reply(messages, deadline)) as pieces:
                    async for piece in pieces:
                        shown = True
                        yield piece
                return
            except ProviderFault as fault:
                wait = self._wait(fault, attempt)
                if shown or not fault.retryable or attempt == self._attempts or clock() + wait >= deadline:
                    raise
            await asyncio.sleep(wait)

    def _wait(self, fault: ProviderFault, attempt: int) -> float:
        """Return the seconds until the next try: what the provider asks, else doubling. Scattered, lest many come at once."""
        if fault.retry_after_s is not None:
            return fault.retry_after_s + random.uniform(0, self._retry_wait_s)
        return self._retry_wait_s * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)

    async def aclose(self) -> None:
        """Close the connections to the provider."""
        if self._client is not None:
            await self._client[1].close()
            self._client = None

    async def _reply(self, messages: Sequence[ChatMessage], deadline: float) -> AsyncGenerator[str | ModelUsage, None]:
        """Yield one attempt's text and usage; raise `ProviderFault` unless the reply is complete and not empty."""
        client = await self._sdk()
        state, text = ReplyState(), ReplyText(client.api_key)
        body = self._protocol.body(self._model, messages, self._max_output_tokens)
        pieces = characters = 0
        async with aclosing(self._events(client, body, state, deadline=deadline)) as events:
            async for event in events:
                said = text.feed(self._protocol.read(event, state))[: self._most_characters - characters]
                pieces += bool(said)
                characters += len(said)
                if said:
                    yield said
                if state.closed or pieces > self._max_output_tokens or characters >= self._most_characters:
                    state.truncated = state.truncated or not state.ended
                    break
        if said := text.finish()[: self._most_characters - characters]:
            characters += len(said)
            yield said
        if not characters:
            raise empty_reply()
        yield replace(state.usage or _estimated(messages, characters), truncated=state.truncated)

    @property
    def _most_characters(self) -> int:
        return self._max_output_tokens * LONGEST_TOKEN_CHARACTERS

    async def _events(
        self, client: "openai.AsyncOpenAI", body: dict[str, Any], state: ReplyState, *, deadline: float
    ) -> AsyncGenerator[Event, None]:
        """Yield the events of one request. A break after the text is complete is no fault, any other is."""
        import httpx2
        import openai

        try:
            async with AsyncExitStack() as stack:
                chunks = await self._opened(client, body, stack, deadline=deadline)
                events = await stack.enter_async_context(aclosing(self._decoded(chunks, state, deadline=deadline)))
                async for event in events:
                    yield event
            if not state.ended:
                raise broken_reply()
        except openai.OpenAIError as error:
            raise from_sdk(error) from None
        except TimeoutError:
            if not state.ended:
                raise timed_out() from None
        except (httpx2.RequestError, httpx2.StreamError):
            if not state.ended:
                raise unreachable() from None
        except EventTooLarge:
            raise broken_reply() from None

    async def _opened(
        self, client: "openai.AsyncOpenAI", body: dict[str, Any], stack: AsyncExitStack, *, deadline: float
    ) -> AsyncIterator[bytes]:
        now = asyncio.get_running_loop().time()
        async with asyncio.timeout_at(min(deadline, now + self._first_token_timeout_s)):
            response = await stack.enter_async_context(self._protocol.open(client, body))
        if not response.headers.get("content-type", "").lower().startswith("text/event-stream"):
            raise broken_reply()
        return response.iter_bytes()

    async def _decoded(self, chunks: AsyncIterator[bytes], state: ReplyState, *, deadline: float) -> AsyncGenerator[Event, None]:
        """Yield the events of a byte stream. Only an event is a sign of life: comments and odd bytes don't lengthen the wait."""
        clock = asyncio.get_running_loop().time
        decoder = SseDecoder()
        heard, patience = clock(), self._first_token_timeout_s
        while not state.closed:
            async with asyncio.timeout_at(min(deadline, heard + patience)):
                chunk = await anext(chunks, None)
            if chunk is None:
                return
            for message in decoder.feed(chunk):
                heard, patience = clock(), self._silence_timeout_s
                if message.data.startswith("[DONE]"):
                    state.ended = state.closed = True
                    return
                if message.data:
                    yield _event(message.data)

    async def _sdk(self) -> "openai.AsyncOpenAI":
        """Return the SDK's client, one per event loop. Importing it takes over a second, so a thread does it."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._client[0] is not loop:
            await asyncio.to_thread(importlib.import_module, "openai")
            self._client = (loop, self._new_client())
        return self._client[1]

    def _new_client(self) -> "openai.AsyncOpenAI":
        import httpx2
        import openai

        longest = max(self._first_token_timeout_s, self._silence_timeout_s)
        timeout = httpx2.Timeout(longest, connect=min(self._connect_timeout_s, self._timeout_s))
        key = self._api_key
        for candidate in (key, "none" if self._base_url and not key else key):
            try:
                return openai.AsyncOpenAI(
                    api_key=candidate, base_url=self._base_url, timeout=timeout, max_retries=0, http_client=self._http_client
                )
            except openai.OpenAIError:
                continue
        raise ConfigurationError("The chat provider needs an API key. Set OPENAI_API_KEY, or name a server that needs none.")


def _event(data: str) -> Event:
    try:
        event = json.loads(data)
    except ValueError:
        raise broken_reply() from None
    if not isinstance(event, dict):
        raise broken_reply()
    return cast("Event", event)


def _estimated(messages: Sequence[ChatMessage], characters: int) -> ModelUsage:
    """Guess four characters a token, for a provider that doesn't count."""
    asked = sum(len(message.content) for message in messages)
    return ModelUsage(-(-asked // 4), -(-characters // 4), estimated=True)
