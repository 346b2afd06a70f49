"""Embedding replies that never end, or are larger than any could be: refused in bounded time and memory."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest

from pincite.adapters.models.openai_embeddings import OpenAIEmbedding
from pincite.adapters.models.openai_embeddings_endpoint import MOST_BYTES_A_TEXT, EndpointOptions
from pincite.core.errors import UpstreamError


class Endless(httpx2.AsyncByteStream):
    """A body of pieces without end; each comes before any silence is too long."""

    def __init__(self, piece: bytes) -> None:
        self._piece = piece
        self.given = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            self.given += len(self._piece)
            yield self._piece
            await asyncio.sleep(0.001)

    async def aclose(self) -> None:
        """Nothing is open."""


def asked(body: Endless, *, timeout_s: float, question_timeout_s: float) -> OpenAIEmbedding:
    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "application/json"}, stream=body)

    client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    options = EndpointOptions(timeout_s, question_timeout_s, attempts=2, retry_wait_s=0.0, http_client=client)
    return OpenAIEmbedding("m", "sk-secret-0123456789", "https://provider.test/v1", dimensions=4, options=options)


async def test_a_reply_that_comes_byte_by_byte_ends_at_the_time_limit() -> None:
    with pytest.raises(UpstreamError) as refused:
        await asked(Endless(b" "), timeout_s=0.1, question_timeout_s=30).embed_passages(["text"])
    assert refused.value.code == "provider_timeout"


async def test_a_question_ends_at_its_own_limit() -> None:
    with pytest.raises(UpstreamError) as refused:
        await asked(Endless(b" "), timeout_s=30, question_timeout_s=0.1).embed_query("text")
    assert refused.value.code == "provider_timeout"


async def test_a_reply_that_is_too_large_is_read_no_further() -> None:
    body = Endless(b" " * 100_000)
    with pytest.raises(UpstreamError) as refused:
        await asked(body, timeout_s=30, question_timeout_s=30).embed_passages(["text"])
    assert refused.value.code == "provider_broken_reply"
    assert body.given <= 2 * (2 * MOST_BYTES_A_TEXT + 100_000)
