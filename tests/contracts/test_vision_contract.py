"""What every vision model keeps, whatever stands behind it."""

import asyncio
from collections.abc import Callable
from typing import Literal

import httpx2
import pytest

from pincite.adapters.memory.vision import ScriptedVisionModel
from pincite.adapters.models.openai_vision import NOTHING, OpenAIVisionModel
from pincite.core.errors import UpstreamError
from pincite.core.messages import MessagePicture, ModelUsage
from pincite.core.ports.vision import Description, VisionModel

CHART, LOGO, BAD = (MessagePicture(b"\x89PNG" + name, "image/png") for name in (b"chart", b"logo", b"bad"))
TEXT = "A bar chart of ships by year: 12 in 2019, 48 in 2020."


def openai(protocol: Literal["chat", "responses"]) -> OpenAIVisionModel:
    def answer(request: httpx2.Request) -> httpx2.Response:
        body = request.content.decode()
        # The bytes of the three pictures in base64.
        if "iVBORz" in body or "iVBOR2JhZA" in body:
            return httpx2.Response(500)
        said = NOTHING + "." if "iVBOR2xvZ28" in body else TEXT
        if protocol == "chat":
            whole = {"choices": [{"index": 0, "message": {"content": said}, "finish_reason": "stop"}]}
            return httpx2.Response(200, json=whole | {"usage": {"prompt_tokens": 100, "completion_tokens": 10}})
        text = [{"type": "message", "content": [{"type": "output_text", "text": said}]}]
        whole = {"object": "response", "status": "completed", "output": text, "usage": {"input_tokens": 100, "output_tokens": 10}}
        return httpx2.Response(200, json=whole)

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    return OpenAIVisionModel("m", "key", "https://provider.test/v1", protocol=protocol, retry_wait_s=0, http_client=client)


class Scripted(ScriptedVisionModel):
    async def describe(self, picture: MessagePicture, *, lang: str = "") -> Description:
        if picture == BAD:
            raise UpstreamError("The scripted model failed as told.")
        return await super().describe(picture, lang=lang)


BUILDERS: dict[str, Callable[[], VisionModel]] = {
    "scripted": lambda: Scripted(TEXT, texts={LOGO.data: ""}),
    "openai chat": lambda: openai("chat"),
    "openai responses": lambda: openai("responses"),
}


@pytest.fixture(params=list(BUILDERS))
def model(request: pytest.FixtureRequest) -> VisionModel:
    return BUILDERS[request.param]()


async def test_a_picture_is_described_and_what_it_took_is_told(model: VisionModel) -> None:
    described = await model.describe(CHART, lang="en")
    assert described == Description(TEXT, ModelUsage(100, 10))


async def test_a_picture_that_shows_nothing_worth_finding_has_no_text_and_has_its_price(model: VisionModel) -> None:
    assert await model.describe(LOGO) == Description("", ModelUsage(100, 10))


async def test_a_failure_is_an_upstream_error_and_the_next_picture_is_described(model: VisionModel) -> None:
    with pytest.raises(UpstreamError) as failed:
        await model.describe(BAD)
    assert failed.value.message.endswith(".")
    assert (await model.describe(CHART)).text == TEXT


async def test_pictures_at_the_same_time_dont_mix(model: VisionModel) -> None:
    many = await asyncio.gather(*(model.describe(picture) for picture in (CHART, LOGO) * 4))
    assert [each.text for each in many] == [TEXT, ""] * 4


async def test_a_model_has_a_name_and_a_version(model: VisionModel) -> None:
    assert model.name
    assert model.version
