"""What a provider asks to wait, and that a redirect is followed nowhere, also by the SDK's own client."""

import time
from email.utils import formatdate

import httpx2
import pytest

from pincite.adapters.models.openai_client import ProviderClient, without_secrets
from pincite.adapters.models.openai_errors import asked_wait_s
from pincite.core.errors import ConfigurationError


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "9", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": formatdate(0, usegmt=True)}, 0.0),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({}, None),
    ],
)
def test_a_wait_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_wait_s(httpx2.Headers(headers)) == seconds


def test_a_date_is_the_time_until_then() -> None:
    wait = asked_wait_s(httpx2.Headers({"retry-after": formatdate(time.time() + 3600, usegmt=True)}))
    assert wait is not None
    assert 3000 < wait <= 3600


async def test_the_sdks_own_client_follows_no_redirect() -> None:
    provider = ProviderClient("chat", "sk-secret-0123456789", "https://provider.test/v1", 1.0, 1.0)
    client = await provider.get()
    assert await provider.get() is client
    assert client._client.follow_redirects is False  # pyright: ignore[reportPrivateUsage]  # what it is sent with
    await provider.aclose()


@pytest.mark.parametrize("address", ["localhost:11434/v1", "http://", "http://[::1", "ftp://a/v1", "http://a:port/v1"])
async def test_an_address_that_is_none_is_refused_without_its_secrets(address: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        await ProviderClient("chat", "sk-secret-0123456789", address, 1.0, 1.0).get()
    assert "OPENAI_BASE_URL" in refused.value.message


def test_user_password_and_query_of_an_address_are_never_told() -> None:
    assert without_secrets("https://" + "ada:secret" + "@provider.test:8000/v1?key=secret") == "https://provider.test:8000/v1"
