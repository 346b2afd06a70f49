"""Replies as OpenAI, vLLM, Ollama, llama.cpp and gateways send them, whole and broken (`tests/data/provider`), cut anywhere."""

import gzip
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest

from pincite.adapters.models.openai_chat import OpenAIChatModel
from pincite.core.errors import UpstreamError
from pincite.core.messages import ChatMessage, ModelUsage

REPLIES = Path(__file__).parents[3] / "data" / "provider" / "replies.jsonl"
ROWS = [json.loads(line) for line in REPLIES.read_text(encoding="utf-8").splitlines()]
WHOLE = 1 << 20


class Pieces(httpx2.AsyncByteStream):
    """A body that comes in pieces of one size."""

    def __init__(self, body: bytes, size: int) -> None:
        self._body = body
        self._size = size
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for at in range(0, len(self._body), self._size):
            yield self._body[at : at + self._size]

    async def aclose(self) -> None:
        self.closed = True


async def asked(row: dict[str, Any], body: Pieces) -> tuple[str, ModelUsage]:
    def answer(request: httpx2.Request) -> httpx2.Response:
        assert request.headers["accept-encoding"] == "identity"
        return httpx2.Response(row["status"], headers=row["headers"], stream=body)

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    model = OpenAIChatModel(
        "m", "sk-secret-0123456789", "https://provider.test/v1", protocol=row["protocol"], attempts=1, http_client=client
    )
    pieces = [piece async for piece in model.stream([ChatMessage("user", "How long is notice?")])]
    return "".join(cast("list[str]", pieces[:-1])), cast("ModelUsage", pieces[-1])


@pytest.mark.parametrize("size", [1, 7, WHOLE])
@pytest.mark.parametrize("row", ROWS, ids=[f"{row['protocol']}: {row['name']}" for row in ROWS])
async def test_a_reply_is_read_or_refused_however_it_is_cut(row: dict[str, Any], size: int) -> None:
    body = Pieces(row["body"].encode(), size)
    if "text" in row:
        text, usage = await asked(row, body)
        assert text == row["text"]
        assert usage.truncated is row.get("truncated", False)
    else:
        with pytest.raises(UpstreamError) as refused:
            await asked(row, body)
        assert refused.value.code == row["code"]
        assert "provider-words" not in repr(refused.value) + repr(refused.value.__cause__)
    assert body.closed


async def test_a_reply_that_is_packed_all_the_same_is_unpacked() -> None:
    row = next(row for row in ROWS if row["name"] == "usage in the last chunk")
    packed = gzip.compress(row["body"].encode())
    text, usage = await asked(row | {"headers": row["headers"] | {"content-encoding": "gzip"}}, Pieces(packed, 10))
    assert text == row["text"]
    assert (usage.prompt_tokens, usage.completion_tokens, usage.estimated) == (7, 3, False)


async def test_json_nested_without_end_is_a_broken_reply() -> None:
    row = next(row for row in ROWS if row["name"] == "half of JSON")
    with pytest.raises(UpstreamError) as refused:
        await asked(row, Pieces(b"data: " + b"[" * 200_000 + b"\n\n", WHOLE))
    assert refused.value.code == "provider_broken_reply"
