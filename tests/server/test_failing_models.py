"""A model that fails: exactly one terminal event, a fixed sentence, and nothing of the provider's."""

import json

import pytest
from tests.server.conftest import House
from tests.server.test_questions import QUESTION, ask, events_of, names

from pincite.adapters.memory.chat import ScriptedChatModel
from pincite.core.errors import UpstreamError


@pytest.fixture(params=[0, 1, 3])
def model(request: pytest.FixtureRequest) -> ScriptedChatModel:
    pieces = ["The notice ", "period ", "is [1]"]
    return ScriptedChatModel([pieces], fail_at=request.param, error=UpstreamError("key sk-secret was refused by provider.example"))


@pytest.mark.parametrize(
    ("path", "sentence"), [("/query/", "Generation failed"), ("/chat/stream", "Grounded chat is temporarily unavailable")]
)
async def test_a_failed_generation_ends_with_one_fixed_error(
    house: House, model: ScriptedChatModel, path: str, sentence: str
) -> None:
    status, body = await ask(house, path)
    events = events_of(body)
    assert status == 200
    assert [name for name in names(events) if name in {"done", "error"}] == ["error"]
    assert events[-1][1]["message"] == sentence
    assert "secret" not in body
    assert model.open_streams == 0


async def test_the_json_twin_of_a_failed_generation_is_a_503(house: House) -> None:
    status, body = await ask(house, headers=house.headers | {"Accept": "application/json"})
    assert status == 503
    assert json.loads(body)["detail"] == "Generation failed"
    assert "secret" not in body


async def test_a_place_is_given_back_however_a_stream_ends(house: House) -> None:
    for _ in range(5):
        assert (await ask(house))[0] == 200
        assert (await ask(house, question=QUESTION * 500))[0] == 422
    assert len(house.app.state.server.streams) == 0
