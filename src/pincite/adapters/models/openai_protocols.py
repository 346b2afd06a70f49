"""The two OpenAI chat protocols: a request's body, and what each streamed event says."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from pincite.adapters.models.openai_errors import asked_for_tools, broken_reply, filtered, from_status
from pincite.core.messages import ChatMessage, ModelUsage

if TYPE_CHECKING:
    import openai

Event = Mapping[str, Any]

MOST_TOKENS = 10_000_000
"""A usage beyond this, or below 0, is a provider's fault and not a count."""


@dataclass(slots=True)
class ReplyState:
    """What a reply said about itself. `ended`: its text is complete; `closed`: nothing that follows matters.

    `truncated`: the limit of tokens cut it. `sequence` is the highest number of an event so far.
    """

    usage: ModelUsage | None = None
    ended: bool = False
    closed: bool = False
    truncated: bool = False
    sequence: int = -1


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

    `read` raises `ProviderFault`.
    """

    open: Callable[["openai.AsyncOpenAI", dict[str, Any]], AbstractAsyncContextManager["RawResponse"]]
    body: Callable[[str, Sequence[ChatMessage], int], dict[str, Any]]
    read: Callable[[Event, ReplyState], str]


def _open_completions(client: "openai.AsyncOpenAI", body: dict[str, Any]) -> AbstractAsyncContextManager[RawResponse]:
    if client.base_url.host == "api.openai.com":  # its newer models refuse the name that every other server knows
        body = {key.replace("max_tokens", "max_completion_tokens"): value for key, value in body.items()}
    create = cast(Any, client.chat.completions.with_streaming_response.create)
    return cast("AbstractAsyncContextManager[RawResponse]", create(**body))


def _open_responses(client: "openai.AsyncOpenAI", body: dict[str, Any]) -> AbstractAsyncContextManager[RawResponse]:
    create = cast(Any, client.responses.with_streaming_response.create)
    return cast("AbstractAsyncContextManager[RawResponse]", create(**body))


def _completions_body(model: str, messages: Sequence[ChatMessage], max_tokens: int) -> dict[str, Any]:
    return {
        "model": model,
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        "max_tokens": max_tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def _responses_body(model: str, messages: Sequence[ChatMessage], max_tokens: int) -> dict[str, Any]:
    return {
        "model": model,
        "input": [{"role": message.role, "content": message.content} for message in messages],
        "max_output_tokens": max_tokens,
        "stream": True,
        "store": False,
    }


def _read_completions(event: Event, state: ReplyState) -> str:
    _refuse_errors_and_tools(event)
    state.usage = _usage(event.get("usage"), "prompt_tokens", "completion_tokens") or state.usage
    choice = _first_choice(event)
    delta = _mapping(choice.get("delta"))
    text = delta.get("content")
    if delta.get("refusal"):
        raise filtered()
    said = text if isinstance(text, str) and not state.ended else ""
    match choice.get("finish_reason"):
        case None:
            pass
        case "content_filter":
            raise filtered()
        case "tool_calls" | "function_call":
            raise asked_for_tools()
        case reason:
            state.ended = True
            state.truncated = reason == "length"
    return said


def _read_responses(event: Event, state: ReplyState) -> str:
    _refuse_errors_and_tools(event)
    response = _mapping(event.get("response"))
    if not _follows(event, state):
        return ""
    match event.get("type"):
        case "response.output_text.delta":
            delta = event.get("delta")
            return delta if isinstance(delta, str) else ""
        case "response.completed" | "response.incomplete":
            if _mapping(response.get("incomplete_details")).get("reason") == "content_filter":
                raise filtered()
            state.usage = _usage(response.get("usage"), "input_tokens", "output_tokens")
            state.ended = state.closed = True
            state.truncated = event.get("type") == "response.incomplete"
        case "response.failed" | "response.cancelled":
            raise _in_band(response.get("error"))
        case "response.refusal.delta":
            raise filtered()
        case "response.output_item.added" if "call" in str(_mapping(event.get("item")).get("type")):
            raise asked_for_tools()
        case _:
            pass
    return ""


def _follows(event: Event, state: ReplyState) -> bool:
    """Say whether an event is new: one that comes twice counts once. Raises for one that comes behind a later one."""
    number = event.get("sequence_number")
    if not isinstance(number, int):
        return True
    if number == state.sequence:
        return False
    if number < state.sequence:
        raise broken_reply()
    state.sequence = number
    return True


def _refuse_errors_and_tools(event: Event) -> None:
    """Raise for an error inside the stream, and for tool calls, which no request of ours offers."""
    if event.get("error") or event.get("type") == "error":
        raise _in_band(event.get("error") or event)
    delta = _mapping(_first_choice(event).get("delta"))
    if delta.get("tool_calls") or delta.get("function_call"):
        raise asked_for_tools()


def _in_band(error: object) -> Exception:
    """Return our error for one that came with status 200."""
    words = " ".join(str(_mapping(error).get(key, "")) for key in ("code", "type"))
    if "rate_limit" in words or "429" in words:
        return from_status(429)
    if any(word in words for word in ("server_error", "overloaded", "unavailable", "timeout", "50", "529")):
        return from_status(503)
    return broken_reply()


def _first_choice(event: Event) -> Event:
    choices = event.get("choices")
    first = cast("list[object]", choices)[0] if isinstance(choices, list) and choices else None
    return _mapping(first)


def _mapping(value: object) -> Event:
    return cast("Event", value) if isinstance(value, dict) else {}


def _usage(value: object, prompt_key: str, completion_key: str) -> ModelUsage | None:
    """Return the usage when both counts can be true."""
    usage = _mapping(value)
    counts = [usage.get(prompt_key), usage.get(completion_key)]
    prompt, completion = (n if isinstance(n, int) and 0 <= n <= MOST_TOKENS else None for n in counts)
    return None if prompt is None or completion is None else ModelUsage(prompt, completion)


PROTOCOLS: Mapping[str, ChatProtocol] = {
    "chat": ChatProtocol(_open_completions, _completions_body, _read_completions),
    "responses": ChatProtocol(_open_responses, _responses_body, _read_responses),
}
