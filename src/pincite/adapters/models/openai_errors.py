"""What goes wrong at an OpenAI-protocol provider, in our own words.

No text, key or prompt of the provider's is passed on, not even as the cause of an exception: a provider's message may repeat them.
"""

from typing import TYPE_CHECKING

from pincite.core.errors import UpstreamError

if TYPE_CHECKING:
    import openai

_REFUSED = {
    401: ("provider_key", "The chat provider refused the API key. Check OPENAI_API_KEY."),
    403: ("provider_key", "The chat provider doesn't allow this key to use the model. Check the key and the model."),
    404: ("provider_model", "The chat provider doesn't know the model or the address. Check the model's name and OPENAI_BASE_URL."),
    413: (
        "provider_too_large",
        "The question and its sources are too large for the chat model. Lower CHAT_MAX_CONTEXT_CHARACTERS.",
    ),
}


class ProviderFault(UpstreamError):
    """A failed call. `retry_after_s` is how long the provider asks to wait, None when it doesn't say."""

    def __init__(self, message: str, *, code: str, retryable: bool = False, retry_after_s: float | None = None) -> None:
        super().__init__(message, code=code, retryable=retryable)
        self.retry_after_s = retry_after_s


def from_sdk(error: "openai.OpenAIError") -> ProviderFault:
    """Return our error for one of the SDK's."""
    import openai

    match error:
        case openai.APIStatusError():
            return from_status(error.status_code, error.response.headers.get("retry-after", ""))
        case openai.APITimeoutError():
            return timed_out()
        case openai.APIConnectionError():
            return unreachable()
        case _:
            return broken_reply()


def from_status(status: int, retry_after: str = "") -> ProviderFault:
    """Return our error for an HTTP status: 408, 409, 425, 429 and 5xx may be tried again."""
    wait = _seconds(retry_after)
    if status == 429:
        text = "The chat provider takes no more requests right now. Try again later."
        return ProviderFault(text, code="provider_rate_limit", retryable=True, retry_after_s=wait)
    if status in (408, 409, 425) or status >= 500:
        text = "The chat provider is not available right now. Try again later."
        return ProviderFault(text, code="provider_unavailable", retryable=True, retry_after_s=wait)
    code, text = _REFUSED.get(
        status, ("provider_refused", "The chat provider refused the request. Check the model and its settings.")
    )
    return ProviderFault(text, code=code)


def _seconds(retry_after: str) -> float | None:
    try:
        wait = float(retry_after)
    except ValueError:
        return None
    return wait if 0 <= wait < float("inf") else None


def timed_out() -> ProviderFault:
    """Return the error for a provider that said nothing for too long. Not tried again: the time is used up."""
    return ProviderFault("The chat provider took too long to answer.", code="provider_timeout")


def unreachable() -> ProviderFault:
    """Return the error for a connection that failed or broke."""
    text = "The connection to the chat provider failed. Check OPENAI_BASE_URL and the network."
    return ProviderFault(text, code="provider_unreachable", retryable=True)


def broken_reply() -> ProviderFault:
    """Return the error for a reply that isn't what the protocol says, or that stops in the middle."""
    text = "The chat provider's reply was broken off or unreadable. Try again."
    return ProviderFault(text, code="provider_broken_reply", retryable=True)


def empty_reply() -> ProviderFault:
    """Return the error for a complete reply without any text."""
    return ProviderFault("The chat provider replied with no text.", code="provider_empty_reply", retryable=True)


def filtered() -> ProviderFault:
    """Return the error for a reply that the provider withheld."""
    return ProviderFault("The chat provider withheld the reply by its content rules.", code="provider_filtered")


def asked_for_tools() -> ProviderFault:
    """Return the error for a model that calls tools though none were offered."""
    return ProviderFault("The chat model called a tool though none was offered. Choose another model.", code="provider_tool_call")
