"""The OpenAI adapter: what it asks, what it gives on, and that nothing of the provider's leaks."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Literal

import httpx2
import pytest

from pincite.adapters.models.openai_chat import OpenAIChatModel
from pincite.core.errors import ConfigurationError, UpstreamError
from pincite.core.messages import ChatMessage, ModelUsage

KEY = "sk-secret-0123456789abcdef"
MESSAGES = [ChatMessage("system", "Rules."), ChatMessage("user", "prompt-words")]
Protocol = Literal["chat", "responses"]


class Body(httpx2.AsyncByteStream):
    """A response body that tells whether it was closed."""

    def __init__(self, pieces: Sequence[bytes], *, breaks: bool = False) -> None:
        self._pieces = pieces
        self._breaks = breaks
        self.given = 0
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            self.given += 1
            yield piece
        if self._breaks:
            raise httpx2.ReadError("provider-words")

    async def aclose(self) -> None:
        self.closed = True


class Provider:
    """Answers requests from a list, the last one again and again."""

    def __init__(self, *answers: Body | tuple[int, dict[str, str], str]) -> None:
        self._answers = answers
        self.requests: list[dict[str, Any]] = []
        self.urls: list[str] = []

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        answer = self._answers[min(len(self.requests), len(self._answers) - 1)]
        self.requests.append(json.loads(request.content))
        self.urls.append(str(request.url))
        if isinstance(answer, Body):
            return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=answer)
        status, headers, text = answer
        return httpx2.Response(status, headers=headers, text=text)

    def model(self, protocol: Protocol = "chat", **options: Any) -> OpenAIChatModel:
        client = httpx2.AsyncClient(transport=httpx2.MockTransport(self.answer))
        return OpenAIChatModel(
            "m", KEY, "https://provider.test/v1", protocol=protocol, http_client=client, retry_wait_s=0, **options
        )


def sse(event: object) -> bytes:
    return f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()


def chunk(text: str | None = None, finish: str | None = None, **delta: object) -> bytes:
    content = {} if text is None else {"content": text}
    return sse({"choices": [{"index": 0, "delta": {**content, **delta}, "finish_reason": finish}]})


def delta(text: str) -> bytes:
    return sse({"type": "response.output_text.delta", "delta": text})


def completed(kind: str = "completed", **response: object) -> bytes:
    return sse({"type": f"response.{kind}", "response": {"usage": {"input_tokens": 7, "output_tokens": 3}, **response}})


CHAT = [
    chunk("Sixty "),
    chunk("days."),
    chunk(finish="stop"),
    sse({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}),
]
REPLIES: dict[Protocol, list[bytes]] = {
    "chat": [*CHAT, sse("[DONE]")],
    "responses": [sse({"type": "response.created", "response": {}}), delta("Sixty "), delta("days."), completed()],
}
both = pytest.mark.parametrize("protocol", ["chat", "responses"])


async def collect(model: OpenAIChatModel) -> list[str | ModelUsage]:
    return [piece async for piece in model.stream(MESSAGES)]


@both
async def test_text_comes_as_it_was_sent_and_usage_once_at_the_end(protocol: Protocol) -> None:
    body = Body(REPLIES[protocol])
    assert await collect(Provider(body).model(protocol)) == ["Sixty ", "days.", ModelUsage(7, 3)]
    assert body.closed


async def test_a_chat_request_carries_messages_limit_and_the_wish_for_usage() -> None:
    provider = Provider(Body(REPLIES["chat"]))
    assert await provider.model(max_output_tokens=99).invoke(MESSAGES) == "Sixty days."
    assert provider.urls == ["https://provider.test/v1/chat/completions"]
    assert provider.requests[0] == {
        "model": "m",
        "messages": [{"role": "system", "content": "Rules."}, {"role": "user", "content": "prompt-words"}],
        "max_tokens": 99,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_a_responses_request_is_not_stored() -> None:
    provider = Provider(Body(REPLIES["responses"]))
    assert await provider.model("responses").invoke(MESSAGES) == "Sixty days."
    assert provider.urls == ["https://provider.test/v1/responses"]
    assert provider.requests[0]["store"] is False
    assert provider.requests[0]["max_output_tokens"] == 1024


async def test_only_output_text_is_forwarded_from_typed_events() -> None:
    events = [sse({"type": "response.reasoning_text.delta", "delta": "hidden"}), delta("Shown"), completed()]
    assert await Provider(Body(events)).model("responses").invoke(MESSAGES) == "Shown"


@both
async def test_closing_early_closes_the_provider(protocol: Protocol) -> None:
    body = Body(REPLIES[protocol] + [b": more\n\n"] * 5)
    stream = Provider(body).model(protocol).stream(MESSAGES)
    assert await anext(stream) == "Sixty "
    await stream.aclose()
    assert body.closed
    assert body.given < 5


BREAKS: list[tuple[Protocol, str, list[bytes], str]] = [
    ("chat", "a stream that stops", [chunk("Six")], "provider_broken_reply"),
    ("chat", "an error inside", [chunk("Six"), sse({"error": {"message": "provider-words"}})], "provider_broken_reply"),
    ("chat", "an overload inside", [sse({"error": {"type": "overloaded_error"}})], "provider_unavailable"),
    ("chat", "no JSON", [chunk("Six"), sse("{provider-words")], "provider_broken_reply"),
    ("chat", "no object", [sse("[1]")], "provider_broken_reply"),
    ("chat", "a filter", [chunk("Six"), chunk(finish="content_filter")], "provider_filtered"),
    ("chat", "a refusal", [chunk(refusal="provider-words")], "provider_filtered"),
    ("chat", "a tool call", [chunk(tool_calls=[{"index": 0, "function": {"name": "x"}}])], "provider_tool_call"),
    ("chat", "an end by tool call", [chunk(finish="tool_calls")], "provider_tool_call"),
    ("chat", "no text", [chunk(""), chunk(finish="stop"), sse("[DONE]")], "provider_empty_reply"),
    ("responses", "a stream that stops", [delta("Six")], "provider_broken_reply"),
    ("responses", "a failure", [delta("Six"), sse({"type": "response.failed", "response": {"error": {"code": "server_error"}}})],
     "provider_unavailable"),
    ("responses", "a rate limit", [sse({"type": "error", "code": "rate_limit_exceeded"})], "provider_rate_limit"),
    ("responses", "a refusal", [sse({"type": "response.refusal.delta", "delta": "provider-words"})], "provider_filtered"),
    ("responses", "a tool call", [sse({"type": "response.output_item.added", "item": {"type": "function_call"}})],
     "provider_tool_call"),
    ("responses", "a filter", [delta("S"), completed("incomplete", incomplete_details={"reason": "content_filter"})],
     "provider_filtered"),
    ("responses", "no text", [completed()], "provider_empty_reply"),
]  # fmt: skip


@pytest.mark.parametrize(("protocol", "what", "events", "code"), BREAKS, ids=lambda value: value if isinstance(value, str) else "")
async def test_a_broken_reply_is_an_error_in_our_words(protocol: Protocol, what: str, events: list[bytes], code: str) -> None:
    body = Body(events)
    with pytest.raises(UpstreamError) as caught:
        await Provider(body).model(protocol, attempts=1).invoke(MESSAGES)
    assert caught.value.code == code
    assert caught.value.retryable is (code not in ("provider_filtered", "provider_tool_call"))
    assert body.closed
    assert_no_leak(caught.value)


def assert_no_leak(error: BaseException | None) -> None:
    while error is not None:
        said = repr(error) + str(error) + repr(vars(error))
        assert not any(secret in said for secret in ("provider-words", "prompt-words", KEY))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


@pytest.mark.parametrize(
    ("status", "code", "tries"),
    [
        (400, "provider_refused", 1),
        (401, "provider_key", 1),
        (403, "provider_key", 1),
        (404, "provider_model", 1),
        (413, "provider_too_large", 1),
        (422, "provider_refused", 1),
        (408, "provider_unavailable", 3),
        (429, "provider_rate_limit", 3),
        (500, "provider_unavailable", 3),
        (503, "provider_unavailable", 3),
        (529, "provider_unavailable", 3),
    ],
)
async def test_statuses_are_translated_and_tried_again_where_that_can_help(status: int, code: str, tries: int) -> None:
    provider = Provider((status, {}, f"provider-words {KEY}"))
    with pytest.raises(UpstreamError) as caught:
        await provider.model().invoke(MESSAGES)
    assert (caught.value.code, caught.value.retryable, len(provider.requests)) == (code, tries > 1, tries)
    assert_no_leak(caught.value)


async def test_a_later_attempt_may_succeed() -> None:
    provider = Provider((503, {}, ""), Body([b": nothing"], breaks=True), Body(REPLIES["chat"]))
    assert await provider.model().invoke(MESSAGES) == "Sixty days."
    assert len(provider.requests) == 3


async def test_nothing_is_tried_again_once_text_was_given_out() -> None:
    provider = Provider(Body([chunk("Six")], breaks=True), Body(REPLIES["chat"]))
    stream = provider.model().stream(MESSAGES)
    assert await anext(stream) == "Six"
    with pytest.raises(UpstreamError) as caught:
        await anext(stream)
    assert len(provider.requests) == 1
    assert_no_leak(caught.value)


async def test_a_provider_that_asks_to_wait_beyond_the_deadline_is_not_waited_for() -> None:
    provider = Provider((429, {"retry-after": "3600"}, ""))
    with pytest.raises(UpstreamError):
        await provider.model().invoke(MESSAGES)
    assert len(provider.requests) == 1


@pytest.mark.parametrize("kind", ["text/html", "application/json"])
async def test_a_reply_of_another_content_type_is_refused(kind: str) -> None:
    provider = Provider((200, {"content-type": kind}, '{"error": {"message": "provider-words"}}'))
    with pytest.raises(UpstreamError) as caught:
        await provider.model(attempts=1).invoke(MESSAGES)
    assert caught.value.code == "provider_broken_reply"


async def test_a_break_after_the_end_of_the_text_is_no_fault() -> None:
    assert await collect(Provider(Body(CHAT, breaks=True)).model()) == ["Sixty ", "days.", ModelUsage(7, 3)]


async def test_nothing_after_the_end_is_shown() -> None:
    assert await Provider(Body([*REPLIES["chat"], chunk("LATE")])).model().invoke(MESSAGES) == "Sixty days."
    assert await Provider(Body([*REPLIES["responses"], delta("LATE")])).model("responses").invoke(MESSAGES) == "Sixty days."


@pytest.mark.parametrize(
    "usage", [None, {"prompt_tokens": -5, "completion_tokens": 1}, {"prompt_tokens": 10**12, "completion_tokens": 1}, {}, 5]
)
async def test_a_usage_that_cannot_be_true_is_estimated(usage: object) -> None:
    events = [chunk("Sixty days."), chunk(finish="stop"), sse({"choices": [], "usage": usage}), sse("[DONE]")]
    assert (await collect(Provider(Body(events)).model()))[-1] == ModelUsage(5, 3, estimated=True)


async def test_a_reply_without_end_stops_at_the_limit_and_closes_the_provider() -> None:
    body = Body([chunk("cost ")] * 1000)
    pieces = await collect(Provider(body).model(max_output_tokens=10))
    assert len(pieces) == 12
    assert body.closed
    assert body.given < 50


async def test_one_huge_token_is_cut_at_the_limit() -> None:
    pieces = await collect(Provider(Body([chunk("x" * 100_000)])).model(max_output_tokens=10))
    assert pieces[0] == "x" * 160


@pytest.mark.parametrize("cut", range(1, len(KEY)))
async def test_the_key_is_never_shown_even_when_it_comes_in_two_pieces(cut: int) -> None:
    events = [chunk(f"a {KEY[:cut]}"), chunk(f"{KEY[cut:]} b"), chunk(finish="stop")]
    assert await Provider(Body(events)).model().invoke(MESSAGES) == "a [redacted] b"


async def test_text_that_only_starts_like_the_key_is_shown() -> None:
    events = [chunk("a sk-se"), chunk("cond"), chunk(" sk-secret"), chunk(finish="stop")]
    assert await Provider(Body(events)).model().invoke(MESSAGES) == "a sk-second sk-secret"


async def test_nul_goes_and_halves_of_a_character_are_joined() -> None:
    events = [
        sse('{"choices":[{"delta":{"content":"a\\u0000\\ud83d"}}]}'),
        sse('{"choices":[{"delta":{"content":"\\ude00 \\udc00"}}]}'),
    ]
    assert await Provider(Body([*events, chunk(finish="stop")])).model().invoke(MESSAGES) == "a😀 \ufffd"


async def test_silence_ends_with_a_timeout_that_comments_do_not_lengthen() -> None:
    class Alive(Body):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            yield chunk("Six")
            while True:
                await asyncio.sleep(0)
                yield b": ping\n\n"

    body = Alive([])
    with pytest.raises(UpstreamError) as caught:
        await Provider(body).model(first_token_timeout_s=30, silence_timeout_s=0.05).invoke(MESSAGES)
    assert (caught.value.code, caught.value.retryable) == ("provider_timeout", False)
    assert body.closed


def refuse(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError("provider-words", request=request)


def stall(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ReadTimeout("provider-words", request=request)


@pytest.mark.parametrize(("fault", "code"), [(refuse, "provider_unreachable"), (stall, "provider_timeout")])
async def test_a_provider_that_cannot_be_reached_is_named_so(fault: Callable[[httpx2.Request], httpx2.Response], code: str) -> None:
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(fault))
    model = OpenAIChatModel("m", KEY, "https://provider.test/v1", http_client=client, retry_wait_s=0)
    with pytest.raises(UpstreamError) as caught:
        await model.invoke(MESSAGES)
    assert caught.value.code == code
    assert_no_leak(caught.value)


async def test_openai_itself_is_asked_with_its_newer_name_for_the_limit() -> None:
    provider = Provider(Body(REPLIES["chat"]))
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(provider.answer))
    model = OpenAIChatModel("m", KEY, "https://api.openai.com/v1", http_client=client)
    await model.invoke(MESSAGES)
    await model.aclose()
    assert provider.requests[0]["max_completion_tokens"] == 1024


async def test_a_missing_key_is_a_configuration_error_and_a_local_server_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigurationError):
        await OpenAIChatModel("m").invoke(MESSAGES)
    provider = Provider(Body(REPLIES["chat"]))
    client = httpx2.AsyncClient(transport=httpx2.MockTransport(provider.answer))
    assert await OpenAIChatModel("m", base_url="http://localhost:1/v1", http_client=client).invoke(MESSAGES) == "Sixty days."


def test_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        OpenAIChatModel("m", protocol="soap")  # pyright: ignore[reportArgumentType]  # what a settings file may hold


def numbered(number: int, text: str) -> bytes:
    return sse({"type": "response.output_text.delta", "sequence_number": number, "delta": text})


async def test_an_event_that_comes_twice_counts_once() -> None:
    events = [numbered(1, "Sixty "), numbered(1, "Sixty "), numbered(4, "days."), numbered(4, "days."), completed()]
    assert await Provider(Body(events)).model("responses").invoke(MESSAGES) == "Sixty days."


async def test_events_out_of_order_break_the_reply() -> None:
    events = [numbered(2, "days."), numbered(1, "Sixty "), completed()]
    with pytest.raises(UpstreamError) as failed:
        await Provider(Body(events)).model("responses").invoke(MESSAGES)
    assert failed.value.code == "provider_broken_reply"


@pytest.mark.parametrize(
    ("protocol", "events", "truncated"),
    [
        ("chat", [chunk("Sixty", "length")], True),
        ("chat", [chunk("Sixty", "stop")], False),
        ("responses", [delta("Sixty"), completed("incomplete", incomplete_details={"reason": "max_output_tokens"})], True),
        ("responses", [delta("Sixty"), completed()], False),
    ],
)
async def test_a_reply_cut_by_the_limit_says_so(protocol: Protocol, events: list[bytes], truncated: bool) -> None:
    usage = (await collect(Provider(Body(events)).model(protocol)))[-1]
    assert isinstance(usage, ModelUsage)
    assert usage.truncated is truncated
