"""The embeddings endpoint of an OpenAI-protocol server: one request, tried again while that may help, its reply checked."""

import asyncio
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from pincite.adapters.models.openai_client import ProviderClient
from pincite.adapters.models.openai_embeddings_reply import read_vectors
from pincite.adapters.models.openai_errors import ProviderFault, broken_connection, broken_reply, from_sdk, timed_out
from pincite.core.ports.models import Vector

if TYPE_CHECKING:
    import httpx2

CONNECT_TIMEOUT_S = 10.0
LONGEST_WAIT_S = 30.0
MOST_BYTES_A_TEXT = 500_000
"""A vector of 8,192 numbers, written out, takes a third of it; a reply beyond that is none."""

_FAULTS = {
    "provider_key": ("The embedding provider refused the API key. Check the key and the model.", False),
    "provider_model": ("The embedding provider doesn't know the model or the address. Check its name and base URL.", False),
    "provider_too_large": ("The embedding provider finds even a single text too large.", False),
    "provider_rate_limit": ("The embedding provider takes no more requests right now. Try again later.", True),
    "provider_unavailable": ("The embedding provider is not available right now. Try again later.", True),
    "provider_timeout": ("The embedding provider took too long to answer. Try again later.", True),
    "provider_unreachable": ("The embedding provider can't be reached. Start it, or check OPENAI_BASE_URL and the network.", True),
    "provider_quota": (
        "The embedding provider's account has no credit left or no quota. Look into its billing.",
        False,
    ),
    "provider_redirect": ("The embedding provider sends requests on to another address. Set OPENAI_BASE_URL to that one.", False),
    "provider_broken_reply": ("The embedding provider's reply was broken off or unreadable. Try again later.", True),
}
_REFUSED = ("The embedding provider refused the request. Check the model and its settings.", False)


@dataclass(frozen=True, slots=True)
class EndpointOptions:
    """How patiently an endpoint is asked.

    A failure that may mend itself is tried up to `attempts` times, after a wait that doubles from `retry_wait_s`, with jitter, or
    after what the provider asks for (30 s at most). `timeout_s` bounds one request, `question_timeout_s` a question with all its
    retries, since somebody waits for it. `http_client` replaces the SDK's own client and is left open.
    """

    timeout_s: float = 60.0
    question_timeout_s: float = 20.0
    attempts: int = 4
    retry_wait_s: float = 0.5
    http_client: "httpx2.AsyncClient | None" = None


DEFAULT_OPTIONS = EndpointOptions()


class EmbeddingEndpoint:
    """Where embeddings are asked for.

    Without `api_key` and `base_url` the SDK's own variables count; a server that wants no key gets a placeholder when `base_url` is
    given.
    """

    def __init__(
        self, model: str, api_key: str | None = None, base_url: str | None = None, *, options: EndpointOptions = DEFAULT_OPTIONS
    ) -> None:
        self._model = model
        self._options = options
        self._provider = ProviderClient(
            "embedding", api_key, base_url, options.timeout_s, CONNECT_TIMEOUT_S, http_client=options.http_client
        )

    def probe_dimensions(self) -> int:
        """Return the size of the model's vectors, by one request for which it blocks. Raises as `embed`."""

        async def probe() -> int:
            try:
                async with asyncio.timeout(self._options.question_timeout_s):
                    return len((await self.embed(["dimensions"], dimensions=0))[0])
            except TimeoutError:
                raise embedding_fault(timed_out()) from None
            finally:
                await self.aclose()

        # On a thread, as the caller's own may be running an event loop.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, probe()).result()

    async def embed(self, texts: Sequence[str], *, dimensions: int, shorten: bool = False) -> list[Vector]:
        """Return one vector of length 1 per text, in order, each of `dimensions` (0: of any one size).

        With `shorten` the provider is asked for that size. Raises `UpstreamError`, and `ConfigurationError` without a key.
        """
        body: dict[str, Any] = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        if shorten:
            body["dimensions"] = dimensions
        for attempt in range(self._options.attempts):
            try:
                reply = await self._post(body)
                # Reading a large reply takes long enough to hold up other tasks.
                return await asyncio.to_thread(read_vectors, reply, texts=len(texts), dimensions=dimensions)
            except ProviderFault as fault:
                if not fault.retryable or attempt == self._options.attempts - 1:
                    raise
                wait = self._wait_s(attempt, fault.retry_after_s)
            await asyncio.sleep(wait)
        raise AssertionError("attempts is at least 1")

    async def aclose(self) -> None:
        """Close the connections that this event loop has to the provider."""
        await self._provider.aclose()

    async def _post(self, body: dict[str, Any]) -> bytes:
        client = await self._provider.get()
        import httpx2
        import openai

        create = cast(Any, client.embeddings.with_streaming_response.create)
        data = bytearray()
        try:
            # The SDK's own timeouts count anew with every byte that comes.
            async with asyncio.timeout(self._options.timeout_s), create(**body) as response:
                async for chunk in response.iter_bytes():
                    data += chunk
                    if len(data) > MOST_BYTES_A_TEXT * (1 + len(body["input"])):
                        raise embedding_fault(broken_reply())
        except openai.OpenAIError as error:
            raise embedding_fault(from_sdk(error)) from None
        except TimeoutError:
            raise embedding_fault(timed_out()) from None
        except (httpx2.RequestError, httpx2.StreamError):
            raise embedding_fault(broken_connection()) from None
        return bytes(data)

    def _wait_s(self, attempt: int, retry_after_s: float | None) -> float:
        if retry_after_s is not None:
            return min(retry_after_s, LONGEST_WAIT_S)
        return min(self._options.retry_wait_s * 2**attempt, LONGEST_WAIT_S) * random.uniform(0.5, 1.0)


def embedding_fault(fault: ProviderFault) -> ProviderFault:
    """Say in terms of embeddings what went wrong."""
    text, retryable = _FAULTS.get(fault.code, _REFUSED)
    return ProviderFault(text, code=fault.code, retryable=retryable, retry_after_s=fault.retry_after_s)
