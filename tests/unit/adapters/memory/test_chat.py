"""The scripted model, on which other tests stand."""

import pytest

from pincite.adapters.memory.chat import ScriptedChatModel
from pincite.core.errors import UpstreamError
from pincite.core.messages import ChatMessage, ModelUsage

MESSAGES = [ChatMessage("user", "Q")]


async def test_replies_come_one_per_call_and_the_last_again() -> None:
    model = ScriptedChatModel(["one", ["t", "wo"]])
    assert [await model.invoke(MESSAGES) for _ in range(3)] == ["one", "two", "two"]
    assert model.calls == [tuple(MESSAGES)] * 3


async def test_it_fails_at_the_piece_told() -> None:
    model = ScriptedChatModel([["a", "b"]], fail_at=1, error=UpstreamError("gone", retryable=True))
    stream = model.stream(MESSAGES)
    assert await anext(stream) == "a"
    with pytest.raises(UpstreamError, match="gone"):
        await anext(stream)
    assert model.open_streams == 0


async def test_it_can_fail_after_the_last_piece_and_then_says_no_usage() -> None:
    model = ScriptedChatModel(["a"], fail_at=1, usage=ModelUsage(1, 1))
    with pytest.raises(UpstreamError):
        await model.invoke(MESSAGES)


async def test_it_counts_streams_that_are_open() -> None:
    model = ScriptedChatModel([["a", "b"]])
    stream = model.stream(MESSAGES)
    await anext(stream)
    assert model.open_streams == 1
    await stream.aclose()
    assert model.open_streams == 0


def test_a_model_without_replies_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        ScriptedChatModel([])
