"""Pictures for a model behind the OpenAI protocols: what is sent, and what must come of each fault of a provider."""

import base64
import json
from typing import Any

import httpx2
import pytest
from tests.unit.adapters.models.test_openai_chat_faults import CASES, KEY, SUFFIX, UNTELLABLE, InProcess, Protocol, wanted_error
from tests.unit.adapters.models.test_openai_chat_faults import wire as wire  # a fixture

from pincite.adapters.models.openai_vision import PROMPT, OpenAIVisionModel
from pincite.core.errors import ConfigurationError, UpstreamError
from pincite.core.messages import MessagePicture

PICTURE = MessagePicture(b"\x89PNG\r\n\x1a\n\0\xff", "image/png")
ADDRESS = f"data:image/png;base64,{base64.b64encode(PICTURE.data).decode()}"


async def sent(protocol: Protocol, lang: str) -> dict[str, Any]:
    bodies: list[dict[str, Any]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(request.content))
        return httpx2.Response(400)

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    model = OpenAIVisionModel("m", KEY, "https://provider.test/v1", protocol=protocol, max_output_tokens=77, http_client=client)
    with pytest.raises(UpstreamError, match="a model that takes pictures"):
        await model.describe(PICTURE, lang=lang)
    [body] = bodies
    return body


async def test_chat_completions_are_sent_the_rules_and_the_picture_alone() -> None:
    body = await sent("chat", "de")
    system, user = body["messages"]
    assert (system["content"], body["max_tokens"]) == (PROMPT, 77)
    assert user["content"] == [
        {"type": "text", "text": "Describe this picture in the language with the code 'de'."},
        {"type": "image_url", "image_url": {"url": ADDRESS}},
    ]


async def test_responses_are_sent_the_rules_and_the_picture_alone() -> None:
    body = await sent("responses", "")
    system, user = body["input"]
    assert (system["content"], body["max_output_tokens"], body["store"]) == (PROMPT, 77, False)
    assert user["content"] == [
        {"type": "input_text", "text": "Describe this picture."},
        {"type": "input_image", "image_url": ADDRESS},
    ]


@pytest.mark.skipif(not CASES, reason="needs the fake provider in ../shared/attacks")
@pytest.mark.parametrize(("mode", "outcome", "retry", "protocol"), CASES, ids=[f"{case[0]} {case[3]}" for case in CASES])
async def test_a_fault_is_a_description_or_an_error_in_our_words(
    wire: InProcess, mode: str, outcome: str, retry: str, protocol: Protocol
) -> None:
    if (mode, protocol) in UNTELLABLE:
        return
    model = OpenAIVisionModel(
        f"fault:{mode}{SUFFIX.get(mode, '')}",
        KEY,
        "https://provider.test/v1",
        protocol=protocol,
        timeout_s=0.5 if mode in ("never_headers", "keepalive_only") else 30,
        max_output_tokens=200,
        retry_wait_s=0,
        http_client=httpx2.AsyncClient(transport=wire),
    )
    if wanted_error(outcome, protocol):
        with pytest.raises(UpstreamError, match=r"^The vision ") as failed:
            await model.describe(PICTURE)
        told = repr(failed.value) + repr(failed.value.__cause__)
        assert not any(word in told for word in ("fault", "overloaded", KEY, "chat provider"))
    else:
        described = await model.describe(PICTURE)
        assert described.text
        assert KEY not in described.text
        assert described.usage.tokens


async def test_without_a_key_the_vision_provider_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="The vision provider needs an API key"):
        await OpenAIVisionModel("m").describe(PICTURE)
