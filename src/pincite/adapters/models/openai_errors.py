"""What goes wrong at an OpenAI-protocol provider, in our own words.

No text, key or prompt of the provider's is passed on, not even as the cause of an exception: a provider's message may repeat them.
It is read all the same, since the same status means many things.
"""

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, cast

from pincite.core.errors import UpstreamError

if TYPE_CHECKING:
    import openai

_REFUSED = {
    401: "provider_key",
    402: "provider_quota",
    403: "provider_key",
    404: "provider_model",
    405: "provider_model",
    413: "provider_too_large",
}
_TEXTS = {
    "provider_key": "The chat provider refused the API key for this model. Check OPENAI_API_KEY and CHAT_MODEL.",
    "provider_model": (
        "The chat provider doesn't know the model or the address. Check CHAT_MODEL, and that OPENAI_BASE_URL ends as the provider "
        "says, most often in /v1."
    ),
    "provider_too_large": ("The question and its sources are too large for the chat model. Lower CHAT_MAX_CONTEXT_CHARACTERS."),
    "provider_quota": "The chat provider's account has no credit left, or its quota is used up. Look into the provider's billing.",
    "provider_redirect": "The chat provider sends requests on to another address. Set OPENAI_BASE_URL to that address itself.",
    "provider_refused": "The chat provider refused the request. Check the model and its settings.",
}
_TELLING: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("provider_quota", ("insufficient_quota", "insufficient balance", "billing", "credit balance", "out of credits")),
    ("provider_key", ("invalid_api_key", "api key not valid", "incorrect api key", "authentication")),
    (
        "provider_too_large",
        ("context_length", "context length", "context size", "context_size", "context window", "too many tokens"),
    ),
    ("provider_model", ("model_not_found", "model_not_exist", "not found", "does not exist", "unknown model", "invalid model")),
)
"""Words in a refusal that tell more than its status: those of OpenAI, vLLM, llama.cpp, Ollama and gateways."""

_IN_BAND: tuple[tuple[int, tuple[str, ...]], ...] = (
    (429, ("rate_limit", "rate limit", "too_many_requests")),
    (503, ("server_error", "internal", "overloaded", "unavailable", "timeout", "api_error")),
    (401, ("invalid_api_key", "authentication")),
    (404, ("not_found",)),
    (400, ("invalid_request", "badrequest", "bad_request", "exceed_context", "context_length")),
)
"""Names of errors that come inside a stream, with the status that each would have had before it."""

_MOST_READ = 4_000


class ProviderFault(UpstreamError):
    """A failed call. `retry_after_s` is how long the provider asks to wait, None when it doesn't say."""

    def __init__(self, message: str, *, code: str, retryable: bool = False, retry_after_s: float | None = None) -> None:
        super().__init__(message, code=code, retryable=retryable)
        self.retry_after_s = retry_after_s


def from_sdk(error: "openai.OpenAIError", address: str = "") -> ProviderFault:
    """Return our error for one of the SDK's. `address` names where the provider was looked for."""
    import httpx2
    import openai

    match error:
        case openai.APIStatusError():
            return from_status(error.status_code, wait_s=asked_wait_s(error.response.headers), said=_words(error.body))
        case openai.APIConnectionError() if isinstance(error.__cause__, httpx2.ConnectError | httpx2.ConnectTimeout):
            return not_there(address)
        case openai.APITimeoutError():
            return timed_out()
        case openai.APIConnectionError():
            return broken_connection()
        case _:
            return broken_reply()


def from_status(status: int, *, wait_s: float | None = None, said: str = "") -> ProviderFault:
    """Return our error for an HTTP status: 408, 409, 425, 429 and 5xx may be tried again, but for an account without credit."""
    code = next((code for code, words in _TELLING if any(word in said for word in words)), "")
    if status == 429 and code != "provider_quota":
        text = "The chat provider takes no more requests right now. Try again later."
        return ProviderFault(text, code="provider_rate_limit", retryable=True, retry_after_s=wait_s)
    if status in (408, 409, 425) or status >= 500:
        text = "The chat provider is not available right now. Try again later."
        return ProviderFault(text, code="provider_unavailable", retryable=True, retry_after_s=wait_s)
    if 300 <= status < 400:
        code = "provider_redirect"
    elif status not in (400, 404, 422, 429):
        code = _REFUSED.get(status, code)
    code = code or _REFUSED.get(status, "provider_refused")
    return ProviderFault(_TEXTS[code], code=code)


