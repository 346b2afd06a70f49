import json
import math
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pincite.adapters.models.openai_embeddings import OpenAIEmbedding, estimated_tokens
from pincite.adapters.models.openai_embeddings_endpoint import EmbeddingEndpoint, EndpointOptions
from pincite.core.errors import ConfigurationError, UpstreamError

Message = MutableMapping[str, Any]
KEY = "sk-CANARY-0123456789"
SECRET = "secret text of a passage"
DIMENSIONS = 4

Answer = tuple[int, list[tuple[bytes, bytes]], Any]
Reply = Callable[[dict[str, Any]], Answer]


class Provider:
    """A small embeddings server: keeps what it was asked, answers with the next of `replies`, the last one again and again."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies) or [vectors]
        self.asked: list[dict[str, Any]] = []

    async def __call__(self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]):
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        self.asked.append(json.loads(body))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        status, headers, sent = reply(self.asked[-1])
        raw = sent if isinstance(sent, bytes) else json.dumps(sent).encode()
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"application/json"), *headers]})
        await send({"type": "http.response.body", "body": raw})

    @property
    def inputs(self) -> list[list[str]]:
        return [question["input"] for question in self.asked]


def vector(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    return [float(len(text)), *[1.0] * (dimensions - 1)]


def items(question: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"object": "embedding", "index": n, "embedding": vector(text)} for n, text in enumerate(question["input"])]


def vectors(question: dict[str, Any]) -> Answer:
    return 200, [], {"object": "list", "data": items(question)}


def said(data: Callable[[list[dict[str, Any]]], Any]) -> Reply:
    return lambda question: (200, [], {"object": "list", "data": data(items(question))})


def status(code: int, *headers: tuple[bytes, bytes]) -> Reply:
    return lambda question: (code, list(headers), {"error": {"message": f"{SECRET} {KEY}", "input": question["input"]}})


def at_most(texts: int, characters: int = 10**9) -> Reply:
    def reply(question: dict[str, Any]) -> Answer:
        sent = question["input"]
        return vectors(question) if len(sent) <= texts and max(map(len, sent)) <= characters else status(413)(question)

    return reply


def options_for(provider: Any) -> EndpointOptions:
    return EndpointOptions(retry_wait_s=0.0, http_client=httpx2.AsyncClient(transport=httpx2.ASGITransport(app=provider)))


def model(provider: Any, *, dimensions: int | None = DIMENSIONS, **options: Any) -> OpenAIEmbedding:
    return OpenAIEmbedding("m", KEY, "http://provider/v1", dimensions=dimensions, options=options_for(provider), **options)


def endpoint_over(transport: httpx2.AsyncBaseTransport, attempts: int) -> EmbeddingEndpoint:
    client = httpx2.AsyncClient(transport=transport)
    options = EndpointOptions(attempts=attempts, retry_wait_s=0.0, http_client=client)
    return EmbeddingEndpoint("m", KEY, "http://provider/v1", options=options)


def unit(text: str) -> list[float]:
    length = math.hypot(*vector(text))
    return [number / length for number in vector(text)]


async def test_vectors_come_back_in_order_with_length_one():
    found = await model(Provider()).embed_passages(["a", "bbb", "cc"])
    assert [list(one) for one in found] == [pytest.approx(unit(text)) for text in ("a", "bbb", "cc")]


async def test_vectors_in_another_order_are_sorted_by_their_index():
    found = await model(Provider(said(lambda data: data[::-1]))).embed_passages(["a", "bbb"])
    assert list(found[0]) == pytest.approx(unit("a"))


async def test_dimensions_are_sent_only_when_they_are_given():
    plain, short = Provider(), Provider()
    await model(plain, dimensions=None).embed_query("a")
    await model(short).embed_query("a")
    assert plain.asked == [{"model": "m", "input": ["a"], "encoding_format": "float"}]
    assert short.asked[0]["dimensions"] == DIMENSIONS


async def test_the_spec_learns_the_dimensions_by_one_request_inside_a_running_loop():
    provider = Provider()
    learning = model(provider, dimensions=None, query_prefix="q: ")
    assert (learning.spec.dimensions, learning.spec.query_prefix) == (DIMENSIONS, "q: ")
    assert learning.spec.model_id
    await learning.embed_query("a")
    assert provider.inputs[1:] == [["q: a"]]


def test_the_spec_learns_the_dimensions_without_a_loop():
    assert model(Provider(), dimensions=None).spec.dimensions == DIMENSIONS


async def test_the_first_reply_teaches_the_dimensions_and_others_are_refused_then():
    provider = Provider(vectors, said(lambda data: [item | {"embedding": [1.0]} for item in data]))
    learning = model(provider, dimensions=None)
    await learning.embed_query("a")
    assert learning.spec.dimensions == DIMENSIONS
    with pytest.raises(UpstreamError):
        await learning.embed_query("a")
    assert len(provider.asked) == 2


def test_given_dimensions_need_no_request():
    provider = Provider()
    assert model(provider).spec.dimensions == DIMENSIONS
    assert provider.asked == []


def test_a_probe_that_fails_is_our_error():
    with pytest.raises(UpstreamError):
        _ = model(Provider(status(401)), dimensions=None).spec


BAD_DATA: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "one too few": lambda data: data[:-1],
    "one too many": lambda data: [*data, data[0] | {"index": len(data)}],
    "one twice": lambda data: [data[0], data[0]],
    "an index below zero": lambda data: [data[0], data[1] | {"index": -1}],
    "an index that is no number": lambda data: [data[0], data[1] | {"index": "1"}],
    "an index that is true": lambda data: [data[0], data[1] | {"index": True}],
    "no index": lambda data: [{"embedding": item["embedding"]} for item in data],
    "no vector": lambda data: [data[0], {"index": 1}],
    "an empty vector": lambda data: [data[0], data[1] | {"embedding": []}],
    "text for a vector": lambda data: [data[0], data[1] | {"embedding": "AAAA"}],
    "text in a vector": lambda data: [data[0], data[1] | {"embedding": ["1.0"] * DIMENSIONS}],
    "null in a vector": lambda data: [data[0], data[1] | {"embedding": [None] * DIMENSIONS}],
    "true in a vector": lambda data: [data[0], data[1] | {"embedding": [True] * DIMENSIONS}],
    "another size": lambda data: [data[0], data[1] | {"embedding": vector("b", DIMENSIONS - 1)}],
    "not a number": lambda data: [data[0], data[1] | {"embedding": [math.nan] * DIMENSIONS}],
    "infinity": lambda data: [data[0], data[1] | {"embedding": [math.inf] * DIMENSIONS}],
    "an overflow": lambda data: [data[0], data[1] | {"embedding": [1e308] * DIMENSIONS}],
    "an integer too large for a float": lambda data: [data[0], data[1] | {"embedding": [10**400] * DIMENSIONS}],
    "zero": lambda data: [data[0], data[1] | {"embedding": [0.0] * DIMENSIONS}],
}


@pytest.mark.parametrize("fault", BAD_DATA)
async def test_wrong_vectors_are_refused_at_once(fault: str):
    provider = Provider(said(BAD_DATA[fault]))
    with pytest.raises(UpstreamError) as caught:
        await model(provider).embed_passages(["a", "b"])
    assert (caught.value.code, caught.value.retryable, len(provider.asked)) == ("provider_bad_vectors", False, 1)


async def test_no_size_is_learnt_from_vectors_of_several():
    provider = Provider(said(lambda data: [data[0], data[1] | {"embedding": [1.0]}]))
    with pytest.raises(UpstreamError):
        await model(provider, dimensions=None).embed_passages(["a", "b"])


UNREADABLE: dict[str, Any] = {
    "an error in a successful reply": {"error": {"message": f"{SECRET} {KEY}"}},
    "an error beside vectors": {"error": "overloaded", "data": []},
    "no data": {"object": "list"},
    "data that is no list": {"data": {"0": []}},
    "items that are no objects": {"data": [[1.0], [1.0]]},
    "a list": [1, 2],
    "no JSON": b"<html>",
    "half of JSON": b'{"data": [',
    "bytes that are no text": b"\xff\xfe\x00",
    "nothing": b"",
    "lists without end": b"[" * 200_000,
}


@pytest.mark.parametrize("fault", UNREADABLE)
async def test_an_unreadable_reply_is_asked_for_again_and_then_an_error(fault: str):
    provider = Provider(lambda question: (200, [], UNREADABLE[fault]))
    with pytest.raises(UpstreamError) as caught:
        await model(provider).embed_passages(["a", "b"])
    assert (caught.value.code, caught.value.retryable, len(provider.asked)) == ("provider_broken_reply", True, 4)


STATUSES = {
    400: ("provider_refused", False, 1),
    401: ("provider_key", False, 1),
    403: ("provider_key", False, 1),
    404: ("provider_model", False, 1),
    408: ("provider_unavailable", True, 4),
    413: ("provider_too_large", False, 1),
    429: ("provider_rate_limit", True, 4),
    500: ("provider_unavailable", True, 4),
    503: ("provider_unavailable", True, 4),
    529: ("provider_unavailable", True, 4),
}


@pytest.mark.parametrize("code", STATUSES)
async def test_a_status_becomes_our_own_error_without_the_providers_words(code: int):
    provider = Provider(status(code))
    with pytest.raises(UpstreamError) as caught:
        await model(provider).embed_query(SECRET)
    error = caught.value
    assert (error.code, error.retryable, len(provider.asked)) == STATUSES[code]
    assert "embedding provider" in error.message
    shown = f"{error!r} {error.__cause__!r}"
    assert SECRET not in shown
    assert KEY not in shown


async def test_what_fails_twice_succeeds_at_the_third_try():
    provider = Provider(status(503), status(429, (b"retry-after", b"0")), vectors)
    assert len(await model(provider).embed_passages(["a"])) == 1


async def test_a_connection_that_breaks_is_tried_again_and_then_an_error():
    tries = 0

    def broken(request: httpx2.Request) -> httpx2.Response:
        nonlocal tries
        tries += 1
        raise httpx2.ConnectError(KEY, request=request)

    with pytest.raises(UpstreamError) as caught:
        await endpoint_over(httpx2.MockTransport(broken), attempts=3).embed(["a"], dimensions=0)
    assert (caught.value.code, caught.value.retryable, tries) == ("provider_unreachable", True, 3)


async def test_a_provider_that_times_out_is_tried_again_and_then_an_error():
    def slow(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ReadTimeout("", request=request)

    with pytest.raises(UpstreamError) as caught:
        await endpoint_over(httpx2.MockTransport(slow), attempts=2).embed(["a"], dimensions=0)
    assert (caught.value.code, caught.value.retryable) == ("provider_timeout", True)


async def test_a_missing_key_is_a_configuration_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError):
        await EmbeddingEndpoint("m").embed(["a"], dimensions=0)


async def test_a_refused_batch_is_divided_and_the_size_remembered():
    provider = Provider(at_most(texts=3))
    texts = [str(10**n) for n in range(10)]
    found = await model(provider).embed_passages(texts)
    assert [list(one) for one in found] == [pytest.approx(unit(text)) for text in texts]
    assert [len(sent) for sent in provider.inputs] == [10, 5, 2, 3, 5, 2, 3]


async def test_a_text_that_is_refused_alone_is_cut_in_half_until_it_passes():
    provider = Provider(at_most(texts=9, characters=1000))
    found = await model(provider).embed_passages(["short", "x" * 3000])
    assert len(found) == 2
    assert [max(map(len, sent)) for sent in provider.inputs] == [3000, 5, 3000, 1500, 750]


async def test_a_large_text_does_not_make_later_batches_small():
    provider = Provider(at_most(texts=9, characters=1000))
    embedding = model(provider)
    await embedding.embed_passages(["short", "x" * 3000])
    await embedding.embed_passages(["a", "b", "c"])
    assert provider.inputs[-1] == ["a", "b", "c"]


async def test_requests_stay_within_the_tokens_a_provider_takes():
    provider = Provider()
    await model(provider).embed_passages(["y" * 32_000] * 40)
    assert [len(sent) for sent in provider.inputs] == [18, 18, 4]


@pytest.mark.parametrize("text", ["x" * 100_000, "ह" * 100_000, "a漢" * 50_000, "😀" * 50_000])
async def test_a_long_text_is_cut_at_the_window(text: str):
    provider = Provider()
    await model(provider).embed_query(text)
    [[sent]] = provider.inputs
    assert text.startswith(sent)
    assert 7_990 <= estimated_tokens(sent) <= 8_000


async def test_an_empty_text_is_sent_as_a_blank():
    provider = Provider()
    await model(provider).embed_passages([""])
    assert provider.inputs == [[" "]]


async def test_half_of_a_surrogate_pair_does_not_fail():
    assert len(await model(Provider()).embed_passages(["\ud800 text"])) == 1


async def test_no_texts_make_no_request():
    provider = Provider()
    assert await model(provider).embed_passages([]) == []
    assert provider.asked == []


SHARED_PROVIDER = Path(__file__).parents[5] / "shared/attacks/fake_provider.py"
FAULTS = {"embed_ok": True, "embed_reorder": True, "flaky_2": True} | dict.fromkeys(
    ("embed_short", "embed_dim", "embed_nan", "embed_zero", "embed_413", "error_200", "401", "404", "429", "500", "502_html"), False
)


def shared_provider() -> Any:
    if not SHARED_PROVIDER.exists():
        pytest.skip("shared/attacks isn't beside the repository")
    names: dict[str, Any] = {}
    exec(compile(SHARED_PROVIDER.read_text(), SHARED_PROVIDER.name, "exec"), names)
    return names["app"]


@pytest.mark.parametrize("fault", FAULTS)
async def test_the_shared_provider_is_repaired_or_refused(fault: str):
    options = options_for(shared_provider())
    texts: Sequence[str] = ["one", "two", "three"]
    embedding = OpenAIEmbedding(f"fault:{fault}", KEY, "http://provider/v1", dimensions=8, options=options)
    if FAULTS[fault]:
        assert [len(one) for one in await embedding.embed_passages(texts)] == [8, 8, 8]
    else:
        with pytest.raises(UpstreamError):
            await embedding.embed_passages(texts)
