"""The two OpenAI chat protocols: how each is asked, and what reads its events."""

from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from pincite.adapters.models.openai_reading import Event, ReplyState, read_completions, read_responses
from pincite.core.messages import ChatMessage, MessagePicture

if TYPE_CHECKING:
    import openai

_AS_IT_IS = {"Accept-Encoding": "identity"}
"""A packed stream would be held back until a block is full."""


class RawResponse(Protocol):
    """A response whose body hasn't been read."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Return the headers; names in any case."""
        ...

    def iter_bytes(self) -> AsyncIterator[bytes]:
        """Return the body as it comes."""
        ...


@dataclass(frozen=True, slots=True)
class ChatProtocol:
    """How to ask and how to read: `open` sends a body; `read` returns an event's text and notes the rest in the state.

    `read` raises `ProviderFault`. `ends_by_mark`: `[DONE]` alone may end a reply.
    """

    open: Callable[["openai.AsyncOpenAI", dict[str, Any]], AbstractAsyncContextManager["RawResponse"]]
    body: Callable[[str, Sequence[ChatMessage], int], dict[str, Any]]
    read: Callable[[Event, ReplyState], str]
    ends_by_mark: bool


def _open_completions(client: "openai.AsyncOpenAI", body: dict[str, Any]) -> AbstractAsyncContextManager[RawResponse]:
    if client.base_url.host == "api.openai.com":  # its newer models refuse the name that every other server knows
        body = {key.replace("max_tokens", "max_completion_tokens"): value for key, value in body.items()}
    create = cast(Any, client.chat.completions.with_streaming_response.create)
    return cast("AbstractAsyncContextManager[RawResponse]", create(**body, extra_headers=_AS_IT_IS))


def _open_responses(client: "openai.AsyncOpenAI", body: dict[str, Any]) -> AbstractAsyncContextManager[RawResponse]:
    create = cast(Any, client.responses.with_streaming_response.create)
    return cast("AbstractAsyncContextManager[RawResponse]", create(**body, extra_headers=_AS_IT_IS))


def _completions_body(model: str, messages: Sequence[ChatMessage], max_tokens: int) -> dict[str, Any]:
    return {
        "model": model,
        "messages": [{"role": message.role, "content": _completions_content(message)} for message in messages],
        "max_tokens": max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def _responses_body(model: str, messages: Sequence[ChatMessage], max_tokens: int) -> dict[str, Any]:
    return {
        "model": model,
        "input": [{"role": message.role, "content": _responses_content(message)} for message in messages],
        "max_output_tokens": max_tokens,
        "stream": True,
        "store": False,
    }


def _completions_content(message: ChatMessage) -> str | list[dict[str, Any]]:
    if not message.pictures:
        return message.content
    shown = [{"type": "image_url", "image_url": {"url": _address(picture)}} for picture in message.pictures]
    return [{"type": "text", "text": message.content}, *shown]


def _responses_content(message: ChatMessage) -> str | list[dict[str, Any]]:
    if not message.pictures:
        return message.content
    shown = [{"type": "input_image", "image_url": _address(picture)} for picture in message.pictures]
    return [{"type": "input_text", "text": message.content}, *shown]


def _address(picture: MessagePicture) -> str:
    return f"data:{picture.content_type};base64,{b64encode(picture.data).decode('ascii')}"


PROTOCOLS: Mapping[str, ChatProtocol] = {
    "chat": ChatProtocol(_open_completions, _completions_body, read_completions, ends_by_mark=True),
    "responses": ChatProtocol(_open_responses, _responses_body, read_responses, ends_by_mark=False),
}
