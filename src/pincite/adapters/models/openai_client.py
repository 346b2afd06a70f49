"""The SDK's client for one provider: one per event loop, and only for an address and a key that can be sent."""

import asyncio
import importlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from pincite.core.errors import ConfigurationError

if TYPE_CHECKING:
    import httpx2
    import openai

NO_KEY = "none"
"""Sent to a server that was named without a key: the SDK wants one."""


@dataclass
class ProviderClient:
    """Where a provider is and how it is reached. `name` is what errors call it.

    Without `api_key` and `base_url` the SDK's own variables count. Nobody is sent on to another address: a redirect would carry the
    sources there. `http_client` replaces the SDK's own client and is left open.
    """

    name: str
    api_key: str | None
    base_url: str | None
    timeout_s: float
    connect_timeout_s: float
    http_client: "httpx2.AsyncClient | None" = None
    _clients: "WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI]" = field(
        default_factory=lambda: WeakKeyDictionary[asyncio.AbstractEventLoop, "openai.AsyncOpenAI"]()
    )

    async def get(self) -> "openai.AsyncOpenAI":
        """Return the client of this event loop. Raises `ConfigurationError`.

        Importing the SDK takes over a second, so a thread does it.
        """
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            await asyncio.to_thread(importlib.import_module, "openai")
        if loop not in self._clients:  # of several that waited, the first makes it
            self._clients[loop] = self._new()
        return self._clients[loop]

    async def aclose(self) -> None:
        """Close the connections of this event loop."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None and self.http_client is None:
            await client.close()

    def _new(self) -> "openai.AsyncOpenAI":
        import httpx2
        import openai

        timeout = httpx2.Timeout(self.timeout_s, connect=min(self.connect_timeout_s, self.timeout_s))
        own = self.http_client or openai.DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False)
        key = self.api_key.strip() if self.api_key else None
        for candidate in (key, NO_KEY if self.base_url and not key else key):
            try:
                client = openai.AsyncOpenAI(
                    api_key=candidate, base_url=self.base_url, timeout=timeout, max_retries=0, http_client=own
                )
            except openai.OpenAIError:
                continue
            except (httpx2.InvalidURL, ValueError):
                raise self._bad_address(self.base_url or "") from None
            self._check(client)
            return client
        raise ConfigurationError(
            f"The {self.name} provider needs an API key. Set OPENAI_API_KEY, or OPENAI_BASE_URL to a server that needs none.",
            code="provider_key",
        )

    def _check(self, client: "openai.AsyncOpenAI") -> None:
        """Raise for an address that is none, and for a key that no header can carry: the connection would fail in odd ways."""
        if client.base_url.scheme not in ("http", "https") or not client.base_url.host:
            raise self._bad_address(str(client.base_url))
        if not (client.api_key.isascii() and client.api_key.isprintable()):
            raise ConfigurationError(
                f"The {self.name} provider's API key holds characters that no key has. Copy it once more into OPENAI_API_KEY.",
                code="provider_key",
            )

    def _bad_address(self, given: str) -> ConfigurationError:
        return ConfigurationError(
            f"The {self.name} provider's address {without_secrets(given)!r} is none. Set OPENAI_BASE_URL to one that begins with "
            "http:// or https://, such as http://127.0.0.1:11434/v1.",
            code="provider_address",
        )


def address_of(client: "openai.AsyncOpenAI") -> str:
    """Return scheme, host and port of a provider, for whoever set them."""
    return without_secrets(str(client.base_url))


def without_secrets(url: str) -> str:
    """Return a URL without user, password and query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.rpartition("@")[2].partition("?")[0]
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl().rstrip("/")
