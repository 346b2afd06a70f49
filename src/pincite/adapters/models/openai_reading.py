"""What each streamed event of the two OpenAI chat protocols says, in the shapes that servers really send."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pincite.adapters.models.openai_errors import asked_for_tools, broken_reply, filtered, in_band
from pincite.core.messages import ModelUsage

Event = Mapping[str, Any]

MOST_TOKENS = 10_000_000
"""A usage beyond this, or below 0, is a provider's fault and not a count."""

_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"})
_WITHHELD = frozenset(
    {
        "content_filter",
        "content_filtered",
        "safety",
        "recitation",
        "refusal",
        "blocklist",
        "prohibited_content",
        "spii",
        "sensitive",
        "guardrail_intervened",
    }
)
_CALLED = frozenset({"tool_calls", "tool_call", "function_call", "tool_use", "malformed_function_call"})
_FAILED = frozenset({"error", "abort", "aborted", "cancelled", "canceled", "network_error", "insufficient_system_resource"})
_TEXT_PARTS = frozenset({"text", "output_text"})
_IDLE = frozenset({"ping", "keepalive", "response.queued", "response.in_progress"})


@dataclass(slots=True)
class ReplyState:
    """What a reply said about itself. `ended`: its text is complete; `closed`: nothing that follows matters.

    `truncated`: the limit of tokens cut it. `spoke`: text has come. `unseen` counts events that were thought and not text.
    `last` is the event with the highest number so far.
    """

    usage: ModelUsage | None = None
    ended: bool = False
    closed: bool = False
    truncated: bool = False
    spoke: bool = False
    unseen: int = 0
    last: Event = field(default_factory=dict[str, Any])


def shows_life(event: Event) -> bool:
    """Say whether an event brings a reply on. What only keeps a connection open doesn't lengthen the wait."""
    kind = event.get("type")
    return bool(event.get("choices")) or (isinstance(kind, str) and kind not in _IDLE)


def read_completions(event: Event, state: ReplyState) -> str:
    """Return the text of a Chat Completions chunk, or of a whole completion. Raises `ProviderFault`."""
    _refuse_errors_and_tools(event)
    state.usage = _usage(event.get("usage"), "prompt_tokens", "completion_tokens") or state.usage
    choice = _first_choice(event)
    delta = _mapping(choice.get("delta"))
    if not delta and not state.spoke:  # a server that doesn't stream sends the message at once
        delta = _mapping(choice.get("message"))
    if delta.get("refusal"):
        raise filtered()
    said = "" if state.ended else _text_of(delta.get("content"))
    is_thought = not said and bool(delta.get("reasoning_content") or delta.get("reasoning") or delta.get("content"))
    state.unseen += is_thought
    state.spoke = state.spoke or bool(said)
    if not (is_thought and choice.get("finish_reason") == "stop"):  # some servers end the thought like a reply
        _finish(choice.get("finish_reason"), state)
    return said


def _finish(given: object, state: ReplyState) -> None:
    """Note how a reply ended; some servers send "" where others send null. An unknown reason is an end like another."""
    reason = given.lower() if isinstance(given, str) else ""
    if not reason:
        return
    if reason in _WITHHELD:
        raise filtered()
    if reason in _CALLED:
        raise asked_for_tools()
    if reason in _FAILED:
        raise broken_reply()
    state.ended = True
    state.truncated = reason in _CUT


def read_responses(event: Event, state: ReplyState) -> str:
    """Return the text of an event of the Responses protocol, or of a whole response. Raises `ProviderFault`."""
    _refuse_errors_and_tools(event)
    if event.get("object") == "response":
        event = {"type": f"response.{event.get('status') or 'completed'}", "response": event}
    if not _follows(event, state):
        return ""
    said = _read_typed(event, state)
    state.spoke = state.spoke or bool(said)
    return said


def _read_typed(event: Event, state: ReplyState) -> str:
    response = _mapping(event.get("response"))
    match event.get("type"):
        case "response.output_text.delta":
            delta = event.get("delta")
            return _text_of(_mapping(delta).get("text") or _mapping(delta).get("content") or delta)
        case "response.output_text.done" if not state.spoke:
            return _text_of(event.get("text"))
        case "response.completed" | "response.incomplete":
            return _read_end(response, state, is_cut=event.get("type") == "response.incomplete")
        case "response.failed" | "response.cancelled":
            raise in_band(response.get("error"))
        case "response.refusal.delta" | "response.refusal.done":
            raise filtered()
        case "response.output_item.added" if "call" in str(_mapping(event.get("item")).get("type")):
            raise asked_for_tools()
        case str(kind) if "_call" in kind:
            raise asked_for_tools()
        case str(kind):
            state.unseen += "reasoning" in kind and kind.endswith(".delta")
        case _:
            pass
    return ""


def _read_end(response: Event, state: ReplyState, *, is_cut: bool) -> str:
    """Note the end. Text that never came as deltas is taken from the finished response."""
    reason = _mapping(response.get("incomplete_details")).get("reason")
    if isinstance(reason, str) and reason.lower() in _WITHHELD:
        raise filtered()
    state.usage = _usage(response.get("usage"), "input_tokens", "output_tokens")
    state.ended = state.closed = True
    state.truncated = is_cut or response.get("status") == "incomplete"
    if state.spoke:
        return ""
    items = [_mapping(item) for item in _list(response.get("output"))]
    if any("call" in str(item.get("type")) for item in items):
        raise asked_for_tools()
    return "".join(_text_of(item.get("content")) for item in items if item.get("type") == "message")


def _follows(event: Event, state: ReplyState) -> bool:
    """Say whether an event is new: one that comes twice counts once. Raises for one that comes behind a later one."""
    number, before = event.get("sequence_number"), state.last.get("sequence_number")
    if not isinstance(number, int):
        return True
    if isinstance(before, int) and number < before:
        raise broken_reply()
    is_new = event != state.last
    state.last = event
    return is_new


def _refuse_errors_and_tools(event: Event) -> None:
    """Raise for an error inside the stream, in the key `error` or by itself, and for calls of tools, which we never offer."""
    if event.get("error") or event.get("type") == "error" or event.get("object") == "error":
        raise in_band(event.get("error") or event)
    choice = _first_choice(event)
    for said in (_mapping(choice.get("delta")), _mapping(choice.get("message"))):
        if said.get("tool_calls") or said.get("function_call"):
            raise asked_for_tools()


def _text_of(content: object) -> str:
    """Return a content's text: a string, or the text among its parts, as servers send that mark thought."""
    if isinstance(content, str):
        return content
    parts = [_mapping(part) for part in _list(content)]
    if any(part.get("type") == "refusal" for part in parts):
        raise filtered()
    texts = [part.get("text") for part in parts if part.get("type") in _TEXT_PARTS]
    return "".join(text for text in texts if isinstance(text, str))


def _first_choice(event: Event) -> Event:
    """Return the choice that we asked for; others are nobody's."""
    choices = [_mapping(choice) for choice in _list(event.get("choices"))]
    return next((choice for choice in choices if choice.get("index") in (0, None)), _mapping(None))


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _mapping(value: object) -> Event:
    return cast("Event", value) if isinstance(value, dict) else {}


def _usage(value: object, prompt_key: str, completion_key: str) -> ModelUsage | None:
    """Return the usage when both counts can be true."""
    usage = _mapping(value)
    counts = [usage.get(prompt_key), usage.get(completion_key)]
    prompt, completion = (n if isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= MOST_TOKENS else None for n in counts)
    return None if prompt is None or completion is None else ModelUsage(prompt, completion)