def in_band(error: object) -> ProviderFault:
    """Return our error for one that came with status 200, in a stream or instead of it."""
    said = _words(error)
    status = _status_in(error) or next((status for status, names in _IN_BAND if any(name in said for name in names)), 0)
    return from_status(status, said=said) if status else broken_reply()


def _status_in(error: object) -> int:
    if not isinstance(error, dict):
        return 0
    values = cast("Mapping[str, Any]", error)
    for key in ("code", "status_code", "http_status_code", "status"):
        value = values.get(key)
        if isinstance(value, int | str) and str(value).isdecimal() and 400 <= int(str(value)[:4]) < 600:
            return int(value)
    return 0


def _words(error: object) -> str:
    """Return what an error says, for looking into it alone. Gemini's come in a list."""
    if isinstance(error, list):
        return _words(next(iter(cast("list[object]", error)), None))
    if isinstance(error, dict):
        values = cast("Mapping[str, Any]", error)
        parts = [values.get(key) for key in ("code", "type", "error_type", "message")]
        parts.append(_words(cast("object", values.get("error"))))
        return " ".join(str(part)[:_MOST_READ] for part in parts if part).lower()
    return error[:_MOST_READ].lower() if isinstance(error, str) else ""


def asked_wait_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a provider asks to wait: `Retry-After`, also as a date (RFC 9110, 10.2.3), or `retry-after-ms`."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    given = headers.get("retry-after", "")
    seconds = _number(given)
    if seconds is not None or not given:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(given).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def timed_out() -> ProviderFault:
    """Return the error for a provider that said nothing for too long. Not tried again: the time is used up."""
    text = "The chat provider took too long to answer. If it is a slow one, raise CHAT_FIRST_TOKEN_TIMEOUT_SECONDS."
    return ProviderFault(text, code="provider_timeout")


def not_there(address: str) -> ProviderFault:
    """Return the error for an address that takes no connection."""
    place = f" at {address}" if address else ""
    text = f"No chat provider can be reached{place}. Start it, or set OPENAI_BASE_URL to where it runs."
    return ProviderFault(text, code="provider_unreachable", retryable=True)


def broken_connection() -> ProviderFault:
    """Return the error for a connection that broke."""
    text = "The connection to the chat provider broke. Check OPENAI_BASE_URL and the network."
    return ProviderFault(text, code="provider_unreachable", retryable=True)


def broken_reply() -> ProviderFault:
    """Return the error for a reply that isn't what the protocol says, or that stops in the middle."""
    text = "The chat provider's reply was broken off or unreadable. Try again."
    return ProviderFault(text, code="provider_broken_reply", retryable=True)


def no_provider() -> ProviderFault:
    """Return the error for an address that answers with something other than a reply: a web page, most often."""
    text = "The address OPENAI_BASE_URL doesn't speak the OpenAI protocol. Check how it ends: most often in /v1."
    return ProviderFault(text, code="provider_broken_reply", retryable=True)


def empty_reply() -> ProviderFault:
    """Return the error for a complete reply without any text."""
    return ProviderFault("The chat provider replied with no text.", code="provider_empty_reply", retryable=True)


def no_room() -> ProviderFault:
    """Return the error for a model that came to its limit before it wrote a word, as models do that think first."""
    text = "The chat model used up CHAT_MAX_OUTPUT_TOKENS before it wrote any text. Raise it: the model thinks before it answers."
    return ProviderFault(text, code="provider_no_room")


def filtered() -> ProviderFault:
    """Return the error for a reply that the provider withheld."""
    return ProviderFault("The chat provider withheld the reply by its content rules.", code="provider_filtered")


def asked_for_tools() -> ProviderFault:
    """Return the error for a model that calls tools though none were offered."""
    return ProviderFault("The chat model called a tool though none was offered. Choose another model.", code="provider_tool_call")
