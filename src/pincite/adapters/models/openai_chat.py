"""Chat models behind an OpenAI-protocol server: OpenAI, Ollama, vLLM, llama.cpp and their like."""

import asyncio
import json
import random
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, cast

from pincite.adapters.models.openai_client import ProviderClient, address_of
from pincite.adapters.models.openai_errors import (
    ProviderFault,
    broken_connection,
    broken_reply,
    empty_reply,
    from_sdk,
    in_band,
    no_provider,
    no_room,
    timed_out,
)
from pincite.adapters.models.openai_protocols import PROTOCOLS, RawResponse
from pincite.adapters.models.openai_reading import Event, ReplyState, shows_life
from pincite.adapters.models.reply_text import ReplyText, Spoken
from pincite.adapters.models.sse import EventTooLarge, ServerSentEvent, SseDecoder
from pincite.core.errors import ConfigurationError
from pincite.core.messages import ChatMessage, ModelUsage

if TYPE_CHECKING:
    import httpx2
    import openai

LONGEST_TOKEN_CHARACTERS = 16
"""A reply longer than this many characters per allowed token is cut: the provider ignores the limit."""

USAGE_WAIT_S = 2.0
"""How long a complete text waits for the usage that should follow it."""

TOKENS_A_PICTURE = 1_000
"""What a picture is taken to cost where the provider doesn't count."""

MOST_JSON_BYTES = 4_000_000
"""Largest reply of a server that doesn't stream."""


class OpenAIChatModel:
    """Implements `ChatModel` over Chat Completions (`protocol="chat"`) or Responses (`"responses"`).

    Without `api_key` and `base_url` the SDK's own variables count (`OPENAI_API_KEY`, `OPENAI_BASE_URL`); a server that wants no key
    gets a placeholder when `base_url` is given. `timeout_s` bounds a whole call with its retries, `first_token_timeout_s` the
    wait for the first event, `silence_timeout_s` that between two. Failures that trying again may mend are tried up to
    `attempts` times, but
    never once text was given out. A reply ends at `max_output_tokens`, whatever the provider thinks of it.
    `http_client` replaces the SDK's own client; `purpose` is what a provider without a key or address is called in errors.
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
        purpose: str = "chat",
    ) -> None:
        if protocol not in PROTOCOLS:
            raise ConfigurationError(f"Unknown chat protocol {protocol!r}. Use 'chat' or 'responses'.")
        longest = max(first_token_timeout_s, silence_timeout_s)
        self._provider = ProviderClient(purpose, api_key, base_url, longest, min(connect_timeout_s, timeout_s), http_client)
        self._model = model
        self._protocol = PROTOCOLS[protocol]
        self._timeout_s = timeout_s
        self._first_token_timeout_s = first_token_timeout_s
        self._silence_timeout_s = silence_timeout_s
        self._max_output_tokens = max_output_tokens
        self._attempts = attempts
        self._retry_wait_s = retry_wait_s

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
        await self._provider.aclose()

    async def _reply(self, messages: Sequence[ChatMessage], deadline: float) -> AsyncGenerator[str | ModelUsage, None]:
        """Yield one attempt's text and usage; raise `ProviderFault` unless the reply is complete and not empty."""
        client = await self._provider.get()
        state, spoken, text = ReplyState(), Spoken(), ReplyText(client.api_key)
        body = self._protocol.body(self._model, messages, self._max_output_tokens)
        pieces = characters = 0
        async with aclosing(self._events(client, body, state, deadline=deadline)) as events:
            async for event in events:
                read = self._protocol.read(event, state)
                said = text.feed(spoken.feed(read))[: self._most_characters - characters]
                pieces += bool(read)
                characters += len(said)
                if said:
                    yield said
                if state.closed or pieces + state.unseen > self._max_output_tokens or characters >= self._most_characters:
                    state.truncated = state.truncated or not state.ended
                    break
        if said := (text.feed(spoken.finish()) + text.finish())[: self._most_characters - characters]:
            characters += len(said)
            yield said
        if not characters:
            raise no_room() if state.truncated else empty_reply()
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
                response = await self._opened(client, body, stack, deadline=deadline)
                events = await stack.enter_async_context(aclosing(self._read(response, state, deadline=deadline)))
                async for event in events:
                    yield event
            if not state.ended:
                raise broken_reply()
        except openai.OpenAIError as error:
            raise from_sdk(error, address_of(client)) from None
        except TimeoutError:
            if not state.ended:
                raise timed_out() from None
        except (httpx2.RequestError, httpx2.StreamError):
            if not state.ended:
                raise broken_connection() from None
        except EventTooLarge:
            raise broken_reply() from None

    async def _opened(
        self, client: "openai.AsyncOpenAI", body: dict[str, Any], stack: AsyncExitStack, *, deadline: float
    ) -> RawResponse:
        now = asyncio.get_running_loop().time()
        async with asyncio.timeout_at(min(deadline, now + self._first_token_timeout_s)):
            return await stack.enter_async_context(self._protocol.open(client, body))

    def _read(self, response: RawResponse, state: ReplyState, *, deadline: float) -> AsyncGenerator[Event, None]:
        """Return the events of a reply: a stream, or one for what a server sends that doesn't stream."""
        media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type in ("text/event-stream", ""):
            return self._decoded(response.iter_bytes(), state, deadline=deadline)
        if media_type == "application/json":
            return self._whole(response.iter_bytes(), state, deadline=deadline)
        raise no_provider()

    async def _whole(self, chunks: AsyncIterator[bytes], state: ReplyState, *, deadline: float) -> AsyncGenerator[Event, None]:
        """Yield a reply that isn't streamed as its only event."""
        data = bytearray()
        async with asyncio.timeout_at(deadline):
            async for chunk in chunks:
                data += chunk
                if len(data) > MOST_JSON_BYTES:
                    raise broken_reply()
        yield _event(data.decode(errors="replace"))
        state.ended = state.ended or state.spoke

    async def _decoded(self, chunks: AsyncIterator[bytes], state: ReplyState, *, deadline: float) -> AsyncGenerator[Event, None]:
        """Yield the events of a byte stream. Only an event that tells something lengthens the wait."""
        clock = asyncio.get_running_loop().time
        decoder = SseDecoder()
        heard, patience = clock(), self._first_token_timeout_s
        while not state.closed:
            if state.ended and state.spoke:
                patience = min(USAGE_WAIT_S, self._silence_timeout_s)
            async with asyncio.timeout_at(min(deadline, heard + patience)):
                chunk = await anext(chunks, None)
            if chunk is None:
                return
            for message in decoder.feed(chunk):
                if message.data.startswith("[DONE]"):
                    state.ended = state.ended or self._protocol.ends_by_mark
                    state.closed = True
                    return
                if message.data:
                    event = _said(message)
                    if shows_life(event):
                        heard, patience = clock(), self._silence_timeout_s
                    yield event


def _said(message: ServerSentEvent) -> Event:
    event = _event(message.data)
    if message.event == "error" and not event.get("error"):
        raise in_band(event)
    return event


def _event(data: str) -> Event:
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        raise broken_reply() from None
    if not isinstance(event, dict):
        raise broken_reply()
    return cast("Event", event)


def _estimated(messages: Sequence[ChatMessage], characters: int) -> ModelUsage:
    """Guess four characters a token, and what most models count for a picture, for a provider that doesn't count."""
    asked = sum(len(message.content) for message in messages)
    shown = sum(len(message.pictures) for message in messages)
    return ModelUsage(-(-asked // 4) + shown * TOKENS_A_PICTURE, -(-characters // 4), estimated=True)
